// Routes of tags.
import { describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse } from "../caching"
import { ListTags, TagResource, tagResource } from "./schemas"
import { listTags, readTag } from "./service"

export const tags = createRouter<ContentEnv>()
  .get(
    "/tags",
    describe({ id: "tags.list", summary: "List tags", responses: { status: 200, body: pageEnvelope(TagResource) } }),
    query(ListTags),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listTags(c.var.ctx, input)
      return sendPage(c, input, { rows: rows.map(tagResource), total })
    },
  )
  .get(
    "/tags/:id",
    describe({
      id: "tags.get",
      summary: "Retrieve a tag",
      responses: { status: 200, body: dataEnvelope(TagResource) },
      refuses: ["not_found"],
    }),
    cacheResponse,
    async (c) => sendData(c, tagResource(await readTag(c.var.ctx, c.req.param("id")))),
  )
