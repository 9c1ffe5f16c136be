// Webhook endpoints of a store for its own staff and servers. The operations are those of the control plane, limited to
// the endpoints of the store. Endpoints are in the central database and users in the site's, so a caller is authorized
// while the endpoint is loaded, and before anything is written.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import type { Precondition } from "../../core/http/precondition"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import type { Page } from "../../core/list/page"
import { prefetched } from "../../core/write/commit"
import { endpointIdOf } from "../../core/write/event-log"
import type { TestEvent } from "../../core/write/event-types"
import type { ListDeliveries } from "../../webhooks/deliveries/schemas"
import { type ListedDelivery, listDeliveries, retryDelivery } from "../../webhooks/deliveries/service"
import {
  type EndpointOwner,
  type EndpointWithLastSuccess,
  listEndpoints,
  readEndpoint,
} from "../../webhooks/endpoints/list"
import type { CreateStoreEndpoint, ListStoreEndpoints, UpdateStoreEndpoint } from "../../webhooks/endpoints/schemas"
import {
  createEndpoint,
  loadCreation,
  loadUpdate,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
} from "../../webhooks/endpoints/service"
import { readEvent } from "../../webhooks/events/service"
import type { Delivery } from "../../webhooks/reserve"
import type { EditorCtx } from "../editor"
import { countWebhookRequest } from "../rate-limits"
import { withActor } from "../staff/write"
import { authenticate } from "../user"

/** Endpoints of a store whose plan sets no number. */
const DEFAULT_LIMIT = 5

/**
 * Returns the store of the request.
 * @throws Refusal `not_found` at the central site
 */
function getOwner({ site }: EditorCtx): EndpointOwner {
  if (!site.store) throw new Refusal("not_found")
  return { id: site.store.id, seq: site.store.seq }
}

/** Returns how many endpoints the store's plan allows. */
export function getEndpointLimit({ site }: EditorCtx): number {
  const limit = site.subscription?.plan?.features.webhooks
  return typeof limit === "number" ? limit : DEFAULT_LIMIT
}

/**
 * Requires a server token with the scope `write`, or a member of the staff with the role `admin` or a higher one.
 * @returns the context with the caller as the actor of the audit log
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; also for a change with a support login
 */
async function authorize(ctx: EditorCtx, isChange: boolean): Promise<EditorCtx> {
  if (ctx.needsNoUser) return ctx
  const { user, support } = await authenticate(ctx, undefined, { role: "admin" })
  if (support && isChange) throw new Refusal("forbidden")
  return { ...ctx, ...withActor(ctx, user) }
}

/** Reads in parallel with the authorization, whose refusal takes precedence. */
async function readAsAdmin<Result>(ctx: EditorCtx, read: (owner: EndpointOwner) => Promise<Result>): Promise<Result> {
  const owner = getOwner(ctx)
  const reading = prefetched(() => read(owner))
  await authorize(ctx, false)
  return reading()
}

/**
 * Changes something once the caller is authorized.
 * @param load runs in parallel with the authorization
 * @param isCounted whether the change sends requests or looks up a host, so that it has a rate limit
 */
async function changeAsAdmin<State, Result>(
  ctx: EditorCtx,
  { load, isCounted }: { load: (owner: EndpointOwner) => Promise<State>; isCounted: boolean },
  change: (ctx: Ctx, owner: EndpointOwner, state: State) => Promise<Result>,
): Promise<Result> {
  const owner = getOwner(ctx)
  const loading = prefetched(() => load(owner))
  const counted = isCounted ? countWebhookRequest(ctx, getCallerName(ctx)) : Promise.resolve()
  const acting = await afterRateLimit(counted, authorize(ctx, true))
  return change(acting, owner, await loading())
}

const getCallerName = ({ caller, key }: EditorCtx): string => caller.token?.hash ?? `key:${key?.id}`

/** Lists a page of the store's endpoints, newest first. @throws Refusal as `authorize` does */
export const listOwnEndpoints = (
  ctx: EditorCtx,
  input: z.output<typeof ListStoreEndpoints>,
): Promise<Page<EndpointWithLastSuccess>> => readAsAdmin(ctx, (owner) => listEndpoints(ctx, input, owner))

/** Reads one of the store's endpoints. @throws Refusal as `authorize` does, `not_found` */
export const readOwnEndpoint = (ctx: EditorCtx, id: number): Promise<EndpointWithLastSuccess> =>
  readAsAdmin(ctx, (owner) => readEndpoint(ctx, id, owner))

/**
 * Creates an endpoint that receives the events of the store.
 * @returns the endpoint and its signing secret, which cannot be read again
 * @throws Refusal as `authorize` does, `rate_limited`, `validation_failed`; `limit_reached` when the store has as many
 *   as its plan allows
 */
export function createOwnEndpoint(
  ctx: EditorCtx,
  input: Input<typeof CreateStoreEndpoint>,
): Promise<{ endpoint: EndpointWithLastSuccess; secret: string }> {
  const ofStore = input.map<z.output<typeof CreateStoreEndpoint> & { stores: string[] }>((valid) => ({
    ...valid,
    stores: [getOwner(ctx).id],
  }))
  return changeAsAdmin(ctx, { load: () => loadCreation(ctx, ofStore.valid), isCounted: true }, (acting, owner, state) =>
    createEndpoint(acting, ofStore, { owner: { ...owner, limit: getEndpointLimit(ctx) }, state }),
  )
}

/**
 * Updates one of the store's endpoints.
 * @throws Refusal as `authorize` does, `rate_limited`, and as `updateEndpoint` does
 */
export const updateOwnEndpoint = (
  ctx: EditorCtx,
  id: number,
  input: Input<typeof UpdateStoreEndpoint>,
  precondition?: Precondition,
): Promise<EndpointWithLastSuccess> =>
  changeAsAdmin(ctx, { load: () => loadUpdate(ctx, id, input.valid), isCounted: true }, (acting, owner, state) =>
    updateEndpoint(acting, id, input, { precondition, owner, state }),
  )

/** Deletes one of the store's endpoints. @throws Refusal as `authorize` does, `not_found`, `precondition_failed` */
export const removeOwnEndpoint = (ctx: EditorCtx, id: number, precondition?: Precondition): Promise<void> =>
  changeAsAdmin(ctx, { load: () => Promise.resolve(), isCounted: false }, (acting, owner) =>
    removeEndpoint(acting, id, precondition, owner),
  )

/**
 * Rotates a signing secret.
 * @param graceSeconds how long both secrets sign
 * @returns the new secret, which cannot be read again
 * @throws Refusal as `authorize` does, `not_found`, `illegal_transition`
 */
export const rotateOwnSecret = (ctx: EditorCtx, id: number, graceSeconds: number): Promise<string> =>
  changeAsAdmin(ctx, { load: (owner) => readEndpoint(ctx, id, owner), isCounted: false }, (acting, _owner, endpoint) =>
    rotateSecret(acting, id, graceSeconds, endpoint),
  )

/**
 * Sends a ping or an example of an event to one of the store's endpoints.
 * @returns the delivery after its first attempt
 * @throws Refusal as `authorize` does, `rate_limited`, `not_found`
 */
export const testOwnEndpoint = (ctx: EditorCtx, id: number, event?: TestEvent | null): Promise<Delivery> =>
  changeAsAdmin(ctx, { load: (owner) => readEndpoint(ctx, id, owner), isCounted: true }, (acting) =>
    testEndpoint(acting, id, event),
  )

/** Lists a page of the deliveries of one of the store's endpoints, newest first. */
export const listOwnDeliveries = (
  ctx: EditorCtx,
  id: number,
  input: z.output<typeof ListDeliveries>,
): Promise<Page<ListedDelivery>> =>
  readAsAdmin(ctx, async (owner) => {
    const [, page] = await Promise.all([readEndpoint(ctx, id, owner), listDeliveries(ctx, id, input)])
    return page
  })

/**
 * Retries a delivery to one of the store's endpoints immediately.
 * @throws Refusal as `authorize` does, `rate_limited`, and as `retryDelivery` does
 */
export const retryOwnDelivery = (ctx: EditorCtx, id: number): Promise<ListedDelivery> =>
  changeAsAdmin(ctx, { load: (owner) => readEndpoint(ctx, endpointIdOf(id), owner), isCounted: true }, (acting) =>
    retryDelivery(acting, id),
  )

/** Reads the payload of an event of the store. @throws Refusal as `authorize` does, `not_found` */
export const readOwnEvent = (ctx: EditorCtx, id: string): Promise<string> =>
  readAsAdmin(ctx, async ({ seq }) => (await readEvent(ctx, id, { storeSeqs: [seq] })).payload)
