// /notifications: the signed-in user's inbox. Ids are those of its rows.
import { Hono } from "hono"
import * as z from "zod"
import { describe, query } from "../../core/http/route"
import { rowId } from "../../core/http/row-id"
import { paginated, single } from "../envelope"
import { pagedOf, singleOf } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { deleteFromInbox, inboxStats, listInbox, markAllRead, markClicked, markDelivered, markRead } from "./inbox"
import { InboxItem, inboxItem, ListNotifications, Stats } from "./schemas"

export const notifications = new Hono<ContentEnv>()
  .get(
    "/notifications",
    user,
    describe({
      id: "notifications.list",
      summary: "The user's notifications, the newest first",
      answers: { status: 200, body: pagedOf(InboxItem, { unread_count: z.int() }) },
      refuses: ["unauthenticated"],
    }),
    query(ListNotifications),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total, unread } = await listInbox(c.var.userCtx, input)
      return paginated(c, input, { rows: rows.map(inboxItem), total }, { unread_count: unread })
    },
  )
  .get(
    "/notifications/stats",
    user,
    describe({
      id: "notifications.stats",
      summary: "How many notifications the user has",
      answers: { status: 200, body: singleOf(Stats) },
      refuses: ["unauthenticated"],
    }),
    async (c) => single(c, await inboxStats(c.var.userCtx)),
  )
  .post(
    "/notifications/mark-all-read",
    user,
    describe({
      id: "notifications.markAllRead",
      summary: "Mark all notifications read",
      answers: { status: 200, body: singleOf(z.object({ marked_count: z.int() })) },
      refuses: ["unauthenticated"],
    }),
    async (c) => single(c, { marked_count: await markAllRead(c.var.userCtx) }),
  )
  .post(
    "/notifications/:id/delivered",
    user,
    describe({
      id: "notifications.markDelivered",
      summary: "Note that the app has a notification",
      answers: { status: 200, body: singleOf(InboxItem) },
      refuses: ["unauthenticated", "not_found"],
    }),
    async (c) => single(c, inboxItem(await markDelivered(c.var.userCtx, rowId(c.req.param("id"))))),
  )
  .post(
    "/notifications/:id/read",
    user,
    describe({
      id: "notifications.markRead",
      summary: "Mark a notification read",
      answers: { status: 200, body: singleOf(InboxItem) },
      refuses: ["unauthenticated", "not_found"],
    }),
    async (c) => single(c, inboxItem(await markRead(c.var.userCtx, rowId(c.req.param("id"))))),
  )
  .post(
    "/notifications/:id/clicked",
    user,
    describe({
      id: "notifications.markClicked",
      summary: "Mark a notification clicked, and with that read",
      answers: { status: 200, body: singleOf(InboxItem) },
      refuses: ["unauthenticated", "not_found"],
    }),
    async (c) => single(c, inboxItem(await markClicked(c.var.userCtx, rowId(c.req.param("id"))))),
  )
  .delete(
    "/notifications/:id",
    user,
    describe({
      id: "notifications.delete",
      summary: "Remove a notification from the user's list",
      answers: { status: 200, body: singleOf(z.null()) },
      refuses: ["unauthenticated", "not_found"],
    }),
    async (c) => {
      await deleteFromInbox(c.var.userCtx, rowId(c.req.param("id")))
      return single(c, null)
    },
  )
