// Queries of the event feed. Each reads as many rows as a page has, however long the log is.
import { type SQL, sql } from "drizzle-orm"
import { head, horizon } from "../../core/write/event-log"
import { param, prepareRead } from "../../db/prepared"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { memoize } from "../../lib/memo"

/** Sequence numbers that one page scans for events of some types; the next page continues after them. */
export const SCAN_WINDOW = 1_000

/** Events of a store that one page scans for events of some types. */
const STORE_SCAN_WINDOW = 200

/** Filter of a page. */
export interface EventFilter {
  /** Event types; null for all. */
  types: string[] | null
  store: string | null
}

/** Bounds of the log: the highest sequence number that was pruned, and the newest one. */
export interface LogBounds {
  horizon: number
  head: number
}

export const selectLogBounds = prepareRead<LogBounds, object>((db) =>
  db
    .select({ horizon: sql<number>`${horizon}`.as("horizon"), head: sql<number>`${head}`.as("head") })
    .from(sql`(select 1)`),
)

/** Selects the sequence number of an event; nothing for a ping. */
export const selectSeq = prepareRead<{ seq: number }, { id: string }>((db) =>
  db
    .select({ seq: webhookEvents.seq })
    .from(webhookEvents)
    .where(sql`${webhookEvents.id} = ${param("id")} and ${webhookEvents.isTest} = 0`),
)

/** Start of a page: after a sequence number, or at a bound of the log as of the moment the page is read. */
export type PageStart = number | "horizon" | "head"

/** The inputs that change a query's SQL; all others are parameters. Each shape is prepared once. */
interface QueryShape {
  ofTypes: boolean
  ofStore: boolean
  start: "number" | "horizon" | "head"
}

interface QueryParams {
  types: string
  store: string | null
  after: number | null
  /** One more than the page size, to learn whether more events follow. */
  limit: number
}

interface EventRow {
  seq: number
  payload: string
}

/**
 * Builds the reads of one page, for a single batch: the log's bounds; the events, oldest first; and the last event of
 * the store that was scanned for types, null if all were scanned.
 * @param limit page size; one more event is read
 */
export function selectPage({ types, store }: EventFilter, start: PageStart, limit: number) {
  const shape: QueryShape = {
    ofTypes: types !== null,
    ofStore: store !== null,
    start: typeof start === "number" ? "number" : start,
  }
  const { rows, windowEnd } = preparePage(JSON.stringify(shape))
  const after = typeof start === "number" ? start : null
  const values = { types: JSON.stringify(types), store, after, limit: limit + 1 }
  return [selectLogBounds({}), rows(values), windowEnd(values)] as const
}

const STARTS = { number: sql`${param("after")}`, horizon, head }

const preparePage = memoize((text: string) => {
  const shape = JSON.parse(text) as QueryShape
  return {
    rows: prepareRead<EventRow, QueryParams>((db) =>
      db
        .select({ seq: webhookEvents.seq, payload: webhookEvents.payload })
        .from(webhookEvents)
        .where(sql`${webhookEvents.seq} in (${selectSeqs(shape)})`)
        .orderBy(webhookEvents.seq),
    ),
    windowEnd: prepareRead<{ seq: number | null }, QueryParams>((db) =>
      db.select({ seq: sql<number | null>`(${windowEnd(shape)})`.as("seq") }).from(sql`(select 1)`),
    ),
  }
})

/** Sequence numbers have no gaps above the horizon, so a window of them bounds the scan. */
function selectSeqs({ ofTypes, ofStore, start }: QueryShape): SQL {
  const after = STARTS[start]
  const limit = param("limit")
  if (ofStore && ofTypes)
    return sql`select candidate.seq from (
        select event.seq, event.type from webhook_events as event
        where event.store_id = ${param("store")} and event.seq > ${after} order by event.seq limit ${STORE_SCAN_WINDOW}) as candidate
      where ${isOneOf("candidate")} order by candidate.seq limit ${limit}`
  if (ofStore)
    return sql`select event.seq from webhook_events as event
      where event.store_id = ${param("store")} and event.seq > ${after} order by event.seq limit ${limit}`
  return sql`select event.seq from webhook_events as event
    where event.seq > ${after} and event.seq <= ${after} + ${SCAN_WINDOW} and event.is_test = 0 and ${ofTypes ? isOneOf("event") : sql`true`}
    order by event.seq limit ${limit}`
}

const isOneOf = (table: "event" | "candidate"): SQL =>
  sql`${sql.identifier(table)}.type in (select value from json_each(${param("types")}))`

const windowEnd = ({ ofTypes, ofStore, start }: QueryShape): SQL =>
  ofStore && ofTypes
    ? sql`select event.seq from webhook_events as event
        where event.store_id = ${param("store")} and event.seq > ${STARTS[start]} order by event.seq limit 1 offset ${STORE_SCAN_WINDOW - 1}`
    : sql`null`
