// Deliveries over all endpoints, for those who look for what went wrong.
import { and, desc, eq, gte, isNull, like, lt, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { auditResource } from "../../core/audit"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { queryChoice, queryMoment, queryNumber, queryText } from "../../core/validation"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { webhookDeliveries, webhookEndpoints, webhookEvents } from "../../db/schema/central/webhooks"
import type { Attempt } from "../attempts"
import type { Endpoint } from "../receiving"
import type { Delivery } from "../reserve"
import { requestHeaders, secretsOf } from "../send"
import { selectAttempts } from "./service"

export const DELIVERIES_PAGE = 50

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "exhausted"] as const
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

const { id, endpointId, storeId, event, status, error, responseStatus, createdAt } = webhookDeliveries

/** Says of the rows in question what the index of failed and exhausted ones is made for. */
const TROUBLED = sql`status in ('failed', 'exhausted')`

const ofClass = (name: (typeof STATUS_CLASSES)[number]): SQL | undefined => {
  if (name === "none") return isNull(responseStatus)
  const first = Number(name[0]) * 100
  return and(gte(responseStatus, first), lt(responseStatus, first + 100))
}

/**
 * A page of deliveries, the newest first.
 * @returns them with their endpoints' addresses, and whether older ones follow
 */
export async function searchDeliveries(ctx: Ctx, input: z.output<typeof SearchDeliveries>) {
  const isTroubled = input.status === "failed" || input.status === "exhausted"
  const rows = await ctx.db
    .select({ delivery: webhookDeliveries, url: webhookEndpoints.url })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, endpointId))
    .where(
      and(
        isTroubled ? TROUBLED : undefined,
        input.status && eq(status, input.status),
        input.event ? eq(event, input.event) : undefined,
        input.store ? eq(storeId, input.store) : undefined,
        input.endpoint ? eq(endpointId, input.endpoint) : undefined,
        input.class && ofClass(input.class),
        input.error ? or(eq(error, input.error), like(error, `${input.error.replaceAll(/[%_]/g, "")}:%`)) : undefined,
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

/** A delivery as its page shows it. */
export interface DeliveryFacts {
  delivery: Delivery
  endpoint: Endpoint
  /** The exact text. */
  payload: string
  /** The request's headers with its signatures, as of its last attempt; null when the secret cannot be read. */
  headers: Record<string, string> | null
  /** The newest first. */
  attempts: Attempt[]
  /** The entry of the trail that caused it, where one did. */
  cause: (ReturnType<typeof auditResource> & { requestId: string | null }) | null
}

/** @throws Refusal `not_found` */
export async function inspectDelivery(ctx: Ctx, deliveryId: number): Promise<DeliveryFacts> {
  const of = (column: typeof endpointId | typeof webhookDeliveries.eventId) =>
    sql`(select ${column} from ${webhookDeliveries} where ${id} = ${deliveryId})`
  const happened = sql`(select created_at from ${webhookEvents} where id = ${of(webhookDeliveries.eventId)})`
  const [[delivery], [endpoint], [told], [cause], attempts] = await batch(ctx.db, [
    ctx.db.select().from(webhookDeliveries).where(eq(id, deliveryId)),
    ctx.db
      .select()
      .from(webhookEndpoints)
      .where(sql`${webhookEndpoints.id} = ${of(endpointId)}`),
    ctx.db
      .select({ payload: webhookEvents.payload })
      .from(webhookEvents)
      .where(sql`${webhookEvents.id} = ${of(webhookDeliveries.eventId)}`),
    ctx.db
      .select()
      .from(auditEntries)
      .where(
        sql`${auditEntries.createdAt} = ${happened} and ${auditEntries.storeId} = coalesce((select store_id from webhook_deliveries where id = ${deliveryId}), '')`,
      )
      .orderBy(desc(auditEntries.id))
      .limit(1),
    selectAttempts(ctx, deliveryId),
  ])
  if (!delivery || !endpoint || !told) throw new Refusal("not_found")
  const secrets = await secretsOf(ctx, endpoint)
  const sent = { id: delivery.eventId, event: delivery.event, payload: told.payload }
  return {
    delivery,
    endpoint,
    payload: told.payload,
    headers: secrets ? await requestHeaders(ctx, secrets, sent, attempts[0]?.startedAt ?? delivery.updatedAt) : null,
    attempts,
    cause: cause ? { ...auditResource(cause), requestId: cause.requestId } : null,
  }
}
