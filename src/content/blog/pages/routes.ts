// Routes of pages.
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
import { createPage, deletePage, restorePage, updatePage } from "./save"
import { ListedPage, ListPages, listedPage, PageResource, pageResource, SavePage, UpdatePage } from "./schemas"
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
    staffReader,
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
    staffReader,
    cacheResponse,
    async (c) => sendData(c, pageResource(await readPage(c.var.ctx, c.req.param("id")))),
  )
  .post(
    "/pages",
    describe({
      id: "pages.create",
      summary: "Create a page",
      responses: { status: 201, body: dataEnvelope(PageResource) },
      versioned: true,
    }),
    editor,
    body(SavePage),
    async (c) => sendChanged(c, pageResource(await createPage(c.var.editorCtx, c.req.valid("json"))), 201),
  )
  .put(
    "/pages/:id",
    describe({
      id: "pages.update",
      summary: "Update a page",
      responses: { status: 200, body: dataEnvelope(PageResource) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    body(UpdatePage),
    async (c) => {
      const input = c.req.valid("json")
      const updated = await updatePage(c.var.editorCtx, c.req.param("id"), input, readPrecondition(c))
      return sendChanged(c, pageResource(updated))
    },
  )
  .delete(
    "/pages/:id",
    describe({
      id: "pages.delete",
      summary: "Delete a page",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      await deletePage(c.var.editorCtx, c.req.param("id"), readPrecondition(c))
      return sendData(c, null)
    },
  )
  .get(
    "/pages/:id/revisions",
    describe({
      id: "pages.listRevisions",
      summary: "List the revisions of a page",
      responses: { status: 200, body: dataEnvelope(z.array(Revision)) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    staffReader,
    async (c) => sendData(c, (await listRevisions(c.var.ctx, "page", c.req.param("id"))).map(revisionResource)),
  )
  .post(
    "/pages/:id/revisions/:n/restore",
    describe({
      id: "pages.restoreRevision",
      summary: "Restore a revision of a page",
      responses: { status: 200, body: dataEnvelope(PageResource) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      const { id, n } = c.req.param()
      return sendChanged(c, pageResource(await restorePage(c.var.editorCtx, id, n, readPrecondition(c))))
    },
  )
