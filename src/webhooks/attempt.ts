// One attempt of one delivery: the only code that sends. It reserves the row, so that no two workers send the same attempt,
// and settles it only while the row still stands at that attempt, so that a late worker cannot overwrite a newer one.
import { and, eq, type Placeholder } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { writeUnaudited } from "../core/write/commit"
import { compiledWrite, given } from "../db/prepared"
import { webhookDeliveries } from "../db/schema/central/webhooks"
import { update, type Write } from "../db/write"
import { DAY, later, MINUTE } from "../lib/time"
import { type Made, type RecordedKind, recorded, recordWrites, withAttempt } from "./attempt-log"
import { noticeDisabled } from "./disabled-mail"
import { countOutcome, outcomeWrites } from "./failure-counter"
import { type AttemptKind, type Delivery, deliveryColumns, type Reserved, reserve } from "./reserve"
import { MAX_ATTEMPTS, nextAttempt } from "./schedule"
import { NAME_UNANSWERED, type SentOutcome, send } from "./send"

/** Age of a delivery until which the platform's own attempts are given back while the resolver does not answer; after it they fail. */
const PATIENCE = DAY

/**
 * Makes one attempt, when this invocation has connections for it.
 * @param id the delivery
 * @param kind `first`, or the lease under which a sweep handed it on
 * @param place what a first attempt holds at its endpoint; one that is not counted leaves it to the caller
 * @returns the delivery as the attempt left it; null when it was not there to be attempted: done, taken by another worker,
 *   not due, or deleted
 */
export const attempt = (ctx: Ctx, id: number, kind: AttemptKind, place?: string): Promise<Delivery | null> =>
  // Reserved once there is a place: an attempt that waited for one would be counted, and its lease run out, before it was sent.
  ctx.outbound.with(async () => {
    const reservation = await reserve(ctx, id, kind)
    switch (reservation.state) {
      case "unknown":
      case "refused":
        return null
      case "closed":
        return reservation.delivery
      case "reserved":
        return carryOut(ctx, { ...reservation, place })
    }
  })

/**
 * Sends a reserved attempt and writes down how it ended.
 * @param kind what it is to those who read of it; the platform's own attempts are the first one and retries
 * @param also what is written in the batch that settles it
 * @returns the delivery as it is then; null when it was deleted meanwhile
 */
export async function carryOut(
  ctx: Ctx,
  { delivery, endpoint, payload, place }: Reserved,
  kind: RecordedKind = delivery.attempt === 1 ? "first" : "retry",
  also: (delivered: boolean) => Write[] = () => [],
): Promise<Delivery | null> {
  const startedAt = new Date()
  const sent = await send(ctx, endpoint, { id: delivery.eventId, event: delivery.event, payload })
  const now = new Date()
  // What a person sends again is old for reasons of its own.
  const isBorne = kind === "manual" || now < later(delivery.createdAt, PATIENCE)
  if (sent === "unsent" && isBorne) return handBack(ctx, delivery, now)
  const outcome = sent === "unsent" ? NAME_UNANSWERED : sent
  const made: Made = {
    kind,
    startedAt,
    endedAt: now,
    delivered: outcome.delivered,
    status: outcome.status ?? null,
    error: outcome.delivered ? null : outcome.error,
  }
  const counted = countOutcome(ctx, endpoint.id, outcome.delivered, now, place)
  // A success after a success changes nothing on the endpoint's row, so it is settled while it is counted.
  const isUsual = outcome.delivered && endpoint.consecutiveFailures === 0
  const [settled] = await writeUnaudited(ctx, "how an attempt ended", [
    settle({
      ...result(delivery, outcome, now),
      updatedAt: now,
      recorded: recorded(delivery, made),
      ...placeOf(delivery),
    }),
    ...(isUsual ? [] : outcomeWrites(endpoint, outcome.delivered, await counted, now)),
    ...recordWrites(delivery, made),
    ...also(outcome.delivered),
  ])
  const count = await counted
  const missed = isUsual ? outcomeWrites(endpoint, true, count, now) : []
  if (missed.length) await writeUnaudited(ctx, "a run of failures that began, or ended, meanwhile", missed)
  if (count?.disabledNow) ctx.after(noticeDisabled(ctx))
  return settled[0] ?? current(ctx, delivery.id)
}

/** Gives an attempt back that could not be made because the resolver did not answer: it counts for nobody, and is due again in a minute. */
async function handBack(ctx: Ctx, delivery: Delivery, now: Date): Promise<Delivery | null> {
  const attempts = delivery.attempt - 1
  const status = attempts === 0 ? "pending" : attempts >= MAX_ATTEMPTS ? "exhausted" : "failed"
  const nextAttemptAt = status === "exhausted" ? null : later(now, MINUTE)
  const [handedBack] = await writeUnaudited(ctx, "an attempt that was not made", [
    update(webhookDeliveries)
      .set({ attempt: attempts, status, nextAttemptAt, updatedAt: now })
      .where(stillAt(delivery.id, delivery.attempt))
      .returning(),
  ])
  return handedBack[0] ?? current(ctx, delivery.id)
}

/** The row as a newer attempt left it. */
async function current(ctx: Ctx, id: number): Promise<Delivery | null> {
  const [row] = await ctx.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id))
  return row ?? null
}

/** What an attempt makes of its delivery. */
type Result = Pick<
  Delivery,
  "status" | "responseStatus" | "responseExcerpt" | "error" | "nextAttemptAt" | "deliveredAt"
>

function result(delivery: Delivery, outcome: SentOutcome, now: Date): Result {
  const answer = {
    responseStatus: outcome.status ?? null,
    responseExcerpt: outcome.excerpt ?? null,
    error: outcome.delivered ? null : outcome.error,
  }
  if (outcome.delivered) return { ...answer, status: "delivered", nextAttemptAt: null, deliveredAt: now }
  const next = nextAttempt(delivery.attempt, now)
  return { ...answer, status: next ? "failed" : "exhausted", nextAttemptAt: next, deliveredAt: null }
}

/** Writes a result into its delivery, and the attempt beside it. */
const settle = compiledWrite<Delivery[], Result & Place & { updatedAt: Date; recorded: string }>(() =>
  update(webhookDeliveries)
    .set({
      status: given("status"),
      responseStatus: given("responseStatus"),
      responseExcerpt: given("responseExcerpt"),
      error: given("error"),
      nextAttemptAt: given("nextAttemptAt"),
      deliveredAt: given("deliveredAt"),
      updatedAt: given("updatedAt"),
      attempts: withAttempt(),
    })
    .where(stillAt(given("id"), given("attempt")))
    .returning(deliveryColumns),
)

/** Which attempt of which delivery. */
type Place = Pick<Delivery, "id" | "attempt">

const placeOf = ({ id, attempt: made }: Delivery): Place => ({ id, attempt: made })

/** The row stands at the attempt whose result is to be written. */
const stillAt = (id: number | Placeholder, made: number | Placeholder) =>
  and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.attempt, made), eq(webhookDeliveries.status, "pending"))
