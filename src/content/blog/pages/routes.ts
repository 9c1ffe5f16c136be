// Pages over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../../core/http/route"
import { paginated, single } from "../../envelope"
import { pagedOf, singleOf } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cached } from "../caching"
import { ListedPage, ListPages, listedPage, PageResource, pageResource } from "./schemas"
import { listPages, readPage } from "./service"

export const pages = new Hono<ContentEnv>()
  .get(
    "/pages",
    describe({
      id: "pages.list",
      summary: "List pages",
      answers: { status: 200, body: pagedOf(ListedPage) },
      refuses: ["unauthenticated", "forbidden"],
    }),
    query(ListPages),
    cached,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listPages(c.var.ctx, input)
      return paginated(c, input, { rows: rows.map(listedPage), total })
    },
  )
  .get(
    "/pages/:id",
    describe({
      id: "pages.get",
      summary: "Read a page by its id or slug",
      answers: { status: 200, body: singleOf(PageResource) },
      refuses: ["not_found"],
    }),
    cached,
    async (c) => single(c, pageResource(await readPage(c.var.ctx, c.req.param("id")))),
  )
