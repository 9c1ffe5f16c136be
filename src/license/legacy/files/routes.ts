// Update files as older clients ask for them. Here they get the statuses of HTTP: whatever body comes with status 200 an old client
// writes to disk.
import { type Context, Hono } from "hono"
import { readFields } from "../../body"
import { type FileName, findFile, openDownload } from "../../external/download"
import { downloaded, fileAnswer, sizeAnswer, sized } from "../../external/file-response"
import { Download } from "../../external/schemas"
import { parseFields } from "../../fields"
import { needs } from "../../gate/gate"
import type { LicenseEnv } from "../../types"
import { old } from "../describe"

type C = Context<LicenseEnv>

const download = async (c: C, name: FileName): Promise<Response> =>
  fileAnswer(await openDownload(c.var.ctx, name, parseFields(Download, await readFields(c)), c.req.raw.headers))

const size = async (c: C, name: FileName): Promise<Response> =>
  sizeAnswer(await findFile(c.var.ctx, name), c.req.method)

export const legacyFiles = new Hono<LicenseEnv>()
  .post(
    "/download_update/:type/:version",
    old("oldClient.download", "Download a version's file, `main` or `sql`", { fields: Download, files: downloaded }),
    needs("updates:download"),
    (c) => download(c, c.req.param()),
  )
  .post(
    "/download_update/:version",
    old("oldClient.downloadMain", "Download a version's main file", { fields: Download, files: downloaded }),
    needs("updates:download"),
    (c) => download(c, { ...c.req.param(), type: "main" }),
  )
  .get(
    "/get_update_size/:type/:version",
    old("oldClient.size", "Read a file's length and type from the headers", { files: sized }),
    needs("updates:read"),
    (c) => size(c, c.req.param()),
  )
  .post(
    "/get_update_size/:type/:version",
    old("oldClient.sizeByPost", "Read a file's length and type from the headers", { files: sized }),
    needs("updates:read"),
    (c) => size(c, c.req.param()),
  )
  .get(
    "/get_update_size/:version",
    old("oldClient.sizeOfMain", "Read the main file's length and type from the headers", { files: sized }),
    needs("updates:read"),
    (c) => size(c, { ...c.req.param(), type: "main" }),
  )
  .post(
    "/get_update_size/:version",
    old("oldClient.sizeOfMainByPost", "Read the main file's length and type from the headers", { files: sized }),
    needs("updates:read"),
    (c) => size(c, { ...c.req.param(), type: "main" }),
  )
