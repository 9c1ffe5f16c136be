// Operations on a user's inbox: list, count, mark as delivered, read or clicked, and delete. Every query is limited to
// the user's own rows.
import { and, asc, desc, eq, isNull, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { type Page, pageFrom, prepareSitePages, type Slice } from "../../core/list/page"
import type { SiteDatabase } from "../../db/client"
import { aliasedColumns } from "../../db/join-columns"
import { param, prepareSiteRead } from "../../db/prepared"
import {
  inboxCounts,
  NOTIFICATION_TYPES,
  type NotificationType,
  notificationRecipients,
  notifications,
} from "../../db/schema/sites/notifications"
import { foundById, inSite } from "../../db/site-scope"
import { memoize } from "../../lib/memo"
import { authenticate, type CallerParams, callerUserId, getCallerParams, type UserCtx, writeAsUser } from "../user"
import type { InboxRow, ListNotifications, Stats } from "./schemas"

/** Columns that record the receipt of a notification, in order. */
type ReceiptColumn = "deliveredAt" | "readAt" | "clickedAt"

/**
 * Lists a page of the inbox, newest first.
 * @returns the page, and the number of unread rows in the whole inbox
 * @throws Refusal `unauthenticated`
 */
export async function listInbox(
  ctx: UserCtx,
  { unread_only: unreadOnly, type, ...page }: z.output<typeof ListNotifications>,
): Promise<Page<InboxRow> & { unread: number }> {
  const shape: QueryShape = { ...(type && { type }), unreadOnly }
  const caller = getCallerParams(ctx)
  const { results } = await authenticate(ctx, () => [
    selectCounts(caller),
    ...selectPages(JSON.stringify(shape))(page, caller),
  ])
  const [[counts], ...pages] = results
  return { ...pageFrom<InboxRow>(pages), unread: counts?.unread ?? 0 }
}

/** Inputs that determine the shape of the query; the rest are bound as values. */
interface QueryShape {
  type?: NotificationType
  unreadOnly: boolean
}

const selectPages = memoize((text: string) => {
  const { type, unreadOnly } = JSON.parse(text) as QueryShape
  const types = type ? [type] : NOTIFICATION_TYPES
  const total = sumCounts(CALLER, unreadOnly ? unreadColumns(types) : totalColumns(types))
  return prepareSitePages<InboxRow, CallerParams>(total, (db, slice, direction) => {
    const order = direction === "forward" ? desc : asc
    const ids = selectIds(CALLER, { types, unreadOnly, slice, order })
    return selectRows(db, sql`${notificationRecipients.id} in ${ids}`).orderBy(order(notificationRecipients.id))
  })
})

/**
 * Counts the rows of the inbox by state.
 * @throws Refusal `unauthenticated`
 */
export async function getInboxStats(ctx: UserCtx): Promise<z.input<typeof Stats>> {
  const { results } = await authenticate(ctx, () => [selectCounts(getCallerParams(ctx))])
  const counts = results[0][0] ?? { total: 0, unread: 0, clicked: 0 }
  return { ...counts, read: counts.total - counts.unread }
}

/** Selects the counters of an inbox. */
const selectCounts = prepareSiteRead<{ total: number; unread: number; clicked: number }, CallerParams>((db) =>
  db
    .select({
      total: sumCounts(CALLER, totalColumns()).as("total"),
      unread: sumCounts(CALLER, unreadColumns()).as("unread"),
      clicked: sumCounts(CALLER, [inboxCounts.clicked]).as("clicked"),
    })
    .from(sql`(select 1)`),
)

/**
 * Marks a row as delivered to the app. The first time is recorded.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markDelivered = (ctx: UserCtx, id: number): Promise<InboxRow> => markReceipt(ctx, id, ["deliveredAt"])

/**
 * Marks a row as read, which implies delivered. The first time is recorded.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markRead = (ctx: UserCtx, id: number): Promise<InboxRow> => markReceipt(ctx, id, ["deliveredAt", "readAt"])

/**
 * Marks a row as clicked, which implies read. The first time is recorded.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export const markClicked = (ctx: UserCtx, id: number): Promise<InboxRow> =>
  markReceipt(ctx, id, ["deliveredAt", "readAt", "clickedAt"])

/** Sets a column unless it is already set. */
const setOnce = (ctx: UserCtx, column: ReceiptColumn): SQL =>
  sql`coalesce(${notificationRecipients[column]}, ${ctx.now.getTime()})`

async function markReceipt(ctx: UserCtx, id: number, columns: ReceiptColumn[]): Promise<InboxRow> {
  const values = Object.fromEntries(columns.map((column) => [column, setOnce(ctx, column)]))
  const [, rows] = await writeAsUser(ctx, (userId) => {
    const isOwn = and(eq(notificationRecipients.userId, userId), eq(notificationRecipients.id, id))
    return [
      inSite(ctx.site.id).update(notificationRecipients).set(values).where(isOwn),
      selectRows(ctx.site.db, isOwn),
    ] as const
  })
  const [row] = rows as InboxRow[]
  if (!row) throw new Refusal("not_found")
  return row
}

/**
 * Marks the whole inbox as read.
 * @returns number of rows that were unread
 * @throws Refusal `unauthenticated`
 */
export async function markAllRead(ctx: UserCtx): Promise<number> {
  const [[counts]] = await writeAsUser(ctx, (userId) => [
    selectCounts(getCallerParams(ctx)),
    inSite(ctx.site.id)
      .update(notificationRecipients)
      .set({ readAt: ctx.now, deliveredAt: setOnce(ctx, "deliveredAt") })
      .where(and(eq(notificationRecipients.userId, userId), isNull(notificationRecipients.readAt))),
  ])
  return counts?.unread ?? 0
}

/**
 * Deletes a row from the inbox. The notification's counters do not change.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export async function deleteFromInbox(ctx: UserCtx, id: number): Promise<void> {
  const [removed] = await writeAsUser(ctx, (userId) => [
    inSite(ctx.site.id)
      .remove(notificationRecipients)
      .where(and(eq(notificationRecipients.userId, userId), eq(notificationRecipients.id, id)))
      .returning({ id: notificationRecipients.id }),
  ])
  if (!removed.length) throw new Refusal("not_found")
}

const TOTAL_COLUMNS = {
  general: inboxCounts.allGeneral,
  order: inboxCounts.allOrder,
  promotion: inboxCounts.allPromotion,
  system: inboxCounts.allSystem,
}
const UNREAD_COLUMNS = {
  general: inboxCounts.unreadGeneral,
  order: inboxCounts.unreadOrder,
  promotion: inboxCounts.unreadPromotion,
  system: inboxCounts.unreadSystem,
}

const totalColumns = (types: NotificationTypes = NOTIFICATION_TYPES) => types.map((type) => TOTAL_COLUMNS[type])
const unreadColumns = (types: NotificationTypes = NOTIFICATION_TYPES) => types.map((type) => UNREAD_COLUMNS[type])

type NotificationTypes = readonly NotificationType[]

/** Owner of an inbox, as SQL expressions. */
interface InboxOwner {
  site: Placeholder
  user: SQL<number>
}

/** The caller, as parameters of a prepared read. */
const CALLER: InboxOwner = { site: param("site"), user: callerUserId }

/** SQL expression for the sum of some counters of an inbox. */
const sumCounts = ({ site, user }: InboxOwner, columns: SQLiteColumn[]): SQL<number> =>
  sql<number>`(select coalesce((select ${sql.join(columns, sql` + `)} from ${inboxCounts}
    where ${and(eq(inboxCounts.siteId, site), eq(inboxCounts.userId, user))}), 0))`

interface IdQuery {
  types: NotificationTypes
  unreadOnly: boolean
  slice: Slice
  order: typeof asc
}

/** Selects the ids of a slice of an inbox. Reads at most `offset + limit` rows of each type. */
function selectIds({ site, user }: InboxOwner, { types, unreadOnly, slice, order }: IdQuery): SQL {
  const { id, siteId, userId: owner, type, readAt } = notificationRecipients
  const ofType = (name: NotificationType) => sql`select * from (select ${id} as "id" from ${notificationRecipients}
    where ${and(eq(siteId, site), eq(owner, sql`(select "user" from "slice")`), eq(type, name), unreadOnly ? isNull(readAt) : undefined)}
    order by ${order(id)} limit (select "limit" + "offset" from "slice"))`
  return sql`(with "slice" as (select ${user} as "user", ${slice.limit} as "limit", ${slice.offset} as "offset")
    select "id" from (${sql.join(types.map(ofType), sql` union all `)}) order by ${order(sql`"id"`)}
    limit (select "limit" from "slice") offset (select "offset" from "slice"))`
}

const selectRows = (db: SiteDatabase, condition: SQL | undefined) =>
  db
    .select({ recipient: aliasedColumns(notificationRecipients), notification: aliasedColumns(notifications) })
    .from(foundById(notificationRecipients))
    .innerJoin(notifications, eq(notifications.id, notificationRecipients.notificationId))
    .where(condition)
