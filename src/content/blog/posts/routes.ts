// Routes of posts.
import * as z from "zod"
import { readPrecondition } from "../../../core/http/precondition"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { editor } from "../../editor"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse, sendChanged } from "../caching"
import { listRevisions } from "../revisions"
import { Revision, revisionResource } from "../schemas"
import { staffReader } from "../unpublished"
import { filterPosts } from "./filter"
import { createPost, deletePost, restorePost, updatePost } from "./save"
import {
  changedPost,
  FilterPosts,
  ListedPost,
  ListPosts,
  listedPost,
  PostResource,
  postResource,
  ReadPost,
  SavePost,
  UpdatePost,
} from "./schemas"
import { listPosts, readPost } from "./service"

const post = { status: 200, body: dataEnvelope(PostResource) } as const

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
    staffReader,
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listPosts(c.get("ctx"), input)
      return sendPage(c, input, { rows: rows.map(listedPost), total })
    },
  )
  // Before `:id`, which would match `filters` too.
  .get(
    "/posts/filters",
    describe({
      id: "posts.filter",
      summary: "Filter posts",
      responses: { status: 200, body: pageEnvelope(ListedPost) },
    }),
    query(FilterPosts),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await filterPosts(c.get("ctx"), input)
      return sendPage(c, input, { rows: rows.map(listedPost), total })
    },
  )
  .post(
    "/posts",
    describe({
      id: "posts.create",
      summary: "Create a post",
      responses: { status: 201, body: dataEnvelope(PostResource) },
      versioned: true,
    }),
    editor,
    body(SavePost),
    async (c) => sendChanged(c, changedPost(await createPost(c.var.editorCtx, c.req.valid("json"))), 201),
  )
  .get(
    "/posts/:id",
    describe({ id: "posts.get", summary: "Retrieve a post", responses: post, refuses: ["not_found"] }),
    query(ReadPost),
    staffReader,
    cacheResponse,
    async (c) =>
      sendData(c, postResource(await readPost(c.get("ctx"), c.req.param("id"), c.req.valid("query").include))),
  )
  .put(
    "/posts/:id",
    describe({
      id: "posts.update",
      summary: "Update a post",
      responses: post,
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    body(UpdatePost),
    async (c) => {
      const input = c.req.valid("json")
      const updated = await updatePost(c.var.editorCtx, c.req.param("id"), input, readPrecondition(c))
      return sendChanged(c, changedPost(updated))
    },
  )
  .delete(
    "/posts/:id",
    describe({
      id: "posts.delete",
      summary: "Delete a post",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      await deletePost(c.var.editorCtx, c.req.param("id"), readPrecondition(c))
      return sendData(c, null)
    },
  )
  .get(
    "/posts/:id/revisions",
    describe({
      id: "posts.listRevisions",
      summary: "List the revisions of a post",
      responses: { status: 200, body: dataEnvelope(z.array(Revision)) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    staffReader,
    async (c) => sendData(c, (await listRevisions(c.var.ctx, "post", c.req.param("id"))).map(revisionResource)),
  )
  .post(
    "/posts/:id/revisions/:n/restore",
    describe({
      id: "posts.restoreRevision",
      summary: "Restore a revision of a post",
      responses: post,
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      const { id, n } = c.req.param()
      return sendChanged(c, changedPost(await restorePost(c.var.editorCtx, id, n, readPrecondition(c))))
    },
  )
