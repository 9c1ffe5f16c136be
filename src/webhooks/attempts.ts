// What is written down of every attempt: a row of its own, and a count in its endpoint's hour. Two rows written an attempt.
import { sql } from "drizzle-orm"
import { webhookAttempts, webhookHours } from "../db/schema/central/webhooks"
import { insertSelect, type Write } from "../db/write"
import { HOUR } from "../lib/time"
import { CLASSES, classOf, STEPS, stepOf } from "./histogram"
import type { Delivery } from "./reserve"

/** Attempts of a delivery that are told apart; the trigger that deletes them knows this number too. */
export const ATTEMPTS_A_DELIVERY = 65_536

export type Attempt = typeof webhookAttempts.$inferSelect
export type RecordedKind = Attempt["kind"]

/** How an attempt went. */
export interface Made {
  kind: RecordedKind
  startedAt: Date
  endedAt: Date
  delivered: boolean
  status: number | null
  error: string | null
}

/** The writes that record an attempt; none of them touches a row when its delivery was deleted meanwhile. */
export const recordWrites = ({ id, endpointId, attempt }: Delivery, made: Made): Write[] => [
  insertSelect(
    webhookAttempts,
    {
      id: id * ATTEMPTS_A_DELIVERY + Math.min(attempt, ATTEMPTS_A_DELIVERY - 1),
      kind: made.kind,
      startedAt: made.startedAt,
      durationMs: durationOf(made),
      responseStatus: made.status,
      error: made.error,
    },
    sql`from webhook_deliveries where id = ${id}`,
  ).onConflictDoNothing(),
  countInHour(endpointId, made),
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
