// Categories over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../../core/http/route"
import { paginated, single } from "../../envelope"
import { pagedOf, singleOf } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cached } from "../caching"
import { CategoryResource, categoryResource, ListCategories } from "./schemas"
import { listCategories, readCategory } from "./service"

export const categories = new Hono<ContentEnv>()
  .get(
    "/categories",
    describe({
      id: "categories.list",
      summary: "List categories",
      answers: { status: 200, body: pagedOf(CategoryResource) },
    }),
    query(ListCategories),
    cached,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listCategories(c.var.ctx, input)
      return paginated(c, input, { rows: rows.map(categoryResource), total })
    },
  )
  .get(
    "/categories/:id",
    describe({
      id: "categories.get",
      summary: "Read a category by its id or slug",
      answers: { status: 200, body: singleOf(CategoryResource) },
      refuses: ["not_found"],
    }),
    cached,
    async (c) => single(c, categoryResource(await readCategory(c.var.ctx, c.req.param("id")))),
  )
