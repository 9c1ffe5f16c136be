// HTTP routes for licenses (internal API).
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { requireScope } from "../gate/gate"
import { paginatedResponse } from "../pages"
import { formatMessage } from "../refusal-messages"
import { dataEnvelope, pageEnvelope, StatusMessage } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { CreateLicense, LicenseResource, ListLicenses, licenseResource, UpdateLicense } from "./schemas"
import { createLicense, listLicenses, readLicense, setBlocked, updateLicense } from "./service"

const license = dataEnvelope(LicenseResource)

export const licenses = createRouter<LicenseEnv>()
  .get(
    "/product-licenses",
    describe({
      id: "licenses.list",
      summary: "List licenses",
      responses: { status: 200, body: pageEnvelope(LicenseResource) },
    }),
    requireScope("licenses:read"),
    query(ListLicenses),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listLicenses(c.var.ctx, input)
      return paginatedResponse(c, input, { rows: rows.map(licenseResource), total })
    },
  )
  .post(
    "/product-licenses",
    describe({
      id: "licenses.create",
      summary: "Create a license",
      responses: { status: 201, body: license },
      fields: CreateLicense,
      refuses: ["validation_failed"],
    }),
    requireScope("licenses:write"),
    async (c) => {
      const input = parseFields(CreateLicense, await readFields(c))
      return c.json({ data: licenseResource(await createLicense(c.var.ctx, input)) }, 201)
    },
  )
  .get(
    "/product-licenses/:license",
    describe({
      id: "licenses.get",
      summary: "Retrieve a license",
      responses: { status: 200, body: license },
      refuses: ["not_found"],
    }),
    requireScope("licenses:read"),
    async (c) => c.json({ data: licenseResource(await readLicense(c.var.ctx, { segment: c.req.param("license") })) }),
  )
  .put(
    "/product-licenses/:license",
    describe({
      id: "licenses.update",
      summary: "Update a license",
      responses: { status: 200, body: license },
      fields: UpdateLicense,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("licenses:write"),
    async (c) => {
      const input = parseFields(UpdateLicense, await readFields(c))
      return c.json({
        data: licenseResource(await updateLicense(c.var.ctx, { segment: c.req.param("license") }, input)),
      })
    },
  )
  .post(
    "/blocked-product-licenses/:license",
    describe({
      id: "licenses.block",
      summary: "Block a license",
      responses: { status: 200, body: StatusMessage },
      refuses: ["not_found"],
    }),
    requireScope("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { segment: c.req.param("license") }, true)
      return c.json({ status: true, message: formatMessage("license_now_blocked", c.var.ctx.language) })
    },
  )
  .delete(
    "/blocked-product-licenses/:license",
    describe({
      id: "licenses.unblock",
      summary: "Unblock a license",
      responses: { status: 200, body: StatusMessage },
      refuses: ["not_found"],
    }),
    requireScope("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { segment: c.req.param("license") }, false)
      return c.json({ status: true, message: formatMessage("license_now_unblocked", c.var.ctx.language) })
    },
  )
