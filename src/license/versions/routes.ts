// HTTP routes for versions (internal API): multipart forms with files, or any body format without.
import type { Context } from "hono"
import * as z from "zod"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { boundaryOf } from "../../lib/multipart"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { requireScope } from "../gate/gate"
import { readProduct } from "../products/service"
import { dataEnvelope } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { CreateVersion, UpdateVersion, VersionResource, versionResource } from "./schemas"
import { createVersion, listVersions, readVersion, updateVersion } from "./service"
import { type Form, type Upload, withUpload } from "./upload"

const version = dataEnvelope(VersionResource)
const files = { main_file: false, sql_file: false }

/** Reads the request's fields and files and passes them to `handle`; see `withUpload`. */
async function withFieldsAndFiles<T>(c: Context<LicenseEnv>, handle: (upload: Upload) => Promise<T>): Promise<T> {
  const form = parseFormBody(c)
  return form ? withUpload(c.var.ctx, form, handle) : handle({ fields: await readFields(c), files: {} })
}

function parseFormBody(c: Context): Form | null {
  const boundary = boundaryOf(c.req.header("Content-Type"))
  const { body } = c.req.raw
  return boundary === null || body === null ? null : { body, boundary }
}

export const versions = createRouter<LicenseEnv>()
  .get(
    "/products/:product/versions",
    describe({
      id: "versions.list",
      summary: "List a product's versions",
      responses: { status: 200, body: z.object({ data: z.array(VersionResource) }) },
      refuses: ["not_found"],
    }),
    requireScope("products:read"),
    async (c) => {
      const found = await listVersions(c.var.ctx, c.req.param("product"))
      return c.json({ data: found.versions.map((version) => versionResource(version, found.product)) })
    },
  )
  .post(
    "/products/:product/versions",
    describe({
      id: "versions.create",
      summary: "Create a version",
      responses: { status: 201, body: version },
      fields: CreateVersion,
      files,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("products:write"),
    async (c) => {
      const product = await readProduct(c.var.ctx, { segment: c.req.param("product") })
      const version = await withFieldsAndFiles(c, ({ fields, files }) =>
        createVersion(c.var.ctx, product, parseFields(CreateVersion, fields), files),
      )
      return c.json({ data: versionResource(version, product) }, 201)
    },
  )
  .get(
    "/products/:product/versions/:version",
    describe({
      id: "versions.get",
      summary: "Retrieve a version",
      responses: { status: 200, body: version },
      refuses: ["not_found"],
    }),
    requireScope("products:read"),
    async (c) => {
      const { version, product } = await readVersion(c.var.ctx, c.req.param("product"), c.req.param("version"))
      return c.json({ data: versionResource(version, product) })
    },
  )
  .post(
    "/products/:product/versions/:version",
    describe({
      id: "versions.update",
      summary: "Update a version",
      responses: { status: 200, body: version },
      fields: UpdateVersion,
      files,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("products:write"),
    async (c) => {
      const found = await readVersion(c.var.ctx, c.req.param("product"), c.req.param("version"))
      const version = await withFieldsAndFiles(c, ({ fields, files }) =>
        updateVersion(c.var.ctx, found, parseFields(UpdateVersion, fields), files),
      )
      return c.json({ data: versionResource(version, found.product) })
    },
  )
