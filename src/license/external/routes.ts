// HTTP routes of the external API, which client software calls.
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { requireScope } from "../gate/gate"
import { getPublicKeys } from "../offline/key"
import { ActiveStatusMessage, dataEnvelope } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { activateLicense } from "./activate"
import { checkLicense } from "./check"
import { findFile, openDownload } from "./download"
import { DOWNLOAD_RESPONSES, downloadResponse, SIZE_RESPONSES, sizeResponse } from "./file-response"
import {
  Activate,
  Activated,
  Check,
  Checked,
  CheckUpdate,
  Download,
  Latest,
  LatestVersion,
  PublicKeys,
  Update,
  Verified,
  VerifyOrDeactivate,
} from "./schemas"
import { findLatest, findUpdate, getUpdateMessage, toUpdateResource } from "./updates"
import { deactivateLicense, verifyLicense } from "./verify"

export const external = createRouter<LicenseEnv>()
  // lint: the first request creates the key pair
  .get(
    "/public-key",
    describe({
      id: "client.publicKey",
      summary: "Retrieve the public key",
      responses: { status: 200, body: PublicKeys },
    }),
    async (c) => c.json(await getPublicKeys(c.var.ctx)),
  )
  .post(
    "/license/activate",
    describe({
      id: "client.activate",
      summary: "Activate a license",
      responses: { status: 200, body: Activated },
      fields: Activate,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("license:activate"),
    async (c) => c.json(await activateLicense(c.var.ctx, parseFields(Activate, await readFields(c)))),
  )
  .post(
    "/license/verify",
    describe({
      id: "client.verify",
      summary: "Verify a license",
      responses: { status: 200, body: Verified },
      fields: VerifyOrDeactivate,
      refuses: ["validation_failed"],
    }),
    requireScope("license:verify"),
    async (c) => c.json(await verifyLicense(c.var.ctx, parseFields(VerifyOrDeactivate, await readFields(c)))),
  )
  .post(
    "/license/deactivate",
    describe({
      id: "client.deactivate",
      summary: "Deactivate a license",
      responses: { status: 200, body: ActiveStatusMessage },
      fields: VerifyOrDeactivate,
      refuses: ["validation_failed"],
    }),
    requireScope("license:deactivate"),
    async (c) => c.json(await deactivateLicense(c.var.ctx, parseFields(VerifyOrDeactivate, await readFields(c)))),
  )
  .post(
    "/license/check",
    describe({
      id: "client.check",
      summary: "Check a license code",
      responses: { status: 200, body: Checked },
      fields: Check,
      refuses: ["validation_failed"],
    }),
    requireScope("license:check"),
    async (c) => c.json(await checkLicense(c.var.ctx, parseFields(Check, await readFields(c)))),
  )
  .post(
    "/update/check",
    describe({
      id: "updates.check",
      summary: "Check for an update",
      responses: { status: 200, body: Update },
      fields: CheckUpdate,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("updates:read"),
    async (c) => {
      const update = await findUpdate(c.var.ctx, parseFields(CheckUpdate, await readFields(c)))
      return c.json({
        status: true,
        is_active: true,
        message: getUpdateMessage(c.var.ctx, update),
        update_available: update !== null,
        version: null,
        ...(update && toUpdateResource(update)),
      })
    },
  )
  .post(
    "/update/latest",
    describe({
      id: "updates.latest",
      summary: "Retrieve the latest version",
      responses: { status: 200, body: dataEnvelope(Latest) },
      fields: LatestVersion,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("updates:read"),
    async (c) => {
      const { product, version } = await findLatest(c.var.ctx, parseFields(LatestVersion, await readFields(c)))
      const ids = { version_id: version.versionId, product_id: product.referenceId }
      return c.json({ data: { ...toUpdateResource(version), ...ids } })
    },
  )
  .post(
    "/update/:version/download/:type",
    describe({
      id: "updates.download",
      summary: "Download an update file",
      ...DOWNLOAD_RESPONSES,
      fields: Download,
      refuses: ["validation_failed"],
    }),
    requireScope("updates:download"),
    async (c) => {
      const input = parseFields(Download, await readFields(c))
      return downloadResponse(await openDownload(c.var.ctx, c.req.param(), input, c.req.raw.headers))
    },
  )
  .get(
    "/update/:version/download/:type/size",
    describe({
      id: "updates.size",
      summary: "Retrieve an update file's size",
      ...SIZE_RESPONSES,
    }),
    requireScope("updates:read"),
    async (c) => sizeResponse(await findFile(c.var.ctx, c.req.param()), c.req.method),
  )
