// Operations on the event log.
import { and, asc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { queryAvailableDatabases, withoutCopies } from "../../core/write/delivery-databases"
import { belongsToEvent, getEventRetentionDays } from "../../core/write/event-log"
import { expandSubscriptions } from "../../core/write/event-types"
import { batch, type CentralDatabase, read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { assertNever } from "../../lib/assert-never"
import { DAY, SECOND } from "../../lib/time"
import { ulidTime } from "../../lib/ulid"
import { type Delivery, deliveryColumns } from "../reserve"
import type { Position } from "./cursor"
import {
  type EventFilter,
  isOfIncarnations,
  type PageStart,
  SCAN_WINDOW,
  selectLogBounds,
  selectPage,
  selectSeq,
} from "./queries"
import type { ListEvents } from "./schemas"

export interface FeedPage {
  /** The events' exact payloads, in the requested order. */
  payloads: string[]
  /** Sequence number after which the next page starts; in descending order, before which. */
  next: number
  hasMore: boolean
}

/**
 * Reads the events after a position, in commit order. Following the cursors skips no event and repeats none, even if
 * events are committed in the meantime. With `wait` it polls the database once a second until an event arrives (long
 * polling).
 * @param options.storeSeqs the only stores whose events are returned; null for all
 * @param options.isGone whether the client has disconnected, which ends the wait
 * @throws Refusal `validation_failed` for a forged cursor; `cursor_expired` for one whose next events were pruned
 */
export async function readFeed(
  ctx: Ctx,
  input: z.output<typeof ListEvents>,
  { storeSeqs = null, isGone = () => false }: { storeSeqs?: readonly number[] | null; isGone?: () => boolean } = {},
): Promise<FeedPage> {
  const filter: EventFilter = {
    types: input.types ? expandSubscriptions(input.types) : null,
    store: input.store ?? null,
    storeSeqs,
    order: input.order,
  }
  let page = await readFirstPage(ctx, filter, input.after ?? { kind: "start" }, input.limit)
  // While nothing is new, each poll reads only the newest sequence number.
  // lint: a reader that waits asks once per second
  for (
    let left = input.order === "asc" ? input.wait : 0;
    left > 0 && !page.payloads.length && !page.hasMore && !isGone();
    left--
  ) {
    await scheduler.wait(SECOND)
    const [bounds] = await read(ctx.db, selectLogBounds({}))
    if ((bounds?.head ?? 0) > page.next) page = await readNextPage(ctx, filter, page.next, input.limit)
  }
  return page
}

async function readFirstPage(ctx: Ctx, filter: EventFilter, position: Position, limit: number): Promise<FeedPage> {
  if (filter.order === "desc") return readDescending(ctx, filter, position, limit)
  switch (position.kind) {
    case "start":
      return (await readPageAfter(ctx, filter, "horizon", limit)).feed
    case "now":
      return (await readPageAfter(ctx, filter, "head", limit)).feed
    case "event":
      return readNextPage(ctx, filter, await resolveEventId(ctx, position.id), limit)
    case "seq": {
      const page = await readPageAfter(ctx, filter, position.seq, limit)
      if (position.seq > page.head) throw invalid("after", "cursor")
      if (position.seq < page.horizon) throw new Refusal("cursor_expired")
      return page.feed
    }
    default:
      return assertNever(position)
  }
}

/** Reads a page of events before a position, newest first. Nothing is older than the horizon. */
async function readDescending(ctx: Ctx, filter: EventFilter, position: Position, limit: number): Promise<FeedPage> {
  const start =
    position.kind === "seq" ? position.seq : position.kind === "event" ? await resolveEventId(ctx, position.id) : "head"
  const [[bounds = { head: 0, horizon: 0 }], rows, [window]] = await batch(ctx.db, selectPage(filter, start, limit))
  const { head, horizon } = bounds
  if (start !== "head" && start > head) throw invalid("after", "cursor")
  const shown = rows.slice(0, limit)
  const isFull = rows.length > limit
  const windowStart = (start === "head" ? head + 1 : start) - SCAN_WINDOW
  // Where the scan stopped before the horizon; null if it reached it.
  const scannedTo = filter.store === null ? (windowStart > horizon + 1 ? windowStart : null) : (window?.seq ?? null)
  return {
    payloads: shown.map(({ payload }) => payload),
    next: isFull ? (shown.at(-1)?.seq ?? horizon) : (scannedTo ?? horizon),
    hasMore: isFull || scannedTo !== null,
  }
}

/** Resolves an event id to its sequence number. */
async function resolveEventId(ctx: Ctx, id: string): Promise<number> {
  const [[event], [bounds]] = await batch(ctx.db, [selectSeq({ id }), selectLogBounds({})])
  const seq = event?.seq ?? null
  if (seq !== null && seq >= (bounds?.horizon ?? 0)) return seq
  const retention = getEventRetentionDays(ctx.settings) * DAY
  const wasPruned = retention > 0 && (bounds?.horizon ?? 0) > 0 && ulidTime(id) < ctx.now.getTime() - retention
  throw seq !== null || wasPruned ? new Refusal("cursor_expired") : invalid("after", "cursor")
}

const readNextPage = async (ctx: Ctx, filter: EventFilter, after: number, limit: number): Promise<FeedPage> => {
  const page = await readPageAfter(ctx, filter, after, limit)
  if (after < page.horizon) throw new Refusal("cursor_expired")
  return page.feed
}

/** Reads a page together with the log's bounds; events committed after that snapshot belong to the next page. */
async function readPageAfter(ctx: Ctx, filter: EventFilter, start: PageStart, limit: number) {
  const [[bounds = { head: 0, horizon: 0 }], rows, [window]] = await batch(ctx.db, selectPage(filter, start, limit))
  const { head, horizon } = bounds
  const after = typeof start === "number" ? start : bounds[start]
  const shown = rows.slice(0, limit)
  const isFull = rows.length > limit
  const last = shown.at(-1)?.seq ?? after
  const windowEnd = after + SCAN_WINDOW
  // Where the scan stopped before the end of the log; null if it reached it.
  const scannedTo = filter.store === null ? (windowEnd < head ? windowEnd : null) : (window?.seq ?? null)
  const next = isFull ? last : Math.max(after, scannedTo ?? head)
  return {
    head,
    horizon,
    feed: { payloads: shown.map(({ payload }) => payload), next, hasMore: isFull || scannedTo !== null },
  }
}

/**
 * Reads one event with its deliveries.
 * @param options.limit maximum number of deliveries; all by default
 * @param options.storeSeqs the only stores whose events may be read; null for all
 * @throws Refusal `not_found`
 */
export async function readEvent(
  ctx: Ctx,
  id: string,
  { limit, storeSeqs = null }: { limit?: number; storeSeqs?: readonly number[] | null } = {},
): Promise<{ payload: string; deliveries: Delivery[]; unavailable: string[] }> {
  // A key that is limited to stores cannot read deliveries. A negative LIMIT means no limit in SQLite.
  const max = storeSeqs ? 0 : (limit ?? -1)
  const [[event], central] = await batch(ctx.db, [
    storeSeqs ? selectEventOfStores({ id, storeSeqs: JSON.stringify(storeSeqs) }) : selectEvent({ id }),
    selectDeliveriesById({ id, limit: max }),
  ])
  if (!event || event.isTest) throw new Refusal("not_found")
  const statement = selectDeliveries({ seq: event.seq, limit: max })
  const { results, unavailable } = await queryAvailableDatabases(ctx, async ({ db, isCentral }) =>
    isCentral ? central : read(db, statement),
  )
  const deliveries = withoutCopies(results.flat())
    .sort((a, b) => a.id - b.id)
    .slice(0, limit)
  return { payload: event.payload, deliveries, unavailable }
}

interface StoredEvent {
  seq: number
  isTest: boolean
  payload: string
}

const eventById = (db: CentralDatabase, condition?: SQL) =>
  db
    .select({ seq: webhookEvents.seq, isTest: webhookEvents.isTest, payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(and(eq(webhookEvents.id, param("id")), condition))

const selectEvent = prepareRead<StoredEvent, { id: string }>((db) => eventById(db))

const selectEventOfStores = prepareRead<StoredEvent, { id: string; storeSeqs: string }>((db) =>
  eventById(db, isOfIncarnations(sql`${webhookEvents}`)),
)

const prepareDeliveries = <Given extends { limit: number }>(seq: SQL) =>
  prepareRead<Delivery, Given>((db) =>
    db
      .select(deliveryColumns)
      .from(webhookDeliveries)
      .where(belongsToEvent(sql`${webhookDeliveries.id}`, seq))
      .orderBy(asc(webhookDeliveries.id))
      .limit(param("limit")),
  )

const selectDeliveries = prepareDeliveries<{ seq: number; limit: number }>(sql`${param("seq")}`)

/** Selects the deliveries in the central database, together with their event. */
const selectDeliveriesById = prepareDeliveries<{ id: string; limit: number }>(
  sql`(select seq from webhook_events where id = ${param("id")})`,
)
