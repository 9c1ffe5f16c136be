// The card provider's messages, signed as it signs them.
import { hmacSha256 } from "../../src/lib/hash"
import { type Answer, call } from "./app"

export const PROVIDER_SECRET = "whsec_test"

let serial = 0

/** A message of the provider; each has an id of its own unless one is given. */
export const providerMessage = (type: string, created: number, object: Record<string, unknown>, id?: string) => ({
  id: id ?? `evt_${++serial}`,
  object: "event",
  type,
  created,
  data: { object },
})

export type ProviderMessage = ReturnType<typeof providerMessage>

/** Sends a message to the Worker, signed now unless `given` says otherwise. */
export async function deliver(
  message: unknown,
  given: { secret?: string; at?: number; signature?: string | null; host?: string; env?: Record<string, string> } = {},
): Promise<Answer> {
  const body = typeof message === "string" ? message : JSON.stringify(message)
  const at = given.at ?? Math.floor(Date.now() / 1000)
  const v1 = (await hmacSha256(given.secret ?? PROVIDER_SECRET, `${at}.${body}`)).toHex()
  const signature = given.signature === undefined ? `t=${at},v1=${v1},v0=unused` : given.signature
  return call("POST", "/webhooks/stripe", {
    body,
    host: given.host,
    env: given.env,
    headers: { "Content-Type": "application/json", ...(signature !== null && { "Stripe-Signature": signature }) },
  })
}

/** What a checkout of a store says. */
export const checkout = (store: string, plan: string, created: number, subscription = "sub_1", customer = "cus_1") =>
  providerMessage("checkout.session.completed", created, {
    id: `cs_${created}`,
    object: "checkout.session",
    mode: "subscription",
    client_reference_id: store,
    metadata: { plan },
    customer,
    subscription,
  })

/** What becomes of a subscription. */
export const subscribed = (
  what: "created" | "updated" | "deleted",
  created: number,
  {
    price = "price_a",
    status = "active",
    until = created + 2_592_000,
    subscription = "sub_1",
    trialEnd = null as number | null,
  } = {},
) =>
  providerMessage(`customer.subscription.${what}`, created, {
    id: subscription,
    object: "subscription",
    customer: "cus_1",
    status,
    trial_end: trialEnd,
    items: { data: [{ price: { id: price }, current_period_end: until }] },
  })

/** What becomes of an invoice. */
export const invoiced = (
  what: "paid" | "payment_failed" | "payment_succeeded",
  created: number,
  { id = "in_1", amount = 1900, until = created + 2_592_000, subscription = "sub_1" } = {},
) =>
  providerMessage(`invoice.${what}`, created, {
    id,
    object: "invoice",
    customer: "cus_1",
    parent: { subscription_details: { subscription } },
    amount_due: amount,
    amount_paid: what === "payment_failed" ? 0 : amount,
    currency: "eur",
    lines: {
      data: [
        { period: { end: created + 60 } },
        { period: { end: until }, pricing: { price_details: { price: "price_a" } } },
      ],
    },
  })
