// Tags over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../../core/http/route"
import { paginated, single } from "../../envelope"
import { pagedOf, singleOf } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cached } from "../caching"
import { ListTags, TagResource, tagResource } from "./schemas"
import { listTags, readTag } from "./service"

export const tags = new Hono<ContentEnv>()
  .get(
    "/tags",
    describe({ id: "tags.list", summary: "List tags", answers: { status: 200, body: pagedOf(TagResource) } }),
    query(ListTags),
    cached,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listTags(c.var.ctx, input)
      return paginated(c, input, { rows: rows.map(tagResource), total })
    },
  )
  .get(
    "/tags/:id",
    describe({
      id: "tags.get",
      summary: "Read a tag by its id or slug",
      answers: { status: 200, body: singleOf(TagResource) },
      refuses: ["not_found"],
    }),
    cached,
    async (c) => single(c, tagResource(await readTag(c.var.ctx, c.req.param("id")))),
  )
