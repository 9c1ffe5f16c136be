// The verbs of webhook deliveries.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { compiledPages, type Page, pageFrom, type Slice } from "../../core/list/page"
import { batch, type CentralDatabase, read } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import {
  type DeliveryStatus,
  type RecordedAttempt,
  webhookDeliveries,
  webhookEvents,
  webhookTotals,
} from "../../db/schema/central/webhooks"
import { memo } from "../../lib/memo"
import { carryOut } from "../attempt"
import { endpointIsThere, knownEndpoint } from "../receiving-condition"
import { type Delivery, deliveryColumns, reserveForced } from "../reserve"
import { DELIVERY_STATUSES, type ListDeliveries } from "./schemas"

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
  const { status, event, include } = input
  const shape: Shape = { ...(status && { status }), ofEvent: event !== undefined, withPayload: include !== undefined }
  const values = { endpoint: endpointId, event: event ?? null }
  const [known, ...answers] = await batch(ctx.db, [
    knownEndpoint({ endpoint: endpointId }),
    ...pagesOf(JSON.stringify(shape))(input, values),
  ])
  if (!known.length) throw new Refusal("not_found")
  const { rows, total } = pageFrom<ListedRow>(answers)
  return { rows: rows.map(listed), total }
}

/** A delivery and its event's text in one row. */
type ListedRow = Delivery & { payload: string | null }

const listed = ({ payload, ...delivery }: ListedRow): ListedDelivery => ({ delivery, payload })

/** What decides how a page of deliveries is read; the rest are values. */
interface Shape {
  status?: DeliveryStatus
  ofEvent: boolean
  withPayload: boolean
}

const selectListed = (db: CentralDatabase, withPayload: boolean) => {
  const payload = withPayload ? sql<string>`${webhookEvents.payload}` : sql<null>`null`
  return db
    .select({ ...deliveryColumns, payload: payload.as("payload") })
    .from(webhookDeliveries)
    .leftJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .$dynamic()
}

const pagesOf = memo((text: string) => {
  const shape = JSON.parse(text) as Shape
  const { id } = webhookDeliveries
  return compiledPages<ListedRow, { endpoint: number; event: string | null }>(
    totalOf(shape),
    (db, slice, direction) =>
      selectListed(db, shape.withPayload)
        .where(sql`${id} in (${numbersOf(shape, slice, direction)})`)
        .orderBy(direction === "forward" ? desc(id) : asc(id))
        .limit(slice.limit)
        .offset(slice.offset) as never,
  )
})

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
  const [found] = await read(ctx.db, (include ? withPayload : withoutPayload)({ id }))
  if (!found) throw new Refusal("not_found")
  return listed(found)
}

const oneListed = (hasPayload: boolean) =>
  compiled<ListedRow, { id: number }>((db) => selectListed(db, hasPayload).where(isThere) as never)

const isThere = and(eq(webhookDeliveries.id, given("id")), endpointIsThere)

const withPayload = oneListed(true)
const withoutPayload = oneListed(false)

/**
 * The attempts of a delivery, the newest first.
 * @throws Refusal `not_found`
 */
export async function listAttempts(ctx: Ctx, id: number): Promise<RecordedAttempt[]> {
  const [known] = await read(ctx.db, attemptsOf({ id }))
  if (!known) throw new Refusal("not_found")
  return newestFirst(known.attempts)
}

const attemptsOf = compiled<{ attempts: RecordedAttempt[] }, { id: number }>((db) =>
  db.select({ attempts: webhookDeliveries.attempts }).from(webhookDeliveries).where(isThere),
)

/** One that was settled late stands behind those that were made after it. */
export const newestFirst = (attempts: RecordedAttempt[]): RecordedAttempt[] =>
  attempts.toSorted((one, other) => other.number - one.number)

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
      .select(deliveryColumns)
      .from(webhookDeliveries)
      .where(and(after === undefined ? sql`false` : sql`${id} > ${after}`, isWanted))
      .orderBy(asc(id))
      .limit(TAIL),
    ctx.db
      .select(deliveryColumns)
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

/** How many deliveries of an endpoint a filter leaves, as the triggers keep it: a row an event. */
function totalOf({ status, ofEvent: isOfEvent }: Shape): SQL {
  const { pending, delivered, failed, exhausted } = webhookTotals
  const one = status ? sql`${webhookTotals[status]}` : sql`${pending} + ${delivered} + ${failed} + ${exhausted}`
  const ofEvent = isOfEvent ? sql`and ${webhookTotals.event} = ${given("event")}` : sql``
  return sql`(select coalesce(sum(${one}), 0) from ${webhookTotals} where ${webhookTotals.endpointId} = ${given("endpoint")} ${ofEvent})`
}

/**
 * The numbers of a slice and of what is before it, and more where a filter leaves events or statuses open: the index has them by endpoint,
 * status and event, so that each pair of the two that the filter lets pass is read as far as the slice goes, whatever else there is.
 */
function numbersOf({ status, ofEvent }: Shape, { limit, offset }: Slice, direction: "forward" | "backward"): SQL {
  const order = sql.raw(direction === "forward" ? "desc" : "asc")
  // A slice of nothing reads nothing, however deep it begins.
  const end = sql`order by found.id ${order} limit iif(${limit} = 0, 0, ${limit} + ${offset})`
  const endpoint = given("endpoint")
  if (!status && !ofEvent)
    return sql`select found.id from webhook_deliveries as found where found.endpoint_id = ${endpoint} ${end}`
  const statuses = JSON.stringify(status ? [status] : DELIVERY_STATUSES)
  return sql`select one.id from json_each(${statuses}) as wanted
    cross join webhook_totals as heard
    cross join webhook_deliveries as one on one.id in (
      select found.id from webhook_deliveries as found
      where found.endpoint_id = ${endpoint} and found.status = wanted.value and found.event = heard.event ${end})
    where heard.endpoint_id = ${endpoint} ${ofEvent ? sql`and heard.event = ${given("event")}` : sql``}`
}
