// Records every attempt: an entry in its delivery's `attempts`, and a count in its endpoint's hourly statistics. This
// costs one row written per attempt in addition to the delivery's own.
import { eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { param, prepareWrite } from "../db/prepared"
import { type RecordedAttempt, webhookDeliveries, webhookHours } from "../db/schema/central/webhooks"
import { insertSelect, update, type Write } from "../db/write"
import { HOUR } from "../lib/time"
import { getLatencyBucket, getStatusClass, LATENCY_BUCKETS_MS, STATUS_CLASSES } from "./histogram"
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
    ...buildHourCounts([result]),
    status: `$[${getStatusClass(result.status)}]`,
    latency: `$[${getLatencyBucket(getDurationMs(result))}]`,
  }),
]

/** Counts attempts by the class of their status and by their latency. */
export const buildHourCounts = (
  results: readonly AttemptResult[],
): Pick<HourCountParams, "statuses" | "latencies"> => ({
  statuses: STATUS_CLASSES.map((_, index) => results.filter(({ status }) => index === getStatusClass(status)).length),
  latencies: [...LATENCY_BUCKETS_MS, 0].map(
    (_, index) => results.filter((result) => index === getLatencyBucket(getDurationMs(result))).length,
  ),
})

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
  /** JSON paths of the counts to increment if the row exists. */
  status: string
  latency: string
}

const incrementHour = prepareWrite<D1Result, HourCountParams>(() => {
  const { attempts, delivered, statuses, latencies } = webhookHours
  const increment = (counts: typeof statuses | typeof latencies, path: keyof HourCountParams) =>
    sql`json_set(${counts}, ${param(path)}, json_extract(${counts}, ${param(path)}) + 1)`
  return insertSelect(
    webhookHours,
    {
      endpointId: param("endpointId"),
      hour: param("hour"),
      attempts: 1,
      delivered: param("delivered"),
      statuses: param("statuses"),
      latencies: param("latencies"),
    },
    sql`from webhook_endpoints where id = ${param("endpointId")}`,
  ).onConflictDoUpdate({
    target: [webhookHours.endpointId, webhookHours.hour],
    set: {
      attempts: sql`${attempts} + 1`,
      delivered: sql`${delivered} + excluded.delivered`,
      statuses: increment(statuses, "status"),
      latencies: increment(latencies, "latency"),
    },
  })
})

/** Returns how long an attempt took. */
export const getDurationMs = ({ startedAt, endedAt }: AttemptResult): number =>
  Math.max(0, endedAt.getTime() - startedAt.getTime())
