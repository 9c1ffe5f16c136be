// Builds and delivers signed messages of the payment provider, and mocks its API.
import { vi } from "vitest"
import { hmacSha256 } from "../../src/lib/hash"
import { call, type TestResponse } from "./app"
import { nextSerial } from "./serial"

export const PROVIDER_SECRET = "whsec_test"

/** Builds a message, with a generated id by default. */
export const providerMessage = (type: string, created: number, object: Record<string, unknown>, id?: string) => ({
  id: id ?? `evt_${nextSerial()}`,
  object: "event",
  type,
  created,
  data: { object },
})

export type ProviderMessage = ReturnType<typeof providerMessage>

/** Delivers a message to the Worker, with a valid current signature by default. */
export async function deliverMessage(
  message: unknown,
  options: {
    secret?: string
    at?: number
    signature?: string | null
    host?: string
    env?: Record<string, string>
  } = {},
): Promise<TestResponse> {
  const body = typeof message === "string" ? message : JSON.stringify(message)
  const at = options.at ?? Math.floor(Date.now() / 1000)
  const v1 = (await hmacSha256(options.secret ?? PROVIDER_SECRET, `${at}.${body}`)).toHex()
  const signature = options.signature === undefined ? `t=${at},v1=${v1},v0=unused` : options.signature
  return call("POST", "/webhooks/stripe", {
    body,
    host: options.host,
    env: options.env,
    headers: { "Content-Type": "application/json", ...(signature !== null && { "Stripe-Signature": signature }) },
  })
}

/** Builds the message about a completed checkout of a store. */
export const checkoutMessage = (
  store: string,
  plan: string,
  created: number,
  subscription = "sub_1",
  customer = "cus_1",
) =>
  providerMessage("checkout.session.completed", created, {
    id: `cs_${created}`,
    object: "checkout.session",
    mode: "subscription",
    client_reference_id: store,
    metadata: { plan },
    customer,
    subscription,
  })

/** Settings that enable card payments. */
export const CARD_SETTINGS = { STRIPE_SECRET_KEY: "sk_test", STRIPE_API_URL: "https://provider.example" }

interface CheckoutSession {
  id: string
  object: "checkout.session"
  status: "open" | "complete" | "expired"
  url: string | null
  created: number
  client_reference_id: string | null
  metadata: Record<string, string>
  customer: string | null
  subscription: string | null
}

/** Mocks the payment provider: creates, reads and expires checkout sessions, and honours idempotency keys. */
export function mockProvider() {
  const sessions = new Map<string, CheckoutSession>()
  /** The first response to each idempotency key; later changes of the session do not affect it. */
  const byKey = new Map<string, string>()
  const forms: URLSearchParams[] = []
  const coupons = new Map<string, Record<string, string>>()
  const requests: string[] = []
  const respond = async (url: string, { method = "GET", headers, body }: RequestInit): Promise<Response> => {
    const path = url.replace(`${CARD_SETTINGS.STRIPE_API_URL}/v1`, "")
    requests.push(`${method} ${path}`)
    const [, id = "", action] = /^\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(path) ?? []
    const session = sessions.get(id)
    if (session && action && session.status !== "open") return Response.json({ error: {} }, { status: 400 })
    if (session && action) Object.assign(session, { status: "expired", url: null })
    if (session) return Response.json(session)
    if (path === "/coupons") {
      const coupon = new URLSearchParams(String(body))
      if (coupons.has(coupon.get("id") ?? "")) return Response.json({ error: {} }, { status: 400 })
      coupons.set(coupon.get("id") ?? "", Object.fromEntries(coupon))
      return Response.json({ id: coupon.get("id") })
    }
    if (path.startsWith("/coupons/")) {
      const id = decodeURIComponent(path.slice("/coupons/".length))
      return coupons.has(id) ? Response.json({ id }) : Response.json({ error: {} }, { status: 404 })
    }
    if (path === "/billing_portal/sessions") return Response.json({ url: "https://pay.example/portal" })
    if (path !== "/checkout/sessions") return Response.json({ error: {} }, { status: 404 })
    const form = new URLSearchParams(String(body))
    forms.push(form)
    const key = new Headers(headers).get("Idempotency-Key") ?? ""
    const replayed = byKey.get(key)
    if (replayed) return new Response(replayed)
    const created = `cs_${sessions.size + 1}`
    const readMetadata = (name: string) => [name, form.get(`metadata[${name}]`) ?? ""]
    const newSession: CheckoutSession = {
      id: created,
      object: "checkout.session",
      status: "open",
      url: `https://pay.example/${created}`,
      created: Math.floor(Date.now() / 1000),
      client_reference_id: form.get("client_reference_id"),
      metadata: Object.fromEntries(["plan", "store_seq"].map(readMetadata)),
      customer: form.get("customer"),
      subscription: null,
    }
    sessions.set(created, newSession)
    byKey.set(key, JSON.stringify(newSession))
    return Response.json(newSession)
  }
  const fetch = vi.spyOn(globalThis, "fetch").mockImplementation((url, init = {}) => respond(String(url), init))
  return {
    fetch,
    forms,
    requests,
    sessions,
    /** The created coupons by id. */
    coupons,
    /** Returns the ids of the sessions that can be paid. */
    open: () => [...sessions.values()].filter(({ status }) => status === "open").map(({ id }) => id),
    /** Pays a session and returns the provider's message about it. */
    pay(id: string, subscription: string, created = Math.floor(Date.now() / 1000)): ProviderMessage {
      const session = sessions.get(id)
      if (session?.status !== "open") throw new Error(`${id} cannot be paid`)
      Object.assign(session, { status: "complete", url: null, subscription, customer: `cus_of_${subscription}` })
      return providerMessage("checkout.session.completed", created, { ...session })
    },
  }
}

/** Builds a message about a subscription. */
export const subscriptionMessage = (
  event: "created" | "updated" | "deleted",
  created: number,
  {
    price = "price_a",
    status = "active",
    until = created + 2_592_000,
    subscription = "sub_1",
    trialEnd = null as number | null,
  } = {},
) =>
  providerMessage(`customer.subscription.${event}`, created, {
    id: subscription,
    object: "subscription",
    customer: "cus_1",
    status,
    trial_end: trialEnd,
    items: { data: [{ price: { id: price }, current_period_end: until }] },
  })

/** Builds a message about an invoice. */
export const invoiceMessage = (
  event: "paid" | "payment_failed" | "payment_succeeded",
  created: number,
  { id = "in_1", amount = 1900, until = created + 2_592_000, subscription = "sub_1", discount = 0 } = {},
) =>
  providerMessage(`invoice.${event}`, created, {
    id,
    object: "invoice",
    customer: "cus_1",
    parent: { subscription_details: { subscription } },
    amount_due: amount,
    amount_paid: event === "payment_failed" ? 0 : amount,
    currency: "eur",
    ...(discount > 0 && { total_discount_amounts: [{ amount: discount, discount: "di_1" }] }),
    lines: {
      data: [
        { period: { end: created + 60 } },
        { period: { end: until }, pricing: { price_details: { price: "price_a" } } },
      ],
    },
  })
