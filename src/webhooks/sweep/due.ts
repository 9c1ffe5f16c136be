// Leases due deliveries for a sweep: the oldest of each endpoint in turn, so that no endpoint's backlog fills the run.

import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { EndpointBatch } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { type DeliveryDatabase, findHome } from "../../core/write/delivery-databases"
import { isPaused } from "../../core/write/rehoming"
import { literal } from "../../db/literal"
import { webhookDeliveries, webhookEndpoints } from "../../db/schema/central/webhooks"
import { update } from "../../db/write"
import { currentTime } from "../../lib/clock"
import { addMs, SECOND } from "../../lib/time"
import { isWaiting } from "../ordering"
import { closeUnsendable } from "../reserve"

/** Deliveries closed per run; closing sends nothing, so the limit is high. */
const MAX_CLOSED_PER_RUN = 1_000

/** Deliveries per endpoint batch, so that no endpoint fills the queue. */
const MAX_DELIVERIES_PER_BATCH = 200

/**
 * Lease of a delivery and lock of its endpoint. After it, work of a lost message or a hanging receiver is due again.
 */
export const LEASE_MS = 90 * SECOND

/** The due deliveries that are leased: all, or only failed ones. */
type DueStatuses = "all" | "failed"

export interface LeaseOptions {
  limit: number
  endpoint?: number
  statuses?: DueStatuses
  locksEndpoints?: boolean
}

/**
 * Closes due deliveries of endpoints that do not receive and leases the others, in one round trip to a delivery
 * database.
 * @param limit maximum number of leased deliveries
 * @param endpoint only deliveries of this endpoint
 * @param statuses `failed` skips lost first attempts: no index finds them alone, so a run of many rounds looks for them
 *   once
 * @param locksEndpoints whether each batch locks its endpoint, and locked endpoints are skipped
 * @returns one batch per endpoint; endpoints that failed least recently come first, so failing ones take turns
 */
export async function leaseDue(
  home: DeliveryDatabase,
  { limit, endpoint, statuses = "all", locksEndpoints = false }: LeaseOptions,
): Promise<{ batches: EndpointBatch[]; closed: number }> {
  const now = currentTime()
  const lease = addMs(now, LEASE_MS)
  const isChosen = endpoint === undefined ? sql`true` : sql`receiver.id = ${endpoint}`
  const isRequested = sql`${isChosen} and not ${isPaused(sql`receiver.id`, home.name)}`
  const isNotLocked = locksEndpoints ? sql`coalesce(receiver.lane_until, 0) <= ${now.getTime()}` : sql`true`
  const isUnsendable = sql`${webhookDeliveries.id} in (${selectUnsendable(now, isRequested, statuses)})`
  const due = selectOldestPerEndpoint(now, sql`${isRequested} and ${isNotLocked}`, limit, statuses)
  const leasedEndpoints = selectLeasedEndpoints(lease, sql`${isRequested} and ${isNotLocked}`, statuses)
  const [closed, leased] = await writeUnaudited({ db: home.db }, "coordination", [
    closeUnsendable(isUnsendable, now).returning({ id: webhookDeliveries.id }),
    home.db
      .select({ id: sql<number>`id`, endpoint: sql<number>`endpoint`, rate: sql<number | null>`rate` })
      .from(sql`(${due})`),
    update(webhookDeliveries)
      .set({ nextAttemptAt: lease })
      .where(sql`${webhookDeliveries.id} in (select id from (${due}))`),
    ...(locksEndpoints
      ? [update(webhookEndpoints).set({ laneUntil: lease }).where(sql`${webhookEndpoints.id} in (${leasedEndpoints})`)]
      : []),
  ])
  const batches = [...Map.groupBy(leased, (row) => row.endpoint)].map(([endpoint, rows]) => ({
    endpoint,
    until: locksEndpoints ? lease.getTime() : null,
    deliveries: rows.map((row) => row.id),
    lease: lease.getTime(),
    ...(rows[0]?.rate && { rate: rows[0].rate }),
  }))
  return { batches, closed: closed.length }
}

/**
 * Extends the lock of a batch's endpoint, because the batch continues in another invocation.
 * @returns the batch with its new lock; unchanged if it has none
 */
export async function extendEndpointLock(ctx: Ctx, batch: EndpointBatch): Promise<EndpointBatch> {
  if (batch.until === null) return batch
  const until = addMs(currentTime(), LEASE_MS)
  const { db } = await findHome(ctx, batch.endpoint)
  await writeUnaudited({ db }, "coordination", [
    update(webhookEndpoints).set({ laneUntil: until }).where(isLockedBy(batch)),
  ])
  return { ...batch, until: until.getTime() }
}

/**
 * Unlocks the endpoint of a completed batch and leases its next batch.
 * @returns the endpoint's next batch; null if nothing is due, or if the batch had no lock
 */
export async function completeEndpointBatch(ctx: Ctx, batch: EndpointBatch): Promise<EndpointBatch | null> {
  if (batch.until === null) return null
  const { endpoint } = batch
  const home = await findHome(ctx, endpoint)
  await writeUnaudited({ db: home.db }, "coordination", [
    update(webhookEndpoints).set({ laneUntil: null }).where(isLockedBy(batch)),
  ])
  const { batches } = await leaseDue(home, {
    limit: MAX_DELIVERIES_PER_BATCH,
    endpoint,
    // First attempts beyond a rate limit no longer have a queue message.
    statuses: batch.rate ? "all" : "failed",
    locksEndpoints: true,
  })
  return batches[0] ?? null
}

/** Matches the endpoint while the batch has its lock; a lock that expired may belong to another batch. */
const isLockedBy = ({ endpoint, until }: EndpointBatch) =>
  and(eq(webhookEndpoints.id, endpoint), eq(webhookEndpoints.laneUntil, new Date(until ?? 0)))

/** Selects the endpoints whose deliveries were just leased. */
function selectLeasedEndpoints(lease: Date, condition: SQL, statuses: DueStatuses): SQL {
  const hasLeased = (status: "failed" | "pending") => sql`exists (select 1 from webhook_deliveries as leased
    where leased.endpoint_id = receiver.id and leased.status = ${literal(status)} and leased.next_attempt_at = ${lease.getTime()})`
  const hasAny = statuses === "failed" ? hasLeased("failed") : sql`(${hasLeased("failed")} or ${hasLeased("pending")})`
  return sql`select receiver.id from webhook_endpoints as receiver where ${condition} and ${hasAny}`
}

/**
 * Selects an endpoint's due deliveries, oldest first. Failed ones are found by an index on their due time, pending ones
 * only among all pending deliveries of the endpoint, so each status is selected separately.
 * @param condition further condition on the deliveries
 */
function selectDue(now: Date, statuses: DueStatuses, limit: number, condition = sql``): SQL {
  const ofStatus = (status: "failed" | "pending") => sql`select id, next_attempt_at from (
    select due.id, due.next_attempt_at from webhook_deliveries as due
    where due.endpoint_id = receiver.id and due.status = ${literal(status)} and due.next_attempt_at <= ${now.getTime()}
    ${condition} order by due.next_attempt_at limit ${limit})`
  const both = statuses === "failed" ? ofStatus("failed") : sql`${ofStatus("failed")} union all ${ofStatus("pending")}`
  return sql`select id from (${both}) order by next_attempt_at limit ${limit}`
}

const selectUnsendable = (now: Date, condition: SQL, statuses: DueStatuses): SQL => sql`
  select delivery.id
  from webhook_endpoints as receiver
  cross join webhook_deliveries as delivery on delivery.id in (${selectDue(now, statuses, MAX_CLOSED_PER_RUN)})
  where ${condition} and (receiver.is_active = 0 or receiver.disabled_at is not null)
  limit ${MAX_CLOSED_PER_RUN}`

/**
 * Selects the oldest delivery of every endpoint, then the second oldest, and so on; of each backlog only `limit` rows
 * are read.
 */
const selectOldestPerEndpoint = (now: Date, condition: SQL, limit: number, statuses: DueStatuses): SQL => sql`
  select delivery.id as id, receiver.id as endpoint, receiver.max_per_second as rate
  from webhook_endpoints as receiver
  cross join webhook_deliveries as delivery on delivery.id in (
    ${selectDue(now, statuses, Math.min(limit, MAX_DELIVERIES_PER_BATCH), sql`and (receiver.ordered = 0 or not ${isWaiting("due")})`)})
  where ${condition} and receiver.is_active = 1 and receiver.disabled_at is null
  order by
    row_number() over (partition by receiver.id order by delivery.next_attempt_at, delivery.id),
    receiver.last_failure_at,
    delivery.next_attempt_at
  limit ${limit}`
