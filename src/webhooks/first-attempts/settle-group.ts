// Settles the results of a group of attempts in one transaction. Their totals and hourly statistics are written once
// per endpoint, not once per delivery.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import type { DeliveryDatabase } from "../../core/write/delivery-databases"
import { retryTransient } from "../../core/write/retry"
import { groupTotals } from "../../core/write/totals"
import { literal } from "../../db/literal"
import { type Write, writeSql } from "../../db/write"
import { currentTime } from "../../lib/clock"
import { HOUR } from "../../lib/time"
import { announceExhausted, announceOutcome } from "../announcements"
import { buildDeliveryResult, isClosed, toCountedAttempt } from "../attempt"
import { type AttemptResult, appendTo, buildHourCounts, toRecordedAttempt } from "../attempt-log"
import { buildOutcomeWrites, countAttempts } from "../failure-counter"
import { enqueueNext } from "../ordering"
import { checkReceiver } from "../receiver-cursor/reconcile"
import { buildReportWrites, needsCheck, readReport } from "../receiver-cursor/report"
import type { ReservedAttempt } from "../reserve"
import type { SentOutcome } from "../send"

/** A first attempt that was made. */
export interface FinishedAttempt {
  attempt: ReservedAttempt
  outcome: SentOutcome
  result: AttemptResult
}

/**
 * Counts and settles attempts. Their receivers have the events by now: without their results, the attempts would be
 * made again.
 * @param finished attempts of one database
 * @throws the database's error when no repetition succeeds
 */
export async function settleGroup(
  ctx: Ctx,
  home: DeliveryDatabase,
  finished: readonly FinishedAttempt[],
): Promise<void> {
  const ofEndpoints = [...Map.groupBy(finished, ({ attempt }) => attempt.endpoint.id).values()]
  const counts = await Promise.all(ofEndpoints.map((some) => countGroup(ctx, some)))
  const outcomeWrites = ofEndpoints.flatMap((some, index) => {
    const endpoint = some[0]?.attempt.endpoint
    const failure = some.findLast(({ outcome }) => !outcome.delivered)
    const at = (failure ?? some[0])?.result.endedAt
    return endpoint && at ? buildOutcomeWrites(endpoint, !failure, counts[index] ?? null, at) : []
  })
  const reports = ofEndpoints.map((some) =>
    some.flatMap(({ attempt, outcome, result }) => readReport(attempt, outcome, result.endedAt) ?? []),
  )
  const reportWrites = ofEndpoints.flatMap((some, index) =>
    some[0] ? buildReportWrites(some[0].attempt.endpoint, reports[index] ?? []) : [],
  )
  const results = JSON.stringify(finished.map(toRow))
  const totals = groupTotals(finished.map(toTotal), countSettled(results))
  await retryTransient(async (round) => {
    if (round > 1 && (await isSettled(home, finished))) return
    await writeUnaudited({ db: home.db }, "progress", [
      ...totals.before,
      writeSql(sql`update webhook_deliveries set ${RESULT_COLUMNS}, attempts = ${APPENDED}
        from json_each(${results}) as result where ${isResultOf("webhook_deliveries")}`),
      ...totals.after,
      // A result that is too late to be settled is still recorded.
      writeSql(sql`update webhook_deliveries set attempts = ${APPENDED} from json_each(${results}) as result
        where webhook_deliveries.id = result.value ->> '$.id'
          and not exists (select 1 from json_each(webhook_deliveries.attempts) as made
            where made.value ->> '$.number' = result.value ->> '$.attempt')`),
      ...ofEndpoints.map(buildHourWrite),
      ...outcomeWrites,
      ...(home.isCentral ? reportWrites : []),
    ])
  })
  const centralWrites = home.isCentral ? [] : [...outcomeWrites, ...reportWrites]
  if (centralWrites.length) await retryTransient(() => writeUnaudited(ctx, "progress", centralWrites))
  // lint: each endpoint is announced and checked separately
  for (const [index, some] of ofEndpoints.entries()) {
    const delivered = some.every(({ outcome }) => outcome.delivered)
    const endpoint = some[0]?.attempt.endpoint
    if (!endpoint) continue
    announceOutcome(ctx, endpoint, delivered, counts[index] ?? null)
    if (needsCheck(endpoint, reports[index] ?? [])) ctx.inBackground(checkReceiver(ctx, endpoint.id))
  }
  const closed = finished
    .map(({ attempt: { delivery, endpoint }, outcome, result }) => ({
      delivery: { ...delivery, ...buildDeliveryResult(delivery, outcome, result.endedAt) },
      endpoint,
    }))
    .filter(({ delivery }) => isClosed(delivery))
  enqueueNext(ctx, home, closed)
  announceExhausted(
    ctx,
    closed.filter(({ delivery }) => delivery.status === "exhausted"),
  )
}

/** Counts the attempts of one endpoint. */
function countGroup(ctx: Ctx, finished: readonly FinishedAttempt[]) {
  const attempts = finished.map(({ attempt: { delivery, slotToken }, result }) => ({
    ...toCountedAttempt(delivery, result),
    slotToken,
  }))
  return countAttempts(ctx, finished[0]?.attempt.endpoint.id ?? 0, attempts, currentTime())
}

/** The total that a delivery belongs to. */
const toTotal = ({ attempt: { delivery } }: FinishedAttempt) => ({
  endpoint: delivery.endpointId,
  event: delivery.event,
})

/** The result of a delivery, as the statements below read it. */
const toRow = ({ attempt: { delivery }, outcome, result }: FinishedAttempt) => {
  const { responseExcerpt, responseStatus, ...columns } = buildDeliveryResult(delivery, outcome, result.endedAt)
  return {
    id: delivery.id,
    attempt: delivery.attempt,
    status: columns.status,
    responseStatus,
    responseExcerpt,
    error: columns.error,
    nextAttemptAt: columns.nextAttemptAt?.getTime() ?? null,
    deliveredAt: columns.deliveredAt?.getTime() ?? null,
    updatedAt: result.endedAt.getTime(),
    recorded: toRecordedAttempt(delivery, result),
  }
}

const RESULT_COLUMNS = sql`status = result.value ->> '$.status', response_status = result.value ->> '$.responseStatus',
  response_excerpt = result.value ->> '$.responseExcerpt', error = result.value ->> '$.error',
  next_attempt_at = result.value ->> '$.nextAttemptAt', delivered_at = result.value ->> '$.deliveredAt',
  updated_at = result.value ->> '$.updatedAt'`

const APPENDED = appendTo(sql`webhook_deliveries.attempts`, sql`result.value -> '$.recorded'`)

/** The row is still at the attempt of the result. */
const isResultOf = (delivery: "webhook_deliveries" | "settled"): SQL => {
  const column = (name: string) => sql`${sql.identifier(delivery)}.${sql.identifier(name)}`
  return sql`${column("id")} = result.value ->> '$.id' and ${column("attempt")} = result.value ->> '$.attempt'
    and ${column("status")} = 'pending'`
}

/** Subtracts from the totals what a group settles, and adds it under its new status. */
const countSettled = (results: string): Write =>
  writeSql(sql`update webhook_totals set
      pending = webhook_totals.pending - counted.total,
      delivered = webhook_totals.delivered + counted.delivered,
      failed = webhook_totals.failed + counted.failed,
      exhausted = webhook_totals.exhausted + counted.exhausted,
      last_success_at = coalesce(counted.last_success_at, webhook_totals.last_success_at)
    from (
      select settled.endpoint_id, settled.event, count(*) as total,
        sum(result.value ->> '$.status' = 'delivered') as delivered,
        sum(result.value ->> '$.status' = 'failed') as failed,
        sum(result.value ->> '$.status' = 'exhausted') as exhausted,
        max(result.value ->> '$.deliveredAt') as last_success_at
      from json_each(${results}) as result cross join webhook_deliveries as settled on ${isResultOf("settled")}
      group by settled.endpoint_id, settled.event) as counted
    where webhook_totals.endpoint_id = counted.endpoint_id and webhook_totals.event = counted.event`)

/** Adds the results of an endpoint to its hourly statistics. */
function buildHourWrite(finished: readonly FinishedAttempt[]): Write {
  const counts = buildHourCounts(finished.map(({ attempt: { delivery }, result }) => ({ delivery, result })))
  const delivered = finished.filter(({ result }) => result.delivered).length
  const endpoint = finished[0]?.attempt.endpoint.id ?? 0
  const hour = Math.floor(Math.max(...finished.map(({ result }) => result.endedAt.getTime())) / HOUR)
  return writeSql(sql`insert into webhook_hours (endpoint_id, hour, attempts, delivered, statuses, latencies, delays)
    select id, ${hour}, ${finished.length}, ${delivered}, ${JSON.stringify(counts.statuses)},
      ${JSON.stringify(counts.latencies)}, ${JSON.stringify(counts.delays)}
    from webhook_endpoints where id = ${endpoint}
    on conflict (endpoint_id, hour) do update set attempts = attempts + excluded.attempts,
      delivered = delivered + excluded.delivered, 
      statuses = ${addCounts("statuses", counts.statuses)}, latencies = ${addCounts("latencies", counts.latencies)},
      delays = ${addCounts("delays", counts.delays)}`)
}

/** Counts that one call of `json_set` adds; a function has 32 arguments in D1. */
const COUNTS_PER_CALL = 15

/** Adds counts to those of a column. Reads no rows, which `json_each` would. */
function addCounts(name: "statuses" | "latencies" | "delays", counts: readonly number[]): SQL {
  const column = sql`webhook_hours.${sql.identifier(name)}`
  const added = counts.flatMap((count, index) => {
    const path = literal(`$[${index}]`)
    return count ? [sql`, ${path}, json_extract(${column}, ${path}) + ${literal(count)}`] : []
  })
  let sum = column
  for (let start = 0; start < added.length; start += COUNTS_PER_CALL)
    sum = sql`json_set(${sum}${sql.join(added.slice(start, start + COUNTS_PER_CALL))})`
  return sum
}

/** Whether a group was settled by a call whose response was lost: the log of one of its deliveries has the attempt. */
async function isSettled({ db }: DeliveryDatabase, finished: readonly FinishedAttempt[]): Promise<boolean> {
  const made = JSON.stringify(finished.map(({ attempt: { delivery } }) => [delivery.id, delivery.attempt]))
  const rows = await db
    .select({ found: sql<number>`1` })
    .from(
      sql`json_each(${made}) as made cross join webhook_deliveries as delivery on delivery.id = made.value ->> '$[0]'
        cross join json_each(delivery.attempts) as logged on logged.value ->> '$.number' = made.value ->> '$[1]'`,
    )
    .limit(1)
  return rows.length > 0
}
