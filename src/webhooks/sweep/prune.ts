// Prunes finished deliveries past their retention, and events that are no longer needed.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deleteExpired } from "../../core/queue/delete-expired"
import { writeUnaudited } from "../../core/write/commit"
import { type DeliveryDatabase, getDeliveryDatabase, listDeliveryDatabases } from "../../core/write/delivery-databases"
import {
  advanceHorizon,
  advancePruned,
  belongsToEvent,
  firstSeqAfter,
  getEventRetentionDays,
  lastPruned,
  maxDeliveryId,
  retentionCursor,
  setRetentionCursor,
} from "../../core/write/event-log"
import { readRouted } from "../../core/write/event-router"
import { isPaused } from "../../core/write/rehoming"
import { webhookDeliveries, webhookEvents, webhookHours } from "../../db/schema/central/webhooks"
import { remove, type Write, writeSql } from "../../db/write"
import { addMs, DAY, HOUR } from "../../lib/time"
import { ulidFloor } from "../../lib/ulid"
import { readArchivedSeq } from "../events/archive"

/** Rows per transaction, so that other writes are not blocked for long. */
const CHUNK_SIZE = 1_000

/** Transactions of each kind per run: more than fourteen million rows per day. */
const CHUNKS_PER_RUN = 10

export interface PruneCounts {
  deliveries: number
  events: number
}

/** Hours of statistics that are retained: as many as the API returns, and the current one. */
const RETAINED_HOURS = 721

const pruneHours = (ctx: Pick<Ctx, "db" | "now" | "run">): Promise<void> => {
  const { endpointId, hour } = webhookHours
  const before = Math.floor(ctx.now.getTime() / HOUR) - RETAINED_HOURS
  return deleteExpired(
    ctx,
    webhookHours,
    (limit) => sql`select ${endpointId}, ${hour} from ${webhookHours} where ${hour} < ${before} limit ${limit}`,
    sql`(${endpointId}, ${hour})`,
  )
}

/**
 * Deletes deliveries whose events are older than TENANCY_WEBHOOKS_RETENTION_DAYS, and events older than
 * TENANCY_WEBHOOKS_PAYLOAD_DAYS that all their endpoints received. An event that did not arrive is retained as long as
 * its deliveries, so that it can be retried. 0 retains everything. With TENANCY_EVENTS_ARCHIVE, events are archived
 * before they are deleted.
 */
export async function prune(ctx: Ctx): Promise<PruneCounts> {
  const pruned: PruneCounts = { deliveries: 0, events: 0 }
  const { TENANCY_WEBHOOKS_RETENTION_DAYS: retention } = ctx.settings
  const expireBefore = ulidFloor(getCutoff(ctx, retention))
  // lint: each delivery database
  for (const home of listDeliveryDatabases(ctx)) {
    const { db } = home
    const { now, run } = ctx
    await pruneHours({ db, now, run })
    if (retention > 0 && !home.isCentral) await runInChunks(ctx, () => pruneExpired(ctx, home, expireBefore), pruned)
  }
  const central = getDeliveryDatabase(ctx, "DB")
  if (retention > 0) await runInChunks(ctx, () => pruneExpired(ctx, central, expireBefore), pruned)
  const payload = getEventRetentionDays(ctx.settings)
  if (payload > 0) await runInChunks(ctx, () => pruneDelivered(ctx, ulidFloor(getCutoff(ctx, payload))), pruned)
  return pruned
}

/**
 * Reads the `seq` up to which events may be deleted: those whose deliveries were created and, with
 * TENANCY_EVENTS_ARCHIVE, that are archived.
 */
async function readPrunable(ctx: Ctx): Promise<SQL | number> {
  const [routed, archived] = await Promise.all([readRouted(ctx), readArchivedSeq(ctx)])
  return archived === null ? routed : sql`min(${routed}, ${archived})`
}

const getCutoff = (ctx: Ctx, days: number): number => addMs(ctx.now, -days * DAY).getTime()

/**
 * Builds the condition that no delivery in a separate database refers to an event of a range.
 * @param range condition on the events
 * @param status condition on the deliveries
 */
async function isUnreferencedElsewhere(ctx: Ctx, range: SQL, status: SQL): Promise<SQL> {
  const separate = listDeliveryDatabases(ctx).filter(({ isCentral }) => !isCentral)
  if (!separate.length) return sql`true`
  const events = await ctx.db.select({ seq: sql<number>`event.seq` }).from(sql`webhook_events as event`).where(range)
  const seqs = JSON.stringify(events.map(({ seq }) => seq))
  const referenced = await Promise.all(
    // lint: each delivery database
    separate.map(({ db }) =>
      db
        .select({ seq: sql<number>`event.value` })
        .from(sql`json_each(${seqs}) as event`)
        .where(
          sql`exists (select 1 from webhook_deliveries as delivery
            where ${belongsToEvent(sql`delivery.id`, sql`event.value`)} and ${status})`,
        ),
    ),
  )
  const found = new Set(referenced.flat().map(({ seq }) => seq))
  return sql`event.seq not in (select value from json_each(${JSON.stringify([...found])}))`
}

/** @param chunk deletes one chunk; returns the number of deleted rows, and whether there may be more */
async function runInChunks(
  ctx: Ctx,
  chunk: () => Promise<PruneCounts & { hasMore: boolean }>,
  sum: PruneCounts,
): Promise<void> {
  for (let count = 0; count < CHUNKS_PER_RUN; count++) {
    const { deliveries, events, hasMore } = await chunk()
    sum.deliveries += deliveries
    sum.events += events
    if (!hasMore || ctx.run.isOutOfTime()) return
  }
}

/**
 * Runs one step of a pass over everything past its retention, in the order of delivery ids; an event comes after its
 * deliveries. Unfinished deliveries are skipped and visited again by the next pass, so they never block what follows
 * them.
 * @param before lowest event id that is retained
 */
async function pruneExpired(
  ctx: Ctx,
  { name, db, isCentral }: DeliveryDatabase,
  before: string,
): Promise<PruneCounts & { hasMore: boolean }> {
  const [step] = await db
    .select({ from: retentionCursor, to: sql<number | null>`max(place)`, count: sql<number>`count(*)` })
    .from(sql`(${selectOldPositions(before)})`)
  if (!step || (step.from === 0 && step.count === 0)) return { deliveries: 0, events: 0, hasMore: false }
  const { from, to, count } = step
  const end = to ?? from
  const hasMore = count === CHUNK_SIZE
  const next = hasMore ? end : 0
  const finished = sql`select old.id from webhook_deliveries as old
    where old.id > ${from} and old.id <= ${end} and old.event_id < ${before} and old.status in ('delivered', 'exhausted')
      and not ${isPaused(sql`old.endpoint_id`, name)}`
  const range = sql`event.seq >= ${firstSeqAfter(from)} and event.seq < ${firstSeqAfter(end)} and event.id < ${before}
    and event.seq <= ${await readPrunable(ctx)}`
  const isUnreferenced = isCentral ? await isUnreferencedElsewhere(ctx, range, sql`true`) : sql`true`
  const unreferenced = sql`select event.seq from webhook_events as event
    where ${range} and ${isUnreferenced}
      and not exists (select 1 from webhook_deliveries as delivery where ${belongsToEvent(sql`delivery.id`, sql`event.seq`)})`
  const [, deliveries, , events] = await writeUnaudited({ db }, "cleanup", [
    buildTotalsWrite(finished),
    remove(webhookDeliveries)
      .where(sql`${webhookDeliveries.id} in (${finished})`)
      .returning({ id: webhookDeliveries.id }),
    advanceHorizon(unreferenced),
    remove(webhookEvents).where(sql`${webhookEvents.seq} in (${unreferenced})`).returning({ seq: webhookEvents.seq }),
    ...(next === from ? [] : [setRetentionCursor(next)]),
  ])
  return { deliveries: deliveries.length, events: events.length, hasMore }
}

/**
 * Selects the positions of the next expired deliveries and events of a pass. Ids and sequence numbers are assigned in
 * the order of time, so expired rows come first: if the first row is not expired, nothing else is read.
 */
const selectOldPositions = (before: string): SQL => sql`
  select candidate.id as place from (
    select front.id, front.event_id from (
      select first.event_id from webhook_deliveries as first where first.id > ${retentionCursor} order by first.id limit 1) as next
    cross join webhook_deliveries as front
    where next.event_id < ${before} and front.id > ${retentionCursor} order by front.id limit ${CHUNK_SIZE}) as candidate
  where candidate.event_id < ${before}
  union all
  select ${maxDeliveryId(sql`candidate.seq`)} as place from (
    select front.seq, front.id from (
      select first.id from webhook_events as first where first.seq >= ${firstSeqAfter(retentionCursor)} order by first.seq limit 1) as next
    cross join webhook_events as front
    where next.id < ${before} and front.seq >= ${firstSeqAfter(retentionCursor)} order by front.seq limit ${CHUNK_SIZE}) as candidate
  where candidate.id < ${before}
  order by place limit ${CHUNK_SIZE}`

/** Prunes one chunk of delivered events. It starts where the last run stopped, so skipped events are not read again. */
async function pruneDelivered(ctx: Ctx, before: string): Promise<PruneCounts & { hasMore: boolean }> {
  const prunable = await readPrunable(ctx)
  const [chunk] = await ctx.db
    .select({ from: sql<number>`min(seq)`, to: sql<number>`max(seq)`, count: sql<number>`count(*)` })
    .from(
      sql`(select event.seq from webhook_events as event
        where event.seq > ${lastPruned} and event.seq <= ${prunable} and event.seq < coalesce((
          select retained.seq from webhook_events as retained where retained.id >= ${before} order by retained.id limit 1), ${Number.MAX_SAFE_INTEGER})
        order by event.seq limit ${CHUNK_SIZE})`,
    )
  if (!chunk?.count) return { deliveries: 0, events: 0, hasMore: false }
  // Ids of the same millisecond, or from different clocks, may not be in the order of their sequence numbers.
  const range = sql`event.seq between ${chunk.from} and ${chunk.to} and event.id < ${before}`
  const isUnreferenced = await isUnreferencedElsewhere(ctx, range, sql`delivery.status <> 'delivered'`)
  const delivered = sql`select event.seq from webhook_events as event
    where ${range} and ${isUnreferenced} and not exists (
      select 1 from webhook_deliveries as delivery
      where ${belongsToEvent(sql`delivery.id`, sql`event.seq`)} and delivery.status <> 'delivered')`
  const [, , events] = await writeUnaudited(ctx, "cleanup", [
    advanceHorizon(delivered),
    advancePruned(chunk.to),
    remove(webhookEvents).where(sql`${webhookEvents.seq} in (${delivered})`).returning({ seq: webhookEvents.seq }),
  ])
  return { deliveries: 0, events: events.length, hasMore: chunk.count === CHUNK_SIZE }
}

/**
 * Builds the write that subtracts deliveries from their totals before they are deleted: one row per endpoint and event.
 */
const buildTotalsWrite = (deliveries: SQL): Write =>
  writeSql(sql`update webhook_totals set
      delivered = webhook_totals.delivered - gone.delivered,
      exhausted = webhook_totals.exhausted - gone.exhausted
    from (
      select endpoint_id, event, sum(status = 'delivered') as delivered, sum(status = 'exhausted') as exhausted
      from webhook_deliveries where id in (${deliveries}) group by endpoint_id, event) as gone
    where webhook_totals.endpoint_id = gone.endpoint_id and webhook_totals.event = gone.event`)
