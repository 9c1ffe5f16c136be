// Versions over HTTP: with files as a form, without as JSON too.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { describe } from "../../core/http/route"
import { boundaryOf } from "../../lib/multipart"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { needs } from "../gate/gate"
import { readProduct } from "../products/service"
import { one } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { CreateVersion, UpdateVersion, VersionResource, versionResource } from "./schemas"
import { createVersion, listVersions, readVersion, updateVersion } from "./service"
import { type Form, type Upload, withUpload } from "./upload"

const version = one(VersionResource)
const files = { main_file: false, sql_file: false }

/** What a request brings, with files or without; see `withUpload`. */
async function withFiles<T>(c: Context<LicenseEnv>, use: (upload: Upload) => Promise<T>): Promise<T> {
  const form = formOf(c)
  return form ? withUpload(c.var.ctx, form, use) : use({ fields: await readFields(c), files: {} })
}

function formOf(c: Context): Form | null {
  const boundary = boundaryOf(c.req.header("Content-Type"))
  const { body } = c.req.raw
  return boundary === null || body === null ? null : { body, boundary }
}

export const versions = new Hono<LicenseEnv>()
  .get(
    "/products/:product/versions",
    describe({
      id: "versions.list",
      summary: "List a product's versions, the newest first",
      answers: { status: 200, body: z.object({ data: z.array(VersionResource) }) },
      refuses: ["not_found"],
    }),
    needs("products:read"),
    async (c) => {
      const found = await listVersions(c.var.ctx, c.req.param("product"))
      return c.json({ data: found.versions.map((version) => versionResource(version, found.product)) })
    },
  )
  .post(
    "/products/:product/versions",
    describe({
      id: "versions.create",
      summary: "Create a version; a form brings its files, `main_file` and `sql_file`",
      answers: { status: 201, body: version },
      fields: CreateVersion,
      files,
      refuses: ["not_found", "validation_failed"],
    }),
    needs("products:write"),
    async (c) => {
      const product = await readProduct(c.var.ctx, { segment: c.req.param("product") })
      const version = await withFiles(c, ({ fields, files }) =>
        createVersion(c.var.ctx, product, parseFields(CreateVersion, fields), files),
      )
      return c.json({ data: versionResource(version, product) }, 201)
    },
  )
  .get(
    "/products/:product/versions/:version",
    describe({
      id: "versions.get",
      summary: "Read a version",
      answers: { status: 200, body: version },
      refuses: ["not_found"],
    }),
    needs("products:read"),
    async (c) => {
      const { version, product } = await readVersion(c.var.ctx, c.req.param("product"), c.req.param("version"))
      return c.json({ data: versionResource(version, product) })
    },
  )
  .post(
    "/products/:product/versions/:version",
    describe({
      id: "versions.update",
      summary: "Change a version, or replace its files",
      answers: { status: 200, body: version },
      fields: UpdateVersion,
      files,
      refuses: ["not_found", "validation_failed"],
    }),
    needs("products:write"),
    async (c) => {
      const found = await readVersion(c.var.ctx, c.req.param("product"), c.req.param("version"))
      const version = await withFiles(c, ({ fields, files }) =>
        updateVersion(c.var.ctx, found, parseFields(UpdateVersion, fields), files),
      )
      return c.json({ data: versionResource(version, found.product) })
    },
  )
