// The external API over HTTP: what client software calls.
import { Hono } from "hono"
import * as z from "zod"
import { describe } from "../../core/route"
import { parseFields, readFields } from "../fields"
import { needs } from "../gate/gate"
import { message } from "../messages"
import { publicKeys } from "../offline/key"
import type { LicenseEnv } from "../types"
import { activateLicense } from "./activate"
import { checkLicense } from "./check"
import { download, fileSize } from "./download"
import { deactivateLicense, verifyLicense } from "./hold"
import { Activate, Check, CheckUpdate, Hold, LatestVersion } from "./schemas"
import { findLatest, findUpdate, offerMessage, updateFields } from "./updates"

const held = z.object({ status: z.boolean(), is_active: z.boolean(), message: z.string() })
const Activated = held.extend({
  status_code: z.string().optional(),
  lic_response: z.string().nullable(),
  data: z.object({ license_data: z.string() }).nullable(),
})
const file = { status: 200 } as const

export const external = new Hono<LicenseEnv>()
  .get("/connection-check", describe({ summary: "Test the key", answers: { status: 200, body: held } }), (c) =>
    c.json({ status: true, is_active: true, message: message("connected", c.var.ctx.language) }),
  )
  .get(
    "/public-key",
    describe({
      summary: "The key that offline license files verify with, as a JSON Web Key Set",
      answers: { status: 200 },
    }),
    async (c) => c.json(await publicKeys(c.var.ctx)),
  )
  .post(
    "/license/activate",
    describe({
      summary: "Activate a license for the calling domain and address",
      answers: { status: 200, body: Activated },
      refuses: ["not_found", "validation_failed"],
    }),
    needs("license:activate"),
    async (c) => c.json(await activateLicense(c.var.ctx, parseFields(Activate, await readFields(c)))),
  )
  .post(
    "/license/verify",
    describe({
      summary: "Verify that the caller holds a license",
      answers: { status: 200, body: held.extend({ data: z.null() }) },
      refuses: ["validation_failed"],
    }),
    needs("license:verify"),
    async (c) => c.json(await verifyLicense(c.var.ctx, parseFields(Hold, await readFields(c)))),
  )
  .post(
    "/license/deactivate",
    describe({
      summary: "Give an activation back",
      answers: { status: 200, body: held },
      refuses: ["validation_failed"],
    }),
    needs("license:deactivate"),
    async (c) => c.json(await deactivateLicense(c.var.ctx, parseFields(Hold, await readFields(c)))),
  )
  .post(
    "/license/check",
    describe({
      summary: "Read what a license code stands for",
      answers: { status: 200, body: held },
      refuses: ["validation_failed"],
    }),
    needs("license:check"),
    async (c) => c.json(await checkLicense(c.var.ctx, parseFields(Check, await readFields(c)))),
  )
  .post(
    "/update/check",
    describe({
      summary: "Look for an update",
      answers: { status: 200, body: held.extend({ update_available: z.boolean(), version: z.string().nullable() }) },
      refuses: ["not_found", "validation_failed"],
    }),
    needs("updates:read"),
    async (c) => {
      const update = await findUpdate(c.var.ctx, parseFields(CheckUpdate, await readFields(c)))
      const answer = { status: true, is_active: true, message: offerMessage(c.var.ctx, update) }
      return c.json({
        ...answer,
        update_available: update !== null,
        version: null,
        ...(update && updateFields(update)),
      })
    },
  )
  .post(
    "/update/latest",
    describe({
      summary: "Read the newest version",
      answers: { status: 200 },
      refuses: ["not_found", "validation_failed"],
    }),
    needs("updates:read"),
    async (c) => {
      const { product, version } = await findLatest(c.var.ctx, parseFields(LatestVersion, await readFields(c)))
      const ids = { version_id: version.versionId, product_id: product.referenceId }
      return c.json({ data: { ...updateFields(version), ...ids } })
    },
  )
  .post(
    "/update/:version/download/:type",
    describe({
      summary: "Download a version's file, `main` or `sql`; ranges resume",
      answers: file,
      refuses: ["not_found"],
    }),
    needs("updates:download"),
    async (c) => download(c, c.req.param("version"), c.req.param("type"), await readFields(c)),
  )
  .get(
    "/update/:version/download/:type/size",
    describe({ summary: "Read a file's length and type from the headers", answers: file, refuses: ["not_found"] }),
    needs("updates:read"),
    (c) => fileSize(c, c.req.param("version"), c.req.param("type")),
  )
