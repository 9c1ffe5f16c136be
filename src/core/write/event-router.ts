// Creates the deliveries of committed events. A commit writes its event only, and the event log is the outbox: the
// router reads the events after its position, finds their endpoints, and creates the deliveries in the transaction that
// advances the position. It may run concurrently with itself, or die anywhere: a delivery's id follows from its event
// and its endpoint, so none is created twice, and none is lost.
import { asc, eq, gt, type SQL, sql } from "drizzle-orm"
import { batch } from "../../db/client"
import { decompressText } from "../../db/compressed-text"
import { literal } from "../../db/literal"
import { auditEntries } from "../../db/schema/central/audit"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { insertSelect, type Write, writeSql } from "../../db/write"
import type { Bindings } from "../../env"
import { currentMs, currentTime } from "../../lib/clock"
import { isolateState } from "../../lib/isolate-state"
import { addMs, SECOND } from "../../lib/time"
import type { Ctx } from "../context"
import { enqueueJob, startJob } from "../queue/leased-jobs"
import type { DeliveryMessage, Job } from "../queue/messages"
import { sendMessages } from "../queue/send"
import { writeUnaudited } from "./commit"
import { type DeliveryDatabase, listDeliveryDatabases, queryAvailableDatabases } from "./delivery-databases"
import { replicateEndpoints, writeReplicas } from "./endpoint-replicas"
import { type EventMatcher, MatchedPayload } from "./event-filter"
import { advanceRouted, deliveryIdOf, endpointIdOf, head, replicated, routed } from "./event-log"
import { isDeliveryEvent } from "./event-types"
import { QUEUE_GRACE_MS } from "./events"
import { isPaused } from "./rehoming"
import { retryTransient } from "./retry"
import {
  invalidateSubscribers,
  loadSubscribers,
  type RoutedEvent,
  type Subscriber,
  subscribersOf,
  subscribersVersion,
} from "./subscribers"
import { groupTotals } from "./totals"

/** Events read at a time. */
const EVENTS_PER_PASS = 100

/** Deliveries created in one transaction. */
const DELIVERIES_PER_TRANSACTION = 1_000

/** Deliveries after which an invocation leaves the rest to the next one. */
const DELIVERIES_PER_RUN = 5_000

/** Time after which a run leaves the events of other requests to a job, because its invocation must end. */
const RUN_MS = 10 * SECOND

/** Time without progress after which a run is considered dead. */
const RUN_TIMEOUT_MS = 5 * SECOND

/** The run of this isolate, and whether events were committed since it last read the log. */
interface Run {
  until: number
  hasMore: boolean
}

const runs = isolateState(() => new WeakMap<Bindings, Run>())

/** An event that waits for its deliveries. */
interface WaitingEvent extends RoutedEvent {
  id: string
  isTest: boolean
  createdAt: Date
}

/**
 * Creates the deliveries of new events, in the background of the request that committed them. Requests of one isolate
 * share a run, so a busy one routes many events at a time. If it fails, a job takes over.
 */
export function routeInBackground(ctx: Ctx): void {
  const running = runs.current.get(ctx.env)
  if (running && currentMs() < running.until) {
    running.hasMore = true
    return
  }
  const run = { until: 0, hasMore: true }
  runs.current.set(ctx.env, run)
  ctx.inBackground(routeWhileBusy(ctx, run))
}

async function routeWhileBusy(ctx: Ctx, run: Run): Promise<void> {
  const end = currentMs() + RUN_MS
  try {
    while (run.hasMore) {
      if (currentMs() >= end) return startJob(ctx, ROUTE)
      run.until = currentMs() + RUN_TIMEOUT_MS
      run.hasMore = false
      if (await routeEvents(ctx)) return startJob(ctx, ROUTE)
    }
  } catch (cause) {
    startJob(ctx, ROUTE)
    throw cause
  } finally {
    run.until = 0
  }
}

const ROUTE: Job = { job: "route" }

/**
 * Creates the deliveries of waiting events, as many as one invocation may, and enqueues their first attempts. Each
 * delivery database has its own position, so one that does not respond delays only its own endpoints.
 * @returns the next step; null when no event waits
 * @throws a database's error when no retry succeeds; another run then finds the same events
 */
export async function routeEvents(ctx: Ctx): Promise<Job | null> {
  // lint: each delivery database
  const results = await Promise.allSettled(listDeliveryDatabases(ctx).map((database) => routeInto(ctx, database)))
  const failed = results.find((result) => result.status === "rejected")
  if (failed) throw failed.reason
  return results.some((result) => result.status === "fulfilled" && result.value) ? ROUTE : null
}

/** @returns whether more events wait */
async function routeInto(ctx: Ctx, database: DeliveryDatabase): Promise<boolean> {
  let created = 0
  for (;;) {
    const { events, version } = await readWaiting(ctx, database)
    const last = events.at(-1)
    if (!last) return false
    const subscribers = await loadSubscribers(ctx, version)
    const subscribed = events.flatMap((event) =>
      event.isTest ? [] : subscribersOf(subscribers, event, database.name).map((endpoint) => ({ event, endpoint })),
    )
    const deliveries = await applyFilters(ctx, subscribed)
    created += deliveries.length
    await createDeliveries(ctx, database, deliveries, [advanceRouted(last.seq)])
    if (events.length < EVENTS_PER_PASS) return false
    if (created >= DELIVERIES_PER_RUN || ctx.run.isOutOfTime()) return true
  }
}

/** Reads the events after the position of a delivery database. */
async function readWaiting(ctx: Ctx, database: DeliveryDatabase): Promise<{ events: WaitingEvent[]; version: number }> {
  const position = database.isCentral ? null : await readPosition(ctx, database)
  const waiting = await readEvents(ctx, gt(webhookEvents.seq, position?.routed ?? routed))
  // Its endpoints have to exist there before their deliveries.
  if (position && waiting.events.length && position.replicated < waiting.version) await writeReplicas(ctx, database)
  return waiting
}

/** Reads the next events, and the version of the endpoints, at the same time. */
async function readEvents(ctx: Ctx, range: SQL): Promise<{ events: WaitingEvent[]; version: number }> {
  const [events, [endpoints]] = await batch(ctx.db, [
    ctx.db
      .select({
        seq: webhookEvents.seq,
        id: webhookEvents.id,
        type: webhookEvents.type,
        storeId: webhookEvents.storeId,
        storeSeq: sql<number | null>`coalesce(${webhookEvents.storeSeq}, ${auditEntries.storeSeq})`,
        subjectId: auditEntries.subjectId,
        isTest: webhookEvents.isTest,
        createdAt: webhookEvents.createdAt,
      })
      .from(webhookEvents)
      .leftJoin(auditEntries, eq(auditEntries.id, webhookEvents.entryId))
      .where(range)
      .orderBy(asc(webhookEvents.seq))
      .limit(EVENTS_PER_PASS),
    ctx.db.select({ version: subscribersVersion }).from(sql`(select 1)`),
  ])
  return {
    events: events.map(({ subjectId, ...event }) => ({
      ...event,
      aboutEndpoint: isDeliveryEvent(event.type) ? endpointIdOf(Number(subjectId)) : null,
    })),
    version: endpoints?.version ?? 0,
  }
}

/** How far a delivery database is. */
interface Position {
  routed: number
  replicated: number
}

/** Stores where a delivery database starts, before its first endpoint moves there. */
export const initializePosition = async (ctx: Pick<Ctx, "db">, database: DeliveryDatabase): Promise<void> =>
  void (await readPosition(ctx, database))

/** Returns the `seq` up to which the deliveries exist in one database. */
export const readRoutedOfDatabase = async (database: DeliveryDatabase): Promise<number> =>
  (await selectPosition(database))[0]?.routed ?? 0

/**
 * Creates the deliveries of one endpoint that were not created while it was paused.
 * @param after the `seq` of the last event that was routed to it
 * @param until the `seq` of the last event to route
 * @returns the `seq` of the last routed event; null if none is left
 */
export async function routeToEndpoint(
  ctx: Ctx,
  database: DeliveryDatabase,
  endpoint: number,
  after: number,
  until: number,
): Promise<number | null> {
  const { events, version } = await readEvents(
    ctx,
    sql`${webhookEvents.seq} > ${after} and ${webhookEvents.seq} <= ${until}`,
  )
  const last = events.at(-1)
  if (!last) return null
  if (!database.isCentral) await replicateEndpoints(ctx, database)
  const subscribers = await loadSubscribers(ctx, version)
  const subscribed = events.flatMap((event) =>
    event.isTest
      ? []
      : subscribersOf(subscribers, event, database.name)
          .filter(({ id }) => id === endpoint)
          .map((subscriber) => ({ event, endpoint: subscriber })),
  )
  await createDeliveries(ctx, database, await applyFilters(ctx, subscribed), [])
  return last.seq
}

const selectPosition = ({ db }: DeliveryDatabase) =>
  db.select({ routed: sql<number>`${routed}`, replicated: sql<number>`${replicated}` }).from(sql`(select 1)`)

/**
 * Reads the position of a delivery database. A new one starts before the first event that its endpoints may receive.
 */
async function readPosition(ctx: Pick<Ctx, "db">, database: DeliveryDatabase): Promise<Position> {
  const [position = { routed: 0, replicated: 0 }] = await selectPosition(database)
  if (position.routed > 0) return position
  const first = sql<number>`coalesce((select min(created_at_seq) from webhook_endpoints where database = ${database.name}), ${head})`
  const [start] = await ctx.db.select({ seq: first }).from(sql`(select 1)`)
  const seq = start?.seq ?? 0
  if (seq > 0) await writeUnaudited({ db: database.db }, "progress", [advanceRouted(seq)])
  return { ...position, routed: seq }
}

interface Subscribed {
  event: WaitingEvent
  endpoint: Subscriber
}

interface NewDelivery {
  event: WaitingEvent
  endpoint: number
  maxPerSecond: number | null
  /** The store whose events are delivered one after another; null for none. */
  orderingKey: string | null
}

/** Drops the events that the filters of their endpoints exclude. Payloads are read only for endpoints with a filter. */
async function applyFilters(ctx: Ctx, subscribed: readonly Subscribed[]): Promise<NewDelivery[]> {
  const filtered = new Set(subscribed.flatMap(({ event, endpoint }) => (endpoint.matches ? [event.seq] : [])))
  const payloads = filtered.size ? await readPayloads(ctx, [...filtered]) : new Map<number, MatchedPayload>()
  return subscribed.flatMap(({ event, endpoint: { id, matches, maxPerSecond, ordered } }) =>
    !matches || isMatch(matches, payloads.get(event.seq))
      ? [{ event, endpoint: id, maxPerSecond, orderingKey: ordered ? event.storeId : null }]
      : [],
  )
}

const isMatch = (matches: EventMatcher, payload: MatchedPayload | undefined) =>
  payload !== undefined && matches(payload)

/** Reads payloads by the `seq` of their events. A damaged one is missing, because it cannot be sent either. */
async function readPayloads(ctx: Ctx, seqs: readonly number[]): Promise<ReadonlyMap<number, MatchedPayload>> {
  const rows = await ctx.db
    .select({ seq: webhookEvents.seq, stored: sql<string>`${webhookEvents.payload}`.as("stored") })
    .from(webhookEvents)
    .where(sql`${webhookEvents.seq} in (select value from json_each(${JSON.stringify(seqs)}))`)
  return new Map(
    rows.flatMap(({ seq, stored }) => {
      try {
        return [[seq, new MatchedPayload(JSON.parse(decompressText(stored)))] as const]
      } catch (cause) {
        ctx.log.error("the payload of an event is damaged", cause, { event: seq })
        return []
      }
    }),
  )
}

/**
 * Creates deliveries, and advances the position with the last of them. A run that dies before creates the same ones
 * again.
 */
async function createDeliveries(
  ctx: Ctx,
  database: DeliveryDatabase,
  deliveries: readonly NewDelivery[],
  last: readonly Write[],
): Promise<void> {
  for (let start = 0; ; start += DELIVERIES_PER_TRANSACTION) {
    const chunk = deliveries.slice(start, start + DELIVERIES_PER_TRANSACTION)
    const isLast = start + DELIVERIES_PER_TRANSACTION >= deliveries.length
    const values = JSON.stringify(chunk.map(toValues))
    const totals = groupTotals(
      chunk.map(({ event, endpoint }) => ({ endpoint, event: event.type })),
      countNew(values, database.name),
    )
    const insertion = buildInsert(values, database.name)
    const writes = [...totals.before, insertion, ...totals.after, ...(isLast ? last : [])]
    const results = await retryTransient(() => writeUnaudited({ db: database.db }, "audited_elsewhere", writes)).catch(
      (cause) => {
        // An endpoint was deleted since it was read.
        invalidateSubscribers(ctx)
        throw cause
      },
    )
    const rows = results[totals.before.length] as CreatedDelivery[]
    const messages = buildMessages(chunk, new Set(rows.map(({ id }) => id)))
    // The sweep sends what the queue does not accept.
    if (messages.length) ctx.inBackground(sendMessages(ctx, messages))
    if (isLast) return
  }
}

/** What `buildInsert` returns of a delivery. */
interface CreatedDelivery {
  id: number
}

/**
 * Builds the messages of first attempts. Of those that are delivered one after another, only the first gets one; each
 * enqueues the next (webhooks/ordering.ts).
 * @param created the ids of the deliveries that did not exist before
 */
function buildMessages(deliveries: readonly NewDelivery[], created: ReadonlySet<number>): DeliveryMessage[] {
  const first = new Set<string>()
  return deliveries.flatMap(({ event, endpoint, maxPerSecond: rate, orderingKey }) => {
    const delivery = deliveryIdOf(event.seq, endpoint)
    const sequence = `${endpoint} ${orderingKey}`
    if (!created.has(delivery) || (orderingKey !== null && first.has(sequence))) return []
    first.add(sequence)
    return [{ delivery, endpoint, ...(rate && { rate }) }]
  })
}

/** The values of a delivery, as the statements below read them. */
const toValues = ({ event, endpoint, orderingKey }: NewDelivery) => [
  deliveryIdOf(event.seq, endpoint),
  endpoint,
  event.id,
  event.type,
  event.storeId,
  event.createdAt.getTime(),
  orderingKey,
]

/** Adds new deliveries to their totals. */
const countNew = (values: string, home: string): Write =>
  writeSql(sql`insert into webhook_totals (endpoint_id, event, pending, delivered, failed, exhausted)
    select value ->> '$[1]', value ->> '$[3]', count(*), 0, 0, 0 from json_each(${values})
    where not exists (select 1 from webhook_deliveries as present where present.id = value ->> '$[0]')
      and not ${isPaused(sql`value ->> '$[1]'`, home)}
    group by 1, 2 on conflict (endpoint_id, event) do update set pending = pending + excluded.pending`)

function buildInsert(values: string, home: string) {
  const value = (index: number) => sql`json_extract(value, ${literal(`$[${index}]`)})`
  const now = currentTime()
  return insertSelect(
    webhookDeliveries,
    {
      id: value(0),
      endpointId: value(1),
      eventId: value(2),
      event: value(3),
      storeId: value(4),
      orderingKey: value(6),
      attempt: 0,
      status: "pending",
      nextAttemptAt: addMs(now, QUEUE_GRACE_MS),
      createdAt: value(5),
      updatedAt: now,
      attempts: [],
    },
    sql`from json_each(${values}) where not ${isPaused(value(1), home)}`,
  )
    .onConflictDoNothing()
    .returning({ id: webhookDeliveries.id })
}

const selectOldestAfter = (position: SQL | number): SQL<number | null> => sql`(select waiting.created_at
  from webhook_events as waiting where waiting.seq > ${position} order by waiting.seq limit 1)`

/** The results of `readOldestWaiting` by the time of the cron run, whose jobs share them. */
const oldest = isolateState(() => new WeakMap<Date, Promise<Date | null>>())

/** Selects when the oldest event was committed that waits for its deliveries in the central database. */
export const oldestWaiting: SQL<number | null> = selectOldestAfter(routed)

/**
 * Returns when the oldest event was committed that waits for its deliveries; null if none waits.
 * @param central the result of `oldestWaiting`, if the caller reads it together with something else
 */
export function readOldestWaiting(
  ctx: Pick<Ctx, "db" | "env" | "settings" | "now" | "log">,
  central?: Promise<number | null>,
): Promise<Date | null> {
  const read = async () => {
    const { results } = await queryAvailableDatabases(ctx, async (database) => {
      if (database.isCentral && central !== undefined) return central
      const position = database.isCentral ? routed : (await readPosition(ctx, database)).routed
      const [log] = await ctx.db.select({ at: selectOldestAfter(position) }).from(sql`(select 1)`)
      return log?.at ?? null
    })
    const waiting = results.filter((at) => at !== null)
    return waiting.length ? new Date(Math.min(...waiting)) : null
  }
  const known = oldest.current.get(ctx.now) ?? read()
  oldest.current.set(ctx.now, known)
  return known
}

/**
 * Returns the `seq` up to which the deliveries exist in all databases: a number, or an expression if the central
 * database has them.
 */
export async function readRouted(ctx: Pick<Ctx, "db" | "env" | "settings">): Promise<SQL<number> | number> {
  const databases = listDeliveryDatabases(ctx)
  if (databases.every(({ isCentral }) => isCentral)) return routed
  // lint: each delivery database
  const positions = await Promise.all(databases.map(selectPosition))
  return Math.min(...positions.map(([position]) => position?.routed ?? 0))
}

/** Starts the router if events wait for it, because the message of a run was lost. */
export async function resumeRouting(ctx: Ctx): Promise<void> {
  if (await readOldestWaiting(ctx)) await enqueueJob(ctx, ROUTE)
}
