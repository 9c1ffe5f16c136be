// Pruning: finished deliveries past their retention, and events that nobody needs any more.
import { type SQL, sql } from "drizzle-orm"
import { bookkeep } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { isOfEvent, lastPruned, moveHorizon, movePruned, payloadDays } from "../../core/event-log"
import { webhookDeliveries, webhookEvents, webhookHours } from "../../db/schema/central/webhooks"
import { remove, type Write, writeSql } from "../../db/write"
import { DAY, HOUR, later } from "../../lib/time"
import { ulidFloor } from "../../lib/ulid"

/** Rows of each kind that one transaction deletes, so that it never holds up a write for long. */
const CHUNK = 1_000

/** Transactions a run: more than six million deliveries a day in all. */
const CHUNKS_A_RUN = 5

export interface Pruned {
  deliveries: number
  events: number
}

/** Hours of an endpoint's numbers that are kept: as many as can be asked for, and this one. */
const HOURS_KEPT = 721

/** Deletes numbers that nobody can ask for any more. Each endpoint has a row an hour, so once an hour is often enough. */
async function pruneHours(ctx: Ctx): Promise<void> {
  if (ctx.now.getUTCMinutes() !== 0) return
  const before = Math.floor(ctx.now.getTime() / HOUR) - HOURS_KEPT
  await bookkeep(ctx, "what was kept long enough", [
    remove(webhookHours).where(
      sql`(${webhookHours.endpointId}, ${webhookHours.hour}) in (
        select old.endpoint_id, old.hour from webhook_endpoints as receiver
        cross join webhook_hours as old on old.endpoint_id = receiver.id and old.hour < ${before} limit ${CHUNK})`,
    ),
  ])
}

/**
 * Deletes deliveries whose events are older than TENANCY_WEBHOOKS_RETENTION_DAYS, and events older than
 * TENANCY_WEBHOOKS_PAYLOAD_DAYS that arrived wherever they were sent. One that did not arrive is kept as long as its deliveries,
 * so that it can be sent again. 0 keeps all.
 */
export async function prune(ctx: Ctx): Promise<Pruned> {
  await pruneHours(ctx)
  const pruned: Pruned = { deliveries: 0, events: 0 }
  const { TENANCY_WEBHOOKS_RETENTION_DAYS: retention } = ctx.settings
  if (retention > 0) await inChunks(() => pruneRetained(ctx, ulidFloor(daysAgo(ctx, retention))), pruned)
  const payload = payloadDays(ctx.settings)
  if (payload > 0) await inChunks(() => pruneArrived(ctx, ulidFloor(daysAgo(ctx, payload))), pruned)
  return pruned
}

const daysAgo = (ctx: Ctx, days: number): number => later(ctx.now, -days * DAY).getTime()

/** @param chunk answers what it deleted, and whether there may be more */
async function inChunks(chunk: () => Promise<Pruned & { more: boolean }>, sum: Pruned): Promise<void> {
  for (let made = 0; made < CHUNKS_A_RUN; made++) {
    const { deliveries, events, more } = await chunk()
    sum.deliveries += deliveries
    sum.events += events
    if (!more) return
  }
}

/**
 * Numbers are given in the order of time, and so are the ids of events: what is old stands in front.
 * @param before the lowest id of an event that is kept
 */
async function pruneRetained(ctx: Ctx, before: string): Promise<Pruned & { more: boolean }> {
  // Joined, not asked row by row: where the oldest is not old yet, nothing is looked at.
  const old = sql`select looked.id from (
      select front.id, front.event_id, front.status from (
        select oldest.event_id as event_id from webhook_deliveries as oldest order by oldest.id limit 1) as first
      cross join webhook_deliveries as front
      where first.event_id < ${before} order by front.id limit ${CHUNK}) as looked
    where looked.event_id < ${before} and looked.status in ('delivered', 'exhausted')`
  const [, deliveries, , events] = await bookkeep(ctx, "what was kept long enough", [
    subtract(old),
    remove(webhookDeliveries).where(sql`${webhookDeliveries.id} in (${old})`).returning({ id: webhookDeliveries.id }),
    moveHorizon(leftAlone(before)),
    remove(webhookEvents)
      .where(sql`${webhookEvents.seq} in (${leftAlone(before)})`)
      .returning({ seq: webhookEvents.seq }),
  ])
  return {
    deliveries: deliveries.length,
    events: events.length,
    more: deliveries.length === CHUNK || events.length === CHUNK,
  }
}

/** The numbers of old events that no delivery refers to any more. */
const leftAlone = (before: string): SQL => sql`select event.seq from (
    select front.seq, front.id from (
      select oldest.id as id from webhook_events as oldest order by oldest.seq limit 1) as first
    cross join webhook_events as front
    where first.id < ${before} order by front.seq limit ${CHUNK}) as event
  where event.id < ${before}
    and not exists (select 1 from webhook_deliveries as delivery where ${isOfEvent(sql`delivery.id`, sql`event.seq`)})`

/** Looks on from where the last run stopped, so that what it had to leave is not looked at again and again. */
async function pruneArrived(ctx: Ctx, before: string): Promise<Pruned & { more: boolean }> {
  const [seen] = await ctx.db
    .select({ from: sql<number>`min(seq)`, to: sql<number>`max(seq)`, count: sql<number>`count(*)` })
    .from(
      sql`(select event.seq from webhook_events as event
        where event.seq > ${lastPruned} and event.seq < coalesce((
          select kept.seq from webhook_events as kept where kept.id >= ${before} order by kept.id limit 1), ${Number.MAX_SAFE_INTEGER})
        order by event.seq limit ${CHUNK})`,
    )
  if (!seen?.count) return { deliveries: 0, events: 0, more: false }
  // Ids of one moment, or of two clocks, may be the other way round than their numbers.
  const arrived = sql`select event.seq from webhook_events as event
    where event.seq between ${seen.from} and ${seen.to} and event.id < ${before} and not exists (
      select 1 from webhook_deliveries as delivery
      where ${isOfEvent(sql`delivery.id`, sql`event.seq`)} and delivery.status <> 'delivered')`
  const [, , events] = await bookkeep(ctx, "what arrived wherever it was sent", [
    moveHorizon(arrived),
    movePruned(seen.to),
    remove(webhookEvents).where(sql`${webhookEvents.seq} in (${arrived})`).returning({ seq: webhookEvents.seq }),
  ])
  return { deliveries: 0, events: events.length, more: seen.count === CHUNK }
}

/** Takes deliveries that are about to be deleted out of their endpoints' totals: a row an endpoint and event, not a row each. */
const subtract = (which: SQL): Write =>
  writeSql(sql`update webhook_totals set
      delivered = webhook_totals.delivered - gone.delivered,
      exhausted = webhook_totals.exhausted - gone.exhausted
    from (
      select endpoint_id, event, sum(status = 'delivered') as delivered, sum(status = 'exhausted') as exhausted
      from webhook_deliveries where id in (${which}) group by endpoint_id, event) as gone
    where webhook_totals.endpoint_id = gone.endpoint_id and webhook_totals.event = gone.event`)
