// What is written down of every attempt: a line on its delivery, and a count in its endpoint's hour. One row written an attempt
// beside the delivery's own.
import { type SQL, sql } from "drizzle-orm"
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

/** A delivery's attempts with one more; the oldest goes when they are too many. */
export const withAttempt = (delivery: Delivery, made: Made): SQL<RecordedAttempt[]> => {
  const { attempts } = webhookDeliveries
  const kept = sql`iif(json_array_length(${attempts}) >= ${KEPT}, json_remove(${attempts}, '$[0]'), ${attempts})`
  return sql`json_insert(${kept}, '$[#]', json(${JSON.stringify(recorded(delivery, made))}))`
}

const recorded = ({ attempt }: Delivery, made: Made): RecordedAttempt => ({
  number: attempt,
  kind: made.kind,
  startedAt: made.startedAt.getTime(),
  durationMs: durationOf(made),
  responseStatus: made.status,
  error: made.error,
})

/**
 * The writes that record an attempt beside the one that settles it; none of them touches a row when its delivery was deleted
 * meanwhile. One whose worker came too late to settle is recorded all the same.
 */
export const recordWrites = (delivery: Delivery, made: Made): Write[] => [
  update(webhookDeliveries)
    .set({ attempts: withAttempt(delivery, made) })
    .where(
      sql`${webhookDeliveries.id} = ${delivery.id} and not exists (select 1 from json_each(${webhookDeliveries.attempts})
        where json_extract(value, '$.number') = ${delivery.attempt})`,
    ),
  countInHour(delivery.endpointId, made),
]

function countInHour(endpointId: number, made: Made): Write {
  const status = `$[${classOf(made.status)}]`
  const latency = `$[${stepOf(durationOf(made))}]`
  const { attempts, delivered, statuses, latencies } = webhookHours
  return insertSelect(
    webhookHours,
    {
      endpointId,
      hour: Math.floor(made.endedAt.getTime() / HOUR),
      attempts: 1,
      delivered: made.delivered ? 1 : 0,
      statuses: CLASSES.map((_, index) => (index === classOf(made.status) ? 1 : 0)),
      latencies: [...STEPS, 0].map((_, index) => (index === stepOf(durationOf(made)) ? 1 : 0)),
    },
    sql`from webhook_endpoints where id = ${endpointId}`,
  ).onConflictDoUpdate({
    target: [webhookHours.endpointId, webhookHours.hour],
    set: {
      attempts: sql`${attempts} + 1`,
      delivered: sql`${delivered} + excluded.delivered`,
      statuses: sql`json_set(${statuses}, ${status}, json_extract(${statuses}, ${status}) + 1)`,
      latencies: sql`json_set(${latencies}, ${latency}, json_extract(${latencies}, ${latency}) + 1)`,
    },
  })
}

const durationOf = ({ startedAt, endedAt }: Made): number => Math.max(0, endedAt.getTime() - startedAt.getTime())
