// Pruning: finished deliveries past their retention, and events that no delivery refers to any more.
import { sql } from "drizzle-orm"
import { bookkeep } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { moveHorizon } from "../../core/event-log"
import { webhookDeliveries, webhookEvents, webhookHours } from "../../db/schema/central/webhooks"
import { remove } from "../../db/write"
import { DAY, HOUR, later } from "../../lib/time"

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

/** Deletes what is older than TENANCY_WEBHOOKS_RETENTION_DAYS, or nothing when that is 0. */
export async function prune(ctx: Ctx): Promise<Pruned> {
  await pruneHours(ctx)
  const days = ctx.settings.TENANCY_WEBHOOKS_RETENTION_DAYS
  const pruned: Pruned = { deliveries: 0, events: 0 }
  if (days === 0) return pruned
  const before = later(ctx.now, -days * DAY).getTime()
  for (let chunk = 0; chunk < CHUNKS_A_RUN; chunk++) {
    const [deliveries, , events] = await bookkeep(ctx, "what was kept long enough", [
      deleteDeliveries(before),
      moveHorizon(oldEvents(before)),
      deleteEvents(before),
    ])
    pruned.deliveries += deliveries.length
    pruned.events += events.length
    if (deliveries.length < CHUNK && events.length < CHUNK) break
  }
  return pruned
}

const deleteDeliveries = (before: number) =>
  remove(webhookDeliveries)
    .where(
      sql`${webhookDeliveries.id} in (
        select finished.id from webhook_deliveries as finished
        where finished.status in ('delivered', 'exhausted') and finished.updated_at < ${before}
        order by finished.updated_at limit ${CHUNK})`,
    )
    .returning({ id: webhookDeliveries.id })

const deleteEvents = (before: number) =>
  remove(webhookEvents)
    .where(sql`${webhookEvents.id} in (${oldEvents(before)})`)
    .returning({ id: webhookEvents.id })

/** The ids of events that no delivery refers to any more. */
const oldEvents = (before: number) => sql`
  select event.id from webhook_events as event
  where event.created_at < ${before}
    and not exists (select 1 from webhook_deliveries as delivery where delivery.event_id = event.id)
  order by event.created_at limit ${CHUNK}`
