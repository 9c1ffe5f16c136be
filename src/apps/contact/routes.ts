// Contact messages over HTTP.
import { Hono } from "hono"
import * as z from "zod"
import { paginated, single } from "../../content/envelope"
import { appUser } from "../../content/mount-apps"
import { beside, countAttempt } from "../../content/rate-limits"
import { pagedOf, singleOf } from "../../content/response-schemas"
import type { ContentEnv } from "../../content/types"
import { clientIp } from "../../core/http/http"
import { body, describe, query } from "../../core/http/route"
import { ListMessages, MarkMessage, MessageResource, messageResource, WriteMessage } from "./schemas"
import { listMessages, markMessage, readMessage, removeMessage, writeMessage } from "./service"

const message = { status: 200, body: singleOf(MessageResource) } as const

export const contact = new Hono<ContentEnv>()
  .post(
    "/contact",
    appUser,
    describe({
      id: "contact.send",
      summary: "Leave a message for the staff",
      answers: { status: 201, body: singleOf(MessageResource) },
      refuses: ["not_found", "unauthenticated", "rate_limited"],
    }),
    body(WriteMessage),
    async (c) => {
      const { userCtx } = c.var
      const counted = countAttempt(userCtx, "app:contact", { ip: clientIp(c), account: userCtx.caller.token?.hash })
      const written = await beside(userCtx, counted, () => writeMessage(userCtx, c.req.valid("json")))
      return single(c, messageResource(written), { status: 201 })
    },
  )
  .get(
    "/contact",
    appUser,
    describe({
      id: "contact.list",
      summary: "List messages (staff)",
      answers: { status: 200, body: pagedOf(MessageResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    query(ListMessages),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listMessages(c.var.userCtx, input)
      return paginated(c, input, { rows: rows.map(messageResource), total })
    },
  )
  .get(
    "/contact/:id",
    appUser,
    describe({
      id: "contact.get",
      summary: "Read a message (staff)",
      answers: message,
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    async (c) => single(c, messageResource(await readMessage(c.var.userCtx, c.req.param("id")))),
  )
  .put(
    "/contact/:id",
    appUser,
    describe({
      id: "contact.update",
      summary: "Mark a message read, or new again (staff)",
      answers: message,
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    body(MarkMessage),
    async (c) => single(c, messageResource(await markMessage(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .delete(
    "/contact/:id",
    appUser,
    describe({
      id: "contact.delete",
      summary: "Remove a message (staff)",
      answers: { status: 200, body: singleOf(z.null()) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    async (c) => {
      await removeMessage(c.var.userCtx, c.req.param("id"))
      return single(c, null)
    },
  )
