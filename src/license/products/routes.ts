// Products over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../core/http/route"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { needs } from "../gate/gate"
import { paginated } from "../pages"
import { message } from "../refusal-messages"
import { Done, one, pagedOf } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { CreateProduct, ListProducts, ProductResource, productResource, UpdateProduct } from "./schemas"
import { createProduct, listProducts, readProduct, switchProduct, updateProduct } from "./service"

const product = one(ProductResource)

export const products = new Hono<LicenseEnv>()
  .get(
    "/products",
    describe({
      id: "licenseProducts.list",
      summary: "List products, the newest first",
      answers: { status: 200, body: pagedOf(ProductResource) },
    }),
    needs("products:read"),
    query(ListProducts),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listProducts(c.var.ctx, input)
      return paginated(c, input, { rows: rows.map(productResource), total })
    },
  )
  .post(
    "/products",
    describe({
      id: "licenseProducts.create",
      summary: "Create a product",
      answers: { status: 201, body: product },
      fields: CreateProduct,
      refuses: ["validation_failed"],
    }),
    needs("products:write"),
    async (c) => {
      const input = parseFields(CreateProduct, await readFields(c))
      return c.json({ data: productResource(await createProduct(c.var.ctx, input)) }, 201)
    },
  )
  .get(
    "/products/:product",
    describe({
      id: "licenseProducts.get",
      summary: "Read a product",
      answers: { status: 200, body: product },
      refuses: ["not_found"],
    }),
    needs("products:read"),
    async (c) => c.json({ data: productResource(await readProduct(c.var.ctx, { segment: c.req.param("product") })) }),
  )
  .put(
    "/products/:product",
    describe({
      id: "licenseProducts.update",
      summary: "Change a product",
      answers: { status: 200, body: product },
      fields: UpdateProduct,
      refuses: ["not_found", "validation_failed"],
    }),
    needs("products:write"),
    async (c) => {
      const input = parseFields(UpdateProduct, await readFields(c))
      return c.json({
        data: productResource(await updateProduct(c.var.ctx, { segment: c.req.param("product") }, input)),
      })
    },
  )
  .post(
    "/activated-products/:product",
    describe({
      id: "licenseProducts.activate",
      summary: "Switch a product on",
      answers: { status: 200, body: Done },
      refuses: ["not_found"],
    }),
    needs("products:write"),
    async (c) => {
      await switchProduct(c.var.ctx, { segment: c.req.param("product") }, true)
      return c.json({ status: true, message: message("product_activated", c.var.ctx.language) })
    },
  )
  .delete(
    "/activated-products/:product",
    describe({
      id: "licenseProducts.deactivate",
      summary: "Switch a product off",
      answers: { status: 200, body: Done },
      refuses: ["not_found"],
    }),
    needs("products:write"),
    async (c) => {
      await switchProduct(c.var.ctx, { segment: c.req.param("product") }, false)
      return c.json({ status: true, message: message("product_deactivated", c.var.ctx.language) })
    },
  )
