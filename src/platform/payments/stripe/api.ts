// Calls Stripe's API with plain requests (https://docs.stripe.com/api), because the official library would add 33 KB to
// the bundle.
import * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import { SECOND } from "../../../lib/time"
import type { ProviderPrice } from "../message"
import type { PriceChange, ProviderCtx, Purchase, PurchaseDiscount } from "../provider"
import { type ProviderResponse, parseHttpUrl, reportUnexpectedResponse, sendProviderRequest } from "../provider-request"
import { parsePrice } from "./events"

/** Form fields in Stripe's notation, e.g. `line_items[0][price]`. Fields without a value are omitted. */
type Fields = Record<string, string | number | null | undefined>

interface ApiRequest {
  /** Sent form-encoded. */
  fields?: Fields
  /** Defaults to POST with fields, else GET. */
  method?: string
  /** Requests with the same key within 24 hours get the same response. */
  idempotencyKey?: string
  timeoutMs?: number
}

/** @throws Refusal `card_disabled` without a secret key, `provider_unreachable` without a valid response */
async function callApi(
  ctx: ProviderCtx,
  path: string,
  { fields, method = fields ? "POST" : "GET", idempotencyKey, timeoutMs }: ApiRequest = {},
): Promise<ProviderResponse> {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: base } = ctx.settings
  if (!key) throw new Refusal("card_disabled")
  const entries = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return sendProviderRequest(ctx, {
    method,
    timeoutMs,
    base: `${base}/v1`,
    path,
    headers: { Authorization: `Bearer ${key}`, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
    body: fields && new URLSearchParams(entries.map(([name, value]) => [name, String(value)])),
  })
}

/** Returns the id of a coupon at Stripe, which its terms determine: `SPRING30-20pct-3m`. */
const getCouponId = ({ code, percentOff, amountOff, currency, months }: PurchaseDiscount): string =>
  [
    code,
    percentOff === null ? `${amountOff}${currency.toLowerCase()}` : `${percentOff}pct`,
    months === null ? "forever" : `${months}m`,
  ].join("-")

/** Creates the coupon of a discount at Stripe, unless it exists, and returns its id. */
async function ensureCoupon(ctx: ProviderCtx, discount: PurchaseDiscount): Promise<string> {
  const id = getCouponId(discount)
  const { percentOff, amountOff, currency, months, code } = discount
  const fields: Fields = {
    id,
    name: code,
    percent_off: percentOff,
    amount_off: amountOff,
    currency: amountOff === null ? null : currency.toLowerCase(),
    duration: months === null ? "forever" : "repeating",
    duration_in_months: months,
  }
  const { status } = await callApi(ctx, COUPONS_PATH, { fields })
  if (status === 200) return id
  // Stripe responds with 400 for an id that exists.
  const existing = await callApi(ctx, `${COUPONS_PATH}/${encodeURIComponent(id)}`)
  if (existing.status === 200) return id
  throw reportUnexpectedResponse(ctx, COUPONS_PATH, status)
}

const buildCheckoutFields = (purchase: Purchase, coupon: string | null): Fields => ({
  "discounts[0][coupon]": coupon,
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

const COUPONS_PATH = "/coupons"

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
  const coupon = purchase.discount && (await ensureCoupon(ctx, purchase.discount))
  const fields = buildCheckoutFields(purchase, coupon)
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

/** A page waits for a price. */
const PRICE_TIMEOUT_MS = 3000

/** @see CardProvider.readPrice */
export async function readPrice(ctx: ProviderCtx, id: string): Promise<ProviderPrice | null> {
  const { status, body } = await callApi(ctx, `/prices/${encodeURIComponent(id)}`, { timeoutMs: PRICE_TIMEOUT_MS })
  if (status !== 200 && status !== 404) throw reportUnexpectedResponse(ctx, "/prices", status)
  return parsePrice(body)
}

/** @returns the subscription; null when Stripe has none with that id */
export async function readSubscription(ctx: ProviderCtx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await callApi(ctx, subscriptionPath(id))
  if (status === 200) return body
  if (status === 404) return null
  throw new Refusal("provider_unreachable")
}

const Items = z.object({ items: z.object({ data: z.array(z.object({ id: z.string() })).length(1) }) })

/**
 * @returns the changed subscription
 * @see CardProvider.changePrice
 */
export async function changePrice(
  ctx: ProviderCtx,
  id: string,
  { price, discount }: PriceChange,
  idempotencyKey: string,
): Promise<Record<string, unknown>> {
  const current = Items.safeParse(await readSubscription(ctx, id))
  const item = current.data?.items.data[0]
  if (!item) throw reportUnexpectedResponse(ctx, "/subscriptions", 200)
  const fields: Fields = {
    // An empty text removes the discounts.
    ...(discount === null
      ? { discounts: "" }
      : { "discounts[0][coupon]": discount && (await ensureCoupon(ctx, discount)) }),
    "items[0][id]": item.id,
    "items[0][price]": price,
    proration_behavior: "always_invoice",
    cancel_at_period_end: "false",
  }
  const { status, body } = await callApi(ctx, subscriptionPath(id), { fields, idempotencyKey })
  if (status !== 200) throw reportUnexpectedResponse(ctx, "/subscriptions", status)
  return body
}

/** @see CardProvider.cancelSubscription */
export async function cancelSubscription(ctx: ProviderCtx, id: string): Promise<void> {
  const { status, body } = await callApi(ctx, subscriptionPath(id), { method: "DELETE" })
  if (status === 404 || (status === 200 && body.status === "canceled")) return
  throw new Refusal("provider_unreachable")
}
