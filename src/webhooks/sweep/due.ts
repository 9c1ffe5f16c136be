// Which deliveries a sweep takes: the oldest of every endpoint in turn, so that no endpoint's backlog fills the run.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Lane } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { webhookDeliveries, webhookEndpoints } from "../../db/schema/central/webhooks"
import { update } from "../../db/write"
import { later, SECOND } from "../../lib/time"
import { closing } from "../reserve"

/** Deliveries closed a run; closing sends nothing, so there may be many. */
const CLOSED_A_RUN = 1_000

/** Deliveries that a lane takes at most, so that no endpoint fills a queue. */
const DELIVERIES_A_LANE = 200

/** Milliseconds that a delivery and its endpoint belong to a lane. What a lost message or a hanging receiver left is due again. */
const LEASE = 90 * SECOND

interface Take {
  limit: number
  endpoint?: number
  which?: "all" | "failed"
  holds?: boolean
}

/**
 * Closes what endpoints that do not receive had due, and leases what is to be attempted, in one round trip.
 * @param limit deliveries at most
 * @param endpoint only this endpoint's, when given
 * @param which `failed` leaves out first attempts that were lost: those have no index of their own, so that a run of many rounds looks
 *   for them once
 * @param holds whether the lanes hold their endpoints, and leave out those that are held
 * @returns a lane an endpoint; the endpoints that failed least recently come first, so that failing ones take turns
 */
export async function takeDue(
  ctx: Ctx,
  { limit, endpoint, which = "all", holds = false }: Take,
): Promise<{ lanes: Lane[]; closed: number }> {
  const now = new Date()
  const lease = later(now, LEASE)
  const isWanted = endpoint === undefined ? sql`true` : sql`receiver.id = ${endpoint}`
  const isFree = holds ? sql`coalesce(receiver.lane_until, 0) <= ${now.getTime()}` : sql`true`
  const unreceived = sql`${webhookDeliveries.id} in (${dueWhereNoneReceives(now, isWanted, which)})`
  const due = oldestOfEach(now, sql`${isWanted} and ${isFree}`, limit, which)
  const held = sql`${webhookEndpoints.id} in (${endpointsOf(lease, sql`${isWanted} and ${isFree}`, which)})`
  const [closed, taken] = await writeUnaudited(ctx, "what is due belongs to this run", [
    closing(unreceived, now).returning({ id: webhookDeliveries.id }),
    ctx.db.select({ id: sql<number>`id`, endpoint: sql<number>`endpoint` }).from(sql`(${due})`),
    update(webhookDeliveries)
      .set({ nextAttemptAt: lease })
      .where(sql`${webhookDeliveries.id} in (select id from (${due}))`),
    ...(holds ? [update(webhookEndpoints).set({ laneUntil: lease }).where(held)] : []),
  ])
  const lanes = [...Map.groupBy(taken, (row) => row.endpoint)].map(([endpoint, rows]) => ({
    endpoint,
    until: holds ? lease.getTime() : null,
    deliveries: rows.map((row) => row.id),
    lease: lease.getTime(),
  }))
  return { lanes, closed: closed.length }
}

/**
 * Holds the endpoint of a lane for longer, because the lane goes on in another invocation.
 * @returns the lane as it goes on
 */
export async function prolong(ctx: Ctx, lane: Lane): Promise<Lane> {
  if (lane.until === null) return lane
  const until = later(new Date(), LEASE)
  await writeUnaudited(ctx, "a lane goes on", [update(webhookEndpoints).set({ laneUntil: until }).where(isHeldBy(lane))])
  return { ...lane, until: until.getTime() }
}

/**
 * Lets the endpoint of a lane go that is through.
 * @returns the endpoint's next lane; null where nothing is due, and for a lane that held nothing
 */
export async function endLane(ctx: Ctx, lane: Lane): Promise<Lane | null> {
  if (lane.until === null) return null
  await writeUnaudited(ctx, "a lane is through", [update(webhookEndpoints).set({ laneUntil: null }).where(isHeldBy(lane))])
  const { endpoint } = lane
  const { lanes } = await takeDue(ctx, { limit: DELIVERIES_A_LANE, endpoint, which: "failed", holds: true })
  return lanes[0] ?? null
}

/** One that was taken for lost, because its time was over, holds nothing any more. */
const isHeldBy = ({ endpoint, until }: Lane) =>
  and(eq(webhookEndpoints.id, endpoint), eq(webhookEndpoints.laneUntil, new Date(until ?? 0)))

/** The endpoints of which deliveries were just leased. */
function endpointsOf(lease: Date, isWanted: SQL, which: "all" | "failed"): SQL {
  const hasLeased = (status: "failed" | "pending") => sql`exists (select 1 from webhook_deliveries as leased
    where leased.endpoint_id = receiver.id and leased.status = ${sql.raw(`'${status}'`)} and leased.next_attempt_at = ${lease.getTime()})`
  const has = which === "failed" ? hasLeased("failed") : sql`(${hasLeased("failed")} or ${hasLeased("pending")})`
  return sql`select receiver.id from webhook_endpoints as receiver where ${isWanted} and ${has}`
}

/** What an endpoint has due, the oldest first. A failed one is found by its moment, a pending one among the endpoint's pending ones. */
function dueOf(now: Date, which: "all" | "failed", limit: number): SQL {
  const ofState = (status: "failed" | "pending") => sql`select id, next_attempt_at from (
    select due.id, due.next_attempt_at from webhook_deliveries as due
    where due.endpoint_id = receiver.id and due.status = ${sql.raw(`'${status}'`)} and due.next_attempt_at <= ${now.getTime()}
    order by due.next_attempt_at limit ${limit})`
  const both = which === "failed" ? ofState("failed") : sql`${ofState("failed")} union all ${ofState("pending")}`
  return sql`select id from (${both}) order by next_attempt_at limit ${limit}`
}

const dueWhereNoneReceives = (now: Date, isWanted: SQL, which: "all" | "failed"): SQL => sql`
  select delivery.id
  from webhook_endpoints as receiver
  cross join webhook_deliveries as delivery on delivery.id in (${dueOf(now, which, CLOSED_A_RUN)})
  where ${isWanted} and (receiver.is_active = 0 or receiver.disabled_at is not null)
  limit ${CLOSED_A_RUN}`

/** Every endpoint's oldest, then every endpoint's second oldest, and so on; of each backlog only what the run could take is read. */
const oldestOfEach = (now: Date, isWanted: SQL, limit: number, which: "all" | "failed"): SQL => sql`
  select delivery.id as id, receiver.id as endpoint
  from webhook_endpoints as receiver
  cross join webhook_deliveries as delivery on delivery.id in (${dueOf(now, which, Math.min(limit, DELIVERIES_A_LANE))})
  where ${isWanted} and receiver.is_active = 1 and receiver.disabled_at is null
  order by
    row_number() over (partition by receiver.id order by delivery.next_attempt_at, delivery.id),
    receiver.last_failure_at,
    delivery.next_attempt_at
  limit ${limit}`
