// Delivers the events of each store one after another, for endpoints with `ordered`. A delivery waits while an earlier
// one of the same endpoint and store is pending or failed. Ids contain `seq`, so they are in commit order.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { sendMessage } from "../core/queue/send"
import type { DeliveryDatabase } from "../core/write/delivery-databases"
import { deliveryIdOf, seqOf } from "../core/write/event-log"
import { addMs, MINUTE } from "../lib/time"
import type { Endpoint } from "./receiving-condition"
import type { Delivery } from "./reserve"

/** Spelled like the condition of the partial index, so that SQLite uses it. */
const isOpen = sql`earlier.ordering_key is not null and earlier.status in ('pending', 'failed')`

/** Selects from the open deliveries that a delivery has to wait for. */
const selectEarlier = (result: SQL, delivery: string): SQL => {
  const column = (name: string) => sql`${sql.identifier(delivery)}.${sql.identifier(name)}`
  return sql`select ${result} from webhook_deliveries as earlier
    where earlier.endpoint_id = ${column("endpoint_id")} and earlier.ordering_key = ${column("ordering_key")}
      and earlier.id < ${column("id")} and ${isOpen}
      and exists (select 1 from webhook_endpoints as receiver where receiver.id = earlier.endpoint_id and receiver.ordered = 1)`
}

/**
 * SQL condition: a delivery waits for an earlier one. Reads nothing if its endpoint is not ordered.
 * @param delivery the table, or its alias
 */
export const isWaiting = (delivery = "webhook_deliveries"): SQL =>
  sql`(${sql.identifier(delivery)}.ordering_key is not null and exists (${selectEarlier(sql`1`, delivery)}))`

/** Selects the delivery that one waits for before its first attempt: the one before it; null if it does not wait. */
export const waitingFor: SQL<number | null> = sql`iif(webhook_deliveries.ordering_key is not null
    and webhook_deliveries.status = 'pending' and webhook_deliveries.attempt = 0,
  (${selectEarlier(sql`max(earlier.id)`, "webhook_deliveries")}), null)`

/** Whether an event of an ordered endpoint has to wait for an earlier one. */
export async function isEventWaiting(
  ctx: Pick<Ctx, "db">,
  home: DeliveryDatabase,
  endpointId: number,
  seq: number,
): Promise<boolean> {
  const [event] = await ctx.db
    .select({ store: sql<string | null>`store_id` })
    .from(sql`webhook_events`)
    .where(sql`seq = ${seq}`)
  if (!event?.store) return false
  const earlier = await home.db
    .select({ id: sql<number>`earlier.id` })
    .from(sql`webhook_deliveries as earlier`)
    .where(
      sql`earlier.endpoint_id = ${endpointId} and earlier.ordering_key = ${event.store}
        and earlier.id < ${deliveryIdOf(seq, endpointId)} and ${isOpen}`,
    )
    .limit(1)
  return earlier.length > 0
}

/** An endpoint as the worker reads it that attempts a delivery. */
export type AttemptedEndpoint = Endpoint & {
  /** While the events of an ordered endpoint that was moved are being routed: the `seq` up to which they are. */
  routedSeq?: number | null
}

/** Selects `routedSeq`. Reads nothing if the endpoint is not ordered. */
export const selectRoutedSeq = sql<number | null>`iif(webhook_endpoints.ordered = 1,
  (select moving.cursor from endpoint_rehomings as moving
    where moving.endpoint_id = webhook_endpoints.id and moving.phase = 'routing'), null)`

/**
 * Whether a delivery has to wait although the earlier ones that exist are closed: a recovery, or a move to another
 * database, is still going to create or reopen some.
 */
export function isDeferred(
  { ordered, recovery, routedSeq }: AttemptedEndpoint,
  { id, orderingKey }: Pick<Delivery, "id" | "orderingKey">,
): boolean {
  if (!ordered || orderingKey === null) return false
  const seq = seqOf(id)
  if (recovery !== null && recovery.after < recovery.last && seq > recovery.after) return true
  return typeof routedSeq === "number" && seq > routedSeq
}

/** Returns when a deferred delivery is due again. */
export const getDeferredUntil = (now: Date): Date => addMs(now, MINUTE)

/**
 * Enqueues the first attempts of the deliveries that waited for closed ones, in the background. If that fails, the
 * sweep finds them.
 * @param closed deliveries that are delivered or exhausted
 */
export function enqueueNext(
  ctx: Ctx,
  home: DeliveryDatabase,
  closed: readonly { delivery: Pick<Delivery, "id" | "orderingKey">; endpoint: Endpoint }[],
): void {
  for (const { delivery, endpoint } of closed) {
    if (endpoint.ordered && delivery.orderingKey !== null)
      ctx.inBackground(enqueueNextOf(ctx, home, delivery, endpoint))
  }
}

async function enqueueNextOf(
  ctx: Ctx,
  { db }: DeliveryDatabase,
  { id, orderingKey }: Pick<Delivery, "id" | "orderingKey">,
  { id: endpoint, maxPerSecond: rate }: Endpoint,
): Promise<void> {
  const [next] = await db
    .select({ id: sql<number>`earlier.id`, isNew: sql<number>`earlier.status = 'pending' and earlier.attempt = 0` })
    .from(sql`webhook_deliveries as earlier`)
    .where(
      sql`earlier.endpoint_id = ${endpoint} and earlier.ordering_key = ${orderingKey} and earlier.id > ${id} and ${isOpen}`,
    )
    .orderBy(sql`earlier.id`)
    .limit(1)
  if (next?.isNew) await sendMessage(ctx, { delivery: next.id, endpoint, ...(rate && { rate }) })
}
