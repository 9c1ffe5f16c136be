// HTTP routes of the legacy external API: other paths and response fields, and status 200 for every authenticated
// request, because legacy clients treat any other status as a connection failure.
import type * as z from "zod"
import { createRouter } from "../../../core/http/router"
import { readFields } from "../../body"
import { isBusinessError, toErrorResponse } from "../../envelope"
import { activateLicense } from "../../external/activate"
import { Activate, CheckUpdate, LatestVersion, Update, Verified, VerifyOrDeactivate } from "../../external/schemas"
import { findLatest, findUpdate, getUpdateMessage, toUpdateResource } from "../../external/updates"
import { deactivateLicense, verifyLicense } from "../../external/verify"
import { parseFields } from "../../fields"
import { requireScope } from "../../gate/gate"
import { formatMessage } from "../../refusal-messages"
import { ActiveStatusMessage } from "../../response-schemas"
import type { LicenseCtx, LicenseEnv } from "../../types"
import { describeLegacy } from "../describe"
import { LegacyActivated, LegacyLatest } from "../schemas"

export const legacyExternal = createRouter<LicenseEnv>()
  .post(
    "/check_connection_ext",
    describeLegacy("oldClient.checkConnection", "Test a key", { body: ActiveStatusMessage }),
    (c) => c.json({ status: true, is_active: true, message: formatMessage("connected", c.var.ctx.language) }),
  )
  .post(
    "/activate_license",
    describeLegacy("oldClient.activate", "Activate a license", { fields: Activate, body: LegacyActivated }),
    requireScope("license:activate"),
    async (c) => {
      const input = await readFields(c)
      const body = await withBusinessErrors(c.var.ctx, () => activateLicense(c.var.ctx, parseFields(Activate, input)))
      return c.json({ is_active: false, lic_response: null, ...body, data: null })
    },
  )
  .post(
    "/verify_license",
    describeLegacy("oldClient.verify", "Verify a license", { fields: VerifyOrDeactivate, body: Verified }),
    requireScope("license:verify"),
    async (c) => c.json(await verifyLicense(c.var.ctx, parseFields(VerifyOrDeactivate, await readFields(c)))),
  )
  .post(
    "/deactivate_license",
    describeLegacy("oldClient.deactivate", "Deactivate a license", {
      fields: VerifyOrDeactivate,
      body: ActiveStatusMessage,
    }),
    requireScope("license:deactivate"),
    async (c) => c.json(await deactivateLicense(c.var.ctx, parseFields(VerifyOrDeactivate, await readFields(c)))),
  )
  .post(
    "/check_update",
    describeLegacy("oldClient.checkUpdate", "Check for an update", { fields: CheckUpdate, body: Update }),
    requireScope("updates:read"),
    async (c) => {
      const update = await findUpdate(c.var.ctx, parseFields(CheckUpdate, await readFields(c)))
      // Legacy clients read `status` as "an update is available".
      const status = update !== null
      const body = { status, is_active: status, message: getUpdateMessage(c.var.ctx, update), update_available: status }
      return c.json({ ...body, version: null, ...(update && toUpdateResource(update)) })
    },
  )
  .post(
    "/latest_version",
    describeLegacy("oldClient.latestVersion", "Retrieve the latest version", {
      fields: LatestVersion,
      body: LegacyLatest,
    }),
    requireScope("updates:read"),
    async (c) => {
      const input = await readFields(c)
      const emptyBody = { product_name: null, latest_version: null, release_date: null, summary: null }
      const body = await withBusinessErrors(c.var.ctx, () =>
        getLatestVersion(c.var.ctx, parseFields(LatestVersion, input)),
      )
      return c.json({ ...emptyBody, ...body })
    },
  )

async function getLatestVersion(ctx: LicenseCtx, input: z.output<typeof LatestVersion>) {
  const { product, version } = await findLatest(ctx, input)
  const { release_date, summary } = toUpdateResource(version)
  return {
    status: true,
    message: getUpdateMessage(ctx, version),
    product_name: product.name,
    latest_version: version.version,
    release_date,
    summary,
  }
}

/** Returns the handler's body, or that of a business error: legacy clients read the same fields from both. */
async function withBusinessErrors<Body extends object>(ctx: LicenseCtx, handle: () => Promise<Body>) {
  try {
    return await handle()
  } catch (cause) {
    if (isBusinessError(cause)) return toErrorResponse(cause, ctx.language).body
    throw cause
  }
}
