// Posts over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../../core/http/route"
import { paginated, single } from "../../envelope"
import { pagedOf, singleOf } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cached } from "../caching"
import { ListedPost, ListPosts, listedPost, PostResource, postResource, ReadPost } from "./schemas"
import { listPosts, readPost } from "./service"

export const posts = new Hono<ContentEnv>()
  .get(
    "/posts",
    describe({
      id: "posts.list",
      summary: "List posts",
      answers: { status: 200, body: pagedOf(ListedPost) },
      refuses: ["unauthenticated", "forbidden"],
    }),
    query(ListPosts),
    cached,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listPosts(c.get("ctx"), input)
      return paginated(c, input, { rows: rows.map(listedPost), total })
    },
  )
  .get(
    "/posts/:id",
    describe({
      id: "posts.get",
      summary: "Read a post by its id or slug",
      answers: { status: 200, body: singleOf(PostResource) },
      refuses: ["not_found"],
    }),
    query(ReadPost),
    cached,
    async (c) => single(c, postResource(await readPost(c.get("ctx"), c.req.param("id"), c.req.valid("query").include))),
  )
