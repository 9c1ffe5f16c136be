// What the feed asks of the database. Each statement reads as many rows as a page has, not as the log has.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { head, horizon } from "../../core/event-log"
import { webhookEvents } from "../../db/schema/central/webhooks"

/** Events of a store that are looked at for those of some types: what is behind them is the next page's. */
const WINDOW = 200

/** Which events are wanted. */
export interface Wanted {
  /** Event names; null for all. */
  types: string[] | null
  store: string | null
}

/** The ends of the log: what is no longer kept, and what is newest. */
export const selectEnds = (ctx: Ctx) =>
  ctx.db.select({ horizon: sql<number>`${horizon}`, head: sql<number>`${head}` }).from(sql`(select 1)`)

/** The number of an event; none for a ping. */
export const selectSeq = (ctx: Ctx, id: string) =>
  ctx.db.select({ seq: webhookEvents.seq }).from(webhookEvents).where(sql`${webhookEvents.id} = ${id}`)

/**
 * A page, the oldest first.
 * @param after the number behind which it begins
 * @param limit one more than the page shows, so that it is known whether there is more
 */
export const selectPage = (ctx: Ctx, wanted: Wanted, after: number, limit: number) =>
  ctx.db
    .select({ seq: sql<number>`${webhookEvents.seq}`, payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(sql`${webhookEvents.seq} in (${numbers(wanted, after, limit)})`)
    .orderBy(webhookEvents.seq)

/** How far a page of `numbers` looked: the last number of a store's window, null when it looked at all there is. */
export const selectLookedAt = (ctx: Ctx, { types, store }: Wanted, after: number) =>
  ctx.db
    .select({ seq: sql<number | null>`(${store !== null && types ? windowEnd(store, after) : sql`null`})` })
    .from(sql`(select 1)`)

function numbers({ types, store }: Wanted, after: number, limit: number): SQL {
  if (store !== null && types)
    return sql`select looked.seq from (
        select event.seq, event.type from webhook_events as event
        where event.store_id = ${store} and event.seq > ${after} order by event.seq limit ${WINDOW}) as looked
      where looked.type in (select value from json_each(${JSON.stringify(types)})) order by looked.seq limit ${limit}`
  if (store !== null)
    return sql`select event.seq from webhook_events as event
      where event.store_id = ${store} and event.seq > ${after} order by event.seq limit ${limit}`
  if (types)
    // Of each type as many as a page has; the first of all of them are the page.
    return sql`select event.seq from json_each(${JSON.stringify(types)}) as wanted
      cross join webhook_events as event on event.seq in (
        select of_type.seq from webhook_events as of_type
        where of_type.type = wanted.value and of_type.seq > ${after} order by of_type.seq limit ${limit})
      order by event.seq limit ${limit}`
  return sql`select event.seq from webhook_events as event where event.seq > ${after} order by event.seq limit ${limit}`
}

const windowEnd = (store: string, after: number): SQL => sql`
  select event.seq from webhook_events as event
  where event.store_id = ${store} and event.seq > ${after} order by event.seq limit 1 offset ${WINDOW - 1}`
