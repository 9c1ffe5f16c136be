// HTTP routes of products.
import * as z from "zod"
import { sendData, sendPage } from "../../../content/envelope"
import { appUser } from "../../../content/mount-apps"
import { dataEnvelope, pageEnvelope } from "../../../content/response-schemas"
import type { ContentEnv } from "../../../content/types"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import {
  CreateProduct,
  ListedProduct,
  ListProducts,
  listedProduct,
  ProductResource,
  productResource,
  UpdateProduct,
} from "./schemas"
import { createProduct, listProducts, readProduct, removeProduct, updateProduct } from "./service"

const product = { status: 200, body: dataEnvelope(ProductResource) } as const

export const products = createRouter<ContentEnv>()
  .get(
    "/products",
    describe({
      id: "products.list",
      summary: "List products",
      responses: { status: 200, body: pageEnvelope(ListedProduct) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    query(ListProducts),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listProducts(c.var.userCtx, input)
      return sendPage(c, input, { rows: rows.map(listedProduct), total })
    },
  )
  .post(
    "/products",
    describe({
      id: "products.create",
      summary: "Create a product",
      responses: { status: 201, body: dataEnvelope(ProductResource) },
      refuses: ["not_found", "unauthenticated", "forbidden", "limit_reached"],
    }),
    appUser,
    body(CreateProduct),
    async (c) => sendData(c, productResource(await createProduct(c.var.userCtx, c.req.valid("json"))), { status: 201 }),
  )
  .get(
    "/products/:id",
    describe({
      id: "products.get",
      summary: "Retrieve a product",
      responses: product,
      refuses: ["not_found", "unauthenticated"],
    }),
    appUser,
    async (c) => sendData(c, productResource(await readProduct(c.var.userCtx, c.req.param("id")))),
  )
  .put(
    "/products/:id",
    describe({
      id: "products.update",
      summary: "Update a product",
      responses: product,
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(UpdateProduct),
    async (c) =>
      sendData(c, productResource(await updateProduct(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .delete(
    "/products/:id",
    describe({
      id: "products.delete",
      summary: "Delete a product",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => {
      await removeProduct(c.var.userCtx, c.req.param("id"))
      return sendData(c, null)
    },
  )
