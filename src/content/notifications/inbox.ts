// A user's inbox: listed, counted, read, clicked, emptied. Every row is found through its user.
import { and, asc, desc, eq, inArray, isNull, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { compiledPages, type Page, pageFrom, type Slice } from "../../core/list/page"
import type { SiteDatabase } from "../../db/client"
import { named } from "../../db/join-columns"
import { compiled, given } from "../../db/prepared"
import {
  inboxCounts,
  NOTIFICATION_TYPES,
  type NotificationType,
  notificationRecipients,
  notifications,
} from "../../db/schema/sites/notifications"
import { remove, update } from "../../db/write"
import { memo } from "../../lib/memo"
import type { SiteCtx } from "../site"
import { type Asker, askerOf, askersId, asUser, authed, type UserCtx } from "../user"
import type { InboxRow, ListNotifications, Stats } from "./schemas"

/** What becomes of a row, in its order. */
type Moment = "deliveredAt" | "readAt" | "clickedAt"

/**
 * A page of the inbox, the newest first.
 * @returns the page, and how many rows of the whole inbox are unread
 * @throws Refusal `unauthenticated`
 */
export async function listInbox(
  ctx: UserCtx,
  { unread_only: unreadOnly, type, ...page }: z.output<typeof ListNotifications>,
): Promise<Page<InboxRow> & { unread: number }> {
  const shape: Shape = { ...(type && { type }), unreadOnly }
  const asker = askerOf(ctx)
  const { answers } = await authed(ctx, () => [inboxCount(asker), ...pagesOf(JSON.stringify(shape))(page, asker)])
  const [[counts], ...pages] = answers
  return { ...pageFrom<InboxRow>(pages), unread: counts?.unread ?? 0 }
}

/** What decides how a page of an inbox is read; the rest are values. */
interface Shape {
  type?: NotificationType
  unreadOnly: boolean
}

const pagesOf = memo((text: string) => {
  const { type, unreadOnly } = JSON.parse(text) as Shape
  const types = type ? [type] : NOTIFICATION_TYPES
  const total = count(ASKER, unreadOnly ? unread(types) : all(types))
  return compiledPages<InboxRow, Asker>(total, (db, slice, direction) => {
    const order = direction === "forward" ? desc : asc
    return selectRows(db)
      .where(inArray(notificationRecipients.id, idsOf(ASKER, { types, unreadOnly, slice, order })))
      .orderBy(order(notificationRecipients.id))
  })
})

/** @throws Refusal `unauthenticated` */
export async function inboxStats(ctx: UserCtx): Promise<z.input<typeof Stats>> {
  const { answers } = await authed(ctx, () => [inboxCount(askerOf(ctx))])
  const counts = answers[0][0] ?? { total: 0, unread: 0, clicked: 0 }
  return { ...counts, read: counts.total - counts.unread }
}

/** The inbox's counts. */
const inboxCount = compiled<{ total: number; unread: number; clicked: number }, Asker>((db) =>
  db
    .select({
      total: count(ASKER, all()).as("total"),
      unread: count(ASKER, unread()).as("unread"),
      clicked: count(ASKER, [inboxCounts.clicked]).as("clicked"),
    })
    .from(sql`(select 1)`),
)

/**
 * Notes that the app has a row's message; the first time counts.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markDelivered = (ctx: UserCtx, id: number): Promise<InboxRow> => mark(ctx, id, ["deliveredAt"])

/**
 * Marks a row read, and with that delivered; the first time counts.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markRead = (ctx: UserCtx, id: number): Promise<InboxRow> => mark(ctx, id, ["deliveredAt", "readAt"])

/**
 * Marks a row clicked, and with that read; the first time counts.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markClicked = (ctx: UserCtx, id: number): Promise<InboxRow> =>
  mark(ctx, id, ["deliveredAt", "readAt", "clickedAt"])

/** A moment that is there stays. */
const once = (ctx: UserCtx, moment: Moment): SQL =>
  sql`coalesce(${notificationRecipients[moment]}, ${ctx.now.getTime()})`

async function mark(ctx: UserCtx, id: number, moments: Moment[]): Promise<InboxRow> {
  const values = Object.fromEntries(moments.map((moment) => [moment, once(ctx, moment)]))
  const [, rows] = await asUser(ctx, (userId) => {
    const own = and(ownedBy(ctx, userId), eq(notificationRecipients.id, id))
    return [update(notificationRecipients).set(values).where(own), selectRows(ctx.site.db).where(own)] as const
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
  const [[counts]] = await asUser(ctx, (userId) => [
    inboxCount(askerOf(ctx)),
    update(notificationRecipients)
      .set({ readAt: ctx.now, deliveredAt: once(ctx, "deliveredAt") })
      .where(and(ownedBy(ctx, userId), isNull(notificationRecipients.readAt))),
  ])
  return counts?.unread ?? 0
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

const ALL = {
  general: inboxCounts.allGeneral,
  order: inboxCounts.allOrder,
  promotion: inboxCounts.allPromotion,
  system: inboxCounts.allSystem,
}
const UNREAD = {
  general: inboxCounts.unreadGeneral,
  order: inboxCounts.unreadOrder,
  promotion: inboxCounts.unreadPromotion,
  system: inboxCounts.unreadSystem,
}

const all = (types: Types = NOTIFICATION_TYPES) => types.map((type) => ALL[type])
const unread = (types: Types = NOTIFICATION_TYPES) => types.map((type) => UNREAD[type])

type Types = readonly NotificationType[]

/** Whose inbox it is. */
interface Owner {
  site: Placeholder
  user: SQL<number>
}

/** The asker, in a compiled read that is given one. */
const ASKER: Owner = { site: given("site"), user: askersId }

/** A sum of an inbox's counts. */
const count = ({ site, user }: Owner, columns: SQLiteColumn[]): SQL<number> =>
  sql<number>`(select coalesce((select ${sql.join(columns, sql` + `)} from ${inboxCounts}
    where ${and(eq(inboxCounts.siteId, site), eq(inboxCounts.userId, user))}), 0))`

interface Ids {
  types: Types
  unreadOnly: boolean
  slice: Slice
  order: typeof asc
}

/** The ids of a slice of an inbox. Of each type no more rows are read than the slice could be made of. */
function idsOf({ site, user }: Owner, { types, unreadOnly, slice, order }: Ids): SQL {
  const { id, siteId, userId: owner, type, readAt } = notificationRecipients
  const ofType = (name: NotificationType) => sql`select * from (select ${id} as "id" from ${notificationRecipients}
    where ${and(eq(siteId, site), eq(owner, sql`(select "user" from "slice")`), eq(type, name), unreadOnly ? isNull(readAt) : undefined)}
    order by ${order(id)} limit (select "limit" + "offset" from "slice"))`
  return sql`(with "slice" as (select ${user} as "user", ${slice.limit} as "limit", ${slice.offset} as "offset")
    select "id" from (${sql.join(types.map(ofType), sql` union all `)}) order by ${order(sql`"id"`)}
    limit (select "limit" from "slice") offset (select "offset" from "slice"))`
}

const selectRows = (db: SiteDatabase) =>
  db
    .select({ recipient: named(notificationRecipients), notification: named(notifications) })
    .from(notificationRecipients)
    .innerJoin(notifications, eq(notifications.id, notificationRecipients.notificationId))
