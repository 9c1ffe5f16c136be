// Makes one attempt of one delivery; all webhook requests are sent here. The attempt is reserved first, so no two
// workers send the same one, and settled with a compare-and-swap, so a late worker cannot overwrite a newer attempt.

import { eq } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { writeUnaudited } from "../core/write/commit"
import type { DeliveryDatabase } from "../core/write/delivery-databases"
import { retryTransient } from "../core/write/retry"
import { param, prepareWrite } from "../db/prepared"
import { webhookDeliveries } from "../db/schema/central/webhooks"
import { update, type Write } from "../db/write"
import { assertNever } from "../lib/assert-never"
import { currentTime } from "../lib/clock"
import { addMs, MINUTE } from "../lib/time"
import { announceExhausted, announceOutcome } from "./announcements"
import {
  type AttemptResult,
  appendAttempt,
  buildAttemptWrites,
  getDurationMs,
  isRecorded,
  type RecordedKind,
  serializeAttempt,
} from "./attempt-log"
import { DNS_OUTAGE_ERROR, isWithinDnsGrace, logDnsOutage } from "./dns-outage"
import { buildOutcomeWrites, type CountedAttempt, countAttempts } from "./failure-counter"
import { enqueueNext } from "./ordering"
import { checkReceiver } from "./receiver-cursor/reconcile"
import { buildReportWrites, needsCheck, readReport } from "./receiver-cursor/report"
import {
  type AttemptKind,
  buildReleaseWrite,
  type Delivery,
  deliveryColumns,
  isCurrentAttempt,
  type ReservedAttempt,
  reserveScheduled,
} from "./reserve"
import { getNextAttemptAt } from "./schedule"
import { DNS_UNAVAILABLE, HTTP_GONE, type SentOutcome, sendEvent } from "./send"

/**
 * Makes a scheduled attempt as soon as this invocation has a free connection.
 * @param id the delivery
 * @param kind `first`, or the lease under which a sweep enqueued the delivery
 * @param slotToken the concurrency slot of a first attempt; the caller releases it if the attempt is not counted
 * @param onReserved called when the attempt is reserved, before its request is sent
 * @returns the delivery after the attempt; null if there was nothing to attempt: delivered, reserved by another worker,
 *   not due, or deleted
 */
export const attemptDelivery = (
  ctx: Ctx,
  id: number,
  kind: AttemptKind,
  slotToken?: string,
  onReserved?: () => void,
): Promise<Delivery | null> =>
  // Reserved only once a connection is free: otherwise the attempt would be counted, and its lease would run, while it
  // waits.
  ctx.outbound.with(async () => {
    const reservation = await reserveScheduled(ctx, id, kind)
    switch (reservation.state) {
      case "unknown":
      case "refused":
        return null
      case "closed":
        return reservation.delivery
      case "reserved":
        onReserved?.()
        return sendAttempt(ctx, { ...reservation, slotToken })
      default:
        return assertNever(reservation)
    }
  })

/**
 * Sends a reserved attempt and records its result.
 * @param kind how the attempt log shows it; scheduled attempts are `first` and `retry`
 * @param buildExtraWrites further writes for the batch that settles the attempt
 * @returns the delivery after the attempt; null if it was deleted in the meantime
 */
export async function sendAttempt(
  ctx: Ctx,
  { delivery, endpoint, payload, home, slotToken }: ReservedAttempt,
  kind: RecordedKind = delivery.attempt === 1 ? "first" : "retry",
  buildExtraWrites: (delivered: boolean) => Write[] = () => [],
): Promise<Delivery | null> {
  const startedAt = currentTime()
  const sent = await sendEvent(ctx, endpoint, { id: delivery.eventId, event: delivery.event, payload })
  const now = currentTime()
  // A manual attempt is always released: its delivery is usually older than the grace.
  const isWithinGrace = kind === "manual" || isWithinDnsGrace(delivery, now)
  if (sent === "dns_unavailable" && isWithinGrace) return releaseAttempt(ctx, home, delivery, now)
  const outcome = sent === "dns_unavailable" ? DNS_UNAVAILABLE : sent
  const result = toAttemptResult(kind, outcome, startedAt, now)
  const counted = { ...toCountedAttempt(delivery, result), slotToken }
  const counting = countAttempts(ctx, endpoint.id, [counted], now)
  // A success after a success changes nothing on the endpoint's row, so settling need not wait for the counter.
  const isRepeatedSuccess = outcome.delivered && endpoint.consecutiveFailures === 0
  const outcomeWrites = isRepeatedSuccess ? [] : buildOutcomeWrites(endpoint, outcome.delivered, await counting, now)
  const report = readReport({ delivery, endpoint }, outcome, now)
  const reports = report ? [report] : []
  const reportWrites = buildReportWrites(endpoint, reports)
  // The receiver has the event by now. Without its result, the attempt would be made again.
  const settled = await retryTransient(async (round) => {
    if (round > 1 && (await isRecorded(home, delivery))) return readSettled(home, delivery)
    const [rows] = await writeUnaudited({ db: home.db }, "progress", [
      settleAttempt({
        ...buildDeliveryResult(delivery, outcome, now),
        updatedAt: now,
        recorded: serializeAttempt(delivery, result),
        id: delivery.id,
        attempt: delivery.attempt,
      }),
      ...outcomeWrites,
      ...buildAttemptWrites(delivery, result),
      ...(home.isCentral ? [...reportWrites, ...buildExtraWrites(outcome.delivered)] : []),
    ])
    return rows[0]
  })
  const centralWrites = home.isCentral
    ? []
    : [...outcomeWrites, ...reportWrites, ...buildExtraWrites(outcome.delivered)]
  if (centralWrites.length) await retryTransient(() => writeUnaudited(ctx, "progress", centralWrites))
  const count = await counting
  // The endpoint's row was stale: its failures began or ended while the request was in flight.
  const lateWrites = isRepeatedSuccess ? buildOutcomeWrites(endpoint, true, count, now) : []
  if (lateWrites.length) await writeToEndpoint(ctx, home, lateWrites)
  announceOutcome(ctx, endpoint, outcome.delivered, count)
  if (needsCheck(endpoint, reports)) ctx.inBackground(checkReceiver(ctx, endpoint.id))
  if (settled && isClosed(settled)) enqueueNext(ctx, home, [{ delivery, endpoint }])
  if (settled?.status === "exhausted" && kind !== "manual") announceExhausted(ctx, [{ delivery: settled, endpoint }])
  return settled ?? getDelivery(home, delivery.id)
}

/** Whether a delivery has had its last scheduled attempt. */
export const isClosed = ({ status }: Pick<Delivery, "status">): boolean =>
  status === "delivered" || status === "exhausted"

/** Writes to an endpoint's row and its replica. */
async function writeToEndpoint(ctx: Ctx, home: DeliveryDatabase, writes: readonly Write[]): Promise<void> {
  await retryTransient(() => writeUnaudited(ctx, "progress", writes))
  if (!home.isCentral) await retryTransient(() => writeUnaudited({ db: home.db }, "progress", writes))
}

/** Releases an attempt that could not be sent because DNS is down: it is due again in a minute. */
async function releaseAttempt(
  ctx: Ctx,
  home: DeliveryDatabase,
  delivery: Delivery,
  now: Date,
): Promise<Delivery | null> {
  logDnsOutage(ctx, 1)
  const release = buildReleaseWrite(delivery, addMs(now, MINUTE), now, DNS_OUTAGE_ERROR)
  const [released] = await retryTransient(() => writeUnaudited({ db: home.db }, "progress", [release]))
  return released[0] ?? getDelivery(home, delivery.id)
}

/** Reads the row that an attempt has settled; null if a newer attempt has begun or the row was deleted. */
async function readSettled(home: DeliveryDatabase, { id, attempt }: Delivery): Promise<Delivery | null> {
  const row = await getDelivery(home, id)
  return row?.attempt === attempt && row.status !== "pending" ? row : null
}

/** Reads the row that a newer attempt has written; null if it was deleted. */
async function getDelivery({ db }: DeliveryDatabase, id: number): Promise<Delivery | null> {
  const [row] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id))
  return row ?? null
}

/** The columns of a delivery that an attempt's result sets. */
type DeliveryResult = Pick<
  Delivery,
  "status" | "responseStatus" | "responseExcerpt" | "error" | "nextAttemptAt" | "deliveredAt"
>

/** Returns the result of an attempt with an outcome. */
export const toAttemptResult = (
  kind: RecordedKind,
  outcome: SentOutcome,
  startedAt: Date,
  endedAt: Date,
): AttemptResult => ({
  kind,
  startedAt,
  endedAt,
  delivered: outcome.delivered,
  status: outcome.status ?? null,
  error: outcome.delivered ? null : outcome.error,
  excerpt: outcome.excerpt ?? null,
  retryAfterMs: (outcome.delivered ? null : outcome.retryAfterMs) ?? null,
})

/** Returns an attempt as its endpoint counts it. */
export const toCountedAttempt = (delivery: Delivery, result: AttemptResult): CountedAttempt => ({
  attempt: `${delivery.id}:${delivery.attempt}`,
  delivered: result.delivered,
  isGone: result.status === HTTP_GONE,
  durationMs: getDurationMs(result),
})

/** Returns the columns that the outcome of an attempt sets. */
export function buildDeliveryResult(delivery: Delivery, outcome: SentOutcome, now: Date): DeliveryResult {
  const response = {
    responseStatus: outcome.status ?? null,
    responseExcerpt: outcome.excerpt ?? null,
    error: outcome.delivered ? null : outcome.error,
  }
  if (outcome.delivered) return { ...response, status: "delivered", nextAttemptAt: null, deliveredAt: now }
  const isGone = outcome.status === HTTP_GONE
  const nextAttemptAt = isGone ? null : getNextAttemptAt(delivery.attempt, now, outcome.retryAfterMs)
  return { ...response, status: nextAttemptAt ? "failed" : "exhausted", nextAttemptAt, deliveredAt: null }
}

/** Writes the result and the attempt log, if the row is still at this attempt. */
const settleAttempt = prepareWrite<Delivery[], DeliveryResult & AttemptKey & { updatedAt: Date; recorded: string }>(
  () =>
    update(webhookDeliveries)
      .set({
        status: param("status"),
        responseStatus: param("responseStatus"),
        responseExcerpt: param("responseExcerpt"),
        error: param("error"),
        nextAttemptAt: param("nextAttemptAt"),
        deliveredAt: param("deliveredAt"),
        updatedAt: param("updatedAt"),
        attempts: appendAttempt(),
      })
      .where(isCurrentAttempt(param("id"), param("attempt")))
      .returning(deliveryColumns),
)

type AttemptKey = Pick<Delivery, "id" | "attempt">
