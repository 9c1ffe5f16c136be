// Pruning: finished deliveries past their retention, and events that nobody needs any more.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deleteExpired } from "../../core/queue/delete-expired"
import { writeUnaudited } from "../../core/write/commit"
import {
  firstBehind,
  isOfEvent,
  lastPlace,
  lastPruned,
  moveHorizon,
  movePassed,
  movePruned,
  passed,
  payloadDays,
} from "../../core/write/event-log"
import { webhookDeliveries, webhookEvents, webhookHours } from "../../db/schema/central/webhooks"
import { remove, type Write, writeSql } from "../../db/write"
import { DAY, HOUR, later } from "../../lib/time"
import { ulidFloor } from "../../lib/ulid"

/** Rows that one transaction looks at, so that it never holds up a write for long. */
const CHUNK = 1_000

/** Transactions of each kind a run: more than fourteen million rows a day. */
const CHUNKS_A_RUN = 10

export interface Pruned {
  deliveries: number
  events: number
}

/** Hours of an endpoint's numbers that are kept: as many as can be asked for, and this one. */
const HOURS_KEPT = 721

const pruneHours = (ctx: Ctx): Promise<void> => {
  const { endpointId, hour } = webhookHours
  const before = Math.floor(ctx.now.getTime() / HOUR) - HOURS_KEPT
  return deleteExpired(
    ctx,
    "numbers of hours that nobody can ask for any more",
    webhookHours,
    (limit) => sql`select ${endpointId}, ${hour} from ${webhookHours} where ${hour} < ${before} limit ${limit}`,
    sql`(${endpointId}, ${hour})`,
  )
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
 * One step of a pass over what is past its retention, in the order of the deliveries' numbers; an event stands behind its deliveries. What
 * is not finished yet stays, and is looked at again by the next pass: nothing that stays keeps what is behind it from being deleted.
 * @param before the lowest id of an event that is kept
 */
async function pruneRetained(ctx: Ctx, before: string): Promise<Pruned & { more: boolean }> {
  const [step] = await ctx.db
    .select({ from: passed, to: sql<number | null>`max(place)`, count: sql<number>`count(*)` })
    .from(sql`(${oldPlaces(before)})`)
  if (!step || (step.from === 0 && step.count === 0)) return { deliveries: 0, events: 0, more: false }
  const { from, to, count } = step
  const end = to ?? from
  const more = count === CHUNK
  const next = more ? end : 0
  const finished = sql`select old.id from webhook_deliveries as old
    where old.id > ${from} and old.id <= ${end} and old.event_id < ${before} and old.status in ('delivered', 'exhausted')`
  const leftAlone = sql`select event.seq from webhook_events as event
    where event.seq >= ${firstBehind(from)} and event.seq < ${firstBehind(end)} and event.id < ${before}
      and not exists (select 1 from webhook_deliveries as delivery where ${isOfEvent(sql`delivery.id`, sql`event.seq`)})`
  const [, deliveries, , events] = await writeUnaudited(ctx, "what was kept long enough", [
    subtract(finished),
    remove(webhookDeliveries)
      .where(sql`${webhookDeliveries.id} in (${finished})`)
      .returning({ id: webhookDeliveries.id }),
    moveHorizon(leftAlone),
    remove(webhookEvents).where(sql`${webhookEvents.seq} in (${leftAlone})`).returning({ seq: webhookEvents.seq }),
    ...(next === from ? [] : [movePassed(next)]),
  ])
  return { deliveries: deliveries.length, events: events.length, more }
}

/**
 * Where the next old deliveries and events of a pass stand. Numbers are given in the order of time, and so are the ids of events: what is
 * old stands in front, and where the first is not old nothing more is looked at.
 */
const oldPlaces = (before: string): SQL => sql`
  select looked.id as place from (
    select front.id, front.event_id from (
      select first.event_id from webhook_deliveries as first where first.id > ${passed} order by first.id limit 1) as next
    cross join webhook_deliveries as front
    where next.event_id < ${before} and front.id > ${passed} order by front.id limit ${CHUNK}) as looked
  where looked.event_id < ${before}
  union all
  select ${lastPlace(sql`looked.seq`)} as place from (
    select front.seq, front.id from (
      select first.id from webhook_events as first where first.seq >= ${firstBehind(passed)} order by first.seq limit 1) as next
    cross join webhook_events as front
    where next.id < ${before} and front.seq >= ${firstBehind(passed)} order by front.seq limit ${CHUNK}) as looked
  where looked.id < ${before}
  order by place limit ${CHUNK}`

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
  const [, , events] = await writeUnaudited(ctx, "what arrived wherever it was sent", [
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
