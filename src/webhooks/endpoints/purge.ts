// What a deleted endpoint leaves behind: its deliveries, in steps of a size that any database bears, each step a message of the queue.
import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { runJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import { writeUnaudited } from "../../core/write/commit"
import { QUEUE_GRACE } from "../../core/write/events"
import { webhookDeliveries, webhookEndpoints } from "../../db/schema/central/webhooks"
import { remove } from "../../db/write"
import { later } from "../../lib/time"
import { forgetFailures } from "../failure-counter"

/** Deliveries that one transaction deletes, and transactions a step. */
const CHUNK = 1_000
const CHUNKS_A_STEP = 10

/** Enqueues the removal of what a deleted endpoint left behind; the cron finds one whose message is lost. */
export const enqueueEndpointPurge = (ctx: Ctx, id: number): void =>
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "endpoint", endpoint: id }))

/**
 * Takes one step, and enqueues the next. The last one removes the endpoint's row and its object. Does nothing while another run is at it.
 * @param lease the token of the job's lease
 */
export const purgeEndpoint = (ctx: Ctx, id: number, lease?: string): Promise<void> =>
  runJob(ctx, { job: "endpoint", endpoint: id, lease }, async () =>
    (await deleteChunks(ctx, id)) ? null : { job: "endpoint", endpoint: id },
  )

/** @returns whether nothing is left to delete */
async function deleteChunks(ctx: Ctx, id: number): Promise<boolean> {
  const isIt = and(eq(webhookEndpoints.id, id), isNotNull(webhookEndpoints.deletedAt))
  const some = sql`${webhookDeliveries.id} in (select delivery.id from webhook_deliveries as delivery
    join webhook_endpoints as receiver on receiver.id = delivery.endpoint_id and receiver.deleted_at is not null
    where delivery.endpoint_id = ${id} limit ${CHUNK})`
  const isBare = sql`not exists (select 1 from webhook_deliveries where endpoint_id = ${id})`
  for (let chunk = 0; chunk < CHUNKS_A_STEP; chunk++) {
    const [deleted, gone] = await writeUnaudited(ctx, "what was left of a deleted endpoint", [
      remove(webhookDeliveries).where(some),
      remove(webhookEndpoints).where(and(isIt, isBare)).returning({ id: webhookEndpoints.id }),
    ])
    if (gone.length) await forgetFailures(ctx, id)
    if (gone.length || deleted.meta.changes === 0) return true
  }
  return false
}

/** Deleted endpoints whose message was lost or whose run died, at most `limit`: no message of theirs is in flight. */
export async function overdueEndpoints(ctx: Ctx, limit: number): Promise<number[]> {
  const waiting = await ctx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(
      and(
        lte(webhookEndpoints.deletedAt, later(ctx.now, -QUEUE_GRACE)),
        isUnlocked(sql`'endpoint:' || ${webhookEndpoints.id}`, ctx.now),
      ),
    )
    .orderBy(asc(webhookEndpoints.deletedAt))
    .limit(limit)
  return waiting.map(({ id }) => id)
}
