// Reserves attempts. Each reservation is a compare-and-swap update that increments `attempt` and leases the row, so two
// workers never send the same attempt. A delivery that must no longer be attempted is closed in the same batch.

import { and, eq, getTableColumns, inArray, isNull, lte, or, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { commit, WriteConflict, writeUnaudited } from "../core/write/commit"
import { type DeliveryDatabase, findHome, findHomeOfDelivery, readAndWrite } from "../core/write/delivery-databases"
import { replicateEndpoints } from "../core/write/endpoint-replicas"
import { MatchedPayload, prepareFilter } from "../core/write/event-filter"
import { deliveryIdOf, endpointIdOf, seqOf } from "../core/write/event-log"
import { isPaused } from "../core/write/rehoming"
import { retryTransient } from "../core/write/retry"
import { read } from "../db/client"
import { param, prepareRead, prepareWrite } from "../db/prepared"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { insert, update } from "../db/write"
import { currentTime } from "../lib/clock"
import { identifiableEnd } from "../lib/random"
import { addMs } from "../lib/time"
import { getLeaseMs } from "./lease"
import { type AttemptedEndpoint, getDeferredUntil, isDeferred, isWaiting, selectRoutedSeq } from "./ordering"
import { deliveryEndpointExists, deliveryEndpointIsReceiving, isReceiving, toAuditSiteOf } from "./receiving-condition"
import { MAX_ATTEMPTS } from "./schedule"

/** A delivery without its attempt log, which only the delivery's own page shows. */
export type Delivery = Omit<typeof webhookDeliveries.$inferSelect, "attempts">

const { attempts: _attempts, ...columns } = getTableColumns(webhookDeliveries)

/** The columns of `Delivery`. */
export const deliveryColumns = columns

/**
 * The trigger of a scheduled attempt: `first` for the queue message of a new delivery, or the lease under which a sweep
 * enqueued the delivery. Each may only reserve rows in certain states.
 */
export type AttemptKind = "first" | Date

/** An attempt that is reserved for this worker, with everything needed to send it. */
export interface ReservedAttempt {
  /** The row after the reservation: `attempt` is incremented, `nextAttemptAt` is the end of the lease. */
  delivery: Delivery
  endpoint: AttemptedEndpoint
  /** The event's exact text. */
  payload: string
  /** The database of the delivery. */
  home: DeliveryDatabase
  /** The concurrency slot of a first attempt. */
  slotToken?: string | undefined
}

/** `unknown`: no such delivery. `refused`: not in a state for this kind of attempt. `closed`: no further attempts. */
type Reservation =
  | { state: "unknown" | "refused" }
  | { state: "closed"; delivery: Delivery }
  | ({ state: "reserved" } & ReservedAttempt)

/** The error of a delivery whose last scheduled attempt was reserved, but never settled. */
const ATTEMPT_LOST = "AttemptLost: the last attempt started, but its result was never recorded"

/**
 * Reserves a scheduled attempt in one round trip. After a transient error it is repeated, and recognizes its own
 * reservation by the end of the lease.
 * @param id the delivery
 * @throws the database's error when no repetition succeeds
 */
export async function reserveScheduled(ctx: Ctx, id: number, kind: AttemptKind): Promise<Reservation> {
  const home = await findHomeOfDelivery(ctx, id)
  const now = currentTime()
  const { reserve, close } = kind === "first" ? firstAttemptStatements : retryStatements
  const values = {
    id,
    now,
    until: identifiableEnd(addMs(now, getLeaseMs(ctx.settings))),
    sweepLease: kind === "first" ? null : kind.getTime(),
    home: home.name,
  }
  return retryTransient(async (round) => {
    const [[[parts]], [[reserved], [closed], [leased] = []]] = await readAndWrite(
      ctx,
      home,
      "coordination",
      [endpointAndPayloadOf(id)],
      [reserve(values), close(values), ...(round === 1 ? [] : [selectReserved(home, id, values.until)])],
    )
    const delivery = reserved ?? leased
    if (!parts) return { state: "unknown" }
    if (closed) return { state: "closed", delivery: closed }
    const attempt = delivery && toReservedAttempt(home, parts, delivery)
    if (!attempt) return { state: "refused" }
    if (isAttemptable(attempt)) return { state: "reserved", ...attempt }
    await releaseReservation(ctx, attempt, now)
    return { state: "refused" }
  })
}

/**
 * Whether a reserved attempt may be made. The replica may be older than the endpoint's row, the isolate may not know
 * yet that the deliveries moved to another database, and earlier events may have to be sent first.
 */
export const isAttemptable = ({ endpoint, home, delivery }: ReservedAttempt): boolean =>
  isReceiving(endpoint) && endpoint.database === home.name && !isDeferred(endpoint, delivery)

/** Returns when a delivery is due again whose reserved attempt may not be made. */
export const getReleaseTime = ({ endpoint, delivery }: ReservedAttempt, now: Date): Date =>
  isDeferred(endpoint, delivery) ? getDeferredUntil(now) : now

/** Releases the reservation of an attempt that may not be made. */
async function releaseReservation(ctx: Ctx, attempt: ReservedAttempt, now: Date): Promise<void> {
  const { home, delivery } = attempt
  await replicateEndpoints(ctx, home)
  await writeUnaudited({ db: home.db }, "coordination", [
    buildReleaseWrite(delivery, getReleaseTime(attempt, now), now),
  ])
}

/**
 * Builds the write that releases an attempt that was reserved but not made: it is not counted.
 * @param nextAttemptAt when the delivery is due again, unless it had its last attempt before
 * @param error why it was not made; a delivery without further attempts retains the error of its last one
 */
export function buildReleaseWrite(delivery: Delivery, nextAttemptAt: Date, now: Date, error?: string) {
  const attempts = delivery.attempt - 1
  const released = attempts === 0 ? "pending" : attempts >= MAX_ATTEMPTS ? "exhausted" : "failed"
  return update(webhookDeliveries)
    .set({
      attempt: attempts,
      status: released,
      nextAttemptAt: released === "exhausted" ? null : nextAttemptAt,
      updatedAt: now,
      ...(error !== undefined && released !== "exhausted" && { error }),
    })
    .where(isCurrentAttempt(delivery.id, delivery.attempt))
    .returning()
}

/** SQL condition: the row is still at the attempt to be written. */
export const isCurrentAttempt = (id: number | Placeholder, number: number | Placeholder) =>
  and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.attempt, number), eq(webhookDeliveries.status, "pending"))

/** Selects a delivery that was reserved until exactly that time, by a call whose response may have been lost. */
const selectReserved = ({ db }: DeliveryDatabase, id: number, until: Date) =>
  db
    .select(deliveryColumns)
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.id, id), eq(nextAttemptAt, until), eq(status, "pending")))

/** Parameters of the statements that reserve a scheduled attempt. */
interface ReserveParams {
  id: number
  now: Date
  /** End of the attempt's lease. */
  until: Date
  /** The lease under which a sweep enqueued the delivery, in milliseconds since 1970; null for a first attempt. */
  sweepLease: number | null
  /** The name of the database. */
  home: string
}

/** Prepares the statements that reserve an attempt or close its delivery; at most one of them changes the row. */
const buildReserveStatements = (kind: "first" | "retry") => {
  const one = () => and(eq(webhookDeliveries.id, param("id")), isReservable(kind))
  return {
    reserve: prepareWrite<Delivery[], ReserveParams>(() =>
      update(webhookDeliveries)
        .set(getLeaseColumns(kind, param("until"), param("now")))
        .where(and(one(), deliveryEndpointIsReceiving, sql`not ${isOutOfAttempts}`, sql`not ${isWaiting()}`))
        .returning(deliveryColumns),
    ),
    close: prepareWrite<Delivery[], ReserveParams>(() =>
      closeUnsendable(one(), param("now")).returning(deliveryColumns),
    ),
  }
}

const firstAttemptStatements = buildReserveStatements("first")
const retryStatements = buildReserveStatements("retry")

/**
 * Reserves an attempt on a person's request; audited. In a separate delivery database, the delivery is leased after the
 * audit entry is committed, so that no attempt lacks one.
 * @returns null if the delivery does not exist or cannot be attempted now
 */
export async function reserveManual(ctx: Ctx, id: number): Promise<ReservedAttempt | null> {
  const home = await findHomeOfDelivery(ctx, id)
  const now = currentTime()
  const until = identifiableEnd(addMs(now, getLeaseMs(ctx.settings)))
  const isAttemptable = and(eq(webhookDeliveries.id, id), isManuallyReservable(now, home), deliveryEndpointExists)
  const lease = leaseManually(isAttemptable, now, until)
  const audit = { subject: "delivery", action: "retried", id, ...toAuditSiteOf(endpointIdOf(id)) } as const
  const entry = { auditLog: [{ audit }] } as const
  try {
    if (home.isCentral) {
      const [[parts], [delivery]] = await commit(ctx, {
        guard: lease,
        writes: [endpointAndPayloadOf(id), selectReserved(home, id, until)],
        ...entry,
      })
      return parts && delivery ? toReservedAttempt(home, parts, delivery) : null
    }
    const found = await home.db.select({ id: webhookDeliveries.id }).from(webhookDeliveries).where(isAttemptable)
    if (!found.length) return null
    await commit(ctx, entry)
    const reads = [endpointAndPayloadOf(id)] as const
    const writes = [lease, selectReserved(home, id, until)] as const
    const [[[parts]], [, [delivery]]] = await retryTransient(() =>
      readAndWrite(ctx, home, "audited_elsewhere", reads, writes),
    )
    return parts && delivery ? toReservedAttempt(home, parts, delivery) : null
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}

/**
 * Reserves an attempt of a failed delivery for a recovery. Otherwise the sweep would make an attempt whose reservation
 * is unknown, after later events.
 * @param options.isRepeated whether a delivered one is sent again
 * @returns null if the delivery cannot be attempted now
 */
export async function reserveForRecovery(
  ctx: Ctx,
  id: number,
  { isRepeated = false }: { isRepeated?: boolean } = {},
): Promise<ReservedAttempt | null> {
  const home = await findHomeOfDelivery(ctx, id)
  const now = currentTime()
  const until = identifiableEnd(addMs(now, getLeaseMs(ctx.settings)))
  const isReservable = isManuallyReservable(now, home, isRepeated ? [...ENDED, "delivered"] : ENDED)
  const reserve = leaseManually(and(eq(webhookDeliveries.id, id), isReservable), now, until)
  const [[[parts]], [, [delivery]]] = await retryTransient(() =>
    readAndWrite(ctx, home, "coordination", [endpointAndPayloadOf(id)], [reserve, selectReserved(home, id, until)]),
  )
  return parts && delivery ? toReservedAttempt(home, parts, delivery) : null
}

/**
 * Creates the missing delivery of an event for a recovery, with its first attempt reserved.
 * @param seq the event's
 * @returns null if the endpoint has a delivery of the event by now
 */
export async function createForRecovery(ctx: Ctx, endpointId: number, seq: number): Promise<ReservedAttempt | null> {
  const home = await findHome(ctx, endpointId)
  const id = deliveryIdOf(seq, endpointId)
  const now = currentTime()
  const until = identifiableEnd(addMs(now, getLeaseMs(ctx.settings)))
  const [parts] = await read(ctx.db, endpointAndPayloadOf(id))
  if (!parts || (parts.filter && !prepareFilter(parts.filter)(new MatchedPayload(JSON.parse(parts.payload)))))
    return null
  const insertion = insert(webhookDeliveries)
    .values({
      id,
      endpointId,
      eventId: parts.eventId,
      event: parts.eventType,
      storeId: parts.eventStoreId,
      orderingKey: parts.ordered ? parts.eventStoreId : null,
      attempt: 1,
      status: "pending",
      nextAttemptAt: until,
      createdAt: now,
      updatedAt: now,
      attempts: [],
    })
    .onConflictDoNothing()
  const [, [delivery]] = await retryTransient(() =>
    writeUnaudited({ db: home.db }, "coordination", [insertion, selectReserved(home, id, until)]),
  )
  return delivery ? toReservedAttempt(home, parts, delivery) : null
}

/** The endpoint and the event of a delivery. */
type EndpointAndEvent = AttemptedEndpoint & {
  payload: string
  eventId: string
  eventType: string
  eventStoreId: string | null
}

/** Selects the endpoint of a delivery and the event to send; nothing if one of them was deleted. */
const selectEndpointAndEvent = prepareRead<EndpointAndEvent, { endpoint: number; seq: number }>((db) =>
  db
    .select({
      ...getTableColumns(webhookEndpoints),
      routedSeq: selectRoutedSeq.as("routed_seq"),
      payload: webhookEvents.payload,
      eventId: sql<string>`${webhookEvents.id}`.as("event_id"),
      eventType: webhookEvents.type,
      eventStoreId: sql<string | null>`${webhookEvents.storeId}`.as("event_store_id"),
    })
    .from(webhookEndpoints)
    .innerJoin(webhookEvents, eq(webhookEvents.seq, param("seq")))
    .where(and(eq(webhookEndpoints.id, param("endpoint")), isNull(webhookEndpoints.deletedAt))),
)

/** @param id a delivery's id, which contains those of its event and its endpoint */
const endpointAndPayloadOf = (id: number) => selectEndpointAndEvent({ endpoint: endpointIdOf(id), seq: seqOf(id) })

/**
 * @returns null if the event is not the delivery's: the central database was restored, and has another by that `seq`
 */
const toReservedAttempt = (
  home: DeliveryDatabase,
  { payload, eventId, eventType: _type, eventStoreId: _store, ...endpoint }: EndpointAndEvent,
  delivery: Delivery,
): ReservedAttempt | null => (eventId === delivery.eventId ? { delivery, endpoint, payload, home } : null)

/**
 * The columns that count an attempt and lease its row. A first attempt's row is pending already; setting it costs a
 * row.
 */
const getLeaseColumns = <Moment>(kind: "first" | "retry" | "manual", until: Moment, now: Moment) => ({
  attempt: sql`${webhookDeliveries.attempt} + 1`,
  ...(kind !== "first" && { status: "pending" as const }),
  nextAttemptAt: until,
  updatedAt: now,
})

const leaseManually = (condition: SQL | undefined, now: Date, until: Date) =>
  update(webhookDeliveries)
    .set(getLeaseColumns("manual", until, now))
    .where(condition)

const { status, attempt, nextAttemptAt } = webhookDeliveries

/**
 * SQL condition: the schedule may reserve the delivery; a retry must still have the lease of the sweep that enqueued
 * it.
 */
const isReservable = (kind: "first" | "retry"): SQL | undefined =>
  and(
    kind === "first"
      ? and(eq(status, "pending"), eq(attempt, 0))
      : and(inArray(status, ["pending", "failed"]), eq(nextAttemptAt, param("sweepLease"))),
    isNotPaused(param("home")),
  )

/** SQL condition: the deliveries of the endpoint are not moving to another database. */
export const isNotPaused = (home: string | Placeholder): SQL =>
  sql`not ${isPaused(sql`${webhookDeliveries.endpointId}`, home)}`

/** Statuses of deliveries whose last attempt failed. */
const ENDED: readonly Delivery["status"][] = ["failed", "exhausted"]

/** SQL condition: a person or a recovery may reserve the delivery. */
const isManuallyReservable = (now: Date, home: DeliveryDatabase, statuses = ENDED): SQL | undefined =>
  and(
    or(inArray(status, [...statuses]), and(eq(status, "pending"), or(eq(attempt, 0), lte(nextAttemptAt, now)))),
    isNotPaused(home.name),
    sql`not ${isWaiting()}`,
  )

/** SQL condition: the last scheduled attempt was reserved already, whether or not it ended. */
export const isOutOfAttempts: SQL = sql`(${status} = 'pending' and ${attempt} >= ${MAX_ATTEMPTS})`

/**
 * Builds the update that closes due deliveries without counting an attempt: their endpoint does not receive, or the
 * worker that reserved the last scheduled attempt died.
 * @param condition the deliveries, all of them due
 */
export const closeUnsendable = (condition: SQL | undefined, now: Date | Placeholder) =>
  update(webhookDeliveries)
    .set({
      status: "exhausted",
      error: sql`iif(${deliveryEndpointIsReceiving}, ${ATTEMPT_LOST}, 'endpoint_disabled')`,
      nextAttemptAt: null,
      updatedAt: now,
    })
    .where(and(condition, sql`(not ${deliveryEndpointIsReceiving} or ${isOutOfAttempts})`))
