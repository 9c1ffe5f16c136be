// Offline license files over HTTP.
import { Hono } from "hono"
import { describe } from "../../core/http/route"
import { sanitiseFileName } from "../../lib/file-name"
import { parseFields } from "../fields"
import { needs } from "../gate/gate"
import { readLicense } from "../licenses/service"
import type { LicenseEnv } from "../types"
import { OfflineFile, signFile } from "./file"

export const offline = new Hono<LicenseEnv>().get(
  "/product-licenses/:license/file",
  describe({
    id: "licenses.file",
    summary: "Download a signed license file for software without a connection; `expires_at` shortens its life",
    answers: { status: 200, file: "application/jwt" },
    refuses: ["not_found", "validation_failed"],
  }),
  needs("licenses:read"),
  async (c) => {
    const input = parseFields(OfflineFile, c.req.query())
    const found = await readLicense(c.var.ctx, { segment: c.req.param("license") })
    const name = sanitiseFileName(`license_${found.license.code}.jwt`).replace(/[^\x20-\x7e]|"/g, "_")
    return c.body(await signFile(c.var.ctx, found, input.expires_at), 200, {
      "Content-Type": "application/jwt",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    })
  },
)
