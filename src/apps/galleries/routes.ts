// HTTP routes of galleries.
import * as z from "zod"
import { sendData, sendPage } from "../../content/envelope"
import { appUser } from "../../content/mount-apps"
import { dataEnvelope, pageEnvelope } from "../../content/response-schemas"
import type { ContentEnv } from "../../content/types"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import {
  CreateGallery,
  GalleryResource,
  galleryResource,
  ListedGallery,
  ListGalleries,
  listedGallery,
  UpdateGallery,
} from "./schemas"
import { createGallery, deleteGallery, getGallery, listGalleries, updateGallery } from "./service"

const gallery = dataEnvelope(GalleryResource)

export const galleries = createRouter<ContentEnv>()
  .get(
    "/galleries",
    describe({
      id: "galleries.list",
      summary: "List galleries",
      responses: { status: 200, body: pageEnvelope(ListedGallery) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    query(ListGalleries),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listGalleries(c.var.userCtx, input)
      return sendPage(c, input, { rows: rows.map(listedGallery), total })
    },
  )
  .post(
    "/galleries",
    describe({
      id: "galleries.create",
      summary: "Create a gallery",
      responses: { status: 201, body: gallery },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(CreateGallery),
    async (c) => sendData(c, galleryResource(await createGallery(c.var.userCtx, c.req.valid("json"))), { status: 201 }),
  )
  .get(
    "/galleries/:id",
    describe({
      id: "galleries.get",
      summary: "Retrieve a gallery",
      responses: { status: 200, body: gallery },
      refuses: ["not_found", "unauthenticated"],
    }),
    appUser,
    async (c) => sendData(c, galleryResource(await getGallery(c.var.userCtx, c.req.param("id")))),
  )
  .put(
    "/galleries/:id",
    describe({
      id: "galleries.update",
      summary: "Update a gallery",
      responses: { status: 200, body: gallery },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(UpdateGallery),
    async (c) =>
      sendData(c, galleryResource(await updateGallery(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .delete(
    "/galleries/:id",
    describe({
      id: "galleries.delete",
      summary: "Delete a gallery",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => {
      await deleteGallery(c.var.userCtx, c.req.param("id"))
      return sendData(c, null)
    },
  )
