// Operations on webhook deliveries.

import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type Page, pageFrom, preparePages, type Slice } from "../../core/list/page"
import {
  addPayloads,
  findHomeOfDelivery,
  listDeliveryDatabases,
  queryDeliveryDatabases,
  withoutCopies,
} from "../../core/write/delivery-databases"
import { endpointIdOf } from "../../core/write/event-log"
import { assertNotRehoming } from "../../core/write/rehoming"
import { batch, type CentralDatabase, read } from "../../db/client"
import { sortDirection } from "../../db/literal"
import { param, prepareRead } from "../../db/prepared"
import {
  type DeliveryStatus,
  type RecordedAttempt,
  webhookDeliveries,
  webhookEvents,
  webhookTotals,
} from "../../db/schema/central/webhooks"
import { memoize } from "../../lib/memo"
import { sendAttempt } from "../attempt"
import { waitingFor } from "../ordering"
import { deliveryEndpointExists, selectEndpointId } from "../receiving-condition"
import { type Delivery, deliveryColumns, reserveManual } from "../reserve"
import { TIMEOUT_ERROR } from "../send"
import { DELIVERY_STATUSES, type ListDeliveries } from "./schemas"

/** A delivery, with its event's payload if requested. */
export interface ListedDelivery {
  delivery: Delivery & {
    /** The delivery that it waits for, if it waits. */
    waitingFor?: number | null
  }
  payload: string | null
}

/**
 * Lists a page of an endpoint's deliveries, newest first.
 * @throws Refusal `not_found` if the endpoint does not exist
 */
export async function listDeliveries(
  ctx: Ctx,
  endpointId: number,
  input: z.output<typeof ListDeliveries>,
): Promise<Page<ListedDelivery>> {
  const { status, event, include } = input
  const shape: QueryShape = {
    ...(status && { status }),
    ofEvent: event !== undefined,
    withPayload: include !== undefined,
  }
  const values = { endpoint: endpointId, event: event ?? null }
  const statements = [
    selectEndpointId({ endpoint: endpointId }),
    ...prepareDeliveryPages(JSON.stringify(shape))(input, values),
  ] as const
  // Only its home has rows. To look it up first would take another round trip.
  const results = await queryDeliveryDatabases(ctx, ({ db }) => batch(db, statements))
  if (!results.some(([known]) => known.length)) throw new Refusal("not_found")
  const pages = results.map(([, ...page]) => pageFrom<ListedRow>(page))
  const { rows, total } = pages.find((page) => page.total > 0) ?? { rows: [], total: 0 }
  const complete = include ? await addPayloads(ctx, rows) : rows
  return { rows: complete.map(toListedDelivery), total }
}

/** A delivery and its event's payload in one row. */
type ListedRow = ListedDelivery["delivery"] & { payload: string | null }

const toListedDelivery = ({ payload, ...delivery }: ListedRow): ListedDelivery => ({ delivery, payload })

/** The inputs that change a query's SQL; all others are parameters. Each shape is prepared once. */
interface QueryShape {
  status?: DeliveryStatus
  ofEvent: boolean
  withPayload: boolean
}

const selectListed = (db: CentralDatabase, withPayload: boolean) => {
  const payload = withPayload
    ? sql<string | null>`${webhookEvents.payload}`.mapWith(webhookEvents.payload)
    : sql<null>`null`
  return db
    .select({ ...deliveryColumns, waitingFor: waitingFor.as("waiting_for"), payload: payload.as("payload") })
    .from(webhookDeliveries)
    .leftJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .$dynamic()
}

const prepareDeliveryPages = memoize((text: string) => {
  const shape = JSON.parse(text) as QueryShape
  const { id } = webhookDeliveries
  return preparePages<ListedRow, { endpoint: number; event: string | null }>(
    selectTotal(shape),
    (db, slice, direction) =>
      selectListed(db, shape.withPayload)
        .where(sql`${id} in (${selectPageIds(shape, slice, direction)})`)
        .orderBy(direction === "forward" ? desc(id) : asc(id))
        .limit(slice.limit)
        .offset(slice.offset),
  )
})

/**
 * Reads one delivery.
 * @param include `payload` to include its event's payload
 * @throws Refusal `not_found`
 */
export async function readDelivery(
  ctx: Ctx,
  id: number,
  { include }: { include?: "payload" },
): Promise<ListedDelivery> {
  const statement = (include ? withPayload : withoutPayload)({ id })
  const found = withoutCopies((await queryDeliveryDatabases(ctx, ({ db }) => read(db, statement))).flat())
  const [row] = include ? await addPayloads(ctx, found) : found
  if (!row) throw new Refusal("not_found")
  return toListedDelivery(row)
}

const prepareListed = (hasPayload: boolean) =>
  prepareRead<ListedRow, { id: number }>((db) => selectListed(db, hasPayload).where(isExisting))

const isExisting = and(eq(webhookDeliveries.id, param("id")), deliveryEndpointExists)

const withPayload = prepareListed(true)
const withoutPayload = prepareListed(false)

/**
 * Lists the attempts of a delivery, newest first.
 * @throws Refusal `not_found`
 */
export async function listAttempts(ctx: Ctx, id: number): Promise<RecordedAttempt[]> {
  const found = (await queryDeliveryDatabases(ctx, ({ db }) => read(db, selectAttempts({ id })))).flat()
  const [delivery] = withoutCopies(found)
  if (!delivery) throw new Refusal("not_found")
  return sortNewestFirst(delivery.attempts)
}

const selectAttempts = prepareRead<Pick<Row, "id" | "updatedAt" | "attempts">, { id: number }>((db) => {
  const { id, updatedAt, attempts } = webhookDeliveries
  return db.select({ id, updatedAt, attempts }).from(webhookDeliveries).where(isExisting)
})

type Row = typeof webhookDeliveries.$inferSelect

/** Sorts attempts by number, because one that was settled late is stored after newer ones. */
export const sortNewestFirst = (attempts: RecordedAttempt[]): RecordedAttempt[] =>
  attempts.toSorted((a, b) => b.number - a.number)

/** New deliveries per database and call of `tailDeliveries`. */
const MAX_TAIL_DELIVERIES = 100

/**
 * Lists the deliveries created after a cursor, oldest first, and the current state of some others.
 * @param after the newest id that was listed of each delivery database, in the order of WEBHOOK_DATABASES: a database
 *   whose deliveries are created late must not be skipped. The last id also applies to databases without one. Without
 *   a cursor, only the next one is returned, as a starting point.
 * @param open ids of deliveries that the caller still watches
 * @returns the deliveries, and the next cursor
 */
export async function tailDeliveries(
  ctx: Ctx,
  { after, endpoint, open }: { after?: readonly number[]; endpoint?: number; open: number[] },
): Promise<{ deliveries: Delivery[]; last: number[] }> {
  const { id, endpointId } = webhookDeliveries
  const isOfEndpoint = endpoint === undefined ? undefined : eq(endpointId, endpoint)
  const databases = listDeliveryDatabases(ctx)
  const results = await Promise.all(
    // lint: each delivery database
    databases.map(({ db }, index) => {
      const previous = after?.[index] ?? after?.at(-1)
      return batch(db, [
        db.select({ id }).from(webhookDeliveries).orderBy(desc(id)).limit(1),
        db
          .select(deliveryColumns)
          .from(webhookDeliveries)
          .where(and(previous === undefined ? sql`false` : sql`${id} > ${previous}`, isOfEndpoint))
          .orderBy(asc(id))
          .limit(MAX_TAIL_DELIVERIES),
        db
          .select(deliveryColumns)
          .from(webhookDeliveries)
          .where(sql`${id} in (select value from json_each(${JSON.stringify(open)}))`)
          .orderBy(asc(id)),
      ])
    }),
  )
  const byId = (a: Delivery, b: Delivery) => a.id - b.id
  const watched = withoutCopies(results.flatMap(([, , rows]) => rows)).sort(byId)
  const created = withoutCopies(results.flatMap(([, rows]) => rows)).sort(byId)
  return {
    deliveries: [...watched, ...created],
    last: results.map(([[newest], rows]) =>
      rows.length === MAX_TAIL_DELIVERIES ? (rows.at(-1)?.id ?? 0) : (newest?.id ?? 0),
    ),
  }
}

/**
 * Retries a delivery immediately, on request.
 * @returns the delivery after the attempt, with its event's payload, and whether the attempt was released because DNS is
 *   down
 * @throws Refusal `not_found`; `delivery_not_retryable` if it is delivered, an attempt of it is in flight, or it waits
 *   for an earlier delivery; `temporarily_unavailable` while it moves to another database
 */
export async function retryDelivery(ctx: Ctx, id: number): Promise<ListedDelivery & { isReleased: boolean }> {
  const reservation = await reserveManual(ctx, id)
  if (!reservation) {
    await assertNotRehoming(ctx, endpointIdOf(id))
    throw new Refusal((await deliveryExists(ctx, id)) ? "delivery_not_retryable" : "not_found")
  }
  const delivery = await sendAttempt(ctx, reservation, "manual")
  if (!delivery) throw new Refusal("not_found")
  const isReleased = delivery.attempt < reservation.delivery.attempt
  return { delivery, payload: reservation.payload, isReleased }
}

/** Deliveries that one request retries. */
export const MAX_RETRIED_DELIVERIES = 50

/**
 * Retries deliveries in the background, a few at a time. Those that were delivered or attempted in the meantime, or
 * deleted, are skipped. After a timeout, so are the endpoint's others: the runtime ends background work after 30
 * seconds (https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil).
 */
export function retryDeliveries(ctx: Ctx, ids: readonly number[]): void {
  const hanging = new Set<number>()
  const retry = async (id: number) => {
    if (hanging.has(endpointIdOf(id))) return
    const { delivery } = await retryDelivery(ctx, id)
    if (delivery.error === TIMEOUT_ERROR) hanging.add(endpointIdOf(id))
  }
  for (const id of new Set(ids)) {
    const attempt = ctx.outbound.with(() => retry(id))
    ctx.inBackground(
      attempt.catch((thrown) => {
        if (!(thrown instanceof Refusal)) throw thrown
      }),
    )
  }
}

async function deliveryExists(ctx: Ctx, id: number): Promise<boolean> {
  const { db } = await findHomeOfDelivery(ctx, id)
  const rows = await db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.id, id), deliveryEndpointExists))
  return rows.length > 0
}

/**
 * Selects the number of an endpoint's deliveries that match a filter, from the totals that triggers maintain per event
 * type.
 */
function selectTotal({ status, ofEvent: belongsToEvent }: QueryShape): SQL {
  const { pending, delivered, failed, exhausted } = webhookTotals
  const count = status ? sql`${webhookTotals[status]}` : sql`${pending} + ${delivered} + ${failed} + ${exhausted}`
  const ofEvent = belongsToEvent ? sql`and ${webhookTotals.event} = ${param("event")}` : sql``
  return sql`(select coalesce(sum(${count}), 0) from ${webhookTotals} where ${webhookTotals.endpointId} = ${param("endpoint")} ${ofEvent})`
}

/**
 * Selects the ids of a page and of everything before it, and more without a filter by event or status. The index is
 * ordered by endpoint, status and event, so each matching pair of status and event is read only to the end of the page.
 */
function selectPageIds(
  { status, ofEvent }: QueryShape,
  { limit, offset }: Slice,
  direction: "forward" | "backward",
): SQL {
  const order = sortDirection(direction === "forward" ? "desc" : "asc")
  // An empty page reads nothing, however large its offset.
  const end = sql`order by delivery.id ${order} limit iif(${limit} = 0, 0, ${limit} + ${offset})`
  const endpoint = param("endpoint")
  if (!status && !ofEvent)
    return sql`select delivery.id from webhook_deliveries as delivery where delivery.endpoint_id = ${endpoint} ${end}`
  const statuses = JSON.stringify(status ? [status] : DELIVERY_STATUSES)
  return sql`select match.id from json_each(${statuses}) as status
    cross join webhook_totals as totals
    cross join webhook_deliveries as match on match.id in (
      select delivery.id from webhook_deliveries as delivery
      where delivery.endpoint_id = ${endpoint} and delivery.status = status.value and delivery.event = totals.event ${end})
    where totals.endpoint_id = ${endpoint} ${ofEvent ? sql`and totals.event = ${param("event")}` : sql``}`
}
