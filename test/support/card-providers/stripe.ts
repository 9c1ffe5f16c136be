// Stripe in the billing tests.
import { expect, vi } from "vitest"
import {
  CARD_SETTINGS,
  checkoutMessage,
  deliverMessage,
  invoiceMessage,
  mockProvider,
  type ProviderMessage,
  providerMessage,
  subscriptionMessage,
} from "../provider-factories"
import type { CancellationOutcome, CardProviderDriver } from "./driver"

const SUBSCRIPTIONS_URL = `${CARD_SETTINGS.STRIPE_API_URL}/v1/subscriptions/`

/** Mocks requests about subscriptions; any other one fails. */
function mockSubscriptionRequests(method: string, respond: (id: string) => Response): string[] {
  const requested: string[] = []
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const id = String(url).replace(SUBSCRIPTIONS_URL, "")
    const key = new Headers(init?.headers).get("Authorization")
    if (key !== `Bearer ${CARD_SETTINGS.STRIPE_SECRET_KEY}`) return Response.json({ error: {} }, { status: 401 })
    if (id.includes("/") || init?.method !== method) throw new Error(`unexpected request to ${url}`)
    requested.push(id)
    return respond(id)
  })
  return requested
}

function respondToCancellation(id: string, outcome: CancellationOutcome | undefined): Response {
  switch (outcome) {
    case "cancelled":
      return Response.json({ id, status: "canceled" })
    case "still_active":
      return Response.json({ id, status: "active" })
    case "unknown":
      return Response.json({}, { status: 404 })
    case "server_error":
      return Response.json({}, { status: 500 })
    case "unreachable":
    case undefined:
      throw new Error("no route")
  }
}

/** Describes a created coupon as the driver does. */
function describeCoupon(coupon: Record<string, string>): string {
  const off = coupon.percent_off ? `${coupon.percent_off} %` : `${coupon.amount_off} ${coupon.currency}`
  return `${off}/${coupon.duration === "forever" ? "always" : coupon.duration_in_months}`
}

/** Reads the discount of a changed subscription: a populated list replaces it, an empty text removes it. */
function readDiscount(form: URLSearchParams, coupons: ReadonlyMap<string, Record<string, string>>) {
  if (form.get("discounts") === "") return null
  const coupon = coupons.get(form.get("discounts[0][coupon]") ?? "")
  return coupon && describeCoupon(coupon)
}

export const stripe: CardProviderDriver = {
  name: "stripe",
  settings: CARD_SETTINGS,
  register: () => () => {},
  reference: (id) => id,
  deliver: deliverMessage,
  withId: (message, id) => ({ ...message, id }),
  unrelatedMessage: (created) => providerMessage("product.created", created, { id: "prod_1" }),
  checkoutMessage(store, plan, created, subscription, customer, { storeSeq, startedAt } = {}) {
    const message: ProviderMessage = checkoutMessage(store, plan, created, subscription, customer)
    const metadata = { plan, ...(storeSeq !== undefined && { store_seq: storeSeq }) }
    const object = { ...message.data.object, metadata, ...(startedAt !== undefined && { created: startedAt }) }
    return { ...message, data: { object } }
  },
  expiredCheckoutMessage: (created, id) => providerMessage("checkout.session.expired", created, { id }),
  subscriptionMessage,
  invoiceMessage,
  mockCheckouts() {
    const { fetch, forms, coupons, sessions, open, pay } = mockProvider()
    return {
      fetch,
      get requests() {
        return forms.map((form) => ({ customer: form.get("customer"), email: form.get("customer_email") }))
      },
      discounts: () =>
        forms.map((form) => {
          const coupon = coupons.get(form.get("discounts[0][coupon]") ?? "")
          return coupon ? describeCoupon(coupon) : null
        }),
      open,
      expire: (id) => void Object.assign(sessions.get(id) ?? {}, { status: "expired", url: null }),
      remove: (id) => void sessions.delete(id),
      pay: (id, subscription) => pay(id, subscription),
    }
  },
  mockPriceChanges(until) {
    const requested: ReturnType<CardProviderDriver["mockPriceChanges"]> = []
    const coupons = new Map<string, Record<string, string>>()
    const describe = (price: string) => ({
      ...{ id: "sub_1", customer: "cus_1", status: "active" },
      items: { data: [{ id: "si_1", price: { id: price }, current_period_end: until }] },
    })
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
      if (String(url).endsWith("/v1/coupons")) {
        const coupon = Object.fromEntries(new URLSearchParams(String(init?.body)))
        coupons.set(coupon.id ?? "", coupon)
        return Response.json({ id: coupon.id })
      }
      if (!String(url).endsWith("/v1/subscriptions/sub_1")) throw new Error(`unexpected request to ${url}`)
      if (init?.method !== "POST") return Response.json(describe("price_a"))
      const form = new URLSearchParams(String(init.body))
      expect(form.get("items[0][id]")).toBe("si_1")
      expect(form.get("proration_behavior")).toBe("always_invoice")
      requested.push({ price: form.get("items[0][price]") ?? "", discount: readDiscount(form, coupons) })
      return Response.json(describe(form.get("items[0][price]") ?? ""))
    })
    return requested
  },
  mockPrice(price) {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
      if (price === "down") throw new Error("no route")
      if (!price || !String(url).endsWith("/v1/prices/price_a")) return Response.json({ error: {} }, { status: 404 })
      const { amount, currency, interval } = price
      return Response.json({ unit_amount: amount, currency: currency.toLowerCase(), recurring: { interval } })
    })
  },
  mockSubscriptions: (read) =>
    mockSubscriptionRequests("GET", (id) => {
      const found = read(id)
      if (!found) return Response.json({ error: {} }, { status: 404 })
      const items = { data: [{ price: { id: "price_a" }, current_period_end: found.until }] }
      return Response.json({ id, status: found.status, items })
    }),
  mockCancellations: (...outcomes) =>
    mockSubscriptionRequests("DELETE", (id) => respondToCancellation(id, outcomes.shift())),
}
