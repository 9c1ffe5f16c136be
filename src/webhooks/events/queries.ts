// Queries of the event feed. Each reads as many rows as a page has, however long the log is.
import { and, asc, desc, type SQL, sql } from "drizzle-orm"
import { head, horizon, incarnationOf } from "../../core/write/event-log"
import { sortDirection } from "../../db/literal"
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
  /** Incarnations of the stores that the caller is limited to; null for all events. */
  storeSeqs: readonly number[] | null
  order: "asc" | "desc"
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

/**
 * Start of a page: after a sequence number, or at a bound of the log as of the moment the page is read. In descending
 * order, a page continues before the number; `head` starts with the newest event.
 */
export type PageStart = number | "horizon" | "head"

/** The inputs that change a query's SQL; all others are parameters. Each shape is prepared once. */
interface QueryShape {
  ofTypes: boolean
  ofStore: boolean
  isLimited: boolean
  order: EventFilter["order"]
  start: "number" | "horizon" | "head"
}

interface QueryParams {
  types: string
  storeSeqs: string
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
 * Builds the reads of one page, for a single batch: the log's bounds; the events, in the order of the filter; and the
 * last event of the store that was scanned for matches, null if all were scanned.
 * @param limit page size; one more event is read
 */
export function selectPage({ types, store, storeSeqs, order }: EventFilter, start: PageStart, limit: number) {
  const shape: QueryShape = {
    ofTypes: types !== null,
    ofStore: store !== null,
    isLimited: storeSeqs !== null,
    order,
    start: typeof start === "number" ? "number" : start,
  }
  const { rows, windowEnd } = preparePage(JSON.stringify(shape))
  const after = typeof start === "number" ? start : null
  const values = {
    types: JSON.stringify(types),
    storeSeqs: JSON.stringify(storeSeqs),
    store,
    after,
    limit: limit + 1,
  }
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
        .orderBy(shape.order === "asc" ? asc(webhookEvents.seq) : desc(webhookEvents.seq)),
    ),
    windowEnd: prepareRead<{ seq: number | null }, QueryParams>((db) =>
      db.select({ seq: sql<number | null>`(${windowEnd(shape)})`.as("seq") }).from(sql`(select 1)`),
    ),
  }
})

/** The sequence number before which a descending page continues. */
const BEFORE = { number: sql`${param("after")}`, horizon: sql`(${head} + 1)`, head: sql`(${head} + 1)` }

/** Matches the events of a store on the other side of the start. */
function isOfStore({ start, order }: QueryShape): SQL {
  const position =
    order === "asc" ? sql`event.seq > ${STARTS[start]}` : sql`event.seq < ${BEFORE[start]} and event.seq > ${horizon}`
  return sql`event.store_id = ${param("store")} and ${position}`
}

/** Sequence numbers have no gaps above the horizon, so a window of them bounds the scan. */
function selectSeqs(shape: QueryShape): SQL {
  const { ofStore, start, order } = shape
  const limit = param("limit")
  const matches = buildMatches(shape)
  const direction = sortDirection(order)
  if (ofStore && matches)
    return sql`select event.seq from (
        select event.seq, event.type, event.entry_id, event.store_seq from webhook_events as event
        where ${isOfStore(shape)} order by event.seq ${direction} limit ${STORE_SCAN_WINDOW}) as event
      where ${matches} order by event.seq ${direction} limit ${limit}`
  if (ofStore)
    return sql`select event.seq from webhook_events as event
      where ${isOfStore(shape)} order by event.seq ${direction} limit ${limit}`
  const window =
    order === "asc"
      ? sql`event.seq > ${STARTS[start]} and event.seq <= ${STARTS[start]} + ${SCAN_WINDOW}`
      : sql`event.seq < ${BEFORE[start]} and event.seq >= ${BEFORE[start]} - ${SCAN_WINDOW} and event.seq > ${horizon}`
  return sql`select event.seq from webhook_events as event
    where ${window} and event.is_test = 0 and ${matches ?? sql`true`}
    order by event.seq ${direction} limit ${limit}`
}

/** Builds the conditions that no index covers; undefined for none. */
const buildMatches = ({ ofTypes, isLimited }: Pick<QueryShape, "ofTypes" | "isLimited">): SQL | undefined =>
  and(
    ofTypes ? sql`event.type in (select value from json_each(${param("types")}))` : undefined,
    isLimited ? isOfIncarnations(sql`event`) : undefined,
  )

/** Matches events about the stores of a limited key. */
export const isOfIncarnations = (event: SQL): SQL =>
  sql`${incarnationOf(event)} in (select value from json_each(${param("storeSeqs")}))`

const windowEnd = (shape: QueryShape): SQL =>
  shape.ofStore && buildMatches(shape)
    ? sql`select event.seq from webhook_events as event
        where ${isOfStore(shape)} order by event.seq ${sortDirection(shape.order)} limit 1 offset ${STORE_SCAN_WINDOW - 1}`
    : sql`null`
