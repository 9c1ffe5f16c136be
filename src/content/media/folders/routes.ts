// HTTP routes of media folders.
import * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import { body, describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { rowId } from "../../../core/http/row-id"
import type { ContentEnv } from "../../types"
import { MessageResponse, respondWithMessage } from "../envelope"
import { fileResource } from "../files/schemas"
import { FOLDER_DELETED, FOLDER_TRASHED, FOLDERS_DELETED } from "../strings"
import {
  CreateFolder,
  DeleteFolders,
  FolderResource,
  FolderWithFiles,
  folderResource,
  ListFolders,
  UpdateFolder,
} from "./schemas"
import {
  createFolder,
  deleteFolders,
  listFolders,
  readFolder,
  restoreFolder,
  trashFolder,
  updateFolder,
} from "./service"

const message = { status: 200, body: MessageResponse } as const
const folder = { status: 200, body: FolderResource } as const

export const folders = createRouter<ContentEnv>()
  .get(
    "/media/folders",
    describe({
      id: "folders.list",
      summary: "List folders",
      responses: { status: 200, body: z.array(FolderResource) },
      refuses: ["not_found"],
    }),
    query(ListFolders),
    async (c) => c.json((await listFolders(c.var.ctx, c.req.valid("query"))).map(folderResource)),
  )
  .post(
    "/media/folders",
    describe({
      id: "folders.create",
      summary: "Create a folder",
      responses: { status: 201, body: FolderResource },
      refuses: ["forbidden"],
    }),
    body(CreateFolder),
    async (c) => c.json(folderResource(await createFolder(c.var.ctx, c.req.valid("json"))), 201),
  )
  .post(
    "/media/folders/deletes",
    describe({
      id: "folders.deleteMany",
      summary: "Delete several folders",
      responses: message,
      refuses: ["forbidden"],
    }),
    body(DeleteFolders),
    async (c) => {
      const input = c.req.valid("json")
      if (!(await deleteFolders(c.var.ctx, input.require("folders")))) throw input.reject("folders", "selected")
      return respondWithMessage(c, FOLDERS_DELETED)
    },
  )
  .get(
    "/media/folders/:folder",
    describe({
      id: "folders.get",
      summary: "Retrieve a folder",
      responses: { status: 200, body: FolderWithFiles },
      refuses: ["not_found"],
    }),
    async (c) => {
      const { folder, files } = await readFolder(c.var.ctx, rowId(c.req.param("folder")))
      return c.json({ ...folderResource(folder), files: files.map((file) => fileResource(c.var.ctx, file)) })
    },
  )
  .patch(
    "/media/folders/:folder",
    describe({
      id: "folders.update",
      summary: "Rename or move a folder",
      responses: folder,
      refuses: ["forbidden", "not_found"],
    }),
    body(UpdateFolder),
    async (c) =>
      c.json(folderResource(await updateFolder(c.var.ctx, rowId(c.req.param("folder")), c.req.valid("json")))),
  )
  .patch(
    "/media/folders/:folder/trash",
    describe({
      id: "folders.trash",
      summary: "Move a folder to the trash",
      responses: message,
      refuses: ["forbidden", "not_found"],
    }),
    async (c) => {
      await trashFolder(c.var.ctx, rowId(c.req.param("folder")))
      return respondWithMessage(c, FOLDER_TRASHED)
    },
  )
  .patch(
    "/media/folders/:folder/restore",
    describe({
      id: "folders.restore",
      summary: "Restore a folder",
      responses: folder,
      refuses: ["forbidden", "not_found"],
    }),
    async (c) => c.json(folderResource(await restoreFolder(c.var.ctx, rowId(c.req.param("folder"))))),
  )
  .delete(
    "/media/folders/:folder",
    describe({
      id: "folders.delete",
      summary: "Delete a folder",
      responses: message,
      refuses: ["forbidden", "not_found"],
    }),
    async (c) => {
      if (!(await deleteFolders(c.var.ctx, [rowId(c.req.param("folder"))]))) throw new Refusal("not_found")
      return respondWithMessage(c, FOLDER_DELETED)
    },
  )
