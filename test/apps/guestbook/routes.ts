// API routes of the guestbook.
import * as z from "zod"
import { sendData } from "../../../src/content/envelope"
import { appUser } from "../../../src/content/mount-apps"
import { dataEnvelope } from "../../../src/content/response-schemas"
import type { ContentEnv } from "../../../src/content/types"
import { body, describe } from "../../../src/core/http/route"
import { createRouter } from "../../../src/core/http/router"
import { EntryResource, SignGuestbook } from "./schemas"
import { listEntries, sign } from "./service"

export const routes = createRouter<ContentEnv>()
  .get(
    "/guestbook",
    describe({
      id: "guestbook.list",
      summary: "Read the guestbook",
      responses: { status: 200, body: dataEnvelope(z.array(EntryResource)) },
    }),
    appUser,
    async (c) => sendData(c, await listEntries(c.var.userCtx)),
  )
  .post(
    "/guestbook",
    describe({
      id: "guestbook.sign",
      summary: "Sign the guestbook",
      responses: { status: 201, body: dataEnvelope(EntryResource) },
    }),
    appUser,
    body(SignGuestbook),
    async (c) => sendData(c, await sign(c.var.userCtx, c.req.valid("json").name), { status: 201 }),
  )
