// Deliveries over all endpoints, for those who look for what went wrong.
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
import type { Endpoint } from "../receiving-condition"
import { type Delivery, deliveryColumns } from "../reserve"
import { requestHeaders, secretsOf } from "../send"
import { DELIVERY_STATUSES } from "./schemas"
import { newestFirst } from "./service"

export const DELIVERIES_PAGE = 50

export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const

export const SearchDeliveries = z.object({
  status: queryChoice(DELIVERY_STATUSES),
  event: queryText,
  store: queryText,
  endpoint: z.union([z.literal("").transform(() => undefined), queryNumber()]).optional(),
  class: queryChoice(STATUS_CLASSES),
  error: queryText,
  since: queryMoment,
  until: queryMoment,
  /** When it came to the state it is in. */
  settled_since: queryMoment,
  page: queryNumber(100_000).default(1),
})

/** Deliveries that a search looks at: the newest of those that an index leads to. */
export const LOOKED_AT = 5_000

const { id, endpointId, storeId, event, status, error, responseStatus, createdAt } = webhookDeliveries

const ofClass = (name: (typeof STATUS_CLASSES)[number]): SQL | undefined => {
  if (name === "none") return isNull(responseStatus)
  const first = Number(name[0]) * 100
  return and(gte(responseStatus, first), lt(responseStatus, first + 100))
}

/** An error by its whole text or by what stands before its colon. A range, because D1 takes no pattern of more than 50 bytes. */
const isError = (text: string): SQL | undefined =>
  or(eq(error, text), and(gte(error, `${text}:`), lt(error, `${text};`)))

/**
 * A page of deliveries, the newest first. It is looked for among the newest 5 000 before `until`: of an endpoint, of those that
 * failed, or of all.
 * @returns them with their endpoints' addresses, and whether older ones follow
 */
export async function searchDeliveries(ctx: Ctx, input: z.output<typeof SearchDeliveries>) {
  const rows = await ctx.db
    .select({ delivery: deliveryColumns, url: webhookEndpoints.url })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, endpointId))
    .where(
      and(
        sql`${id} in (${newest(input)})`,
        input.status && eq(status, input.status),
        input.event ? eq(event, input.event) : undefined,
        input.store ? eq(storeId, input.store) : undefined,
        input.class && ofClass(input.class),
        input.error ? isError(input.error) : undefined,
        input.since ? gte(createdAt, input.since) : undefined,
        input.until ? lt(createdAt, input.until) : undefined,
        input.settled_since ? gte(webhookDeliveries.updatedAt, input.settled_since) : undefined,
      ),
    )
    .orderBy(desc(id))
    .limit(DELIVERIES_PAGE + 1)
    .offset((input.page - 1) * DELIVERIES_PAGE)
  return { rows: rows.slice(0, DELIVERIES_PAGE), more: rows.length > DELIVERIES_PAGE }
}

/** The numbers of the deliveries that are looked at. */
function newest(input: z.output<typeof SearchDeliveries>): SQL {
  const { status: wanted, endpoint, until } = input
  const isTroubled = wanted === "failed" || wanted === "exhausted"
  // Where an index leads to just the rows that are wanted, no more are looked at than the page shows.
  const isSifted =
    [input.event, input.store, input.class, input.error, input.since, until, input.settled_since].some(Boolean) ||
    (wanted !== undefined && (!isTroubled || endpoint !== undefined))
  const most = isSifted ? LOOKED_AT : input.page * DELIVERIES_PAGE + 1
  const before = until
    ? sql`and looked.id < coalesce(${deliveryId(
        sql`(select event.seq from webhook_events as event
        where event.id >= ${ulidFloor(until.getTime())} order by event.id limit 1)`,
        0,
      )}, ${Number.MAX_SAFE_INTEGER})`
    : sql``
  const which = endpoint
    ? sql`looked.endpoint_id = ${endpoint}`
    : isTroubled
      ? // Written out, as the index of these has it.
        sql`looked.status in ('failed', 'exhausted') and looked.status = ${wanted}`
      : sql`true`
  return sql`select looked.id from webhook_deliveries as looked where ${which} ${before} order by looked.id desc limit ${most}`
}

/** A delivery as its page shows it. */
export interface DeliveryFacts {
  delivery: Delivery
  endpoint: Endpoint
  /** The exact text; null once it is no longer kept. */
  payload: string | null
  /** The request's headers with its signatures, as of its last attempt; null when the secret cannot be read. */
  headers: Record<string, string> | null
  /** The newest first. */
  attempts: RecordedAttempt[]
  /** The entry of the trail that caused it, where one did. */
  cause: (ReturnType<typeof auditResource> & { requestId: string | null }) | null
}

/** @throws Refusal `not_found` */
export async function inspectDelivery(ctx: Ctx, deliveryNumber: number): Promise<DeliveryFacts> {
  const ofIt = sql`select event.seq from webhook_events as event
    where event.id = (select event_id from webhook_deliveries where id = ${deliveryNumber})`
  const [[delivery], [endpoint], [told], [cause]] = await batch(ctx.db, [
    ctx.db.select().from(webhookDeliveries).where(eq(id, deliveryNumber)),
    ctx.db
      .select()
      .from(webhookEndpoints)
      .where(sql`${webhookEndpoints.id} = (select endpoint_id from webhook_deliveries where id = ${deliveryNumber})`),
    ctx.db.select({ payload: webhookEvents.payload }).from(webhookEvents).where(sql`${webhookEvents.seq} = (${ofIt})`),
    ctx.db
      .select()
      .from(auditEntries)
      .where(sql`${auditEntries.id} = (select entry_id from webhook_events where seq = (${ofIt}))`),
  ])
  if (!delivery || !endpoint) throw new Refusal("not_found")
  const attempts = newestFirst(delivery.attempts)
  const secrets = told && (await secretsOf(ctx, endpoint))
  const signedAt = attempts[0] ? new Date(attempts[0].startedAt) : delivery.updatedAt
  const sent = { id: delivery.eventId, event: delivery.event, payload: told?.payload ?? "" }
  return {
    delivery,
    endpoint,
    payload: told?.payload ?? null,
    headers: secrets ? await requestHeaders(ctx, secrets, sent, signedAt) : null,
    attempts,
    cause: cause ? { ...auditResource(cause), requestId: cause.requestId } : null,
  }
}
