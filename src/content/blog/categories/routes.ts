// Routes of categories.
import * as z from "zod"
import { readPrecondition } from "../../../core/http/precondition"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { editor } from "../../editor"
import { sendData, sendPage } from "../../envelope"
import { dataEnvelope, pageEnvelope } from "../../response-schemas"
import type { ContentEnv } from "../../types"
import { cacheResponse, sendChanged } from "../caching"
import { createCategory, deleteCategory, updateCategory } from "./save"
import {
  CategoryResource,
  categoryResource,
  FilterCategories,
  ListCategories,
  SaveCategory,
  UpdateCategory,
} from "./schemas"
import { filterCategories, listCategories, readCategory } from "./service"

export const categories = createRouter<ContentEnv>()
  .get(
    "/categories",
    describe({
      id: "categories.list",
      summary: "List categories",
      responses: { status: 200, body: pageEnvelope(CategoryResource) },
    }),
    query(ListCategories),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listCategories(c.var.ctx, input)
      return sendPage(c, input, { rows: rows.map(categoryResource), total })
    },
  )
  // Before `:id`, which would match `filters` too.
  .get(
    "/categories/filters",
    describe({
      id: "categories.filter",
      summary: "Filter categories",
      responses: { status: 200, body: pageEnvelope(CategoryResource) },
    }),
    query(FilterCategories),
    cacheResponse,
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await filterCategories(c.var.ctx, input)
      return sendPage(c, input, { rows: rows.map(categoryResource), total })
    },
  )
  .get(
    "/categories/:id",
    describe({
      id: "categories.get",
      summary: "Retrieve a category",
      responses: { status: 200, body: dataEnvelope(CategoryResource) },
      refuses: ["not_found"],
    }),
    cacheResponse,
    async (c) => sendData(c, categoryResource(await readCategory(c.var.ctx, c.req.param("id")))),
  )
  .post(
    "/categories",
    describe({
      id: "categories.create",
      summary: "Create a category",
      responses: { status: 201, body: dataEnvelope(CategoryResource) },
      versioned: true,
    }),
    editor,
    body(SaveCategory),
    async (c) => sendChanged(c, categoryResource(await createCategory(c.var.editorCtx, c.req.valid("json"))), 201),
  )
  .put(
    "/categories/:id",
    describe({
      id: "categories.update",
      summary: "Update a category",
      responses: { status: 200, body: dataEnvelope(CategoryResource) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    body(UpdateCategory),
    async (c) => {
      const input = c.req.valid("json")
      const updated = await updateCategory(c.var.editorCtx, c.req.param("id"), input, readPrecondition(c))
      return sendChanged(c, categoryResource(updated))
    },
  )
  .delete(
    "/categories/:id",
    describe({
      id: "categories.delete",
      summary: "Delete a category",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "precondition_failed"],
      versioned: true,
    }),
    editor,
    async (c) => {
      await deleteCategory(c.var.editorCtx, c.req.param("id"), readPrecondition(c))
      return sendData(c, null)
    },
  )
