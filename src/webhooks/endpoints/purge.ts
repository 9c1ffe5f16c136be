// Purges the deliveries of a deleted endpoint in bounded steps, one queue message per step.

import { and, asc, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import type { Job } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { findHome } from "../../core/write/delivery-databases"
import { replicateEndpoints } from "../../core/write/endpoint-replicas"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { isPaused, isRehoming } from "../../core/write/rehoming"
import { webhookDeliveries, webhookEndpoints } from "../../db/schema/central/webhooks"
import { remove } from "../../db/write"
import { addMs } from "../../lib/time"
import { deleteFailureCounter } from "../failure-counter"

/** Deliveries per transaction, and transactions per step. */
const CHUNK_SIZE = 1_000
const CHUNKS_PER_STEP = 10

/** Enqueues the purge of a deleted endpoint; the cron enqueues it again if the message is lost. */
export const enqueueEndpointPurge = (ctx: Ctx, id: number): void => startJob(ctx, { job: "endpoint", endpoint: id })

/**
 * Runs one step. The last one deletes the endpoint's row and its Durable Object's state.
 * @returns the next step; null when the purge is complete
 */
export const purgeEndpoint = async (ctx: Ctx, id: number): Promise<Job | null> =>
  (await deleteChunks(ctx, id)) ? null : { job: "endpoint", endpoint: id }

/** @returns whether the purge is complete, or waits because the deliveries are moving to another database */
async function deleteChunks(ctx: Ctx, id: number): Promise<boolean> {
  const home = await findHome(ctx, id)
  await replicateEndpoints(ctx, home)
  const isDeletedEndpoint = and(eq(webhookEndpoints.id, id), isNotNull(webhookEndpoints.deletedAt))
  const isInChunk = sql`${webhookDeliveries.id} in (select delivery.id from webhook_deliveries as delivery
    join webhook_endpoints as receiver on receiver.id = delivery.endpoint_id and receiver.deleted_at is not null
    where delivery.endpoint_id = ${id} and not ${isPaused(sql`${id}`, home.name)} limit ${CHUNK_SIZE})`
  const hasNoDeliveries = sql`not exists (select 1 from webhook_deliveries where endpoint_id = ${id})`
  const removeEndpoint = (condition: SQL | undefined) =>
    remove(webhookEndpoints).where(condition).returning({ id: webhookEndpoints.id })
  for (let chunk = 0; chunk < CHUNKS_PER_STEP; chunk++) {
    const [deleted, endpoints] = await writeUnaudited({ db: home.db }, "audited_elsewhere", [
      remove(webhookDeliveries).where(isInChunk),
      removeEndpoint(and(isDeletedEndpoint, hasNoDeliveries)),
    ])
    if (endpoints.length || deleted.meta.changes === 0) {
      if (!home.isCentral)
        endpoints.push(
          ...(
            await writeUnaudited(ctx, "audited_elsewhere", [
              removeEndpoint(and(isDeletedEndpoint, sql`not ${isRehoming(sql`${id}`)}`)),
            ])
          )[0],
        )
      if (endpoints.length) await deleteFailureCounter(ctx, id)
      return true
    }
    if (ctx.run.isOutOfTime()) return false
  }
  return false
}

/** Lists deleted endpoints whose purge is not in flight, because its message was lost or its run died. */
export async function listOverdueEndpointPurges(ctx: Ctx, limit: number): Promise<number[]> {
  const overdue = await ctx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(
      and(
        lte(webhookEndpoints.deletedAt, addMs(ctx.now, -QUEUE_GRACE_MS)),
        isUnlocked(sql`'endpoint:' || ${webhookEndpoints.id}`, ctx.now),
      ),
    )
    .orderBy(asc(webhookEndpoints.deletedAt))
    .limit(limit)
  return overdue.map(({ id }) => id)
}
