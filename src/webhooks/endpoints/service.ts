// Creates, changes, deletes and tests webhook endpoints.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import type { Precondition } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { commit, WriteConflict } from "../../core/write/commit"
import { chooseHome } from "../../core/write/delivery-databases"
import { replicateEndpoint } from "../../core/write/endpoint-replicas"
import { head } from "../../core/write/event-log"
import type { TestEvent } from "../../core/write/event-types"
import { assertNotRehoming } from "../../core/write/rehoming"
import { batch } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { webhookEndpoints } from "../../db/schema/central/webhooks"
import { abortWhere, insert, update } from "../../db/write"
import { encrypt } from "../../lib/cipher"
import { type InputColumns, listFields, toColumns } from "../../lib/every-field"
import { addMs, SECOND } from "../../lib/time"
import { sendAttempt } from "../attempt"
import { buildCountWrite, resetFailures, toEndpointColumns } from "../failure-counter"
import { type Endpoint, toAuditSite, toAuditSiteOf } from "../receiving-condition"
import type { Delivery } from "../reserve"
import { generateSecret } from "../sign"
import { createTestDelivery } from "../test-event"
import { checkEndpointUrl, findUrlError, selectOwnedDomain } from "./check-url"
import { encryptHeaders, maskHeaders } from "./headers"
import {
  addLastSuccess,
  assertFound,
  type EndpointOwner,
  type EndpointWithLastSuccess,
  endpointTag,
  isExisting,
  readEndpoint,
  selectEndpoint,
} from "./list"
import { enqueueEndpointPurge } from "./purge"
import type { CreateEndpoint, UpdateEndpoint } from "./schemas"

/** The column that stores each field of the inputs. */
const INPUT_COLUMNS = {
  url: "url",
  events: "events",
  description: "description",
  stores: "stores",
  filter: "filter",
  payload: "payloadFormat",
  headers: "headers",
  max_per_second: "maxPerSecond",
  ordered: "ordered",
  reconcile: "reconcile",
  is_active: "isActive",
} as const satisfies InputColumns<z.output<typeof CreateEndpoint> & z.output<typeof UpdateEndpoint>, Endpoint>

/** The reads that the creation of an endpoint depends on. */
type CreationState = Awaited<ReturnType<typeof loadCreation>>

/** Loads the state that creating an endpoint depends on, for callers that are authorized in parallel. */
export async function loadCreation(ctx: Ctx, { url, stores }: Input<typeof CreateEndpoint>["valid"]) {
  const checked = url === undefined ? null : checkEndpointUrl(ctx, url)
  const [ownedDomains, unknownStores] = await batch(ctx.db, [
    selectOwnedDomain(ctx, checked),
    selectUnknownStores(ctx, stores),
  ])
  return { checked, ownedDomains, unknownStores }
}

/**
 * Creates an endpoint.
 * @param options.owner the store that it belongs to, and how many it may have
 * @returns the endpoint and its signing secret, which cannot be read again
 * @throws Refusal `validation_failed` for a URL that is not allowed; `limit_reached` when the store has too many
 */
export async function createEndpoint(
  ctx: Ctx,
  input: Input<typeof CreateEndpoint>,
  { owner = null, state }: { owner?: (EndpointOwner & { limit: number }) | null; state?: CreationState } = {},
): Promise<{ endpoint: EndpointWithLastSuccess; secret: string }> {
  const { checked, ownedDomains, unknownStores } = state ?? (await loadCreation(ctx, input.valid))
  const fields = input.complete({
    url: checked && (await findUrlError(ctx, checked, ownedDomains)),
    stores: unknownStores.length ? "selected" : null,
  })
  const values = await encryptColumns(ctx, toColumns(fields, INPUT_COLUMNS))
  const secret = generateSecret()
  const encryptedSecret = await encrypt(ctx.settings.APP_KEY, secret)
  const creation = commit(ctx, {
    writes: [
      insert(webhookEndpoints)
        .values({
          ...values,
          database: chooseHome(ctx),
          storeId: owner?.id ?? null,
          storeSeq: owner?.seq ?? null,
          storeSeqs: owner ? [owner.seq] : selectStoreSeqs(fields.stores),
          secret: encryptedSecret,
          isActive: true,
          consecutiveFailures: 0,
          failureSeq: 0,
          createdByName: ctx.actor.name,
          createdAt: ctx.now,
          createdAtSeq: head,
          updatedAt: ctx.now,
        })
        .returning(),
      ...(owner ? [abortIfFull(owner)] : []),
    ],
    auditLog: [
      {
        audit: {
          subject: "endpoint",
          action: "created",
          id: insertedId,
          after: toAuditFields(values),
          ...toAuditSite({ storeId: owner?.id ?? null }),
        },
      },
    ],
  })
  const [[endpoint]] = await creation.catch(async (cause) => {
    if (!(cause instanceof WriteConflict) || !owner) throw cause
    const [store] = await ctx.db.select({ seq: stores.seq }).from(stores).where(eq(stores.seq, owner.seq))
    throw new Refusal(store ? "limit_reached" : "not_found")
  })
  if (!endpoint) throw new Error("The endpoint was not stored")
  await replicateEndpoint(ctx, endpoint.id)
  return { endpoint: { ...endpoint, lastSuccessAt: null }, secret }
}

/**
 * Aborts the batch that inserted an endpoint if its store was deleted or has too many. D1 runs one transaction at a
 * time, so of two concurrent requests the second one counts the endpoint of the first.
 */
const abortIfFull = ({ id, seq, limit }: EndpointOwner & { limit: number }) =>
  abortWhere(sql`from (select count(*) as total from ${webhookEndpoints}
      where ${webhookEndpoints.storeId} = ${id} and ${webhookEndpoints.storeSeq} = ${seq}
        and ${webhookEndpoints.deletedAt} is null) as own
    where own.total > ${limit} or not exists (select 1 from ${stores} where ${stores.seq} = ${seq})`)

/** The id of the endpoint that the same batch inserts. */
const insertedId = sql`(select max(id) from webhook_endpoints)`

/** Encrypts the values of headers in the columns that store an input. */
const encryptColumns = async <Columns extends { headers?: Record<string, string> | null | undefined }>(
  { settings }: Ctx,
  columns: Columns,
): Promise<Columns> =>
  columns.headers ? { ...columns, headers: await encryptHeaders(settings.APP_KEY, columns.headers) } : columns

/** Returns the fields of the API that the audit log records, as far as they are defined. */
const toAuditFields = (columns: Partial<Endpoint>): Record<string, unknown> => {
  const audited = columns.headers ? { ...columns, headers: maskHeaders(columns.headers) } : columns
  return Object.fromEntries(
    listFields(INPUT_COLUMNS).flatMap(([field, column]) =>
      audited[column] === undefined ? [] : [[field, audited[column]]],
    ),
  )
}

/** The reads that a change of an endpoint depends on. */
type UpdateState = Awaited<ReturnType<typeof loadUpdate>>

/** Loads the state that changing an endpoint depends on, for callers that are authorized in parallel. */
export async function loadUpdate(ctx: Ctx, id: number, { url, stores }: Input<typeof UpdateEndpoint>["valid"]) {
  const checked = url === undefined ? null : checkEndpointUrl(ctx, url)
  const [[endpoint], ownedDomains, unknownStores] = await batch(ctx.db, [
    selectEndpoint({ id }),
    selectOwnedDomain(ctx, checked),
    selectUnknownStores(ctx, stores),
  ])
  return { endpoint, checked, ownedDomains, unknownStores }
}

/**
 * Updates an endpoint. `is_active: true` also re-enables one that failures disabled. A URL on another host removes the
 * additional headers that the input does not set.
 * @param options.owner the store that it has to belong to; null for an operator
 * @throws Refusal `not_found`, `precondition_failed`; `validation_failed` for a URL that is not allowed, and for a
 *   store filter of a store's own endpoint; `forbidden` if a store enables an endpoint that an operator turned off
 */
export async function updateEndpoint(
  ctx: Ctx,
  id: number,
  input: Input<typeof UpdateEndpoint>,
  {
    precondition,
    owner = null,
    state,
  }: { precondition?: Precondition | undefined; owner?: EndpointOwner | null; state?: UpdateState } = {},
): Promise<EndpointWithLastSuccess> {
  const { endpoint: stored, checked, ownedDomains, unknownStores } = state ?? (await loadUpdate(ctx, id, input.valid))
  const endpoint = assertFound(stored, owner)
  precondition?.(endpointTag(endpoint))
  const isNewUrl = checked !== null && input.valid.url !== endpoint.url
  const isForeign = endpoint.storeId !== null && !isSameFilter(input.valid.stores ?? null, [endpoint.storeId])
  const fields = input.complete({
    url: isNewUrl && (await findUrlError(ctx, checked, ownedDomains)),
    stores:
      unknownStores.some(({ id }) => !endpoint.stores?.includes(id)) || (input.valid.stores !== undefined && isForeign)
        ? "selected"
        : null,
  })
  if (owner && fields.is_active && endpoint.lockedAt) throw new Refusal("forbidden")
  const { stores } = fields
  // The headers may contain a secret of the current receiver, which a caller who changes the URL cannot read.
  const losesHeaders =
    isNewUrl && (!checked.ok || checked.url.host !== new URL(endpoint.url).host) && endpoint.headers !== null
  const changes = await encryptColumns(
    ctx,
    toColumns({ ...(losesHeaders && { headers: null }), ...fields }, INPUT_COLUMNS),
  )
  if (Object.values(changes).every((value) => value === undefined)) return endpoint
  const count = fields.is_active === true ? await resetFailures(ctx, id) : null
  const [[changed]] = await commit(ctx, {
    guard: update(webhookEndpoints)
      .set({
        ...changes,
        // An unchanged filter still means the stores it was saved for, even if a later store reuses one of their ids.
        ...(stores !== undefined && !isSameFilter(stores, endpoint.stores) && { storeSeqs: selectStoreSeqs(stores) }),
        ...(!owner && endpoint.storeId && changeLock(ctx, endpoint, fields.is_active)),
        ...touch(ctx),
      })
      .where(
        and(
          isUnchanged(endpoint, precondition),
          owner && fields.is_active ? isNull(webhookEndpoints.lockedAt) : undefined,
        ),
      ),
    writes: [selectEndpoint({ id })],
    last: count ? [buildCountWrite(id, count)] : [],
    auditLog: [
      {
        audit: {
          subject: "endpoint",
          action: "changed",
          id,
          before: toAuditFields(endpoint),
          after: toAuditFields(changes),
          ...toAuditSite(endpoint),
        },
      },
    ],
  }).catch((cause) => throwConflict(ctx, id, cause, precondition))
  await replicateEndpoint(ctx, id)
  const [updated] = await addLastSuccess(ctx, [assertFound(changed)])
  return count ? { ...assertFound(updated), ...toEndpointColumns(count) } : assertFound(updated)
}

/** Returns the lock of a store's endpoint after an operator turned it off or on. */
const changeLock = ({ now }: Ctx, { isActive }: Endpoint, isEnabled: boolean | undefined) =>
  isEnabled === undefined ? {} : isEnabled ? { lockedAt: null } : isActive ? { lockedAt: now } : {}

/** Selects the incarnations (`stores.seq`) that a filter's ids mean now; null for no filter. */
const selectStoreSeqs = (ids: string[] | null | undefined): SQL<number[]> | null =>
  ids
    ? sql`(select json_group_array(stores.seq) from stores where stores.id in (select value from json_each(${JSON.stringify(ids)})))`
    : null

const isSameFilter = (a: string[] | null, b: string[] | null): boolean =>
  JSON.stringify(a?.toSorted()) === JSON.stringify(b?.toSorted())

/** Selects the ids that no store has. */
const selectUnknownStores = (ctx: Ctx, ids: string[] | null | undefined) =>
  ctx.db
    .select({ id: sql<string>`value` })
    .from(sql`json_each(${JSON.stringify(ids ?? [])})`)
    .where(sql`not exists (select 1 from stores where stores.id = value)`)

/** Columns that every change of an endpoint's configuration sets. */
const touch = (ctx: Ctx) => ({ updatedAt: ctx.now, version: sql`${webhookEndpoints.version} + 1` })

/** Matches an endpoint that was not deleted, and with a precondition, not changed since it was read either. */
const isUnchanged = ({ id, version }: Pick<Endpoint, "id" | "version">, precondition?: Precondition) =>
  and(isExisting(id), precondition && eq(webhookEndpoints.version, version))

/**
 * Translates the conflict with a concurrent deletion, or with any concurrent change if there is a precondition, which
 * then compares the current version.
 * @throws Refusal `not_found`, `precondition_failed`
 */
async function throwConflict(ctx: Ctx, id: number, cause: unknown, precondition?: Precondition): Promise<never> {
  if (!(cause instanceof WriteConflict)) throw cause
  if (!precondition) throw new Refusal("not_found")
  precondition(endpointTag(await readEndpoint(ctx, id)))
  throw new Refusal("precondition_failed")
}

/**
 * Deletes an endpoint; the queue purges its deliveries.
 * @param owner the store that it has to belong to; null for any endpoint
 * @throws Refusal `not_found`, `precondition_failed`
 */
export async function removeEndpoint(
  ctx: Ctx,
  id: number,
  precondition?: Precondition,
  owner: EndpointOwner | null = null,
): Promise<void> {
  const endpoint = precondition ? await readEndpoint(ctx, id, owner) : { id, version: 0 }
  precondition?.(endpointTag(endpoint))
  await commit(ctx, {
    guard: update(webhookEndpoints)
      .set({ isActive: false, deletedAt: ctx.now })
      .where(and(isUnchanged(endpoint, precondition), owner ? eq(webhookEndpoints.storeSeq, owner.seq) : undefined)),
    auditLog: [{ audit: { subject: "endpoint", action: "deleted", id, ...toAuditSiteOf(id) } }],
  }).catch((cause) => throwConflict(ctx, id, cause, precondition))
  await replicateEndpoint(ctx, id)
  enqueueEndpointPurge(ctx, id)
}

/**
 * Rotates an endpoint's signing secret. The old secret stops signing immediately, or continues to sign next to the new one
 * during the grace; a second rotation retains only the secret before it. Of concurrent rotations of the same secret one
 * succeeds, so every secret that was returned was valid.
 * @param graceSeconds how long both secrets sign, in seconds
 * @param read the endpoint, if the caller has read it
 * @returns the new secret, which cannot be read again
 * @throws Refusal `not_found`; `illegal_transition` if another rotation replaced the secret concurrently
 */
export async function rotateSecret(ctx: Ctx, id: number, graceSeconds = 0, read?: Endpoint): Promise<string> {
  const endpoint = read ?? (await readEndpoint(ctx, id))
  const secret = generateSecret()
  const encryptedSecret = await encrypt(ctx.settings.APP_KEY, secret)
  const previous =
    graceSeconds > 0
      ? { previousSecret: sql`secret`, previousSecretUntil: addMs(ctx.now, graceSeconds * SECOND) }
      : { previousSecret: null, previousSecretUntil: null }
  await commit(ctx, {
    guard: update(webhookEndpoints)
      .set({ ...previous, secret: encryptedSecret, ...touch(ctx) })
      .where(and(isExisting(id), eq(webhookEndpoints.secret, endpoint.secret))),
    auditLog: [
      {
        audit: {
          subject: "endpoint",
          action: "rotated",
          id,
          data: graceSeconds > 0 ? { grace_seconds: graceSeconds } : {},
          ...toAuditSite(endpoint),
        },
      },
    ],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("illegal_transition") : cause
  })
  return secret
}

/**
 * Sends a ping or an example of an event, regardless of the endpoint's subscriptions and status.
 * @returns the delivery after its first attempt
 * @throws Refusal `not_found`; `temporarily_unavailable` while its deliveries move to another database
 */
export async function testEndpoint(ctx: Ctx, id: number, event?: TestEvent | null): Promise<Delivery> {
  const attempt = await createTestDelivery(ctx, id, event ?? undefined)
  if (!attempt) {
    await assertNotRehoming(ctx, id)
    throw new Refusal("not_found")
  }
  const delivery = await sendAttempt(ctx, attempt)
  if (!delivery) throw new Refusal("not_found")
  return delivery
}
