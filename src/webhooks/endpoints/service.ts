// The verbs of a webhook endpoint.
import { and, asc, desc, eq, getTableColumns, isNull, type Placeholder, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { compiledPages, counted, type Page, type PageRequest, readPages, type Slice } from "../../core/list/page"
import { commit, WriteConflict } from "../../core/write/commit"
import { eventsOf, PING, type TestEvent } from "../../core/write/event-types"
import { batch, read } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { webhookEndpoints, webhookTotals } from "../../db/schema/central/webhooks"
import { insert, update } from "../../db/write"
import { encrypt } from "../../lib/cipher"
import { later, SECOND } from "../../lib/time"
import { carryOut } from "../attempt"
import { clearFailures, mirror, mirrored } from "../failure-counter"
import { openTest } from "../ping"
import { type Endpoint, endpointIsOn, endpointIsStopped } from "../receiving-condition"
import type { Delivery } from "../reserve"
import { newSecret } from "../sign"
import { assertAllowed, judge, ownedDomain } from "./address"
import { enqueueEndpointPurge } from "./purge"
import type { CreateEndpoint, UpdateEndpoint } from "./schemas"

/** An endpoint with its last success, which stands with its totals: the endpoint's own row would be written by every delivery. */
export type ShownEndpoint = Endpoint & { lastSuccessAt: Date | null }

const columns = {
  ...getTableColumns(webhookEndpoints),
  lastSuccessAt: sql<Date | null>`(select max(${webhookTotals.lastSuccessAt}) from ${webhookTotals}
    where ${webhookTotals.endpointId} = ${webhookEndpoints.id})`
    .mapWith(webhookTotals.lastSuccessAt)
    .as("latest_success_at"),
}

/** A page of endpoints, the newest first. */
export const listEndpoints = (ctx: Ctx, page: PageRequest): Promise<Page<ShownEndpoint>> =>
  readPages(ctx.db, endpointPages(page, {}))

const endpointPages = compiledPages<ShownEndpoint, object>(
  counted("webhook_endpoints"),
  (db, { limit, offset }, direction) =>
    db
      .select(columns)
      .from(webhookEndpoints)
      .where(isNull(webhookEndpoints.deletedAt))
      .orderBy(direction === "forward" ? desc(webhookEndpoints.id) : asc(webhookEndpoints.id))
      .limit(limit)
      .offset(offset),
)

/** Endpoints that a run of failures stopped, the last one first. */
export const stoppedEndpoints = async (ctx: Ctx, { limit, offset }: Slice): Promise<ShownEndpoint[]> =>
  ctx.db
    .select(columns)
    .from(webhookEndpoints)
    .where(endpointIsStopped)
    .orderBy(desc(webhookEndpoints.disabledAt), desc(webhookEndpoints.id))
    .limit(limit)
    .offset(offset)

/** @throws Refusal `not_found` */
export async function readEndpoint(ctx: Ctx, id: number): Promise<ShownEndpoint> {
  const [endpoint] = await read(ctx.db, endpointOf({ id }))
  return found(endpoint)
}

/**
 * Creates an endpoint.
 * @returns the endpoint and its signing secret, which is shown this once
 * @throws Refusal `validation_failed` for an address that webhooks may not go to
 */
export async function createEndpoint(
  ctx: Ctx,
  input: z.output<typeof CreateEndpoint>,
): Promise<{ endpoint: ShownEndpoint; secret: string }> {
  const judged = judge(ctx, input.url)
  const [owned, unknown] = await batch(ctx.db, [ownedDomain(ctx, judged), unknownStores(ctx, input.stores)])
  if (unknown.length) throw invalid("stores", "selected")
  await assertAllowed(ctx, judged, owned)
  const secret = newSecret()
  const sealed = await encrypt(ctx.settings.APP_KEY, secret)
  const [[endpoint]] = await commit(ctx, {
    writes: [
      insert(webhookEndpoints)
        .values({
          url: input.url,
          events: input.events,
          description: input.description ?? null,
          stores: input.stores ?? null,
          storeSeqs: incarnationsOf(input.stores),
          secret: sealed,
          isActive: true,
          consecutiveFailures: 0,
          failureSeq: 0,
          createdByName: ctx.actor.name,
          createdAt: ctx.now,
          updatedAt: ctx.now,
        })
        .returning(),
    ],
    trail: [{ audit: { subject: "endpoint", deed: "created", id: lastId, after: shown(input) } }],
  })
  if (!endpoint) throw new Error("The endpoint was not stored")
  return { endpoint: { ...endpoint, lastSuccessAt: null }, secret }
}

/** The id of the endpoint that the same batch stores. */
const lastId = sql`(select max(id) from webhook_endpoints)`

/** What the trail says of an endpoint's fields: those that are there. */
const shown = (fields: {
  url?: string
  events?: string[]
  description?: string | null
  stores?: string[] | null
  isActive?: boolean
}) => ({
  ...(fields.url !== undefined && { url: fields.url }),
  ...(fields.events !== undefined && { events: fields.events }),
  ...(fields.description !== undefined && { description: fields.description }),
  ...(fields.stores !== undefined && { stores: fields.stores }),
  ...(fields.isActive !== undefined && { is_active: fields.isActive }),
})

/**
 * Changes an endpoint. `is_active: true` also switches one on again that a run of failures switched off.
 * @throws Refusal `not_found`; `validation_failed` for an address that webhooks may not go to
 */
export async function updateEndpoint(
  ctx: Ctx,
  id: number,
  input: z.output<typeof UpdateEndpoint>,
): Promise<ShownEndpoint> {
  const judged = input.url === undefined ? null : judge(ctx, input.url)
  const [[known], owned, unknown] = await batch(ctx.db, [
    endpointOf({ id }),
    ownedDomain(ctx, judged),
    unknownStores(ctx, input.stores),
  ])
  const endpoint = found(known)
  if (unknown.some(({ id }) => !endpoint.stores?.includes(id))) throw invalid("stores", "selected")
  if (judged && input.url !== endpoint.url) await assertAllowed(ctx, judged, owned)
  const { url, events, description, stores, is_active: isActive } = input
  const changes = { url, events, description, stores, isActive }
  if (Object.values(changes).every((value) => value === undefined)) return endpoint
  const count = input.is_active === true ? await clearFailures(ctx, id) : null
  const [[changed]] = await commit(ctx, {
    guard: update(webhookEndpoints)
      .set({
        ...changes,
        // A filter that stays the same keeps the stores it was saved for, also where a later store has one of their ids.
        ...(stores !== undefined && !isSameFilter(stores, endpoint.stores) && { storeSeqs: incarnationsOf(stores) }),
        updatedAt: ctx.now,
      })
      .where(isThere(id)),
    writes: [endpointOf({ id })],
    last: count ? [mirror(id, count)] : [],
    trail: [{ audit: { subject: "endpoint", deed: "changed", id, before: shown(endpoint), after: shown(changes) } }],
  }).catch(missing)
  return count ? { ...found(changed), ...mirrored(count) } : found(changed)
}

/** The incarnations that a filter's ids mean now, as SQL; null for no filter. */
const incarnationsOf = (ids: string[] | null | undefined): SQL<number[]> | null =>
  ids
    ? sql`(select json_group_array(stores.seq) from stores where stores.id in (select value from json_each(${JSON.stringify(ids)})))`
    : null

const isSameFilter = (one: string[] | null, other: string[] | null): boolean =>
  JSON.stringify(one?.toSorted()) === JSON.stringify(other?.toSorted())

/** The ids among these that no store has. */
const unknownStores = (ctx: Ctx, ids: string[] | null | undefined) =>
  ctx.db
    .select({ id: sql<string>`value` })
    .from(sql`json_each(${JSON.stringify(ids ?? [])})`)
    .where(sql`not exists (select 1 from stores where stores.id = value)`)

/** An endpoint that was deleted meanwhile is not there. */
function missing(cause: unknown): never {
  throw cause instanceof WriteConflict ? new Refusal("not_found") : cause
}

/**
 * Deletes an endpoint; its deliveries follow on the queue.
 * @throws Refusal `not_found`
 */
export async function removeEndpoint(ctx: Ctx, id: number): Promise<void> {
  await commit(ctx, {
    guard: update(webhookEndpoints).set({ isActive: false, deletedAt: ctx.now }).where(isThere(id)),
    trail: [{ audit: { subject: "endpoint", deed: "deleted", id } }],
  }).catch(missing)
  enqueueEndpointPurge(ctx, id)
}

/**
 * Rotates an endpoint's signing secret. The old secret signs nothing from now on, or beside the new one during the grace period; a second
 * rotation keeps only the secret before it. Of several rotations of one secret one succeeds, so that each caller's secret was valid.
 * @param graceSeconds how long both sign, in seconds
 * @returns the new secret, which is shown this once
 * @throws Refusal `not_found`; `illegal_transition` when another rotation replaced the secret meanwhile
 */
export async function rotateSecret(ctx: Ctx, id: number, graceSeconds = 0): Promise<string> {
  const endpoint = await readEndpoint(ctx, id)
  const secret = newSecret()
  const sealed = await encrypt(ctx.settings.APP_KEY, secret)
  const before =
    graceSeconds > 0
      ? { previousSecret: sql`secret`, previousSecretUntil: later(ctx.now, graceSeconds * SECOND) }
      : { previousSecret: null, previousSecretUntil: null }
  await commit(ctx, {
    guard: update(webhookEndpoints)
      .set({ ...before, secret: sealed, updatedAt: ctx.now })
      .where(and(isThere(id), eq(webhookEndpoints.secret, endpoint.secret))),
    trail: [
      {
        audit: {
          subject: "endpoint",
          deed: "rotated",
          id,
          data: graceSeconds > 0 ? { grace_seconds: graceSeconds } : {},
        },
      },
    ],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("illegal_transition") : cause
  })
  return secret
}

/**
 * Sends a ping or an example of an event, whatever the endpoint listens to and whether it receives or not.
 * @returns the delivery after its first attempt
 * @throws Refusal `not_found`
 */
export async function testEndpoint(ctx: Ctx, id: number, event?: TestEvent | null): Promise<Delivery> {
  const test = found(await openTest(ctx, id, event ?? undefined))
  return found(await carryOut(ctx, test))
}

/** Endpoints that an example goes to when none is named. */
const MOST_LISTENERS = 20

/** The endpoints that receive an event, the oldest first; all that receive anything for a ping. */
export async function listeners(ctx: Ctx, event: TestEvent): Promise<number[]> {
  const rows = await ctx.db
    .select({ id: webhookEndpoints.id, events: webhookEndpoints.events })
    .from(webhookEndpoints)
    .where(endpointIsOn)
    .orderBy(asc(webhookEndpoints.id))
  const listening = rows.filter(({ events }) => event === PING || (eventsOf(events)?.includes(event) ?? true))
  return listening.slice(0, MOST_LISTENERS).map(({ id }) => id)
}

const endpointOf = compiled<ShownEndpoint, { id: number }>((db) =>
  db
    .select(columns)
    .from(webhookEndpoints)
    .where(isThere(given("id"))),
)

/** The endpoint of that id, unless it was deleted. */
const isThere = (id: number | Placeholder) => and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.deletedAt))

function found<Row>(row: Row | null | undefined): Row {
  if (!row) throw new Refusal("not_found")
  return row
}
