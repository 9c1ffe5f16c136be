// Records every attempt: an entry in its delivery's `attempts`, and a count in its endpoint's hourly statistics. This
// costs one row written per attempt in addition to the delivery's own.
import { eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { param, prepareWrite } from "../db/prepared"
import { type RecordedAttempt, webhookDeliveries, webhookHours } from "../db/schema/central/webhooks"
import { insertSelect, update, type Write } from "../db/write"
import { HOUR } from "../lib/time"
import { DELAY_BUCKETS_MS, getLatencyBucket, getStatusClass, LATENCY_BUCKETS_MS, STATUS_CLASSES } from "./histogram"
import type { Delivery } from "./reserve"

/** Attempts stored per delivery: all scheduled ones, and far more manual ones than anyone makes. */
const MAX_RECORDED_ATTEMPTS = 100

/** Characters of each response, so that the row of a delivery with all its attempts stays small. */
const MAX_EXCERPT_LENGTH = 512

export type RecordedKind = RecordedAttempt["kind"]

/** The result of an attempt. */
export interface AttemptResult {
  kind: RecordedKind
  startedAt: Date
  endedAt: Date
  delivered: boolean
  status: number | null
  error: string | null
  /** The beginning of the response. */
  excerpt: string | null
  /** The delay that the response requested. */
  retryAfterMs: number | null
}

/** The `attempts` of a delivery with the prepared parameter `recorded` appended. */
export const appendAttempt = (): SQL<RecordedAttempt[]> =>
  appendTo(sql`${webhookDeliveries.attempts}`, sql`json(${param("recorded")})`)

/** An attempt log with an attempt appended; the oldest is dropped at the limit. */
export const appendTo = (attempts: SQL, recorded: SQL): SQL<RecordedAttempt[]> => {
  const newest = sql`iif(json_array_length(${attempts}) >= ${MAX_RECORDED_ATTEMPTS}, json_remove(${attempts}, '$[0]'), ${attempts})`
  return sql`json_insert(${newest}, '$[#]', ${recorded})`
}

/** Serializes an attempt as its delivery stores it. */
export const serializeAttempt = (delivery: Pick<Delivery, "attempt">, result: AttemptResult): string =>
  JSON.stringify(toRecordedAttempt(delivery, result))

/** Returns an attempt as its delivery stores it. */
export const toRecordedAttempt = ({ attempt }: Pick<Delivery, "attempt">, result: AttemptResult): RecordedAttempt => ({
  number: attempt,
  kind: result.kind,
  startedAt: result.startedAt.getTime(),
  durationMs: getDurationMs(result),
  responseStatus: result.status,
  error: result.error,
  // The delivery's own columns have the response of its last attempt, which the success is.
  ...(result.retryAfterMs !== null && { retryAfterMs: result.retryAfterMs }),
  ...(result.excerpt && !result.delivered && { excerpt: result.excerpt.slice(0, MAX_EXCERPT_LENGTH).toWellFormed() }),
})

/**
 * Builds the writes that record an attempt, for the batch that settles it. They change nothing if the delivery was
 * deleted in the meantime. An attempt that is too late to be settled is still recorded.
 */
export const buildAttemptWrites = (delivery: Delivery, result: AttemptResult): Write[] => [
  appendMissingAttempt({ id: delivery.id, number: delivery.attempt, recorded: serializeAttempt(delivery, result) }),
  incrementHour({
    endpointId: delivery.endpointId,
    hour: Math.floor(result.endedAt.getTime() / HOUR),
    delivered: result.delivered ? 1 : 0,
    ...buildHourCounts([{ delivery, result }]),
    status: `$[${getStatusClass(result.status)}]`,
    latency: `$[${getLatencyBucket(getDurationMs(result))}]`,
    delay: `$[${getLatencyBucket(getDelayMs(delivery, result) ?? 0, DELAY_BUCKETS_MS)}]`,
    delayed: getDelayMs(delivery, result) === null ? 0 : 1,
  }),
]

/** An attempt that is counted. */
interface CountableAttempt {
  delivery: Pick<Delivery, "createdAt">
  result: AttemptResult
}

/** Counts attempts by status class, by latency, and by the time from event to delivery. */
export function buildHourCounts(
  attempts: readonly CountableAttempt[],
): Pick<HourCountParams, "statuses" | "latencies" | "delays"> {
  const countIn = (buckets: readonly unknown[], bucketOf: (attempt: CountableAttempt) => number | null) => {
    const found = attempts.map(bucketOf)
    return buckets.map((_, index) => found.filter((bucket) => bucket === index).length)
  }
  return {
    statuses: countIn(STATUS_CLASSES, ({ result }) => getStatusClass(result.status)),
    latencies: countIn([...LATENCY_BUCKETS_MS, 0], ({ result }) => getLatencyBucket(getDurationMs(result))),
    delays: countIn([...DELAY_BUCKETS_MS, 0], ({ delivery, result }) => {
      const delay = getDelayMs(delivery, result)
      return delay === null ? null : getLatencyBucket(delay, DELAY_BUCKETS_MS)
    }),
  }
}

/**
 * Returns the time from an event to its delivery, with all waiting and retries; null for a failure, and for a manual
 * retry or a recovery, whose time says nothing about the platform.
 */
const getDelayMs = ({ createdAt }: CountableAttempt["delivery"], result: AttemptResult): number | null =>
  result.delivered && result.kind !== "manual" ? Math.max(0, result.endedAt.getTime() - createdAt.getTime()) : null

/** Whether the delivery's log has the attempt, because it was settled before. */
export async function isRecorded({ db }: Pick<Ctx, "db">, { id, attempt }: Delivery): Promise<boolean> {
  const [row] = await db
    .select({ attempts: webhookDeliveries.attempts })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.id, id))
  return row?.attempts.some(({ number }) => number === attempt) ?? true
}

const appendMissingAttempt = prepareWrite<D1Result, { id: number; number: number; recorded: string }>(() =>
  update(webhookDeliveries)
    .set({ attempts: appendAttempt() })
    .where(
      sql`${eq(webhookDeliveries.id, param("id"))} and not exists (select 1 from json_each(${webhookDeliveries.attempts})
        where json_extract(value, '$.number') = ${param("number")})`,
    ),
)

/** One attempt in the hourly statistics. */
interface HourCountParams {
  endpointId: number
  hour: number
  delivered: 0 | 1
  /** The counts of the hour's row if this attempt is its first. */
  statuses: number[]
  latencies: number[]
  delays: number[]
  /** JSON paths of the counts to increment if the row exists. */
  status: string
  latency: string
  delay: string
  /** The number that is added at `delay`. */
  delayed: 0 | 1
}

const incrementHour = prepareWrite<D1Result, HourCountParams>(() => {
  const { attempts, delivered, statuses, latencies, delays } = webhookHours
  const add = (
    counts: typeof statuses | typeof latencies | typeof delays,
    path: keyof HourCountParams,
    added: SQL | Placeholder,
  ) => sql`json_set(${counts}, ${param(path)}, json_extract(${counts}, ${param(path)}) + ${added})`
  return insertSelect(
    webhookHours,
    {
      endpointId: param("endpointId"),
      hour: param("hour"),
      attempts: 1,
      delivered: param("delivered"),
      statuses: param("statuses"),
      latencies: param("latencies"),
      delays: param("delays"),
    },
    sql`from webhook_endpoints where id = ${param("endpointId")}`,
  ).onConflictDoUpdate({
    target: [webhookHours.endpointId, webhookHours.hour],
    set: {
      attempts: sql`${attempts} + 1`,
      delivered: sql`${delivered} + excluded.delivered`,
      statuses: add(statuses, "status", sql`1`),
      latencies: add(latencies, "latency", sql`1`),
      delays: add(delays, "delay", param("delayed")),
    },
  })
})

/** Returns how long an attempt took. */
export const getDurationMs = ({ startedAt, endedAt }: AttemptResult): number =>
  Math.max(0, endedAt.getTime() - startedAt.getTime())
