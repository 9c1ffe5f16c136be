// Routes of posts.
import { describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse } from "../caching"
import { ListedPost, ListPosts, listedPost, PostResource, postResource, ReadPost } from "./schemas"
import { listPosts, readPost } from "./service"

export const posts = createRouter<ContentEnv>()
  .get(
    "/posts",
    describe({
      id: "posts.list",
      summary: "List posts",
      responses: { status: 200, body: pageEnvelope(ListedPost) },
      refuses: ["unauthenticated", "forbidden"],
    }),
    query(ListPosts),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listPosts(c.get("ctx"), input)
      return sendPage(c, input, { rows: rows.map(listedPost), total })
    },
  )
  .get(
    "/posts/:id",
    describe({
      id: "posts.get",
      summary: "Retrieve a post",
      responses: { status: 200, body: dataEnvelope(PostResource) },
      refuses: ["not_found"],
    }),
    query(ReadPost),
    cacheResponse,
    async (c) =>
      sendData(c, postResource(await readPost(c.get("ctx"), c.req.param("id"), c.req.valid("query").include))),
  )
