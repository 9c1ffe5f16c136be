// HTTP routes for update files under the legacy paths. Unlike the other legacy routes they use real HTTP statuses,
// because legacy clients write any body with status 200 to disk.
import type { Context } from "hono"
import { createRouter } from "../../../core/http/router"
import { readFields } from "../../body"
import { type FileRef, findFile, openDownload } from "../../external/download"
import { DOWNLOAD_RESPONSES, downloadResponse, SIZE_RESPONSES, sizeResponse } from "../../external/file-response"
import { Download } from "../../external/schemas"
import { parseFields } from "../../fields"
import { requireScope } from "../../gate/gate"
import type { LicenseEnv } from "../../types"
import { describeLegacy } from "../describe"

type C = Context<LicenseEnv>

const download = async (c: C, file: FileRef): Promise<Response> =>
  downloadResponse(await openDownload(c.var.ctx, file, parseFields(Download, await readFields(c)), c.req.raw.headers))

const size = async (c: C, file: FileRef): Promise<Response> =>
  sizeResponse(await findFile(c.var.ctx, file), c.req.method)

export const legacyFiles = createRouter<LicenseEnv>()
  .post(
    "/download_update/:type/:version",
    describeLegacy("oldClient.download", "Download an update file", {
      fields: Download,
      files: DOWNLOAD_RESPONSES,
    }),
    requireScope("updates:download"),
    (c) => download(c, c.req.param()),
  )
  .post(
    "/download_update/:version",
    describeLegacy("oldClient.downloadMain", "Download a version's main file", {
      fields: Download,
      files: DOWNLOAD_RESPONSES,
    }),
    requireScope("updates:download"),
    (c) => download(c, { ...c.req.param(), type: "main" }),
  )
  .get(
    "/get_update_size/:type/:version",
    describeLegacy("oldClient.size", "Retrieve an update file's size", {
      files: SIZE_RESPONSES,
    }),
    requireScope("updates:read"),
    (c) => size(c, c.req.param()),
  )
  .post(
    "/get_update_size/:type/:version",
    describeLegacy("oldClient.sizeByPost", "Retrieve an update file's size", {
      files: SIZE_RESPONSES,
    }),
    requireScope("updates:read"),
    (c) => size(c, c.req.param()),
  )
  .get(
    "/get_update_size/:version",
    describeLegacy("oldClient.sizeOfMain", "Retrieve the main file's size", {
      files: SIZE_RESPONSES,
    }),
    requireScope("updates:read"),
    (c) => size(c, { ...c.req.param(), type: "main" }),
  )
  .post(
    "/get_update_size/:version",
    describeLegacy("oldClient.sizeOfMainByPost", "Retrieve the main file's size", {
      files: SIZE_RESPONSES,
    }),
    requireScope("updates:read"),
    (c) => size(c, { ...c.req.param(), type: "main" }),
  )
