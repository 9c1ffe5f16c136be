// What the feed asks of the database. Each statement reads as many rows as a page has, not as the log has.
import { type SQL, sql } from "drizzle-orm"
import { head, horizon } from "../../core/write/event-log"
import { compiled, given } from "../../db/prepared"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { memo } from "../../lib/memo"

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
export interface Ends {
  horizon: number
  head: number
}

export const endsOf = compiled<Ends, object>((db) =>
  db
    .select({ horizon: sql<number>`${horizon}`.as("horizon"), head: sql<number>`${head}`.as("head") })
    .from(sql`(select 1)`),
)

/** The number of an event; none for a ping. */
export const seqOf = compiled<{ seq: number }, { id: string }>((db) =>
  db
    .select({ seq: webhookEvents.seq })
    .from(webhookEvents)
    .where(sql`${webhookEvents.id} = ${given("id")} and ${webhookEvents.isTest} = 0`),
)

/** Where a page begins: behind a number, or at an end of the log, wherever that is when the page is read. */
export type Start = number | "horizon" | "head"

/** What decides how a page is read; the rest are values. */
interface Shape {
  ofTypes: boolean
  ofStore: boolean
  start: "number" | "horizon" | "head"
}

interface Values {
  types: string
  store: string | null
  after: number | null
  /** One more than the page shows, so that it is known whether there is more. */
  limit: number
}

interface Row {
  seq: number
  payload: string
}

/**
 * The statements that read a page on one state of the database: the ends of the log; the events, the oldest first; and the end of
 * the store's events that it looks through for some types, null when it looks through all there are.
 * @param limit events that the page shows; one more is read
 */
export function selectPage({ types, store }: Wanted, start: Start, limit: number) {
  const shape: Shape = {
    ofTypes: types !== null,
    ofStore: store !== null,
    start: typeof start === "number" ? "number" : start,
  }
  const { rows, windowEnd } = pagesOf(JSON.stringify(shape))
  const after = typeof start === "number" ? start : null
  const values = { types: JSON.stringify(types), store, after, limit: limit + 1 }
  return [endsOf({}), rows(values), windowEnd(values)] as const
}

const STARTS = { number: sql`${given("after")}`, horizon, head }

const pagesOf = memo((text: string) => {
  const shape = JSON.parse(text) as Shape
  return {
    rows: compiled<Row, Values>((db) =>
      db
        .select({ seq: webhookEvents.seq, payload: webhookEvents.payload })
        .from(webhookEvents)
        .where(sql`${webhookEvents.seq} in (${numbers(shape)})`)
        .orderBy(webhookEvents.seq),
    ),
    windowEnd: compiled<{ seq: number | null }, Values>((db) =>
      db.select({ seq: sql<number | null>`(${windowEnd(shape)})`.as("seq") }).from(sql`(select 1)`),
    ),
  }
})

/** Numbers have no gaps above the horizon, so that a window of them is bounded whatever stands in it. */
function numbers({ ofTypes, ofStore, start }: Shape): SQL {
  const after = STARTS[start]
  const limit = given("limit")
  if (ofStore && ofTypes)
    return sql`select looked.seq from (
        select event.seq, event.type from webhook_events as event
        where event.store_id = ${given("store")} and event.seq > ${after} order by event.seq limit ${STORE_WINDOW}) as looked
      where ${isOneOf("looked")} order by looked.seq limit ${limit}`
  if (ofStore)
    return sql`select event.seq from webhook_events as event
      where event.store_id = ${given("store")} and event.seq > ${after} order by event.seq limit ${limit}`
  return sql`select event.seq from webhook_events as event
    where event.seq > ${after} and event.seq <= ${after} + ${WINDOW} and event.is_test = 0 and ${ofTypes ? isOneOf("event") : sql`true`}
    order by event.seq limit ${limit}`
}

const isOneOf = (table: "event" | "looked"): SQL =>
  sql`${sql.raw(table)}.type in (select value from json_each(${given("types")}))`

const windowEnd = ({ ofTypes, ofStore, start }: Shape): SQL =>
  ofStore && ofTypes
    ? sql`select event.seq from webhook_events as event
        where event.store_id = ${given("store")} and event.seq > ${STARTS[start]} order by event.seq limit 1 offset ${STORE_WINDOW - 1}`
    : sql`null`
