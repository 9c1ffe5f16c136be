// One attempt of one delivery: the only code that sends. It reserves the row, so that no two workers send the same attempt,
// and settles it only while the row still stands at that attempt, so that a late worker cannot overwrite a newer one.
import { and, eq, getTableColumns, inArray, lte, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { batch } from "../db/client"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../db/schema/central/webhooks"
import { later, SECOND } from "../lib/time"
import { PING } from "./catalogue"
import { recordOutcome } from "./failures"
import { nextAttempt } from "./schedule"
import { type Outcome, send } from "./send"

export type Delivery = typeof webhookDeliveries.$inferSelect
type Endpoint = typeof webhookEndpoints.$inferSelect

/**
 * Why an attempt is made: `first` by the queue or the test button, `due` by the sweep, `forced` by a person. Each may only
 * reserve rows in certain states.
 */
export type AttemptKind = "first" | "due" | "forced"

/** Seconds beyond the timeout after which an attempt whose worker died may be made again. */
const LEASE_SLACK = 30

/**
 * Makes one attempt.
 * @param id the delivery
 * @returns the delivery as the attempt left it; null when it was not there to be attempted: done, taken by another worker,
 *   not due, or deleted
 */
export async function attempt(ctx: Ctx, id: number, kind: AttemptKind): Promise<Delivery | null> {
  const reserved = await reserve(ctx, id, kind)
  if (!reserved) return null
  const { delivery, endpoint, payload } = reserved
  if (delivery.event !== PING && !isReceiving(endpoint)) return handBack(ctx, delivery)
  const outcome = await send(ctx, endpoint, { id: delivery.eventId, event: delivery.event, payload })
  const settled = await settle(ctx, delivery, outcome)
  // A worker that comes too late has said nothing about the endpoint that a newer attempt did not say better.
  if (settled) await recordOutcome(ctx, endpoint, outcome.delivered)
  return settled ?? current(ctx, id)
}

/** Whether events go to the endpoint: switched on by the operator, and not off after a run of failures. */
export const isReceiving = (endpoint: Pick<Endpoint, "isActive" | "disabledAt">): boolean =>
  endpoint.isActive && endpoint.disabledAt === null

interface Reserved {
  delivery: Delivery
  endpoint: Endpoint
  payload: string
}

async function reserve(ctx: Ctx, id: number, kind: AttemptKind): Promise<Reserved | null> {
  const now = new Date()
  const lease = later(now, (ctx.settings.TENANCY_WEBHOOK_TIMEOUT + LEASE_SLACK) * SECOND)
  const [deliveries, parts] = (await batch(ctx.db, [
    ctx.db
      .update(webhookDeliveries)
      .set({ attempt: sql`${webhookDeliveries.attempt} + 1`, status: "pending", nextAttemptAt: lease, updatedAt: now })
      .where(and(eq(webhookDeliveries.id, id), reservable(kind, now)))
      .returning(),
    ctx.db
      .select({ endpoint: getTableColumns(webhookEndpoints), payload: webhookEvents.payload })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
      .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
      .where(eq(webhookDeliveries.id, id)),
  ])) as [Delivery[], { endpoint: Endpoint; payload: string }[]]
  const [delivery] = deliveries
  const [rest] = parts
  return delivery && rest ? { delivery, ...rest } : null
}

/** The states in which a delivery may be reserved. */
function reservable(kind: AttemptKind, now: Date): SQL | undefined {
  const { status, attempt: attempts, nextAttemptAt } = webhookDeliveries
  switch (kind) {
    case "first":
      return and(eq(status, "pending"), eq(attempts, 0))
    case "due":
      return and(inArray(status, ["pending", "failed"]), lte(nextAttemptAt, now))
    case "forced":
      return or(
        inArray(status, ["failed", "exhausted"]),
        and(eq(status, "pending"), or(eq(attempts, 0), lte(nextAttemptAt, now))),
      )
  }
}

/** Closes a delivery whose endpoint does not receive: nothing was sent, so the attempt does not count. */
const handBack = async (ctx: Ctx, delivery: Delivery): Promise<Delivery | null> =>
  write(ctx, delivery, {
    attempt: delivery.attempt - 1,
    status: "exhausted",
    error: "endpoint_disabled",
    nextAttemptAt: null,
  })

async function settle(ctx: Ctx, delivery: Delivery, outcome: Outcome): Promise<Delivery | null> {
  const now = new Date()
  const answer = {
    responseStatus: outcome.status ?? null,
    responseExcerpt: outcome.excerpt ?? null,
    error: outcome.delivered ? null : outcome.error,
  }
  if (outcome.delivered) {
    return write(ctx, delivery, { ...answer, status: "delivered", nextAttemptAt: null, deliveredAt: now })
  }
  const next = nextAttempt(delivery.attempt, now)
  return write(ctx, delivery, { ...answer, status: next ? "failed" : "exhausted", nextAttemptAt: next })
}

/** Writes a result, as long as the row stands at the attempt it is the result of. */
async function write(ctx: Ctx, delivery: Delivery, values: Partial<Delivery>): Promise<Delivery | null> {
  const rows = await ctx.db
    .update(webhookDeliveries)
    .set({ ...values, updatedAt: new Date() })
    .where(
      and(
        eq(webhookDeliveries.id, delivery.id),
        eq(webhookDeliveries.attempt, delivery.attempt),
        eq(webhookDeliveries.status, "pending"),
      ),
    )
    .returning()
  return rows[0] ?? null
}

/** The row as it is. */
async function current(ctx: Ctx, id: number): Promise<Delivery | null> {
  const [row] = await ctx.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id))
  return row ?? null
}
