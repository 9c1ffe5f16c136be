// A user's inbox: listed, counted, read, clicked, emptied. Every row is found through its user.
import { and, asc, desc, eq, isNull, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { type Page, pageFrom, pageStatements } from "../../core/page"
import { Refusal } from "../../core/refusal"
import { countedAt, counterOf } from "../../core/site-totals"
import { named } from "../../db/joined"
import { notificationRecipients, notifications } from "../../db/schema/sites/notifications"
import { remove, update } from "../../db/write"
import type { SiteCtx } from "../site"
import { asUser, authed, type UserCtx } from "../user"
import type { InboxRow, ListNotifications, Stats } from "./schemas"

type Recipient = typeof notificationRecipients.$inferSelect

/**
 * A page of the inbox, the newest first.
 * @returns the page, and how many rows of the whole inbox are unread
 * @throws Refusal `unauthenticated`
 */
export async function listInbox(
  ctx: UserCtx,
  { unread_only: unreadOnly, type, ...page }: z.output<typeof ListNotifications>,
): Promise<Page<InboxRow> & { unread: number }> {
  const { db } = ctx.site
  const filter = unreadOnly ? (type ? `unread:${type}` : "unread") : (type ?? "")
  const { answers } = await authed(ctx, (userId) => {
    const where = and(
      ownedBy(ctx, userId),
      type && eq(notificationRecipients.type, type),
      unreadOnly ? isNull(notificationRecipients.readAt) : undefined,
    )
    return [
      db.select({ unread: sql<number>`${inboxCount(ctx, userId, "unread")}` }).from(sql`(select 1)`),
      ...pageStatements(db, page, inboxCount(ctx, userId, filter), ({ limit, offset }, direction) =>
        selectRows(ctx)
          .where(where)
          .orderBy(direction === "forward" ? desc(notificationRecipients.id) : asc(notificationRecipients.id))
          .limit(limit)
          .offset(offset),
      ),
    ]
  })
  const [[count], ...pages] = answers
  return { ...pageFrom<InboxRow>(pages), unread: count?.unread ?? 0 }
}

/** @throws Refusal `unauthenticated` */
export async function inboxStats(ctx: UserCtx): Promise<z.input<typeof Stats>> {
  const { answers } = await authed(ctx, (userId) => [
    ctx.site.db
      .select({
        total: sql<number>`${inboxCount(ctx, userId)}`.as("total"),
        unread: sql<number>`${inboxCount(ctx, userId, "unread")}`.as("unread"),
        clicked: sql<number>`${inboxCount(ctx, userId, "clicked")}`.as("clicked"),
      })
      .from(sql`(select 1)`),
  ])
  const { total = 0, unread = 0, clicked = 0 } = answers[0][0] ?? {}
  return { total, unread, read: total - unread, clicked }
}

/**
 * Marks a row read; the first time counts.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markRead = (ctx: UserCtx, id: number): Promise<InboxRow> =>
  mark(ctx, id, { readAt: sql`coalesce(${notificationRecipients.readAt}, ${ctx.now.getTime()})` })

/**
 * Marks a row clicked, and with that read; the first time counts.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markClicked = (ctx: UserCtx, id: number): Promise<InboxRow> =>
  mark(ctx, id, {
    readAt: sql`coalesce(${notificationRecipients.readAt}, ${ctx.now.getTime()})`,
    clickedAt: sql`coalesce(${notificationRecipients.clickedAt}, ${ctx.now.getTime()})`,
  })

async function mark(ctx: UserCtx, id: number, values: Partial<Record<keyof Recipient, SQL>>): Promise<InboxRow> {
  const [, rows] = await asUser(ctx, (userId) => {
    const own = and(ownedBy(ctx, userId), eq(notificationRecipients.id, id))
    return [update(notificationRecipients).set(values).where(own), selectRows(ctx).where(own)] as const
  })
  const [row] = rows as InboxRow[]
  if (!row) throw new Refusal("not_found")
  return row
}

/**
 * Marks the whole inbox read.
 * @returns how many rows were unread
 * @throws Refusal `unauthenticated`
 */
export async function markAllRead(ctx: UserCtx): Promise<number> {
  const { db } = ctx.site
  const [[count]] = await asUser(ctx, (userId) => [
    db.select({ unread: sql<number>`${inboxCount(ctx, userId, "unread")}` }).from(sql`(select 1)`),
    update(notificationRecipients)
      .set({ readAt: ctx.now })
      .where(and(ownedBy(ctx, userId), isNull(notificationRecipients.readAt))),
  ])
  return count?.unread ?? 0
}

/**
 * Removes a row from the inbox; what it counted for the notification stays.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export async function deleteFromInbox(ctx: UserCtx, id: number): Promise<void> {
  const [removed] = await asUser(ctx, (userId) => [
    remove(notificationRecipients)
      .where(and(ownedBy(ctx, userId), eq(notificationRecipients.id, id)))
      .returning({ id: notificationRecipients.id }),
  ])
  if (!removed.length) throw new Refusal("not_found")
}

const ownedBy = ({ site }: SiteCtx, userId: SQL<number>): SQL | undefined =>
  and(eq(notificationRecipients.siteId, site.id), eq(notificationRecipients.userId, userId))

/** How many rows of an inbox there are, as its triggers keep it. */
const inboxCount = ({ site }: SiteCtx, userId: SQL<number>, filter = ""): SQL =>
  countedAt(site.id, counterOf("inbox", userId), filter)

const selectRows = ({ site }: SiteCtx) =>
  site.db
    .select({ recipient: named(notificationRecipients), notification: named(notifications) })
    .from(notificationRecipients)
    .innerJoin(notifications, eq(notifications.id, notificationRecipients.notificationId))
