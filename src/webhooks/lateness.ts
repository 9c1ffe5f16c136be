// Finds late deliveries: by when each should have been attempted, per endpoint. A sweep moves `next_attempt_at` when it
// leases a delivery, so the scheduled time is computed from the delivery's last attempt.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { queryAvailableDatabases } from "../core/write/delivery-databases"
import { deliveryIdOf } from "../core/write/event-log"
import type { CentralDatabase } from "../db/client"
import { literal } from "../db/literal"
import { MINUTE, SECOND } from "../lib/time"
import { ulidFloor } from "../lib/ulid"
import { DNS_OUTAGE_ERROR } from "./dns-outage"
import { getLeaseMs } from "./lease"
import { isWaiting } from "./ordering"
import { RETRY_DELAYS_SECONDS } from "./schedule"
import { LEASE_MS } from "./sweep/due"

/** Deliveries of each status that are read per endpoint. */
const MAX_READ_PER_ENDPOINT = 25

/** Endpoints in the result. */
const MAX_ENDPOINTS = 100

/** The late deliveries of an endpoint that receives events. */
export interface LateEndpoint {
  endpoint: number
  url: string
  consecutiveFailures: number
  lastFailureAt: number | null
  /** When the delivery that waits longest should have been attempted, in milliseconds since 1970. */
  since: number
  /** Due deliveries, counted up to 50. */
  deliveries: number
  /** The delivery that waits longest, and its last error. */
  delivery: number
  error: string | null
}

/**
 * When a due delivery should have been attempted: after its event, its last failure, or the lease of a lost attempt.
 */
function scheduledTime(leaseMs: number): SQL<number> {
  const delays = RETRY_DELAYS_SECONDS.map(
    (seconds, index) => sql`when ${literal(index + 1)} then ${literal(seconds * SECOND)}`,
  )
  // A release in a DNS outage updates the row every minute, so only the attempt log has the last failure.
  const lastFailure = sql`iif(due.error is ${DNS_OUTAGE_ERROR}, coalesce(json_extract(due.attempts, '$[#-1].startedAt')
      + json_extract(due.attempts, '$[#-1].durationMs'), due.created_at), due.updated_at)`
  return sql<number>`case
    when due.status = 'failed' then ${lastFailure} + max(
      case due.attempt ${sql.join(delays, sql` `)} else ${literal(MINUTE)} end,
      coalesce(json_extract(due.attempts, '$[#-1].retryAfterMs'), 0))
    when due.attempt = 0 then due.created_at
    else due.updated_at + ${leaseMs} end`
}

/**
 * Lists the endpoints with due deliveries, the latest first. Endpoints that do not receive events are left out, because
 * the sweep closes their deliveries. Reads about two rows per endpoint and at most 50 more of each.
 * @param filter only this endpoint, or only deliveries of events of this store
 */
export async function listLateEndpoints(
  ctx: Ctx,
  filter: { endpoint?: number | undefined; store?: string | undefined } = {},
): Promise<LateEndpoint[]> {
  const now = ctx.now.getTime()
  const selectDue = (condition: SQL) => sql`select id from (select candidate.id from webhook_deliveries as candidate
    where candidate.endpoint_id = receiver.id and ${condition} limit ${literal(MAX_READ_PER_ENDPOINT)})`
  const failed = selectDue(
    sql`candidate.status = 'failed' and candidate.next_attempt_at <= ${now + LEASE_MS} order by candidate.next_attempt_at`,
  )
  const pending = selectDue(sql`candidate.status = 'pending'`)
  const isRequested = filter.endpoint === undefined ? sql`true` : sql`receiver.id = ${filter.endpoint}`
  const isOfStore = filter.store === undefined ? sql`true` : sql`due.store_id = ${filter.store}`
  const late = sql`
    select receiver.id as endpoint, receiver.url, receiver.consecutive_failures, receiver.last_failure_at,
      min(${scheduledTime(getLeaseMs(ctx.settings))}) as since, count(*) as deliveries, due.id as delivery, due.error
    from webhook_endpoints as receiver
    cross join webhook_deliveries as due on due.id in (${failed} union all ${pending})
    where receiver.is_active = 1 and receiver.disabled_at is null and receiver.deleted_at is null
      and (receiver.ordered = 0 or not ${isWaiting("due")})
      and ${isRequested} and ${isOfStore}
    group by receiver.id
    having since <= ${now}
    order by since
    limit ${literal(MAX_ENDPOINTS)}`
  const { results } = await queryAvailableDatabases(ctx, async ({ db }) =>
    db
      .select({
        endpoint: sql<number>`endpoint`,
        url: sql<string>`url`,
        consecutiveFailures: sql<number>`consecutive_failures`,
        lastFailureAt: sql<number | null>`last_failure_at`,
        since: sql<number>`since`,
        deliveries: sql<number>`deliveries`,
        delivery: sql<number>`delivery`,
        error: sql<string | null>`error`,
      })
      .from(sql`(${late})`),
  )
  return results
    .flat()
    .sort((a, b) => a.since - b.since)
    .slice(0, MAX_ENDPOINTS)
}

/**
 * Selects when the delivery of an endpoint that waits longest should have been attempted; null if none is due. Reads
 * the first pending delivery of each event type, and the first failed one.
 */
export function selectOldestDue(ctx: Pick<Ctx, "settings" | "now">, db: CentralDatabase, endpoint: number) {
  const now = ctx.now.getTime()
  const failed = sql`select id from (select id from webhook_deliveries
    where endpoint_id = ${endpoint} and status = 'failed' and next_attempt_at <= ${now + LEASE_MS}
    order by next_attempt_at limit 1)`
  const pending = sql`select (select min(waiting.id) from webhook_deliveries as waiting
      where waiting.endpoint_id = total.endpoint_id and waiting.status = 'pending' and waiting.event = total.event)
    from webhook_totals as total where total.endpoint_id = ${endpoint} and total.pending > 0`
  return db
    .select({ since: sql<number | null>`since` })
    .from(
      sql`(select min(${scheduledTime(getLeaseMs(ctx.settings))}) as since
        from webhook_endpoints as receiver
        cross join webhook_deliveries as due on due.id in (${failed} union all ${pending})
        where receiver.id = ${endpoint} and receiver.is_active = 1 and receiver.disabled_at is null
          and (receiver.ordered = 0 or not ${isWaiting("due")}))`,
    )
    .where(sql`since <= ${now}`)
}

/** Deliveries in the sample of `readLatencies`. */
const MAX_SAMPLE_SIZE = 500

/**
 * Reads the latencies of a sample of deliveries: of up to 500 of each database, from the first events that are one to
 * two minutes old.
 * @returns milliseconds from the event to the delivery, ascending. A delivery that was not attempted yet counts with
 *   its age; one that failed is left out, because the receiver delayed it; so are
 *   those that are delivered in order, which may wait for one that failed
 */
export async function readLatencies(ctx: Ctx): Promise<number[]> {
  const now = ctx.now.getTime()
  const [first] = await ctx.db
    .select({ seq: sql<number>`seq` })
    .from(sql`(select seq from webhook_events where id >= ${ulidFloor(now - 2 * MINUTE)} order by id limit 1)`)
  if (!first) return []
  const { results } = await queryAvailableDatabases(ctx, async ({ db }) =>
    db
      .select({ latency: sql<number>`coalesce(delivered_at, ${now}) - created_at` })
      .from(
        sql`(select delivered_at, created_at, attempt, status, ordering_key from webhook_deliveries
          where id >= ${deliveryIdOf(first.seq, 0)} order by id limit ${literal(MAX_SAMPLE_SIZE)})`,
      )
      .where(
        sql`created_at between ${now - 2 * MINUTE} and ${now - MINUTE} and ordering_key is null and ((status = 'delivered' and attempt = 1) or (status = 'pending' and attempt = 0))`,
      ),
  )
  const sample = results.flat()
  return sample.map(({ latency }) => Math.max(0, latency)).sort((a, b) => a - b)
}

/** An endpoint with a failed attempt within this time is being attempted, so its deliveries wait for the receiver. */
const RECENT_FAILURE_MS = 5 * MINUTE

/** Whether an endpoint's deliveries are late because its receiver fails, not because of the platform. */
export const isAtReceiver = (ctx: Pick<Ctx, "now">, endpoint: LateEndpoint): boolean =>
  endpoint.consecutiveFailures > 0 && (endpoint.lastFailureAt ?? 0) > ctx.now.getTime() - RECENT_FAILURE_MS
