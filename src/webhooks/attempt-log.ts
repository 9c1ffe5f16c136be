// What is written down of every attempt: a line on its delivery, and a count in its endpoint's hour. One row written an attempt
// beside the delivery's own.
import { eq, type SQL, sql } from "drizzle-orm"
import { compiledWrite, given } from "../db/prepared"
import { type RecordedAttempt, webhookDeliveries, webhookHours } from "../db/schema/central/webhooks"
import { insertSelect, update, type Write } from "../db/write"
import { HOUR } from "../lib/time"
import { CLASSES, classOf, STEPS, stepOf } from "./histogram"
import type { Delivery } from "./reserve"

/** Attempts that a delivery keeps: those that the platform makes by itself, and far more than anybody makes by hand. */
const KEPT = 100

export type RecordedKind = RecordedAttempt["kind"]

/** How an attempt went. */
export interface Made {
  kind: RecordedKind
  startedAt: Date
  endedAt: Date
  delivered: boolean
  status: number | null
  error: string | null
}

/** A delivery's attempts with one more, `given` as `recorded`; the oldest goes when they are too many. */
export const withAttempt = (): SQL<RecordedAttempt[]> => {
  const { attempts } = webhookDeliveries
  const kept = sql`iif(json_array_length(${attempts}) >= ${KEPT}, json_remove(${attempts}, '$[0]'), ${attempts})`
  return sql`json_insert(${kept}, '$[#]', json(${given("recorded")}))`
}

/** The text of an attempt as its delivery keeps it. */
export const recorded = ({ attempt }: Pick<Delivery, "attempt">, made: Made): string =>
  JSON.stringify({
    number: attempt,
    kind: made.kind,
    startedAt: made.startedAt.getTime(),
    durationMs: durationOf(made),
    responseStatus: made.status,
    error: made.error,
  } satisfies RecordedAttempt)

/**
 * The writes that record an attempt beside the one that settles it; none of them touches a row when its delivery was deleted
 * meanwhile. One whose worker came too late to settle is recorded all the same.
 */
export const recordWrites = (delivery: Delivery, made: Made): Write[] => [
  recordLate({ id: delivery.id, number: delivery.attempt, recorded: recorded(delivery, made) }),
  countInHour({
    endpointId: delivery.endpointId,
    hour: Math.floor(made.endedAt.getTime() / HOUR),
    delivered: made.delivered ? 1 : 0,
    statuses: CLASSES.map((_, index) => (index === classOf(made.status) ? 1 : 0)),
    latencies: [...STEPS, 0].map((_, index) => (index === stepOf(durationOf(made)) ? 1 : 0)),
    status: `$[${classOf(made.status)}]`,
    latency: `$[${stepOf(durationOf(made))}]`,
  }),
]

const recordLate = compiledWrite<D1Result, { id: number; number: number; recorded: string }>(() =>
  update(webhookDeliveries)
    .set({ attempts: withAttempt() })
    .where(
      sql`${eq(webhookDeliveries.id, given("id"))} and not exists (select 1 from json_each(${webhookDeliveries.attempts})
        where json_extract(value, '$.number') = ${given("number")})`,
    ),
)

/** An attempt as its hour counts it. */
interface Counted {
  endpointId: number
  hour: number
  delivered: 0 | 1
  /** What the hour begins with, where the attempt is its first. */
  statuses: number[]
  latencies: number[]
  /** Where in those two the attempt counts, as JSON paths. */
  status: string
  latency: string
}

const countInHour = compiledWrite<D1Result, Counted>(() => {
  const { attempts, delivered, statuses, latencies } = webhookHours
  const another = (counts: typeof statuses | typeof latencies, path: keyof Counted) =>
    sql`json_set(${counts}, ${given(path)}, json_extract(${counts}, ${given(path)}) + 1)`
  return insertSelect(
    webhookHours,
    {
      endpointId: given("endpointId"),
      hour: given("hour"),
      attempts: 1,
      delivered: given("delivered"),
      statuses: given("statuses"),
      latencies: given("latencies"),
    },
    sql`from webhook_endpoints where id = ${given("endpointId")}`,
  ).onConflictDoUpdate({
    target: [webhookHours.endpointId, webhookHours.hour],
    set: {
      attempts: sql`${attempts} + 1`,
      delivered: sql`${delivered} + excluded.delivered`,
      statuses: another(statuses, "status"),
      latencies: another(latencies, "latency"),
    },
  })
})

const durationOf = ({ startedAt, endedAt }: Made): number => Math.max(0, endedAt.getTime() - startedAt.getTime())
