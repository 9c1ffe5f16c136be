// HTTP routes of the signed-in user's inbox. Ids are those of inbox rows, not of notifications.
import * as z from "zod"
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { rowId } from "../../core/http/row-id"
import { sendData, sendPage } from "../envelope"
import { dataEnvelope, pageEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { deleteFromInbox, getInboxStats, listInbox, markAllRead, markClicked, markDelivered, markRead } from "./inbox"
import { InboxItem, inboxItem, LegacyList, ListNotifications, legacyList, Stats } from "./schemas"

export const notifications = createRouter<ContentEnv>()
  .get(
    "/notifications",
    describe({
      id: "notifications.list",
      summary: "List notifications",
      responses: { status: 200, body: z.union([pageEnvelope(InboxItem, { unread_count: z.int() }), LegacyList]) },
      refuses: ["unauthenticated"],
    }),
    user,
    query(ListNotifications),
    async (c) => {
      const input = c.req.valid("query")
      const { site } = c.var.userCtx
      const { rows, total, unread } = await listInbox(c.var.userCtx, input)
      const items = rows.map(inboxItem)
      if (site.api.notificationFormat === "standard")
        return sendPage(c, input, { rows: items, total }, { unread_count: unread })
      return sendData(c, legacyList(input, { rows: items, total }, unread))
    },
  )
  .get(
    "/notifications/stats",
    describe({
      id: "notifications.stats",
      summary: "Count notifications by state",
      responses: { status: 200, body: dataEnvelope(Stats) },
      refuses: ["unauthenticated"],
    }),
    user,
    async (c) => sendData(c, await getInboxStats(c.var.userCtx)),
  )
  .post(
    "/notifications/mark-all-read",
    describe({
      id: "notifications.markAllRead",
      summary: "Mark all notifications as read",
      responses: { status: 200, body: dataEnvelope(z.object({ marked_count: z.int() })) },
      refuses: ["unauthenticated"],
    }),
    user,
    async (c) => sendData(c, { marked_count: await markAllRead(c.var.userCtx) }),
  )
  .post(
    "/notifications/:id/delivered",
    describe({
      id: "notifications.markDelivered",
      summary: "Mark a notification as delivered",
      responses: { status: 200, body: dataEnvelope(InboxItem) },
      refuses: ["unauthenticated", "not_found"],
    }),
    user,
    async (c) => sendData(c, inboxItem(await markDelivered(c.var.userCtx, rowId(c.req.param("id"))))),
  )
  .post(
    "/notifications/:id/read",
    describe({
      id: "notifications.markRead",
      summary: "Mark a notification as read",
      responses: { status: 200, body: dataEnvelope(InboxItem) },
      refuses: ["unauthenticated", "not_found"],
    }),
    user,
    async (c) => sendData(c, inboxItem(await markRead(c.var.userCtx, rowId(c.req.param("id"))))),
  )
  .post(
    "/notifications/:id/clicked",
    describe({
      id: "notifications.markClicked",
      summary: "Mark a notification as clicked",
      responses: { status: 200, body: dataEnvelope(InboxItem) },
      refuses: ["unauthenticated", "not_found"],
    }),
    user,
    async (c) => sendData(c, inboxItem(await markClicked(c.var.userCtx, rowId(c.req.param("id"))))),
  )
  .delete(
    "/notifications/:id",
    describe({
      id: "notifications.delete",
      summary: "Delete a notification",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["unauthenticated", "not_found"],
    }),
    user,
    async (c) => {
      await deleteFromInbox(c.var.userCtx, rowId(c.req.param("id")))
      return sendData(c, null)
    },
  )
