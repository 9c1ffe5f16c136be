// Licenses over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../core/http/route"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { needs } from "../gate/gate"
import { paginated } from "../pages"
import { message } from "../refusal-messages"
import { Done, one, pagedOf } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { CreateLicense, LicenseResource, ListLicenses, licenseResource, UpdateLicense } from "./schemas"
import { createLicense, listLicenses, readLicense, setBlocked, updateLicense } from "./service"

const license = one(LicenseResource)

export const licenses = new Hono<LicenseEnv>()
  .get(
    "/product-licenses",
    describe({
      id: "licenses.list",
      summary: "List licenses, the newest first; `search` finds any part of a code, client, e-mail or invoice",
      answers: { status: 200, body: pagedOf(LicenseResource) },
    }),
    needs("licenses:read"),
    query(ListLicenses),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listLicenses(c.var.ctx, input)
      return paginated(c, input, { rows: rows.map(licenseResource), total })
    },
  )
  .post(
    "/product-licenses",
    describe({
      id: "licenses.create",
      summary: "Create a license",
      answers: { status: 201, body: license },
      fields: CreateLicense,
      refuses: ["validation_failed"],
    }),
    needs("licenses:write"),
    async (c) => {
      const input = parseFields(CreateLicense, await readFields(c))
      return c.json({ data: licenseResource(await createLicense(c.var.ctx, input)) }, 201)
    },
  )
  .get(
    "/product-licenses/:license",
    describe({
      id: "licenses.get",
      summary: "Read a license",
      answers: { status: 200, body: license },
      refuses: ["not_found"],
    }),
    needs("licenses:read"),
    async (c) => c.json({ data: licenseResource(await readLicense(c.var.ctx, { segment: c.req.param("license") })) }),
  )
  .put(
    "/product-licenses/:license",
    describe({
      id: "licenses.update",
      summary: "Change a license",
      answers: { status: 200, body: license },
      fields: UpdateLicense,
      refuses: ["not_found", "validation_failed"],
    }),
    needs("licenses:write"),
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
      answers: { status: 200, body: Done },
      refuses: ["not_found"],
    }),
    needs("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { segment: c.req.param("license") }, true)
      return c.json({ status: true, message: message("license_now_blocked", c.var.ctx.language) })
    },
  )
  .delete(
    "/blocked-product-licenses/:license",
    describe({
      id: "licenses.unblock",
      summary: "Lift the block of a license",
      answers: { status: 200, body: Done },
      refuses: ["not_found"],
    }),
    needs("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { segment: c.req.param("license") }, false)
      return c.json({ status: true, message: message("license_now_unblocked", c.var.ctx.language) })
    },
  )
