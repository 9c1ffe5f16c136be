// Routes of categories.
import { describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse } from "../caching"
import { CategoryResource, categoryResource, ListCategories } from "./schemas"
import { listCategories, readCategory } from "./service"

export const categories = createRouter<ContentEnv>()
  .get(
    "/categories",
    describe({
      id: "categories.list",
      summary: "List categories",
      responses: { status: 200, body: pageEnvelope(CategoryResource) },
    }),
    query(ListCategories),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listCategories(c.var.ctx, input)
      return sendPage(c, input, { rows: rows.map(categoryResource), total })
    },
  )
  .get(
    "/categories/:id",
    describe({
      id: "categories.get",
      summary: "Retrieve a category",
      responses: { status: 200, body: dataEnvelope(CategoryResource) },
      refuses: ["not_found"],
    }),
    cacheResponse,
    async (c) => sendData(c, categoryResource(await readCategory(c.var.ctx, c.req.param("id")))),
  )
