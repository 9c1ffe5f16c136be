// Calls the payment provider's API for checkout sessions, portal sessions and subscriptions. Uses plain requests
// (https://docs.stripe.com/api) because the official library would add 33 KB to the bundle.

import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { fetchOutbound, serviceUrl } from "../../core/outbound/fetch"
import { readBoundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"

/** Timeout of a request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10 * SECOND

/** Maximum size of a response body; the provider's objects have a few thousand bytes. */
const MAX_RESPONSE_BYTES = 1_000_000

/** Every response body is an object, including errors. */
const ResponseBody = z.record(z.string(), z.unknown())

/** Whether card payments are configured. */
export const acceptsCards = ({ settings }: Pick<Ctx, "settings">): boolean => settings.STRIPE_SECRET_KEY !== undefined

/** Form fields in the provider's notation, e.g. `line_items[0][price]`. Fields without a value are omitted. */
type Fields = Record<string, string | number | null | undefined>

interface ProviderRequest {
  /** Sent form-encoded. */
  fields?: Fields
  /** Defaults to POST with fields, else GET. */
  method?: string
  /** Requests with the same key within 24 hours get the same response. */
  idempotencyKey?: string
}

/**
 * Sends a request to the provider's API.
 * @returns the status and the parsed body; `{}` for an error response
 * @throws Refusal `card_disabled` without a secret key, `provider_unreachable` without a valid response
 */
async function sendRequest(
  ctx: Ctx,
  path: string,
  { fields, method = fields ? "POST" : "GET", idempotencyKey }: ProviderRequest = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: base } = ctx.settings
  if (!key) throw new Refusal("card_disabled")
  const entries = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined)
  try {
    const response = await fetchOutbound(serviceUrl(base, `/v1${path}`), {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
      ...(fields && { body: new URLSearchParams(entries.map(([name, value]) => [name, String(value)])) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const text = await readBoundedText(response, MAX_RESPONSE_BYTES)
    // The body of an error is not needed, and proxies return HTML.
    return { status: response.status, body: response.ok ? ResponseBody.parse(JSON.parse(text)) : {} }
  } catch (cause) {
    ctx.log.error("a request to the payment provider failed", cause, { path })
    throw new Refusal("provider_unreachable", { status: 502 })
  }
}

/** Logs a rejected request or an unexpected response, and returns the Refusal to throw. */
function reportUnexpectedResponse(ctx: Ctx, path: string, status: number): Refusal {
  ctx.log.error("the payment provider refused", new Error(`status ${status}`), { path })
  return new Refusal("provider_unreachable", { status: 502 })
}

/** Returns a URL that a browser can be redirected to; null for anything else. */
const parseHttpUrl = (url: unknown): string | null => (typeof url === "string" && /^https?:\/\//.test(url) ? url : null)

/** The parameters of a purchase. */
export interface Purchase {
  store: string
  /**
   * The store's incarnation (`stores.seq`), so a later store with the same id does not get what was paid for this one.
   */
  storeSeq: number
  plan: string
  price: string
  /** The provider's customer id, if the store has one. */
  customer: string | null
  email: string
  /** End of the remaining trial; null when there is none, or too little is left. */
  trialEnd: Date | null
  /** Where the provider redirects the buyer afterwards. */
  returnUrl: string
}

/** Builds the form fields of a checkout session. */
export const buildCheckoutFields = (purchase: Purchase): Fields => ({
  mode: "subscription",
  client_reference_id: purchase.store,
  "metadata[plan]": purchase.plan,
  "metadata[store_seq]": purchase.storeSeq,
  "line_items[0][price]": purchase.price,
  "line_items[0][quantity]": 1,
  "subscription_data[metadata][store]": purchase.store,
  "subscription_data[metadata][store_seq]": purchase.storeSeq,
  "subscription_data[trial_end]": purchase.trialEnd && Math.floor(purchase.trialEnd.getTime() / SECOND),
  customer: purchase.customer,
  customer_email: purchase.customer ? null : purchase.email,
  success_url: `${purchase.returnUrl}?paid=1`,
  cancel_url: purchase.returnUrl,
})

const SESSIONS_PATH = "/checkout/sessions"

const sessionPath = (id: string): string => `${SESSIONS_PATH}/${encodeURIComponent(id)}`

/** Delays before the retries of a request whose idempotency key is in use by another request, in milliseconds. */
const CONFLICT_BACKOFF_MS = [300, 600, 1200]

/**
 * Creates a checkout session.
 * @param idempotencyKey requests with the same key get the same session
 * @returns the session's id (null from a compatible provider that returns none) and the URL of its payment page
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function createCheckoutSession(
  ctx: Ctx,
  fields: Fields,
  idempotencyKey: string,
): Promise<{ id: string | null; url: string }> {
  const create = () => sendRequest(ctx, SESSIONS_PATH, { fields, idempotencyKey })
  let { status, body } = await create()
  for (const pause of CONFLICT_BACKOFF_MS) {
    if (status !== 409) break
    await scheduler.wait(pause)
    ;({ status, body } = await create())
  }
  const url = parseHttpUrl(body.url)
  if (status === 200 && url) return { id: typeof body.id === "string" ? body.id : null, url }
  throw reportUnexpectedResponse(ctx, SESSIONS_PATH, status)
}

/**
 * @returns the checkout session; null when the provider has none with that id
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function readCheckoutSession(ctx: Ctx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await sendRequest(ctx, sessionPath(id))
  if (status === 404) return null
  if (status === 200) return { ...body, url: parseHttpUrl(body.url) }
  throw reportUnexpectedResponse(ctx, SESSIONS_PATH, status)
}

/**
 * Expires an open checkout session so that it can no longer be paid.
 * @returns the current session, which may have been paid or expired meanwhile; null when the provider has none with
 *   that id
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function expireCheckoutSession(ctx: Ctx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await sendRequest(ctx, `${sessionPath(id)}/expire`, { method: "POST" })
  if (status === 200) return body
  const session = await readCheckoutSession(ctx, id)
  if (session?.status === "open") throw reportUnexpectedResponse(ctx, SESSIONS_PATH, status)
  return session
}

/**
 * Creates a session of the customer portal, where customers change cards and plans, and cancel.
 * @returns the portal's URL
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function createPortalSession(ctx: Ctx, customer: string, returnUrl: string): Promise<string> {
  const path = "/billing_portal/sessions"
  const { status, body } = await sendRequest(ctx, path, { fields: { customer, return_url: returnUrl } })
  const url = parseHttpUrl(body.url)
  if (status === 200 && url) return url
  throw reportUnexpectedResponse(ctx, path, status)
}

/** @returns the provider's subscription; null when it has none with that id */
export async function readProviderSubscription(ctx: Ctx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await sendRequest(ctx, `/subscriptions/${encodeURIComponent(id)}`)
  if (status === 200) return body
  if (status === 404) return null
  throw new Refusal("provider_unreachable", { status: 502 })
}

/**
 * Cancels a subscription at the provider immediately. An unknown or already cancelled one counts as cancelled.
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function cancelProviderSubscription(ctx: Ctx, id: string): Promise<void> {
  const { status, body } = await sendRequest(ctx, `/subscriptions/${encodeURIComponent(id)}`, { method: "DELETE" })
  if (status === 404 || (status === 200 && body.status === "canceled")) return
  throw new Refusal("provider_unreachable", { status: 502 })
}
