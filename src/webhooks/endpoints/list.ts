// Lists and reads webhook endpoints.
import { and, asc, desc, eq, getTableColumns, isNull, type Placeholder, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { versionTag } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { type Page, prepareMatches, preparePages, readPages, type Slice, selectCounter } from "../../core/list/page"
import { listDeliveryDatabases, queryAvailableDatabases } from "../../core/write/delivery-databases"
import { expandSubscriptions, PING, type TestEvent } from "../../core/write/event-types"
import { type CentralDatabase, read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { webhookEndpoints, webhookTotals } from "../../db/schema/central/webhooks"
import { type Endpoint, endpointIsDisabled, endpointIsReceiving } from "../receiving-condition"
import type { ListEndpoints } from "./schemas"

/**
 * An endpoint with its last success, which is stored with the totals: otherwise every delivery would write the
 * endpoint's row.
 */
export type EndpointWithLastSuccess = Endpoint & { lastSuccessAt: Date | null }

/** The store to whose endpoints a caller is limited. */
export interface EndpointOwner {
  id: string
  /** Its incarnation. */
  seq: number
}

/** The columns of an endpoint, with its last success. */
const columns = {
  ...getTableColumns(webhookEndpoints),
  lastSuccessAt: sql<Date | null>`(select max(${webhookTotals.lastSuccessAt}) from ${webhookTotals}
    where ${webhookTotals.endpointId} = ${webhookEndpoints.id})`
    .mapWith(webhookTotals.lastSuccessAt)
    .as("latest_success_at"),
}

/**
 * Lists a page of endpoints, newest first.
 * @param owner the only store whose endpoints are listed; null for all
 */
export async function listEndpoints(
  ctx: Ctx,
  input: z.output<typeof ListEndpoints>,
  owner: EndpointOwner | null = null,
): Promise<Page<EndpointWithLastSuccess>> {
  const store = owner?.id ?? input.store_id
  const since = input.updated_since?.getTime()
  const page = await readPages(
    ctx.db,
    store !== undefined
      ? prepareStoreEndpoints(input, { store, storeSeq: owner?.seq ?? null, since: since ?? 0 })
      : since === undefined
        ? prepareEndpointPages(input, {})
        : prepareUpdatedEndpoints(input, { since }),
  )
  return { ...page, rows: await addLastSuccess(ctx, page.rows) }
}

/** Adds the last success of endpoints whose totals are in a separate delivery database. */
export async function addLastSuccess(
  ctx: Ctx,
  endpoints: EndpointWithLastSuccess[],
): Promise<EndpointWithLastSuccess[]> {
  if (listDeliveryDatabases(ctx).every(({ isCentral }) => isCentral)) return endpoints
  const ids = JSON.stringify(endpoints.map(({ id }) => id))
  const { results } = await queryAvailableDatabases(ctx, async ({ db }) =>
    db
      .select({ id: webhookTotals.endpointId, at: sql<number | null>`max(${webhookTotals.lastSuccessAt})` })
      .from(webhookTotals)
      .where(sql`${webhookTotals.endpointId} in (select value from json_each(${ids}))`)
      .groupBy(webhookTotals.endpointId),
  )
  const successes = new Map(results.flat().map(({ id, at }) => [id, at]))
  return endpoints.map((endpoint) => {
    const at = successes.get(endpoint.id)
    return at ? { ...endpoint, lastSuccessAt: new Date(at) } : endpoint
  })
}

const selectPage = (db: CentralDatabase, { limit, offset }: Slice, direction: "forward" | "backward", which?: SQL) =>
  db
    .select(columns)
    .from(webhookEndpoints)
    .where(and(isNull(webhookEndpoints.deletedAt), which))
    .orderBy(direction === "forward" ? desc(webhookEndpoints.id) : asc(webhookEndpoints.id))
    .limit(limit)
    .offset(offset)

const prepareEndpointPages = preparePages<EndpointWithLastSuccess, object>(
  selectCounter("webhook_endpoints"),
  selectPage,
)

/** The unary plus keeps SQLite from reading the list in the order of its ids. */
const isUpdatedSince = sql`+${webhookEndpoints.id} in (select changed.id from webhook_endpoints as changed
  where changed.updated_at >= ${param("since")})`

const prepareUpdatedEndpoints = prepareMatches<EndpointWithLastSuccess, { since: number }>(
  sql`(select count(*) from ${webhookEndpoints} where ${webhookEndpoints.deletedAt} is null and ${isUpdatedSince})`,
  (db, slice, direction) => selectPage(db, slice, direction, isUpdatedSince),
)

const isOfStore = sql`${webhookEndpoints.storeId} = ${param("store")}
  and ${webhookEndpoints.storeSeq} = coalesce(${param("storeSeq")}, ${webhookEndpoints.storeSeq})
  and ${webhookEndpoints.updatedAt} >= ${param("since")}`

const prepareStoreEndpoints = prepareMatches<
  EndpointWithLastSuccess,
  { store: string; storeSeq: number | null; since: number }
>(
  sql`(select count(*) from ${webhookEndpoints} where ${webhookEndpoints.deletedAt} is null and ${isOfStore})`,
  (db, slice, direction) => selectPage(db, slice, direction, isOfStore),
)

/** Returns the ETag of an endpoint, which changes with its configuration, not with deliveries. */
export const endpointTag = ({ id, version }: Pick<Endpoint, "id" | "version">): string => versionTag(id, version)

/** Lists the endpoints that failures disabled, the most recent first. */
export async function listDisabledEndpoints(ctx: Ctx, { limit, offset }: Slice): Promise<EndpointWithLastSuccess[]> {
  const rows = await ctx.db
    .select(columns)
    .from(webhookEndpoints)
    .where(endpointIsDisabled)
    .orderBy(desc(webhookEndpoints.disabledAt), desc(webhookEndpoints.id))
    .limit(limit)
    .offset(offset)
  return addLastSuccess(ctx, rows)
}

/**
 * @param owner the store that it has to belong to; null for any endpoint
 * @throws Refusal `not_found`
 */
export async function readEndpoint(
  ctx: Ctx,
  id: number,
  owner: EndpointOwner | null = null,
): Promise<EndpointWithLastSuccess> {
  const [endpoint] = await addLastSuccess(ctx, await read(ctx.db, selectEndpoint({ id })))
  return assertFound(endpoint, owner)
}

/** Endpoints that a test event is sent to if none is named. */
const MAX_TEST_ENDPOINTS = 20

/** Lists the platform's endpoints that receive an event, oldest first; for a ping, all receiving ones. */
export async function listSubscribedEndpoints(ctx: Ctx, event: TestEvent): Promise<number[]> {
  const rows = await ctx.db
    .select({ id: webhookEndpoints.id, events: webhookEndpoints.events })
    .from(webhookEndpoints)
    .where(and(endpointIsReceiving, isNull(webhookEndpoints.storeId)))
    .orderBy(asc(webhookEndpoints.id))
  const subscribed = rows.filter(({ events }) => event === PING || expandSubscriptions(events).includes(event))
  return subscribed.slice(0, MAX_TEST_ENDPOINTS).map(({ id }) => id)
}

/** Selects an endpoint that was not deleted. */
export const selectEndpoint = prepareRead<EndpointWithLastSuccess, { id: number }>((db) =>
  db
    .select(columns)
    .from(webhookEndpoints)
    .where(isExisting(param("id"))),
)

/** Matches an endpoint that was not deleted. */
export const isExisting = (id: number | Placeholder) =>
  and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.deletedAt))

/**
 * Returns the row.
 * @param owner the store that it has to belong to; null for any endpoint
 * @throws Refusal `not_found` if there is none, or if it belongs to another store
 */
export function assertFound<Row extends { storeSeq: number | null }>(
  row: Row | null | undefined,
  owner: EndpointOwner | null = null,
): Row {
  if (!row || (owner && row.storeSeq !== owner.seq)) throw new Refusal("not_found")
  return row
}
