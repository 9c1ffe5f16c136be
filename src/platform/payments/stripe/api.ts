// Calls Stripe's API with plain requests (https://docs.stripe.com/api), because the official library would add 33 KB to
// the bundle.
import { Refusal } from "../../../core/http/refusal"
import { SECOND } from "../../../lib/time"
import type { ProviderCtx, Purchase } from "../provider"
import { type ProviderResponse, parseHttpUrl, reportUnexpectedResponse, sendProviderRequest } from "../provider-request"

/** Form fields in Stripe's notation, e.g. `line_items[0][price]`. Fields without a value are omitted. */
type Fields = Record<string, string | number | null | undefined>

interface ApiRequest {
  /** Sent form-encoded. */
  fields?: Fields
  /** Defaults to POST with fields, else GET. */
  method?: string
  /** Requests with the same key within 24 hours get the same response. */
  idempotencyKey?: string
}

/** @throws Refusal `card_disabled` without a secret key, `provider_unreachable` without a valid response */
async function callApi(
  ctx: ProviderCtx,
  path: string,
  { fields, method = fields ? "POST" : "GET", idempotencyKey }: ApiRequest = {},
): Promise<ProviderResponse> {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: base } = ctx.settings
  if (!key) throw new Refusal("card_disabled")
  const entries = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return sendProviderRequest(ctx, {
    method,
    base: `${base}/v1`,
    path,
    headers: { Authorization: `Bearer ${key}`, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
    body: fields && new URLSearchParams(entries.map(([name, value]) => [name, String(value)])),
  })
}

const buildCheckoutFields = (purchase: Purchase): Fields => ({
  mode: "subscription",
  client_reference_id: purchase.store,
  "metadata[plan]": purchase.plan,
  "metadata[store_seq]": purchase.storeSeq,
  "line_items[0][price]": purchase.price,
  "line_items[0][quantity]": 1,
  "subscription_data[metadata][store]": purchase.store,
  "subscription_data[metadata][store_seq]": purchase.storeSeq,
  "subscription_data[trial_end]": purchase.trialEnd && Math.floor(purchase.trialEnd.getTime() / SECOND),
  ...("customer" in purchase.buyer ? { customer: purchase.buyer.customer } : { customer_email: purchase.buyer.email }),
  success_url: `${purchase.returnUrl}?paid=1`,
  cancel_url: purchase.returnUrl,
})

const SESSIONS_PATH = "/checkout/sessions"

const sessionPath = (id: string): string => `${SESSIONS_PATH}/${encodeURIComponent(id)}`

const subscriptionPath = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`

/** Delays before the retries of a request whose idempotency key is in use by another request, in milliseconds. */
const CONFLICT_BACKOFF_MS = [300, 600, 1200]

/** @see CardProvider.createCheckout; a compatible API may return no id */
export async function createCheckout(
  ctx: ProviderCtx,
  purchase: Purchase,
  idempotencyKey: string,
): Promise<{ id: string | null; url: string }> {
  const fields = buildCheckoutFields(purchase)
  const create = () => callApi(ctx, SESSIONS_PATH, { fields, idempotencyKey })
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

/** @returns the checkout session; null when Stripe has none with that id */
export async function readCheckout(ctx: ProviderCtx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await callApi(ctx, sessionPath(id))
  if (status === 404) return null
  if (status === 200) return body
  throw reportUnexpectedResponse(ctx, SESSIONS_PATH, status)
}

/** @returns the session after it was expired; null when Stripe has none with that id */
export async function expireCheckout(ctx: ProviderCtx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await callApi(ctx, `${sessionPath(id)}/expire`, { method: "POST" })
  if (status === 200) return body
  const session = await readCheckout(ctx, id)
  if (session?.status === "open") throw reportUnexpectedResponse(ctx, SESSIONS_PATH, status)
  return session
}

/** @see CardProvider.createPortal */
export async function createPortal(ctx: ProviderCtx, customer: string, returnUrl: string): Promise<string> {
  const path = "/billing_portal/sessions"
  const { status, body } = await callApi(ctx, path, { fields: { customer, return_url: returnUrl } })
  const url = parseHttpUrl(body.url)
  if (status === 200 && url) return url
  throw reportUnexpectedResponse(ctx, path, status)
}

/** @returns the subscription; null when Stripe has none with that id */
export async function readSubscription(ctx: ProviderCtx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await callApi(ctx, subscriptionPath(id))
  if (status === 200) return body
  if (status === 404) return null
  throw new Refusal("provider_unreachable")
}

/** @see CardProvider.cancelSubscription */
export async function cancelSubscription(ctx: ProviderCtx, id: string): Promise<void> {
  const { status, body } = await callApi(ctx, subscriptionPath(id), { method: "DELETE" })
  if (status === 404 || (status === 200 && body.status === "canceled")) return
  throw new Refusal("provider_unreachable")
}
