// Reserves attempts. Each reservation is a compare-and-swap update that increments `attempt` and leases the row, so two
// workers never send the same attempt. A delivery that must not be attempted any more is closed in the same batch.

import { and, eq, getTableColumns, inArray, isNull, lte, or, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { commit, WriteConflict, writeUnaudited } from "../core/write/commit"
import { deliveryId } from "../core/write/event-log"
import { retryTransient } from "../core/write/retry"
import type { CentralDatabase } from "../db/client"
import { param, prepareRead, prepareWrite } from "../db/prepared"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { insertSelect, update } from "../db/write"
import { currentTime } from "../lib/clock"
import { identifiableEnd } from "../lib/random"
import { addMs } from "../lib/time"
import { getLeaseMs } from "./lease"
import { deliveryEndpointExists, deliveryEndpointIsReceiving, type Endpoint } from "./receiving-condition"
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
  endpoint: Endpoint
  /** The event's exact text. */
  payload: string
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
 * Reserves a scheduled attempt in one round trip. After a transient error it is repeated, and recognizes a reservation
 * of its own by the end of the lease.
 * @param id the delivery
 * @throws the database's error when no repetition succeeds
 */
export async function reserveScheduled(ctx: Ctx, id: number, kind: AttemptKind): Promise<Reservation> {
  const now = currentTime()
  const { reserve, close } = kind === "first" ? firstAttemptStatements : retryStatements
  const values = {
    id,
    now,
    until: identifiableEnd(addMs(now, getLeaseMs(ctx.settings))),
    sweepLease: kind === "first" ? null : kind.getTime(),
  }
  return retryTransient(async (round) => {
    const [parts, [reserved], [closed], [leased] = []] = await writeUnaudited(ctx, "coordination", [
      endpointAndPayloadOf({ id }),
      reserve(values),
      close(values),
      ...(round === 1 ? [] : [selectReserved(ctx, id, values.until)]),
    ])
    const delivery = reserved ?? leased
    if (!parts[0]) return { state: "unknown" }
    if (delivery) return { state: "reserved", ...toReservedAttempt(parts[0], delivery) }
    return closed ? { state: "closed", delivery: closed } : { state: "refused" }
  })
}

/** Selects a delivery that was reserved until exactly that time, by a call whose response may have been lost. */
const selectReserved = (ctx: Ctx, id: number | SQL, until: Date) =>
  ctx.db
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
}

/** Prepares the statements that reserve an attempt or close its delivery; at most one of them changes the row. */
const buildReserveStatements = (kind: "first" | "retry") => {
  const one = () => and(eq(webhookDeliveries.id, param("id")), isReservable(kind))
  return {
    reserve: prepareWrite<Delivery[], ReserveParams>(() =>
      update(webhookDeliveries)
        .set(getLeaseColumns(kind, param("until"), param("now")))
        .where(and(one(), deliveryEndpointIsReceiving, sql`not ${isOutOfAttempts}`))
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
 * Reserves an attempt on a person's request; audited.
 * @returns null if the delivery does not exist or cannot be attempted now
 */
export async function reserveManual(ctx: Ctx, id: number): Promise<ReservedAttempt | null> {
  const now = currentTime()
  try {
    const [parts, [delivery]] = await commit(ctx, {
      guard: leaseManually(
        and(eq(webhookDeliveries.id, id), isManuallyReservable(now), deliveryEndpointExists),
        now,
        addMs(now, getLeaseMs(ctx.settings)),
      ),
      writes: [
        endpointAndPayloadOf({ id }),
        ctx.db.select(deliveryColumns).from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
      ],
      auditLog: [{ audit: { subject: "delivery", action: "retried", id } }],
    })
    return parts[0] && delivery ? toReservedAttempt(parts[0], delivery) : null
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}

/**
 * Reserves an attempt of a failed delivery for a recovery. Otherwise the sweep would make an attempt whose reservation
 * is unknown, after later events.
 * @returns null if the delivery cannot be attempted now
 */
export async function reserveForRecovery(ctx: Ctx, id: number): Promise<ReservedAttempt | null> {
  const now = currentTime()
  const until = identifiableEnd(addMs(now, getLeaseMs(ctx.settings)))
  const reserve = leaseManually(and(eq(webhookDeliveries.id, id), isManuallyReservable(now)), now, until)
  const [[part], , [delivery]] = await retryTransient(() =>
    writeUnaudited(ctx, "coordination", [endpointAndPayloadOf({ id }), reserve, selectReserved(ctx, id, until)]),
  )
  return part && delivery ? toReservedAttempt(part, delivery) : null
}

/**
 * Creates the missing delivery of an event for a recovery, with its first attempt reserved.
 * @returns null if the endpoint has a delivery of the event by now
 */
export async function createForRecovery(
  ctx: Ctx,
  endpointId: number,
  eventId: string,
): Promise<ReservedAttempt | null> {
  const now = currentTime()
  const until = identifiableEnd(addMs(now, getLeaseMs(ctx.settings)))
  const newId = deliveryId(sql`(select seq from webhook_events where id = ${eventId})`, endpointId)
  const insertion = insertSelect(
    webhookDeliveries,
    {
      id: deliveryId(sql`event.seq`, endpointId),
      endpointId,
      eventId,
      event: sql`event.type`,
      storeId: sql`event.store_id`,
      attempt: 1,
      status: "pending",
      nextAttemptAt: until,
      createdAt: now,
      updatedAt: now,
      attempts: [],
    },
    sql`from webhook_events as event where event.id = ${eventId}`,
  ).onConflictDoNothing()
  const [, [delivery], [part]] = await retryTransient(() =>
    writeUnaudited(ctx, "coordination", [
      insertion,
      selectReserved(ctx, newId, until),
      selectEndpointAndPayload(ctx.db, sql`${webhookDeliveries.id} = ${newId}`),
    ]),
  )
  return part && delivery ? toReservedAttempt(part, delivery) : null
}

/** Selects the endpoint of a delivery and the payload to send; nothing if the endpoint was deleted. */
const selectEndpointAndPayload = (db: CentralDatabase, condition: SQL) =>
  db
    .select({ ...getTableColumns(webhookEndpoints), payload: webhookEvents.payload })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(condition, isNull(webhookEndpoints.deletedAt)))

const endpointAndPayloadOf = prepareRead<Endpoint & { payload: string }, { id: number }>((db) =>
  selectEndpointAndPayload(db, eq(webhookDeliveries.id, param("id"))),
)

const toReservedAttempt = (
  { payload, ...endpoint }: Endpoint & { payload: string },
  delivery: Delivery,
): ReservedAttempt => ({
  delivery,
  endpoint,
  payload,
})

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
  kind === "first"
    ? and(eq(status, "pending"), eq(attempt, 0))
    : and(inArray(status, ["pending", "failed"]), eq(nextAttemptAt, param("sweepLease")))

/** SQL condition: a person or a recovery may reserve the delivery. */
const isManuallyReservable = (now: Date): SQL | undefined =>
  or(inArray(status, ["failed", "exhausted"]), and(eq(status, "pending"), or(eq(attempt, 0), lte(nextAttemptAt, now))))

/** SQL condition: the last scheduled attempt was reserved already, whether or not it ended. */
const isOutOfAttempts: SQL = sql`(${status} = 'pending' and ${attempt} >= ${MAX_ATTEMPTS})`

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
