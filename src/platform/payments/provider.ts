// What is asked of the card provider: a page to pay on, a page to change cards on, how one of its subscriptions stands. Three plain
// requests (https://docs.stripe.com/api), so that its library, 33 KB of the bundle, is not needed.
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { boundedText } from "../../lib/bounded"
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

/**
 * @param fields sent as a form; none for a GET or a DELETE
 * @returns the status and what it answered
 * @throws Refusal `card_disabled` without a secret key, `provider_unreachable` when it does not answer
 */
async function ask(
  ctx: Ctx,
  path: string,
  fields?: Fields,
  method = fields ? "POST" : "GET",
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: base } = ctx.settings
  if (!key) throw new Refusal("card_disabled")
  const given = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined)
  try {
    const response = await fetch(`${base}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}` },
      ...(fields && { body: new URLSearchParams(given.map(([name, value]) => [name, String(value)])) }),
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
    })
    return { status: response.status, body: Answer.parse(JSON.parse(await boundedText(response, MAX_ANSWER))) }
  } catch (cause) {
    ctx.log.error("the payment provider could not be asked", cause, { path })
    throw new Refusal("provider_unreachable", { status: 502 })
  }
}

/** @throws Refusal `card_disabled`, `provider_unreachable`, also for an answer that leads nowhere */
async function pageAt(ctx: Ctx, path: string, fields: Fields): Promise<string> {
  const { status, body } = await ask(ctx, path, fields)
  // Browsers are sent there.
  if (status === 200 && typeof body.url === "string" && /^https?:\/\//.test(body.url)) return body.url
  ctx.log.error("the payment provider refused", new Error(`status ${status}`), { path })
  throw new Refusal("provider_unreachable", { status: 502 })
}

/** What is to be bought. */
export interface Purchase {
  store: string
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

/** @returns the address of a page on which a subscription is paid for */
export const checkoutPage = (ctx: Ctx, purchase: Purchase): Promise<string> =>
  pageAt(ctx, "/checkout/sessions", {
    mode: "subscription",
    client_reference_id: purchase.store,
    "metadata[plan]": purchase.plan,
    "line_items[0][price]": purchase.price,
    "line_items[0][quantity]": 1,
    "subscription_data[metadata][store]": purchase.store,
    "subscription_data[trial_end]": purchase.trialEnd && Math.floor(purchase.trialEnd.getTime() / SECOND),
    customer: purchase.customer,
    customer_email: purchase.customer ? null : purchase.email,
    success_url: `${purchase.returnUrl}?paid=1`,
    cancel_url: purchase.returnUrl,
  })

/** @returns the address of a page on which a customer changes cards and plans, and cancels */
export const portalPage = (ctx: Ctx, customer: string, returnUrl: string): Promise<string> =>
  pageAt(ctx, "/billing_portal/sessions", { customer, return_url: returnUrl })

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
  const { status, body } = await ask(ctx, `/subscriptions/${encodeURIComponent(id)}`, undefined, "DELETE")
  if (status === 404 || (status === 200 && body.status === "canceled")) return
  throw new Refusal("provider_unreachable", { status: 502 })
}
