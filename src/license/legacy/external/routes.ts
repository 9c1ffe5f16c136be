// The external API as older clients call it: other paths, answers in other words, and status 200 for whoever has a key, because any
// other one is "no connection" to them.
import { Hono } from "hono"
import type * as z from "zod"
import { readFields } from "../../body"
import { isAnswer, worded } from "../../envelope"
import { activateLicense } from "../../external/activate"
import { Activate, CheckUpdate, Hold, LatestVersion, Update, Verified } from "../../external/schemas"
import { findLatest, findUpdate, offerMessage, updateFields } from "../../external/updates"
import { deactivateLicense, verifyLicense } from "../../external/verify"
import { parseFields } from "../../fields"
import { needs } from "../../gate/gate"
import { message } from "../../refusal-messages"
import { Held } from "../../response-schemas"
import type { LicenseCtx, LicenseEnv } from "../../types"
import { old } from "../describe"
import { OldActivated, OldLatest } from "../schemas"

export const legacyExternal = new Hono<LicenseEnv>()
  .post("/check_connection_ext", old("oldClient.checkConnection", "Test the key", { answer: Held }), (c) =>
    c.json({ status: true, is_active: true, message: message("connected", c.var.ctx.language) }),
  )
  .post(
    "/activate_license",
    old("oldClient.activate", "Activate a license", { fields: Activate, answer: OldActivated }),
    needs("license:activate"),
    async (c) => {
      const input = await readFields(c)
      const answer = await answered(c.var.ctx, () => activateLicense(c.var.ctx, parseFields(Activate, input)))
      return c.json({ is_active: false, lic_response: null, ...answer, data: null })
    },
  )
  .post(
    "/verify_license",
    old("oldClient.verify", "Verify a license", { fields: Hold, answer: Verified }),
    needs("license:verify"),
    async (c) => c.json(await verifyLicense(c.var.ctx, parseFields(Hold, await readFields(c)))),
  )
  .post(
    "/deactivate_license",
    old("oldClient.deactivate", "Give an activation back", { fields: Hold, answer: Held }),
    needs("license:deactivate"),
    async (c) => c.json(await deactivateLicense(c.var.ctx, parseFields(Hold, await readFields(c)))),
  )
  .post(
    "/check_update",
    old("oldClient.checkUpdate", "Look for an update", { fields: CheckUpdate, answer: Update }),
    needs("updates:read"),
    async (c) => {
      const update = await findUpdate(c.var.ctx, parseFields(CheckUpdate, await readFields(c)))
      // Here the status itself says whether there is one.
      const status = update !== null
      const answer = { status, is_active: status, message: offerMessage(c.var.ctx, update), update_available: status }
      return c.json({ ...answer, version: null, ...(update && updateFields(update)) })
    },
  )
  .post(
    "/latest_version",
    old("oldClient.latestVersion", "Read the newest version", { fields: LatestVersion, answer: OldLatest }),
    needs("updates:read"),
    async (c) => {
      const input = await readFields(c)
      const nothing = { product_name: null, latest_version: null, release_date: null, summary: null }
      const answer = await answered(c.var.ctx, () => latestVersion(c.var.ctx, parseFields(LatestVersion, input)))
      return c.json({ ...nothing, ...answer })
    },
  )

async function latestVersion(ctx: LicenseCtx, input: z.output<typeof LatestVersion>) {
  const { product, version } = await findLatest(ctx, input)
  const { release_date, summary } = updateFields(version)
  return {
    status: true,
    message: offerMessage(ctx, version),
    product_name: product.name,
    latest_version: version.version,
    release_date,
    summary,
  }
}

/** What a piece of work answers, or its refusal in words: an old client reads the same fields of both. */
async function answered<Answer extends object>(ctx: LicenseCtx, work: () => Promise<Answer>) {
  try {
    return await work()
  } catch (cause) {
    if (isAnswer(cause)) return worded(cause, ctx.language).body
    throw cause
  }
}
