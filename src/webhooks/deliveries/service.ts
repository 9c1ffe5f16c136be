// The verbs of webhook deliveries.
import { and, asc, between, desc, eq, getTableColumns, isNull, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { counted, listOf, type Page, readPage } from "../../core/page"
import { Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } from "../../db/schema/central/webhooks"
import { carryOut } from "../attempt"
import { ATTEMPTS_A_DELIVERY, type Attempt } from "../attempts"
import { endpointIsThere } from "../receiving"
import { type Delivery, reserveForced } from "../reserve"
import type { ListDeliveries } from "./schemas"

/** A delivery, with its event's text when that was asked for. */
export interface ListedDelivery {
  delivery: Delivery
  payload: string | null
}

/**
 * A page of an endpoint's deliveries, the newest first.
 * @throws Refusal `not_found` when there is no such endpoint
 */
export async function listDeliveries(
  ctx: Ctx,
  endpointId: number,
  input: z.output<typeof ListDeliveries>,
): Promise<Page<ListedDelivery>> {
  const { id, endpointId: endpoint, status, event } = webhookDeliveries
  const payload = input.include ? sql<string>`${webhookEvents.payload}` : sql<null>`null`
  const where = and(
    eq(endpoint, endpointId),
    input.status && eq(status, input.status),
    input.event ? eq(event, input.event) : undefined,
  )
  const total = counted(listOf("deliveries", endpointId), filterName(input))
  const [page, known] = await Promise.all([
    readPage<ListedDelivery>(ctx.db, input, total, ({ limit, offset }, direction) =>
      ctx.db
        .select({ delivery: getTableColumns(webhookDeliveries), payload: payload.as("payload") })
        .from(webhookDeliveries)
        .leftJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
        .where(where)
        .orderBy(direction === "forward" ? desc(id) : asc(id))
        .limit(limit)
        .offset(offset),
    ),
    ctx.db
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.id, endpointId), isNull(webhookEndpoints.deletedAt))),
  ])
  if (!known.length) throw new Refusal("not_found")
  return page
}

/**
 * One delivery.
 * @param include its event's text, when that is asked for
 * @throws Refusal `not_found`
 */
export async function readDelivery(
  ctx: Ctx,
  id: number,
  { include }: { include?: "payload" },
): Promise<ListedDelivery> {
  const payload = include ? sql<string>`${webhookEvents.payload}` : sql<null>`null`
  const [found] = await ctx.db
    .select({ delivery: getTableColumns(webhookDeliveries), payload: payload.as("payload") })
    .from(webhookDeliveries)
    .leftJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(eq(webhookDeliveries.id, id), endpointIsThere))
  if (!found) throw new Refusal("not_found")
  return found
}

/** Attempts that are listed: more than anybody makes by hand. */
const MOST_ATTEMPTS = 1_000

/**
 * The attempts of a delivery, the newest first.
 * @throws Refusal `not_found`
 */
export async function listAttempts(ctx: Ctx, id: number): Promise<Attempt[]> {
  const [known, rows] = await batch(ctx.db, [
    ctx.db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.id, id), endpointIsThere)),
    selectAttempts(ctx, id),
  ])
  if (!known.length) throw new Refusal("not_found")
  return rows
}

/** The statement that reads a delivery's attempts, the newest first. */
export const selectAttempts = (ctx: Ctx, id: number) =>
  ctx.db
    .select()
    .from(webhookAttempts)
    .where(between(webhookAttempts.id, id * ATTEMPTS_A_DELIVERY, (id + 1) * ATTEMPTS_A_DELIVERY - 1))
    .orderBy(desc(webhookAttempts.id))
    .limit(MOST_ATTEMPTS)

/** Deliveries that one look at the newest shows. */
const TAIL = 100

/**
 * The deliveries that were opened behind an id, the oldest first, and some others as they are now.
 * @param after without it nothing but the newest id is answered, to begin with
 */
export async function tailDeliveries(
  ctx: Ctx,
  { after, endpoint, open }: { after?: number; endpoint?: number; open: number[] },
): Promise<{ deliveries: Delivery[]; last: number }> {
  const { id, endpointId } = webhookDeliveries
  const isWanted = endpoint === undefined ? undefined : eq(endpointId, endpoint)
  const [[newest], fresh, known] = await batch(ctx.db, [
    ctx.db.select({ id: sql<number>`coalesce(max(${id}), 0)` }).from(webhookDeliveries),
    ctx.db
      .select()
      .from(webhookDeliveries)
      .where(and(after === undefined ? sql`false` : sql`${id} > ${after}`, isWanted))
      .orderBy(asc(id))
      .limit(TAIL),
    ctx.db
      .select()
      .from(webhookDeliveries)
      .where(sql`${id} in (select value from json_each(${JSON.stringify(open)}))`)
      .orderBy(asc(id)),
  ])
  const head = newest?.id ?? 0
  return { deliveries: [...known, ...fresh], last: fresh.length === TAIL ? (fresh.at(-1)?.id ?? head) : head }
}

/**
 * Makes one attempt of a delivery now, because a person wants it.
 * @returns the delivery after the attempt, with its event's text
 * @throws Refusal `not_found`; `delivery_not_retryable` when it is delivered, or an attempt of it is under way
 */
export async function retryDelivery(ctx: Ctx, id: number): Promise<ListedDelivery> {
  const reservation = await reserveForced(ctx, id)
  if (!reservation) throw new Refusal((await exists(ctx, id)) ? "delivery_not_retryable" : "not_found")
  const delivery = await carryOut(ctx, reservation, "manual")
  if (!delivery) throw new Refusal("not_found")
  return { delivery, payload: reservation.payload }
}

async function exists(ctx: Ctx, id: number): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.id, id), endpointIsThere))
  return rows.length > 0
}

/** The counter of a filter, as the triggers name it. */
const filterName = ({ status = "", event = "" }: { status?: string; event?: string }): string =>
  status || event ? `${status}|${event}` : ""
