// Assigns each event a sequence number (`seq`) in commit order. D1 runs one transaction at a time, so a number taken
// inside the commit defines the order, and a reader that has seen every number up to the highest has missed nothing.

import { type SQL, sql } from "drizzle-orm"
import { literal } from "../../db/literal"
import { type Write, writeSql } from "../../db/write"
import type { Settings } from "../../env"

/** A delivery's id is `seq * MAX_ENDPOINTS_PER_EVENT + endpoint id`. */
const MAX_ENDPOINTS_PER_EVENT = 2 ** 20

/** The incarnation of the store that an event is about: its own, or that of its audit entry. */
export const incarnationOf = (event: SQL): SQL<number | null> =>
  sql`coalesce(${event}.store_seq, (select entry.store_seq from audit_entries as entry where entry.id = ${event}.entry_id))`

/** Positions in the log, stored as rows of `counters`. */
type Watermark = "horizon" | "pruned" | "passed" | "routed" | "replicated"

const readWatermark = (mark: Watermark): SQL<number> => sql`coalesce((select "counters"."total" from "counters"
  where "counters"."list" = 'webhook_events' and "counters"."filter" = ${literal(mark)}), 0)`

/** The highest pruned `seq`; 0 when none was pruned. An empty log continues from here. */
export const horizon: SQL<number> = readWatermark("horizon")

/** The highest `seq` that exists or ever existed. */
export const head: SQL<number> = sql`max(coalesce((select max(newest.seq) from webhook_events as newest), 0), ${horizon})`

/**
 * The `seq` of the event that is being inserted. Skips numbers that deliveries still use, even if their event was
 * deleted.
 */
export const nextSeq: SQL<number> = sql`(select 1 + max(${head},
  coalesce((select max(newest.id) from webhook_deliveries as newest), 0) / ${literal(MAX_ENDPOINTS_PER_EVENT)}))`

/**
 * Builds the write that advances the horizon past the events that the same batch deletes.
 * @param seqs a select of their `seq`
 */
export const advanceHorizon = (seqs: SQL): Write =>
  advanceWatermark(
    "horizon",
    sql`select max(pruned.seq) as position from (${seqs}) as pruned having max(pruned.seq) is not null`,
  )

/** The `seq` up to which delivered events were pruned. Events left below it have an undelivered delivery. */
export const lastPruned: SQL<number> = readWatermark("pruned")

/** Builds the write that advances `lastPruned`. */
export const advancePruned = (seq: number): Write => advanceWatermark("pruned", sql`select ${seq} as position`)

/** The `seq` up to which deliveries were created in this database. */
export const routed: SQL<number> = readWatermark("routed")

/** Builds the write that advances `routed`. */
export const advanceRouted = (seq: number): Write => advanceWatermark("routed", sql`select ${seq} as position`)

/** The version of the endpoints that a delivery database has replicas of; see subscribers.ts. */
export const replicated: SQL<number> = readWatermark("replicated")

/** Builds the write that advances `replicated`. */
export const advanceReplicated = (version: number): Write =>
  advanceWatermark("replicated", sql`select ${version} as position`)

/**
 * Progress of the retention pass: a delivery's id, which contains its event's `seq`; 0 between two passes. Every pass
 * starts over, because a delivery that one pass had to skip may have finished by the next.
 */
export const retentionCursor: SQL<number> = readWatermark("passed")

/** Builds the write that stores the cursor of the retention pass. */
export const setRetentionCursor = (position: number): Write =>
  setWatermark("passed", sql`select ${position} as position`)

/** Moves a watermark forward, never back. */
const advanceWatermark = (mark: Watermark, position: SQL): Write =>
  setWatermark(mark, position, sql`excluded."total" > "counters"."total"`)

/** @param moves condition under which an existing watermark is overwritten */
const setWatermark = (mark: Watermark, position: SQL, moves = sql`true`): Write =>
  writeSql(sql`insert into "counters" ("list", "filter", "total")
    select 'webhook_events', ${mark}, moved.position from (${position}) as moved where true
    on conflict ("list", "filter") do update set "total" = excluded."total" where ${moves}`)

/**
 * Days for which a fully delivered event is retained; 0 means forever.
 * An event with an undelivered delivery is retained as long as its deliveries: TENANCY_WEBHOOKS_RETENTION_DAYS.
 */
export function getEventRetentionDays(
  settings: Pick<Settings, "TENANCY_WEBHOOKS_PAYLOAD_DAYS" | "TENANCY_WEBHOOKS_RETENTION_DAYS">,
): number {
  const set = [settings.TENANCY_WEBHOOKS_PAYLOAD_DAYS, settings.TENANCY_WEBHOOKS_RETENTION_DAYS].filter(
    (days) => days > 0,
  )
  return set.length ? Math.min(...set) : 0
}

/** A delivery's id, computed from its event's `seq` and its endpoint's id, so no table needs a counter. */
export const deliveryId = (seq: SQL, endpointId: SQL | number): SQL<number> =>
  sql`${seq} * ${literal(MAX_ENDPOINTS_PER_EVENT)} + ${endpointId}`

/** The same as a number. */
export const deliveryIdOf = (seq: number, endpointId: number): number => seq * MAX_ENDPOINTS_PER_EVENT + endpointId

/** Returns the endpoint of a delivery, from its id. */
export const endpointIdOf = (delivery: number): number => delivery % MAX_ENDPOINTS_PER_EVENT

/** The endpoint of a delivery, from its id as SQL. */
export const endpointIdIn = (delivery: SQL): SQL => sql`${delivery} % ${literal(MAX_ENDPOINTS_PER_EVENT)}`

/** Returns the `seq` of a delivery's event, from its id. */
export const seqOf = (delivery: number): number => Math.floor(delivery / MAX_ENDPOINTS_PER_EVENT)

/** The `seq` of the first event whose last delivery id is greater than `position`. */
export const firstSeqAfter = (position: SQL | number): SQL<number> =>
  sql`cast(${position} + 1 as integer) / ${literal(MAX_ENDPOINTS_PER_EVENT)}`

/** The highest delivery id that an event can have. */
export const maxDeliveryId = (seq: SQL): SQL<number> => deliveryId(seq, MAX_ENDPOINTS_PER_EVENT - 1)

/** Condition that a delivery id belongs to an event. */
export const belongsToEvent = (delivery: SQL, seq: SQL): SQL =>
  sql`${delivery} between ${deliveryId(seq, 0)} and ${maxDeliveryId(seq)}`
