// Who may make an attempt now. Every attempt begins with a guarded update that counts it and leases the row, so that no two
// workers ever make the same one; what is not to be attempted any more is closed in the same breath.
import { and, eq, getTableColumns, inArray, lte, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { batch } from "../db/client"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import type { Settings } from "../env"
import { later, SECOND } from "../lib/time"
import { type Endpoint, endpointReceives } from "./receiving"
import { MAX_ATTEMPTS } from "./schedule"

export type Delivery = typeof webhookDeliveries.$inferSelect

/**
 * Why an attempt is made: `first` by the queue, `due` by the sweep, `forced` by a person. Each may only reserve rows in
 * certain states, and only a person may send to an endpoint that does not receive.
 */
export type AttemptKind = "first" | "due" | "forced"

/** An attempt that is this worker's to make, with all that it takes. */
export interface Reserved {
  /** The row as it was reserved: the attempt counted, its lease in `nextAttemptAt`. */
  delivery: Delivery
  endpoint: Endpoint
  /** The event's exact text. */
  payload: string
}

/** `unknown`: no such delivery. `refused`: in no state for this kind of attempt. `closed`: it will not be attempted any more. */
type Reservation =
  | { state: "unknown" | "refused" }
  | { state: "closed"; delivery: Delivery }
  | ({ state: "reserved" } & Reserved)

/** Seconds beyond the timeout after which an attempt whose worker died may be made again. */
const LEASE_SLACK = 30

/** What is written where a worker took the last attempt of the schedule and was never heard of again. */
const LOST_ATTEMPT = "AttemptLost: the last attempt was begun and its result never came back"

/** Milliseconds for which an attempt is its worker's alone. */
export const leaseMs = (settings: Settings): number => (settings.TENANCY_WEBHOOK_TIMEOUT + LEASE_SLACK) * SECOND

/**
 * Takes an attempt, if it is there to be taken, in one round trip.
 * @param id the delivery
 */
export async function reserve(ctx: Ctx, id: number, kind: AttemptKind): Promise<Reservation> {
  const now = new Date()
  const one = and(eq(webhookDeliveries.id, id), reservable(kind, now))
  const lease = later(now, leaseMs(ctx.settings))
  const [parts, deliveries, ...closed] = (await batch(ctx.db, [
    ctx.db
      .select({ ...getTableColumns(webhookEndpoints), payload: webhookEvents.payload })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
      .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
      .where(eq(webhookDeliveries.id, id)),
    ctx.db
      .update(webhookDeliveries)
      .set({ attempt: sql`${webhookDeliveries.attempt} + 1`, status: "pending", nextAttemptAt: lease, updatedAt: now })
      .where(kind === "forced" ? one : and(one, endpointReceives, sql`not ${isSpent}`))
      .returning(),
    ...(kind === "forced"
      ? []
      : [closing(ctx, "unreceived", one, now).returning(), closing(ctx, "spent", one, now).returning()]),
  ])) as [(Endpoint & { payload: string })[], ...Delivery[][]]
  if (!parts[0]) return { state: "unknown" }
  const { payload, ...endpoint } = parts[0]
  const delivery = deliveries?.[0]
  if (delivery) return { state: "reserved", delivery, endpoint, payload }
  const end = closed.flat()[0]
  return end ? { state: "closed", delivery: end } : { state: "refused" }
}

/** The states in which a delivery may be reserved. */
function reservable(kind: AttemptKind, now: Date): SQL | undefined {
  const { status, attempt, nextAttemptAt } = webhookDeliveries
  switch (kind) {
    case "first":
      return and(eq(status, "pending"), eq(attempt, 0))
    case "due":
      return and(inArray(status, ["pending", "failed"]), lte(nextAttemptAt, now))
    case "forced":
      return or(
        inArray(status, ["failed", "exhausted"]),
        and(eq(status, "pending"), or(eq(attempt, 0), lte(nextAttemptAt, now))),
      )
  }
}

/** The schedule's last attempt is taken: whatever became of it, the platform makes no further one by itself. */
const isSpent: SQL = sql`(${webhookDeliveries.status} = 'pending' and ${webhookDeliveries.attempt} >= ${MAX_ATTEMPTS})`

/** Why a delivery that is due is closed without a request: so no attempt is counted. */
const CLOSINGS = {
  /** Its endpoint does not receive. */
  unreceived: { error: "endpoint_disabled", why: sql`not ${endpointReceives}` },
  /** The worker that took the schedule's last attempt died. */
  spent: { error: LOST_ATTEMPT, why: isSpent },
}

/**
 * The statement that closes deliveries which came due and are not to be attempted.
 * @param which the deliveries, all of them due
 */
export const closing = (ctx: Ctx, reason: keyof typeof CLOSINGS, which: SQL | undefined, now: Date) =>
  ctx.db
    .update(webhookDeliveries)
    .set({ status: "exhausted", error: CLOSINGS[reason].error, nextAttemptAt: null, updatedAt: now })
    .where(and(which, CLOSINGS[reason].why))
