// Reads the cursor that a receiver reports in a response, and stores it in the transaction that settles the attempt.
// A report that may mean lost events also sets `gap_seq`, so that it is checked even if the Worker dies or a later
// response reports a higher cursor.
import { sql } from "drizzle-orm"
import { head, seqOf } from "../../core/write/event-log"
import { type Write, writeSql } from "../../db/write"
import { ulidTime } from "../../lib/ulid"
import { parsePosition } from "../events/cursor"
import { isRunning } from "../recovery/state"
import type { ReservedAttempt } from "../reserve"
import type { SentOutcome } from "../send"
import { MAX_CURSOR_LAG_MS } from "./decide"

/** The response header with the newest event up to which the receiver has stored everything. */
export const CURSOR_HEADER = "webhook-cursor"

/** Longer values are ignored; an event id has 26 characters. */
const MAX_CURSOR_LENGTH = 32

/** The cursor of one response. */
export interface CursorReport {
  text: string
  /** The event that it names: by its id, or by its `seq`. */
  event: { id: string } | { seq: number }
  /**
   * The `seq` of the attempt's own event, if it names that one. It may be a retry, so the cursor only moves forward.
   */
  ownSeq: number | null
  /** Whether the receiver may lack events that were delivered to it. */
  isSuspicious: boolean
}

/**
 * Parses the cursor that the response of an attempt reports. While a gap is being sent again, reports within it are
 * expected, so they are not suspicious.
 * @returns null without a cursor, and for one that is malformed
 */
export function readReport(
  { delivery, endpoint }: Pick<ReservedAttempt, "delivery" | "endpoint">,
  outcome: SentOutcome,
  now: Date,
): CursorReport | null {
  const text = outcome.delivered ? outcome.cursor : undefined
  if (text === undefined || text.length > MAX_CURSOR_LENGTH) return null
  const position = parsePosition(text)
  if (position?.kind !== "seq" && position?.kind !== "event") return null
  const seq = seqOf(delivery.id)
  const isOwn = position.kind === "seq" ? position.seq === seq : position.id === delivery.eventId
  const age = now.getTime() - (position.kind === "event" ? ulidTime(position.id) : delivery.createdAt.getTime())
  // Events after a young one are even younger, so none of them was delivered long ago.
  const isYoung = age >= 0 && age < MAX_CURSOR_LAG_MS && (position.kind === "event" || position.seq >= seq)
  // Under load, a response may report a little less than the one before; the check finds nothing then.
  const isLower =
    position.kind === "seq"
      ? position.seq < (endpoint.receiverSeq ?? 0)
      : endpoint.receiverCursor !== null && position.id < endpoint.receiverCursor
  const isReconciling = endpoint.recovery?.mode === "gap" && isRunning(endpoint.recovery)
  const isKnown = endpoint.gapSeq !== null && endpoint.behindSince !== null && endpoint.receiverCursor === text
  return {
    text,
    event: position.kind === "seq" ? { seq: position.seq } : { id: position.id },
    ownSeq: isOwn ? seq : null,
    isSuspicious: !isOwn && (!isYoung || isLower) && !isReconciling && !isKnown,
  }
}

/** Whether reports have to be checked: they may mean lost events, or the end of a known gap. */
export const needsCheck = (
  endpoint: Pick<ReservedAttempt["endpoint"], "behindSince" | "recovery" | "receiverCursor">,
  reports: readonly CursorReport[],
): boolean =>
  reports.some(({ isSuspicious }) => isSuspicious) ||
  (endpoint.behindSince !== null &&
    !isRunning(endpoint.recovery) &&
    reports.some(({ text }) => text !== endpoint.receiverCursor))

/** Selects the lowest `seq` of reported events as SQL; null for events that do not exist, and for test events. */
const selectLowest = (events: readonly CursorReport["event"][]) => sql`(
  select min(coalesce(
    (select event.seq from webhook_events as event where event.id = reported.value ->> '$.id' and event.is_test = 0),
    iif(reported.value ->> '$.seq' <= ${head}, reported.value ->> '$.seq', null)))
  from json_each(${JSON.stringify(events)}) as reported)`

/**
 * Builds the write that stores what an endpoint's receiver reported; none if that is known. The last report counts,
 * even if it is lower than the one before: a receiver that was restored from a backup has less.
 * @param endpoint as read when the attempts started
 * @param reports in the order of the responses
 */
export function buildReportWrites(
  { id, receiverCursor }: Pick<ReservedAttempt["endpoint"], "id" | "receiverCursor">,
  reports: readonly CursorReport[],
): Write[] {
  const suspicious = reports.filter(({ isSuspicious }) => isSuspicious)
  if (!suspicious.length && reports.every(({ text }) => text === receiverCursor)) return []
  const lastOther = reports.findLastIndex(({ ownSeq }) => ownSeq === null)
  const other = reports[lastOther]
  const own = reports
    .slice(lastOther + 1)
    .reduce<CursorReport | null>((best, next) => ((next.ownSeq ?? 0) > (best?.ownSeq ?? 0) ? next : best), null)
  const before = sql`coalesce(reported.other, webhook_endpoints.receiver_seq)`
  const isForward = sql`reported.own > coalesce(${before}, -1)`
  const gap = sql`webhook_endpoints.gap_seq`
  return [
    writeSql(sql`update webhook_endpoints set
        receiver_cursor = case when ${isForward} then ${own?.text ?? null}
          when reported.other is not null then ${other?.text ?? null} else webhook_endpoints.receiver_cursor end,
        receiver_seq = iif(${isForward}, reported.own, ${before}),
        gap_seq = coalesce(min(${gap}, reported.gap), ${gap}, reported.gap)
      from (select ${selectLowest(other ? [other.event] : [])} as other, ${selectLowest(own ? [own.event] : [])} as own,
        ${selectLowest(suspicious.map(({ event }) => event))} as gap) as reported
      where webhook_endpoints.id = ${id}
        and coalesce(reported.other, reported.own, reported.gap) is not null`),
  ]
}
