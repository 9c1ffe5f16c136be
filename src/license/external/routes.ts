// The external API over HTTP: what client software calls.
import { Hono } from "hono"
import { describe } from "../../core/http/route"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { needs } from "../gate/gate"
import { publicKeys } from "../offline/key"
import { Held, one } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { activateLicense } from "./activate"
import { checkLicense } from "./check"
import { findFile, openDownload } from "./download"
import { downloaded, fileAnswer, sizeAnswer, sized } from "./file-response"
import {
  Activate,
  Activated,
  Check,
  Checked,
  CheckUpdate,
  Download,
  Hold,
  Latest,
  LatestVersion,
  PublicKeys,
  Update,
  Verified,
} from "./schemas"
import { findLatest, findUpdate, offerMessage, updateFields } from "./updates"
import { deactivateLicense, verifyLicense } from "./verify"

export const external = new Hono<LicenseEnv>()
  .get(
    "/public-key",
    describe({
      id: "client.publicKey",
      summary: "The key that offline license files verify with, as a JSON Web Key Set",
      answers: { status: 200, body: PublicKeys },
    }),
    async (c) => c.json(await publicKeys(c.var.ctx)),
  )
  .post(
    "/license/activate",
    describe({
      id: "client.activate",
      summary: "Activate a license for the calling domain and address",
      answers: { status: 200, body: Activated },
      fields: Activate,
      refuses: ["not_found", "validation_failed"],
    }),
    needs("license:activate"),
    async (c) => c.json(await activateLicense(c.var.ctx, parseFields(Activate, await readFields(c)))),
  )
  .post(
    "/license/verify",
    describe({
      id: "client.verify",
      summary: "Verify that the caller holds a license",
      answers: { status: 200, body: Verified },
      fields: Hold,
      refuses: ["validation_failed"],
    }),
    needs("license:verify"),
    async (c) => c.json(await verifyLicense(c.var.ctx, parseFields(Hold, await readFields(c)))),
  )
  .post(
    "/license/deactivate",
    describe({
      id: "client.deactivate",
      summary: "Give an activation back",
      answers: { status: 200, body: Held },
      fields: Hold,
      refuses: ["validation_failed"],
    }),
    needs("license:deactivate"),
    async (c) => c.json(await deactivateLicense(c.var.ctx, parseFields(Hold, await readFields(c)))),
  )
  .post(
    "/license/check",
    describe({
      id: "client.check",
      summary: "Read what a license code stands for",
      answers: { status: 200, body: Checked },
      fields: Check,
      refuses: ["validation_failed"],
    }),
    needs("license:check"),
    async (c) => c.json(await checkLicense(c.var.ctx, parseFields(Check, await readFields(c)))),
  )
  .post(
    "/update/check",
    describe({
      id: "updates.check",
      summary: "Look for an update",
      answers: { status: 200, body: Update },
      fields: CheckUpdate,
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
      id: "updates.latest",
      summary: "Read the newest version",
      answers: { status: 200, body: one(Latest) },
      fields: LatestVersion,
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
      id: "updates.download",
      summary: "Download a version's file, `main` or `sql`; ranges resume",
      ...downloaded,
      fields: Download,
      refuses: ["validation_failed"],
    }),
    needs("updates:download"),
    async (c) => {
      const input = parseFields(Download, await readFields(c))
      return fileAnswer(await openDownload(c.var.ctx, c.req.param(), input, c.req.raw.headers))
    },
  )
  .get(
    "/update/:version/download/:type/size",
    describe({
      id: "updates.size",
      summary: "Read a file's length and type from the headers",
      ...sized,
    }),
    needs("updates:read"),
    async (c) => sizeAnswer(await findFile(c.var.ctx, c.req.param()), c.req.method),
  )
