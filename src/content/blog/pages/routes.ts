// Routes of pages.
import { describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse } from "../caching"
import { ListedPage, ListPages, listedPage, PageResource, pageResource } from "./schemas"
import { listPages, readPage } from "./service"

export const pages = createRouter<ContentEnv>()
  .get(
    "/pages",
    describe({
      id: "pages.list",
      summary: "List pages",
      responses: { status: 200, body: pageEnvelope(ListedPage) },
      refuses: ["unauthenticated", "forbidden"],
    }),
    query(ListPages),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listPages(c.var.ctx, input)
      return sendPage(c, input, { rows: rows.map(listedPage), total })
    },
  )
  .get(
    "/pages/:id",
    describe({
      id: "pages.get",
      summary: "Retrieve a page",
      responses: { status: 200, body: dataEnvelope(PageResource) },
      refuses: ["not_found"],
    }),
    cacheResponse,
    async (c) => sendData(c, pageResource(await readPage(c.var.ctx, c.req.param("id")))),
  )
