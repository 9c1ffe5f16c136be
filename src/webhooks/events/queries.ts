// What the feed asks of the database. Each statement reads as many rows as a page has, not as the log has.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { head, horizon } from "../../core/event-log"
import { webhookEvents } from "../../db/schema/central/webhooks"

/** Numbers that one page looks through for events of some types: what is behind them is the next page's. */
export const WINDOW = 1_000

/** Events of a store that one page looks through for those of some types. */
const STORE_WINDOW = 200

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
  ctx.db
    .select({ seq: webhookEvents.seq })
    .from(webhookEvents)
    .where(sql`${webhookEvents.id} = ${id} and ${webhookEvents.isTest} = 0`)

/**
 * A page, the oldest first.
 * @param after the number behind which it begins
 * @param limit one more than the page shows, so that it is known whether there is more
 */
export const selectPage = (ctx: Ctx, wanted: Wanted, after: number, limit: number) =>
  ctx.db
    .select({ seq: webhookEvents.seq, payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(sql`${webhookEvents.seq} in (${numbers(wanted, after, limit)})`)
    .orderBy(webhookEvents.seq)

/** The end of the store's events that a page looks through for some types; null when it looks through all there are. */
export const selectWindowEnd = (ctx: Ctx, { types, store }: Wanted, after: number) =>
  ctx.db
    .select({ seq: sql<number | null>`(${store !== null && types ? windowEnd(store, after) : sql`null`})` })
    .from(sql`(select 1)`)

/** Numbers have no gaps above the horizon, so that a window of them is bounded whatever stands in it. */
function numbers({ types, store }: Wanted, after: number, limit: number): SQL {
  if (store !== null && types)
    return sql`select looked.seq from (
        select event.seq, event.type from webhook_events as event
        where event.store_id = ${store} and event.seq > ${after} order by event.seq limit ${STORE_WINDOW}) as looked
      where ${isOneOf("looked", types)} order by looked.seq limit ${limit}`
  if (store !== null)
    return sql`select event.seq from webhook_events as event
      where event.store_id = ${store} and event.seq > ${after} order by event.seq limit ${limit}`
  return sql`select event.seq from webhook_events as event
    where event.seq > ${after} and event.seq <= ${after + WINDOW} and event.is_test = 0 and ${isOneOf("event", types)}
    order by event.seq limit ${limit}`
}

const isOneOf = (table: "event" | "looked", types: string[] | null): SQL =>
  types ? sql`${sql.raw(table)}.type in (select value from json_each(${JSON.stringify(types)}))` : sql`true`

const windowEnd = (store: string, after: number): SQL => sql`
  select event.seq from webhook_events as event
  where event.store_id = ${store} and event.seq > ${after} order by event.seq limit 1 offset ${STORE_WINDOW - 1}`
