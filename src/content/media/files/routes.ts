// HTTP routes of media files.
import * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { rowId } from "../../../core/http/row-id"
import type { ContentEnv } from "../../types"
import { MessageResponse, respondWithMessage } from "../envelope"
import { FILE_DELETED, FILE_TRASHED, FILES_DELETED } from "../strings"
import { DeleteFiles, FileResource, fileResource, ListFiles, UpdateFile, UploadFields } from "./schemas"
import { deleteFiles, listFiles, restoreFile, trashFile, updateFile } from "./service"
import { uploadFile } from "./upload"

const message = { status: 200, body: MessageResponse } as const
const file = { status: 200, body: FileResource } as const

export const files = createRouter<ContentEnv>()
  .get(
    "/media/files",
    describe({
      id: "files.list",
      summary: "List files",
      responses: { status: 200, body: z.array(FileResource) },
      refuses: ["not_found"],
    }),
    query(ListFiles),
    async (c) => {
      const rows = await listFiles(c.var.ctx, c.req.valid("query"))
      return c.json(rows.map((row) => fileResource(c.var.ctx, row)))
    },
  )
  .post(
    "/media/files",
    describe({
      id: "files.upload",
      summary: "Upload a file",
      responses: { status: 201, body: FileResource },
      fields: UploadFields,
      files: { file: true },
      refuses: ["forbidden", "limit_reached"],
    }),
    async (c) => {
      const { ctx } = c.var
      const row = await uploadFile(ctx, {
        contentType: c.req.header("Content-Type"),
        contentLength: c.req.header("Content-Length"),
        body: c.req.raw.body,
      })
      return c.json(fileResource(ctx, row), 201)
    },
  )
  .post(
    "/media/files/deletes",
    describe({ id: "files.deleteMany", summary: "Delete several files", responses: message, refuses: ["forbidden"] }),
    body(DeleteFiles),
    async (c) => {
      const input = c.req.valid("json")
      if (!(await deleteFiles(c.var.ctx, input.require("files")))) throw input.reject("files", "selected")
      return respondWithMessage(c, FILES_DELETED)
    },
  )
  .patch(
    "/media/files/:file",
    describe({
      id: "files.update",
      summary: "Rename or move a file",
      responses: file,
      refuses: ["forbidden", "not_found"],
    }),
    body(UpdateFile),
    async (c) => {
      const row = await updateFile(c.var.ctx, rowId(c.req.param("file")), c.req.valid("json"))
      return c.json(fileResource(c.var.ctx, row))
    },
  )
  .patch(
    "/media/files/:file/trash",
    describe({
      id: "files.trash",
      summary: "Move a file to the trash",
      responses: message,
      refuses: ["forbidden", "not_found"],
    }),
    async (c) => {
      await trashFile(c.var.ctx, rowId(c.req.param("file")))
      return respondWithMessage(c, FILE_TRASHED)
    },
  )
  .patch(
    "/media/files/:file/restore",
    describe({
      id: "files.restore",
      summary: "Restore a file",
      responses: file,
      refuses: ["forbidden", "not_found"],
    }),
    async (c) => c.json(fileResource(c.var.ctx, await restoreFile(c.var.ctx, rowId(c.req.param("file"))))),
  )
  .delete(
    "/media/files/:file",
    describe({ id: "files.delete", summary: "Delete a file", responses: message, refuses: ["forbidden", "not_found"] }),
    async (c) => {
      if (!(await deleteFiles(c.var.ctx, [rowId(c.req.param("file"))]))) throw new Refusal("not_found")
      return respondWithMessage(c, FILE_DELETED)
    },
  )
