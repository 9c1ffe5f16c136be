// Calls the card provider's API: checkout sessions, portal sessions and subscriptions. Plain requests (https://docs.stripe.com/api), because
// its library would add 33 KB to the bundle.
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { boundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"

/** How long it may take to answer. */
const PATIENCE = 10 * SECOND

/** Bytes that an answer may have; one of the provider's objects has a few thousand. */
const MAX_ANSWER = 1_000_000

/** Every answer is an object, one that refuses too. */
const Answer = z.record(z.string(), z.unknown())

/** Whether owners can pay by card. */
export const takesCards = ({ settings }: Pick<Ctx, "settings">): boolean => settings.STRIPE_SECRET_KEY !== undefined

/** A form's fields in the provider's spelling: `line_items[0][price]`. Those without a value are left out. */
type Fields = Record<string, string | number | null | undefined>

interface ProviderRequest {
  /** Sent as a form. */
  fields?: Fields
  /** POST with fields, else GET. */
  method?: string
  /** Two requests of one key within 24 hours get the same response. */
  idempotencyKey?: string
}

/**
 * @returns the status and the parsed response
 * @throws Refusal `card_disabled` without a secret key, `provider_unreachable` when it does not answer
 */
async function ask(
  ctx: Ctx,
  path: string,
  { fields, method = fields ? "POST" : "GET", idempotencyKey }: ProviderRequest = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: base } = ctx.settings
  if (!key) throw new Refusal("card_disabled")
  const given = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined)
  try {
    const response = await fetch(`${base}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) },
      ...(fields && { body: new URLSearchParams(given.map(([name, value]) => [name, String(value)])) }),
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
    })
    const text = await boundedText(response, MAX_ANSWER)
    // The status of an error says enough; proxies in between answer in HTML.
    return { status: response.status, body: response.ok ? Answer.parse(JSON.parse(text)) : {} }
  } catch (cause) {
    ctx.log.error("the payment provider could not be asked", cause, { path })
    throw new Refusal("provider_unreachable", { status: 502 })
  }
}

/** What the provider refused, or answered in no form that is known. */
function unexpected(ctx: Ctx, path: string, status: number): Refusal {
  ctx.log.error("the payment provider refused", new Error(`status ${status}`), { path })
  return new Refusal("provider_unreachable", { status: 502 })
}

/** An address that a browser can be sent to; null for anything else. */
const webAddress = (url: unknown): string | null => (typeof url === "string" && /^https?:\/\//.test(url) ? url : null)

/** What is to be bought. */
export interface Purchase {
  store: string
  /** The store's incarnation (`stores.seq`): a later store of the same name does not get what was paid for this one. */
  storeSeq: number
  plan: string
  price: string
  /** The provider's customer, where the store has been one. */
  customer: string | null
  email: string
  /** The trial that is left; null when there is none, or too little. */
  trialEnd: Date | null
  /** Where the provider sends the buyer back to. */
  returnUrl: string
}

/** The parameters of a checkout session for a purchase. */
export const checkoutFields = (purchase: Purchase): Fields => ({
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

const SESSIONS = "/checkout/sessions"

const sessionPath = (id: string): string => `${SESSIONS}/${encodeURIComponent(id)}`

/** Pauses in milliseconds before a request is repeated whose key another request is using at this moment. */
const CONFLICT_PAUSES = [300, 600, 1200]

/**
 * Creates a checkout session.
 * @param idempotencyKey requests of one key get the same session
 * @returns the session's id, null from a compatible provider that names none, and the address of the page on which it is paid
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function createCheckout(
  ctx: Ctx,
  fields: Fields,
  idempotencyKey: string,
): Promise<{ id: string | null; url: string }> {
  const create = () => ask(ctx, SESSIONS, { fields, idempotencyKey })
  let { status, body } = await create()
  for (const pause of CONFLICT_PAUSES) {
    if (status !== 409) break
    await scheduler.wait(pause)
    ;({ status, body } = await create())
  }
  const url = webAddress(body.url)
  if (status === 200 && url) return { id: typeof body.id === "string" ? body.id : null, url }
  throw unexpected(ctx, SESSIONS, status)
}

/**
 * @returns the provider's checkout session; null when it has none of that id
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function readCheckout(ctx: Ctx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await ask(ctx, sessionPath(id))
  if (status === 404) return null
  if (status === 200) return { ...body, url: webAddress(body.url) }
  throw unexpected(ctx, SESSIONS, status)
}

/**
 * Expires an open checkout session, so that it can no longer be paid.
 * @returns the session as it is now: somebody may have paid or expired it meanwhile; null when the provider has none of that id
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function expireCheckout(ctx: Ctx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await ask(ctx, `${sessionPath(id)}/expire`, { method: "POST" })
  if (status === 200) return body
  const session = await readCheckout(ctx, id)
  if (session?.status === "open") throw unexpected(ctx, SESSIONS, status)
  return session
}

/**
 * @returns the address of a page on which a customer changes cards and plans, and cancels
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function portalPage(ctx: Ctx, customer: string, returnUrl: string): Promise<string> {
  const path = "/billing_portal/sessions"
  const { status, body } = await ask(ctx, path, { fields: { customer, return_url: returnUrl } })
  const url = webAddress(body.url)
  if (status === 200 && url) return url
  throw unexpected(ctx, path, status)
}

/** @returns the provider's subscription as it stands; null when it knows none */
export async function readProviderSubscription(ctx: Ctx, id: string): Promise<Record<string, unknown> | null> {
  const { status, body } = await ask(ctx, `/subscriptions/${encodeURIComponent(id)}`)
  if (status === 200) return body
  if (status === 404) return null
  throw new Refusal("provider_unreachable", { status: 502 })
}

/**
 * Ends a subscription at the provider at once; one that it knows no more, or that is over, is ended.
 * @throws Refusal `card_disabled`, `provider_unreachable`
 */
export async function endProviderSubscription(ctx: Ctx, id: string): Promise<void> {
  const { status, body } = await ask(ctx, `/subscriptions/${encodeURIComponent(id)}`, { method: "DELETE" })
  if (status === 404 || (status === 200 && body.status === "canceled")) return
  throw new Refusal("provider_unreachable", { status: 502 })
}
