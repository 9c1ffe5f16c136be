// The log of events: every event in the order of its commit, told by `seq`. D1 runs one transaction at a time, so a number taken
// inside the commit is the order, and whoever has read all numbers up to the highest has missed none.
import { type SQL, sql } from "drizzle-orm"
import { type Write, writeSql } from "../../db/write"
import type { Settings } from "../../env"

/** Endpoints that the numbers of deliveries leave room for. */
const ENDPOINTS_AN_EVENT = 2 ** 20

/** Numbers that are kept of the log as a whole. */
type Mark = "horizon" | "pruned" | "passed"

const readMark = (mark: Mark): SQL<number> => sql`coalesce((select "counters"."total" from "counters"
  where "counters"."list" = 'webhook_events' and "counters"."filter" = ${sql.raw(`'${mark}'`)}), 0)`

/** The highest number that is no longer kept; 0 while all are. An emptied log goes on from here. */
export const horizon: SQL<number> = readMark("horizon")

/** The highest number there is, or ever was. */
export const head: SQL<number> = sql`max(coalesce((select max(newest.seq) from webhook_events as newest), 0), ${horizon})`

/** The number of the event that is being inserted; none that a delivery was made of, whatever became of its event. */
export const nextSeq: SQL<number> = sql`(select 1 + max(${head},
  coalesce((select max(newest.id) from webhook_deliveries as newest), 0) / ${sql.raw(String(ENDPOINTS_AN_EVENT))}))`

/**
 * The write that moves the horizon behind events which the same batch is about to delete.
 * @param which a select of their numbers
 */
export const moveHorizon = (which: SQL): Write =>
  moveMark("horizon", sql`select max(gone.seq) as place from (${which}) as gone having max(gone.seq) is not null`)

/** How far the pruning of events that arrived has looked: those below that are still there have a delivery that did not arrive. */
export const lastPruned: SQL<number> = readMark("pruned")

/** The write that notes how far that pruning has looked. */
export const movePruned = (seq: number): Write => moveMark("pruned", sql`select ${seq} as place`)

/**
 * How far the pass over what is past its retention has come: the number of a delivery, which tells its event's as well; 0 between two
 * passes. Each pass begins anew, since what one had to leave may be finished by the next.
 */
export const passed: SQL<number> = readMark("passed")

/** The write that notes how far that pass has come. */
export const movePassed = (place: number): Write => setMark("passed", sql`select ${place} as place`)

/** Moves a mark of the log forward, never back. */
const moveMark = (mark: Mark, place: SQL): Write => setMark(mark, place, sql`excluded."total" > "counters"."total"`)

/** @param moves whether a mark that is there already is moved */
const setMark = (mark: Mark, place: SQL, moves = sql`true`): Write =>
  writeSql(sql`insert into "counters" ("list", "filter", "total")
    select 'webhook_events', ${mark}, moved.place from (${place}) as moved where true
    on conflict ("list", "filter") do update set "total" = excluded."total" where ${moves}`)

/**
 * For how many days an event is kept that arrived wherever it was sent; 0 for ever.
 * One that did not is kept as long as its deliveries are: TENANCY_WEBHOOKS_RETENTION_DAYS.
 */
export function payloadDays(
  settings: Pick<Settings, "TENANCY_WEBHOOKS_PAYLOAD_DAYS" | "TENANCY_WEBHOOKS_RETENTION_DAYS">,
): number {
  const set = [settings.TENANCY_WEBHOOKS_PAYLOAD_DAYS, settings.TENANCY_WEBHOOKS_RETENTION_DAYS].filter(
    (days) => days > 0,
  )
  return set.length ? Math.min(...set) : 0
}

/** The number of a delivery: made of its event's and its endpoint's, so that no table has to count. */
export const deliveryId = (seq: SQL, endpointId: SQL | number): SQL<number> =>
  sql`${seq} * ${sql.raw(String(ENDPOINTS_AN_EVENT))} + ${endpointId}`

/** The number of the first event whose last place is behind a place. */
export const firstBehind = (place: SQL | number): SQL<number> =>
  sql`cast(${place} + 1 as integer) / ${sql.raw(String(ENDPOINTS_AN_EVENT))}`

/** The highest number that a delivery of an event may have: where the event stands among deliveries. */
export const lastPlace = (seq: SQL): SQL<number> => deliveryId(seq, ENDPOINTS_AN_EVENT - 1)

/** Whether a delivery belongs to an event, as a condition on the delivery's number. */
export const isOfEvent = (delivery: SQL, seq: SQL): SQL =>
  sql`${delivery} between ${deliveryId(seq, 0)} and ${lastPlace(seq)}`
