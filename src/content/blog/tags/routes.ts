// Routes of tags.
import * as z from "zod"
import { readPrecondition } from "../../../core/http/precondition"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { editor } from "../../editor"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse, sendChanged } from "../caching"
import { createTag, deleteTag, updateTag } from "./save"
import { ListTags, SaveTag, TagResource, tagResource, UpdateTag } from "./schemas"
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
  .post(
    "/tags",
    describe({
      id: "tags.create",
      summary: "Create a tag",
      responses: { status: 201, body: dataEnvelope(TagResource) },
      versioned: true,
    }),
    editor,
    body(SaveTag),
    async (c) => sendChanged(c, tagResource(await createTag(c.var.editorCtx, c.req.valid("json"))), 201),
  )
  .put(
    "/tags/:id",
    describe({
      id: "tags.update",
      summary: "Update a tag",
      responses: { status: 200, body: dataEnvelope(TagResource) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    body(UpdateTag),
    async (c) => {
      const input = c.req.valid("json")
      const updated = await updateTag(c.var.editorCtx, c.req.param("id"), input, readPrecondition(c))
      return sendChanged(c, tagResource(updated))
    },
  )
  .delete(
    "/tags/:id",
    describe({
      id: "tags.delete",
      summary: "Delete a tag",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      await deleteTag(c.var.editorCtx, c.req.param("id"), readPrecondition(c))
      return sendData(c, null)
    },
  )
