// HTTP routes of contact messages.
import * as z from "zod"
import { sendData, sendPage } from "../../content/envelope"
import { appUser } from "../../content/mount-apps"
import { countAttempt, inParallelWithRateLimit } from "../../content/rate-limits"
import { dataEnvelope, pageEnvelope } from "../../content/response-schemas"
import type { ContentEnv } from "../../content/types"
import { clientAddress } from "../../core/http/http"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { replyToMessage } from "./reply"
import {
  CreateContactMessage,
  ListMessages,
  MessageResource,
  messageResource,
  ReplyToMessage,
  UpdateContactMessage,
} from "./schemas"
import { listMessages, markMessage, readMessage, removeMessage, writeMessage } from "./service"

const message = { status: 200, body: dataEnvelope(MessageResource) } as const

export const contact = createRouter<ContentEnv>()
  .post(
    "/contact",
    describe({
      id: "contact.send",
      summary: "Send a contact message",
      responses: { status: 201, body: dataEnvelope(MessageResource) },
      refuses: ["not_found", "unauthenticated", "rate_limited"],
    }),
    appUser,
    body(CreateContactMessage),
    async (c) => {
      const { userCtx } = c.var
      const counted = countAttempt(userCtx, "app:contact", {
        ip: clientAddress(c),
        account: userCtx.caller.token?.hash,
      })
      const written = await inParallelWithRateLimit(userCtx, counted, () => writeMessage(userCtx, c.req.valid("json")))
      return sendData(c, messageResource(written), { status: 201 })
    },
  )
  .get(
    "/contact",
    describe({
      id: "contact.list",
      summary: "List contact messages",
      responses: { status: 200, body: pageEnvelope(MessageResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    query(ListMessages),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listMessages(c.var.userCtx, input)
      return sendPage(c, input, { rows: rows.map(messageResource), total })
    },
  )
  .get(
    "/contact/:id",
    describe({
      id: "contact.get",
      summary: "Retrieve a contact message",
      responses: message,
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => sendData(c, messageResource(await readMessage(c.var.userCtx, c.req.param("id")))),
  )
  .put(
    "/contact/:id",
    describe({
      id: "contact.update",
      summary: "Update a contact message's status",
      responses: message,
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    body(UpdateContactMessage),
    async (c) => sendData(c, messageResource(await markMessage(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .post(
    "/contact/:id/reply",
    describe({
      id: "contact.reply",
      summary: "Reply to a contact message",
      responses: message,
      refuses: ["not_found", "unauthenticated", "forbidden", "rate_limited"],
    }),
    appUser,
    body(ReplyToMessage),
    async (c) =>
      sendData(c, messageResource(await replyToMessage(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .delete(
    "/contact/:id",
    describe({
      id: "contact.delete",
      summary: "Delete a contact message",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => {
      await removeMessage(c.var.userCtx, c.req.param("id"))
      return sendData(c, null)
    },
  )
