// Searches deliveries across all endpoints, for the console and the command line.
import { and, asc, desc, eq, getTableColumns, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { queryChoice, queryNumber, queryText, queryTimestamp } from "../../core/http/validation"
import { auditResource } from "../../core/write/audit"
import { queryAvailableDatabases, queryDeliveryDatabases, withoutCopies } from "../../core/write/delivery-databases"
import { deliveryIdOf, endpointIdOf, seqOf } from "../../core/write/event-log"
import { isHidden } from "../../core/write/rehoming"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import {
  type RecordedAttempt,
  webhookDeliveries,
  webhookEndpoints,
  webhookEvents,
} from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"
import { buildBody } from "../body"
import { maskHeaders } from "../endpoints/headers"
import { STATUS_CLASSES } from "../histogram"
import { waitingFor } from "../ordering"
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
  since: queryTimestamp,
  until: queryTimestamp,
  /** When the delivery reached its current status. */
  settled_since: queryTimestamp,
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
 * @param size deliveries per page
 * @returns the deliveries with their endpoints' URLs, and whether older ones follow
 */
export async function searchDeliveries(
  ctx: Ctx,
  input: z.output<typeof SearchDeliveries>,
  size = DELIVERIES_PAGE_SIZE,
): Promise<FoundDeliveries> {
  const offset = (input.page - 1) * size
  const isOnly = ctx.settings.WEBHOOK_DATABASES.length === 1
  const before = input.until ? await findFirstId(ctx, input.until) : null
  const { results, unavailable } = await queryAvailableDatabases(ctx, async ({ db, name }) =>
    db
      .select({ delivery: deliveryColumns, url: webhookEndpoints.url })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, endpointId))
      .where(
        and(
          sql`${id} in (${selectCandidateIds(input, before)})`,
          sql`not ${isHidden(sql`${endpointId}`, name)}`,
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
      // Pages of several databases are merged, so each has to return what precedes the page, too.
      .limit(size + 1 + (isOnly ? 0 : Math.min(offset, DELIVERIES_SCAN_LIMIT)))
      .offset(isOnly ? offset : 0),
  )
  const merged = results.flat().sort((a, b) => b.delivery.id - a.delivery.id)
  const rows = isOnly ? merged : merged.slice(offset)
  return {
    rows: rows.slice(0, size),
    hasMore: rows.length > size,
    unavailable,
  }
}

/** A page of a search. */
export interface FoundDeliveries {
  rows: { delivery: Delivery; url: string }[]
  hasMore: boolean
  /** The delivery databases that did not respond. */
  unavailable: string[]
}

/** Returns the first id that a delivery of an event since a time can have; null if there is no such event. */
async function findFirstId(ctx: Ctx, since: Date): Promise<number | null> {
  const [first] = await ctx.db
    .select({ seq: webhookEvents.seq })
    .from(webhookEvents)
    .where(gte(webhookEvents.id, ulidFloor(since.getTime())))
    .orderBy(asc(webhookEvents.id))
    .limit(1)
  return first ? deliveryIdOf(first.seq, 0) : null
}

/** Selects the ids of the deliveries to scan. */
function selectCandidateIds(input: z.output<typeof SearchDeliveries>, end: number | null): SQL {
  const { status, endpoint, until } = input
  const isFailure = status === "failed" || status === "exhausted"
  // If an index finds exactly the matching rows, the scan ends with the page.
  const needsFilter =
    [input.event, input.store, input.class, input.error, input.since, until, input.settled_since].some(Boolean) ||
    (status !== undefined && (!isFailure || endpoint !== undefined))
  const limit = needsFilter ? DELIVERIES_SCAN_LIMIT : input.page * DELIVERIES_PAGE_SIZE + 1
  const before = end === null ? sql`` : sql`and candidate.id < ${end}`
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
  /** The delivery that it waits for; null if it does not wait. */
  waitingFor: number | null
  endpoint: Endpoint
  /** The request's body for the endpoint's current payload format; null once the event was pruned. */
  payload: string | null
  /**
   * The request headers with the signatures of the last attempt; null if the secret cannot be decrypted. The values of
   * the endpoint's own headers are masked.
   */
  headers: Record<string, string> | null
  /** Newest first. */
  attempts: RecordedAttempt[]
  /** The audit entry whose commit created the event, if any. */
  cause: (ReturnType<typeof auditResource> & { requestId: string | null }) | null
}

/** @throws Refusal `not_found` */
export async function getDeliveryDetail(ctx: Ctx, deliveryNumber: number): Promise<DeliveryDetail> {
  const seq = seqOf(deliveryNumber)
  const [found, [[endpoint], [stored], [cause]]] = await Promise.all([
    queryDeliveryDatabases(ctx, async ({ db }) =>
      db
        .select({ ...getTableColumns(webhookDeliveries), waitingFor: waitingFor.as("waiting_for") })
        .from(webhookDeliveries)
        .where(eq(id, deliveryNumber)),
    ),
    batch(ctx.db, [
      ctx.db
        .select()
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.id, endpointIdOf(deliveryNumber))),
      ctx.db
        .select({ id: webhookEvents.id, payload: webhookEvents.payload })
        .from(webhookEvents)
        .where(eq(webhookEvents.seq, seq)),
      ctx.db
        .select()
        .from(auditEntries)
        .where(sql`${auditEntries.id} = (select entry_id from webhook_events where seq = ${seq})`),
    ]),
  ])
  const [delivery] = withoutCopies(found.flat())
  if (!delivery || !endpoint) throw new Refusal("not_found")
  const attempts = sortNewestFirst(delivery.attempts)
  const secrets = stored && (await decryptSecrets(ctx, endpoint))
  const signedAt = attempts[0] ? new Date(attempts[0].startedAt) : delivery.updatedAt
  const identity = { id: delivery.eventId, event: delivery.event }
  const payload = stored ? buildBody(ctx, endpoint, { ...identity, payload: stored.payload }) : null
  return {
    delivery,
    waitingFor: delivery.waitingFor,
    endpoint,
    payload,
    headers: secrets
      ? {
          ...maskHeaders(endpoint.headers),
          ...(await buildRequestHeaders(ctx, secrets, { ...identity, payload: payload ?? "" }, signedAt)),
        }
      : null,
    attempts,
    cause: cause ? { ...auditResource(cause), requestId: cause.requestId } : null,
  }
}
