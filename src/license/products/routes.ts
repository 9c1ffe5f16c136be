// HTTP routes for licensed products (internal API).
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { requireScope } from "../gate/gate"
import { paginatedResponse } from "../pages"
import { formatMessage } from "../refusal-messages"
import { dataEnvelope, pageEnvelope, StatusMessage } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { CreateProduct, ListProducts, ProductResource, productResource, UpdateProduct } from "./schemas"
import { createProduct, listProducts, readProduct, setProductActive, updateProduct } from "./service"

const product = dataEnvelope(ProductResource)

export const products = createRouter<LicenseEnv>()
  .get(
    "/products",
    describe({
      id: "licenseProducts.list",
      summary: "List products",
      responses: { status: 200, body: pageEnvelope(ProductResource) },
    }),
    requireScope("products:read"),
    query(ListProducts),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listProducts(c.var.ctx, input)
      return paginatedResponse(c, input, { rows: rows.map(productResource), total })
    },
  )
  .post(
    "/products",
    describe({
      id: "licenseProducts.create",
      summary: "Create a product",
      responses: { status: 201, body: product },
      fields: CreateProduct,
      refuses: ["validation_failed"],
    }),
    requireScope("products:write"),
    async (c) => {
      const input = parseFields(CreateProduct, await readFields(c))
      return c.json({ data: productResource(await createProduct(c.var.ctx, input)) }, 201)
    },
  )
  .get(
    "/products/:product",
    describe({
      id: "licenseProducts.get",
      summary: "Retrieve a product",
      responses: { status: 200, body: product },
      refuses: ["not_found"],
    }),
    requireScope("products:read"),
    async (c) => c.json({ data: productResource(await readProduct(c.var.ctx, { segment: c.req.param("product") })) }),
  )
  .put(
    "/products/:product",
    describe({
      id: "licenseProducts.update",
      summary: "Update a product",
      responses: { status: 200, body: product },
      fields: UpdateProduct,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("products:write"),
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
      summary: "Activate a product",
      responses: { status: 200, body: StatusMessage },
      refuses: ["not_found"],
    }),
    requireScope("products:write"),
    async (c) => {
      await setProductActive(c.var.ctx, { segment: c.req.param("product") }, true)
      return c.json({ status: true, message: formatMessage("product_activated", c.var.ctx.language) })
    },
  )
  .delete(
    "/activated-products/:product",
    describe({
      id: "licenseProducts.deactivate",
      summary: "Deactivate a product",
      responses: { status: 200, body: StatusMessage },
      refuses: ["not_found"],
    }),
    requireScope("products:write"),
    async (c) => {
      await setProductActive(c.var.ctx, { segment: c.req.param("product") }, false)
      return c.json({ status: true, message: formatMessage("product_deactivated", c.var.ctx.language) })
    },
  )
