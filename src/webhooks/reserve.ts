// Who may make an attempt now. Every attempt begins with a guarded update that counts it and leases the row, so that no two
// workers ever make the same one; what is not to be attempted any more is closed in the same batch.
import { and, eq, getTableColumns, inArray, isNull, lte, or, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { writeUnaudited, commit, WriteConflict } from "../core/write/commit"
import { deliveryId } from "../core/write/event-log"
import type { CentralDatabase } from "../db/client"
import { compiled, compiledWrite, given } from "../db/prepared"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { insertSelect, update } from "../db/write"
import { later } from "../lib/time"
import { leaseMs } from "./lease"
import { type Endpoint, endpointIsThere, endpointReceives } from "./receiving-condition"
import { MAX_ATTEMPTS } from "./schedule"

/** A delivery without its attempts, which only its own page shows. */
export type Delivery = Omit<typeof webhookDeliveries.$inferSelect, "attempts">

const { attempts: _attempts, ...columns } = getTableColumns(webhookDeliveries)

/** What is read of a delivery. */
export const deliveryColumns = columns

/**
 * Why the platform makes an attempt: `first` as the queue asks for it, or the lease under which a sweep handed it on. Each may only
 * reserve rows in certain states, and only a person may send to an endpoint that does not receive.
 */
export type AttemptKind = "first" | Date

/** An attempt that is this worker's to make, with all that it takes. */
export interface Reserved {
  /** The row as it was reserved: the attempt counted, its lease in `nextAttemptAt`. */
  delivery: Delivery
  endpoint: Endpoint
  /** The event's exact text. */
  payload: string
  /** What a first attempt holds at its endpoint, where it asked for a place. */
  place?: string | undefined
}

/** `unknown`: no such delivery. `refused`: in no state for this kind of attempt. `closed`: it will not be attempted any more. */
type Reservation =
  | { state: "unknown" | "refused" }
  | { state: "closed"; delivery: Delivery }
  | ({ state: "reserved" } & Reserved)

/** What is written where a worker took the last attempt of the schedule and was never heard of again. */
const LOST_ATTEMPT = "AttemptLost: the last attempt was begun and its result never came back"

/**
 * Takes an attempt for the platform's own schedule, if it is there to be taken, in one round trip.
 * @param id the delivery
 */
export async function reserve(ctx: Ctx, id: number, kind: AttemptKind): Promise<Reservation> {
  const now = new Date()
  const { take, close } = kind === "first" ? first : handedOn
  const values = { id, now, until: later(now, leaseMs(ctx.settings)), slot: kind === "first" ? null : kind.getTime() }
  const [parts, [delivery], [closed]] = await writeUnaudited(ctx, "whose attempt it is", [
    partsOf({ id }),
    take(values),
    close(values),
  ])
  if (!parts[0]) return { state: "unknown" }
  if (delivery) return { state: "reserved", ...reserved(parts[0], delivery) }
  return closed ? { state: "closed", delivery: closed } : { state: "refused" }
}

/** What an attempt of the platform's own is taken with. */
interface Taking {
  id: number
  now: Date
  /** When the lease ends. */
  until: Date
  /** Under which lease a sweep handed it on; null for a first attempt. */
  slot: number | null
}

/** The two statements that take an attempt or close its delivery, of which one at most touches the row. */
const taking = (kind: "first" | "handed on") => {
  const one = () => and(eq(webhookDeliveries.id, given("id")), reservable(kind))
  return {
    take: compiledWrite<Delivery[], Taking>(() =>
      update(webhookDeliveries)
        .set(leased(kind, given("until"), given("now")))
        .where(and(one(), endpointReceives, sql`not ${isSpent}`))
        .returning(deliveryColumns),
    ),
    close: compiledWrite<Delivery[], Taking>(() => closing(one(), given("now")).returning(deliveryColumns)),
  }
}

const first = taking("first")
const handedOn = taking("handed on")

/**
 * Takes an attempt because a person wants it: a change of theirs, with its trail.
 * @returns null where there is none to be taken, or no such delivery
 */
export async function reserveForced(ctx: Ctx, id: number): Promise<Reserved | null> {
  const now = new Date()
  try {
    const [parts, [delivery]] = await commit(ctx, {
      guard: leaseForced(ctx, and(eq(webhookDeliveries.id, id), reservableByForce(now), endpointIsThere), now),
      writes: [
        partsOf({ id }),
        ctx.db.select(deliveryColumns).from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
      ],
      trail: [{ audit: { subject: "delivery", deed: "retried", id } }],
    })
    return parts[0] && delivery ? reserved(parts[0], delivery) : null
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}

/**
 * Takes an attempt of a delivery that failed, for a recovery.
 * @returns null where there is none to be taken
 */
export async function reserveAgain(ctx: Ctx, id: number): Promise<Reserved | null> {
  const now = new Date()
  const [parts, [delivery]] = await writeUnaudited(ctx, "whose attempt it is", [
    partsOf({ id }),
    leaseForced(ctx, and(eq(webhookDeliveries.id, id), reservableByForce(now)), now).returning(deliveryColumns),
  ])
  return parts[0] && delivery ? reserved(parts[0], delivery) : null
}

/**
 * Opens the delivery of an event that an endpoint has none of, with its first attempt taken, for a recovery.
 * @returns null where it has one by now
 */
export async function reserveMissed(ctx: Ctx, endpointId: number, eventId: string): Promise<Reserved | null> {
  const now = new Date()
  const its = deliveryId(sql`(select seq from webhook_events where id = ${eventId})`, endpointId)
  const opened = insertSelect(
    webhookDeliveries,
    {
      id: deliveryId(sql`event.seq`, endpointId),
      endpointId,
      eventId,
      event: sql`event.type`,
      storeId: sql`event.store_id`,
      attempt: 1,
      status: "pending",
      nextAttemptAt: later(now, leaseMs(ctx.settings)),
      createdAt: now,
      updatedAt: now,
      attempts: [],
    },
    sql`from webhook_events as event where event.id = ${eventId}`,
  ).onConflictDoNothing()
  const [[delivery], parts] = await writeUnaudited(ctx, "whose attempt it is", [
    opened.returning(deliveryColumns),
    selectParts(ctx.db, sql`${webhookDeliveries.id} = ${its}`),
  ])
  return parts[0] && delivery ? reserved(parts[0], delivery) : null
}

/** The endpoint of a delivery, and the text that is sent to it. */
const selectParts = (db: CentralDatabase, which: SQL) =>
  db
    .select({ ...getTableColumns(webhookEndpoints), payload: webhookEvents.payload })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(which, isNull(webhookEndpoints.deletedAt)))

const partsOf = compiled<Endpoint & { payload: string }, { id: number }>((db) =>
  selectParts(db, eq(webhookDeliveries.id, given("id"))),
)

const reserved = ({ payload, ...endpoint }: Endpoint & { payload: string }, delivery: Delivery): Reserved => ({
  delivery,
  endpoint,
  payload,
})

/** What counts an attempt and leases its row. A first attempt's row is pending already: to say so again would cost a row. */
const leased = <Moment>(kind: "first" | "handed on" | "forced", until: Moment, now: Moment) => ({
  attempt: sql`${webhookDeliveries.attempt} + 1`,
  ...(kind !== "first" && { status: "pending" as const }),
  nextAttemptAt: until,
  updatedAt: now,
})

const leaseForced = (ctx: Ctx, which: SQL | undefined, now: Date) =>
  update(webhookDeliveries)
    .set(leased("forced", later(now, leaseMs(ctx.settings)), now))
    .where(which)

const { status, attempt, nextAttemptAt } = webhookDeliveries

/** The states in which the platform may take a delivery; one that was handed on, only under that lease. */
const reservable = (kind: "first" | "handed on"): SQL | undefined =>
  kind === "first"
    ? and(eq(status, "pending"), eq(attempt, 0))
    : and(inArray(status, ["pending", "failed"]), eq(nextAttemptAt, given("slot")))

/** Those in which a person may. */
const reservableByForce = (now: Date): SQL | undefined =>
  or(inArray(status, ["failed", "exhausted"]), and(eq(status, "pending"), or(eq(attempt, 0), lte(nextAttemptAt, now))))

/** The schedule's last attempt is taken: whatever became of it, the platform makes no further one by itself. */
const isSpent: SQL = sql`(${status} = 'pending' and ${attempt} >= ${MAX_ATTEMPTS})`

/**
 * The statement that closes deliveries which came due and are not to be attempted, so that no attempt is counted: their endpoint does not
 * receive, or the worker that took the schedule's last attempt died.
 * @param which the deliveries, all of them due
 */
export const closing = (which: SQL | undefined, now: Date | Placeholder) =>
  update(webhookDeliveries)
    .set({
      status: "exhausted",
      error: sql`iif(${endpointReceives}, ${LOST_ATTEMPT}, 'endpoint_disabled')`,
      nextAttemptAt: null,
      updatedAt: now,
    })
    .where(and(which, sql`(not ${endpointReceives} or ${isSpent})`))
