// Searches deliveries across all endpoints, for the console and the command line.
import { and, desc, eq, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { queryChoice, queryMoment, queryNumber, queryText } from "../../core/http/validation"
import { auditResource } from "../../core/write/audit"
import { deliveryId } from "../../core/write/event-log"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import {
  type RecordedAttempt,
  webhookDeliveries,
  webhookEndpoints,
  webhookEvents,
} from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"
import { STATUS_CLASSES } from "../histogram"
import type { Endpoint } from "../receiving-condition"
import { type Delivery, deliveryColumns } from "../reserve"
import { buildRequestHeaders, decryptSecrets } from "../send"
import { DELIVERY_STATUSES } from "./schemas"
import { sortNewestFirst } from "./service"

export const DELIVERIES_PAGE_SIZE = 50

export const SearchDeliveries = z.object({
  status: queryChoice(DELIVERY_STATUSES),
  event: queryText,
  store: queryText,
  endpoint: z.union([z.literal("").transform(() => undefined), queryNumber()]).optional(),
  class: queryChoice(STATUS_CLASSES),
  error: queryText,
  since: queryMoment,
  until: queryMoment,
  /** When the delivery reached its present status. */
  settled_since: queryMoment,
  page: queryNumber(100_000).default(1),
})

/** Deliveries that a search scans: the newest ones that an index finds. */
export const DELIVERIES_SCAN_LIMIT = 5_000

const { id, endpointId, storeId, event, status, error, responseStatus, createdAt } = webhookDeliveries

const hasStatusClass = (name: (typeof STATUS_CLASSES)[number]): SQL | undefined => {
  if (name === "none") return isNull(responseStatus)
  const first = Number(name[0]) * 100
  return and(gte(responseStatus, first), lt(responseStatus, first + 100))
}

/**
 * Matches an error by its full text or by the part before the colon. A range, because D1 limits LIKE patterns to 50
 * bytes.
 */
const hasError = (text: string): SQL | undefined =>
  or(eq(error, text), and(gte(error, `${text}:`), lt(error, `${text};`)))

/**
 * Searches a page of deliveries, newest first. Only the newest 5,000 before `until` are scanned: of an endpoint, of the
 * failed ones, or of all.
 * @returns the deliveries with their endpoints' URLs, and whether older ones follow
 */
export async function searchDeliveries(ctx: Ctx, input: z.output<typeof SearchDeliveries>) {
  const rows = await ctx.db
    .select({ delivery: deliveryColumns, url: webhookEndpoints.url })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, endpointId))
    .where(
      and(
        sql`${id} in (${selectCandidateIds(input)})`,
        input.status && eq(status, input.status),
        input.event ? eq(event, input.event) : undefined,
        input.store ? eq(storeId, input.store) : undefined,
        input.class && hasStatusClass(input.class),
        input.error ? hasError(input.error) : undefined,
        input.since ? gte(createdAt, input.since) : undefined,
        input.until ? lt(createdAt, input.until) : undefined,
        input.settled_since ? gte(webhookDeliveries.updatedAt, input.settled_since) : undefined,
      ),
    )
    .orderBy(desc(id))
    .limit(DELIVERIES_PAGE_SIZE + 1)
    .offset((input.page - 1) * DELIVERIES_PAGE_SIZE)
  return { rows: rows.slice(0, DELIVERIES_PAGE_SIZE), hasMore: rows.length > DELIVERIES_PAGE_SIZE }
}

/** Selects the ids of the deliveries to scan. */
function selectCandidateIds(input: z.output<typeof SearchDeliveries>): SQL {
  const { status, endpoint, until } = input
  const isFailure = status === "failed" || status === "exhausted"
  // If an index finds exactly the matching rows, the scan ends with the page.
  const needsFilter =
    [input.event, input.store, input.class, input.error, input.since, until, input.settled_since].some(Boolean) ||
    (status !== undefined && (!isFailure || endpoint !== undefined))
  const limit = needsFilter ? DELIVERIES_SCAN_LIMIT : input.page * DELIVERIES_PAGE_SIZE + 1
  const before = until
    ? sql`and candidate.id < coalesce(${deliveryId(
        sql`(select event.seq from webhook_events as event
        where event.id >= ${ulidFloor(until.getTime())} order by event.id limit 1)`,
        0,
      )}, ${Number.MAX_SAFE_INTEGER})`
    : sql``
  const condition = endpoint
    ? sql`candidate.endpoint_id = ${endpoint}`
    : isFailure
      ? // Spelled like the partial index, so that SQLite uses it.
        sql`candidate.status in ('failed', 'exhausted') and candidate.status = ${status}`
      : sql`true`
  return sql`select candidate.id from webhook_deliveries as candidate where ${condition} ${before} order by candidate.id desc limit ${limit}`
}

/** A delivery as its own page shows it. */
export interface DeliveryDetail {
  delivery: Delivery
  endpoint: Endpoint
  /** The exact payload; null once it was pruned. */
  payload: string | null
  /** The request headers with the signatures of the last attempt; null if the secret cannot be decrypted. */
  headers: Record<string, string> | null
  /** Newest first. */
  attempts: RecordedAttempt[]
  /** The audit entry whose commit created the event, if any. */
  cause: (ReturnType<typeof auditResource> & { requestId: string | null }) | null
}

/** @throws Refusal `not_found` */
export async function getDeliveryDetail(ctx: Ctx, deliveryNumber: number): Promise<DeliveryDetail> {
  const eventSeq = sql`select event.seq from webhook_events as event
    where event.id = (select event_id from webhook_deliveries where id = ${deliveryNumber})`
  const [[delivery], [endpoint], [stored], [cause]] = await batch(ctx.db, [
    ctx.db.select().from(webhookDeliveries).where(eq(id, deliveryNumber)),
    ctx.db
      .select()
      .from(webhookEndpoints)
      .where(sql`${webhookEndpoints.id} = (select endpoint_id from webhook_deliveries where id = ${deliveryNumber})`),
    ctx.db
      .select({ payload: webhookEvents.payload })
      .from(webhookEvents)
      .where(sql`${webhookEvents.seq} = (${eventSeq})`),
    ctx.db
      .select()
      .from(auditEntries)
      .where(sql`${auditEntries.id} = (select entry_id from webhook_events where seq = (${eventSeq}))`),
  ])
  if (!delivery || !endpoint) throw new Refusal("not_found")
  const attempts = sortNewestFirst(delivery.attempts)
  const secrets = stored && (await decryptSecrets(ctx, endpoint))
  const signedAt = attempts[0] ? new Date(attempts[0].startedAt) : delivery.updatedAt
  const event = { id: delivery.eventId, event: delivery.event, payload: stored?.payload ?? "" }
  return {
    delivery,
    endpoint,
    payload: stored?.payload ?? null,
    headers: secrets ? await buildRequestHeaders(ctx, secrets, event, signedAt) : null,
    attempts,
    cause: cause ? { ...auditResource(cause), requestId: cause.requestId } : null,
  }
}
