// HTTP route for offline license files (internal API).
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sanitiseFileName } from "../../lib/file-name"
import { parseFields } from "../fields"
import { requireScope } from "../gate/gate"
import { readLicense } from "../licenses/service"
import type { LicenseEnv } from "../types"
import { OfflineFile, signLicenseFile } from "./file"

// lint: the first file creates the key pair that signs it
export const offline = createRouter<LicenseEnv>().get(
  "/product-licenses/:license/file",
  describe({
    id: "licenses.file",
    summary: "Download an offline license file",
    responses: { status: 200, file: "application/jwt" },
    refuses: ["not_found", "validation_failed"],
  }),
  requireScope("licenses:read"),
  async (c) => {
    const input = parseFields(OfflineFile, c.req.query())
    const found = await readLicense(c.var.ctx, { segment: c.req.param("license") })
    const name = sanitiseFileName(`license_${found.license.code}.jwt`).replace(/[^\x20-\x7e]|"/g, "_")
    return c.body(await signLicenseFile(c.var.ctx, found, input), 200, {
      "Content-Type": "application/jwt",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    })
  },
)
