// What a deleted endpoint leaves behind: its deliveries, in steps of a size that any database bears, each step a message of the queue.
import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm"
import { bookkeep } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { QUEUE_GRACE } from "../../core/events"
import { webhookDeliveries, webhookEndpoints } from "../../db/schema/central/webhooks"
import { remove } from "../../db/write"
import { later } from "../../lib/time"
import { forgetFailures } from "../failures"

/** Deliveries that one transaction deletes, and transactions a step. */
const CHUNK = 1_000
const CHUNKS_A_STEP = 10

/** Has the queue take the next step. */
export const purgeEndpointSoon = (ctx: Ctx, id: number): void =>
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "endpoint", endpoint: id }))

/** Takes one step; two at once do no harm. The last one takes the endpoint's row and its object. */
export async function purgeEndpoint(ctx: Ctx, id: number): Promise<void> {
  const isIt = and(eq(webhookEndpoints.id, id), isNotNull(webhookEndpoints.deletedAt))
  const some = sql`${webhookDeliveries.id} in (select delivery.id from webhook_deliveries as delivery
    join webhook_endpoints as receiver on receiver.id = delivery.endpoint_id and receiver.deleted_at is not null
    where delivery.endpoint_id = ${id} limit ${CHUNK})`
  const isBare = sql`not exists (select 1 from webhook_deliveries where endpoint_id = ${id})`
  for (let chunk = 0; chunk < CHUNKS_A_STEP; chunk++) {
    const [deleted, gone] = await bookkeep(ctx, "what was left of a deleted endpoint", [
      remove(webhookDeliveries).where(some),
      remove(webhookEndpoints).where(and(isIt, isBare)).returning({ id: webhookEndpoints.id }),
    ])
    if (gone.length) return void (await forgetFailures(ctx, id))
    if (deleted.meta.changes === 0) return
  }
  purgeEndpointSoon(ctx, id)
}

/** Deleted endpoints whose purge the queue had long enough, at most `limit`. */
export async function overdueEndpoints(ctx: Ctx, limit: number): Promise<number[]> {
  const waiting = await ctx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(lte(webhookEndpoints.deletedAt, later(ctx.now, -QUEUE_GRACE)))
    .orderBy(asc(webhookEndpoints.deletedAt))
    .limit(limit)
  return waiting.map(({ id }) => id)
}
