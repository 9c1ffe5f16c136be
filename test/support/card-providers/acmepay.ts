// Acmepay in the billing tests: its messages, and a server for its API.
import { vi } from "vitest"
import { BILLING_KINDS } from "../../../src/db/schema/central/billing-providers"
import { CARD_PROVIDERS } from "../../../src/platform/payments/providers"
import { createProviderWebhooks } from "../../../src/platform/payments/routes"
import { call } from "../app"
import { API_URL, acmepay as provider, SETTINGS, sign, WEBHOOK_SECRET } from "./acmepay-provider"
import type { CancellationOutcome, CardProviderDriver } from "./driver"

const toTime = (seconds: number): string => new Date(seconds * 1000).toISOString()
const toSum = (amountCents: number): string => (amountCents / 100).toFixed(2)

let serial = 0

const buildEvent = (event: string, created: number, payload: object) => ({
  event_id: `e${++serial}`,
  event,
  occurred_at: toTime(created),
  payload,
})

const STATES = { trialing: "TRIAL", active: "LIVE", past_due: "OVERDUE" } as const

interface Rebate {
  off: string | number
  currency: string
  months: number | null
}

type Handler = (
  method: string,
  path: string,
  body: Record<string, string | null>,
  rebate: Rebate | null | undefined,
) => Response

const describeRebate = ({ off, currency, months }: Rebate) =>
  `${(typeof off === "string" ? off : `${off} ${currency}`).toLowerCase()}/${months ?? "always"}`

/** Serves the API. A handler that throws is a server that cannot be reached. */
const serve = (handle: Handler) =>
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    if (new Headers(init?.headers).get("X-Api-Token") !== SETTINGS.MARKETPLACE_TOKEN) {
      return Response.json({}, { status: 401 })
    }
    const path = String(url).replace(API_URL, "")
    const body = init?.body ? JSON.parse(String(init.body)) : {}
    return handle(init?.method ?? "GET", path, body, body.rebate)
  })

function respondToStop(outcome: CancellationOutcome | undefined): Response {
  switch (outcome) {
    case "cancelled":
      return Response.json({ state: "STOPPED" })
    case "still_active":
      return Response.json({ state: "LIVE" })
    case "unknown":
      return Response.json({}, { status: 404 })
    case "server_error":
      return new Response("<h1>500</h1>", { status: 500 })
    case "unreachable":
    case undefined:
      throw new Error("no route")
  }
}

interface Order {
  order: string
  state: "NEW" | "DONE" | "LAPSED"
  link: string | null
  started: string
  shop: string | null
  shop_number: string | null
  plan: string | null
  contract: string | null
  payer: string | null
}

export const acmepay: CardProviderDriver = {
  name: provider.name,
  settings: SETTINGS,
  register() {
    Object.assign(BILLING_KINDS, { [provider.name]: "card" })
    Object.assign(CARD_PROVIDERS, { [provider.name]: provider })
    return () => {
      Reflect.deleteProperty(BILLING_KINDS, provider.name)
      Reflect.deleteProperty(CARD_PROVIDERS, provider.name)
    }
  },
  reference: (id) => `${provider.name}:${id}`,
  async deliver(message, { secret = WEBHOOK_SECRET, at = Math.floor(Date.now() / 1000), env } = {}) {
    const body = JSON.stringify(message)
    return call("POST", `/webhooks/${provider.name}`, {
      body,
      env,
      headers: { "Acmepay-Time": toTime(at), "Acmepay-Digest": await sign(secret, toTime(at), body) },
      surface: createProviderWebhooks(Object.values(CARD_PROVIDERS)),
    })
  },
  withId: (message, id) => ({ ...message, event_id: id }),
  unrelatedMessage: (created) => buildEvent("catalog.changed", created, {}),
  checkoutMessage(store, plan, created, subscription = "sub_1", customer = "cus_1", { storeSeq, startedAt } = {}) {
    return buildEvent("order.done", created, {
      ...{
        order: `o${created}`,
        state: "DONE",
        link: null,
        shop: store,
        plan,
        contract: subscription,
        payer: customer,
      },
      ...(storeSeq !== undefined && { shop_number: String(storeSeq) }),
      ...(startedAt !== undefined && { started: toTime(startedAt) }),
    })
  },
  expiredCheckoutMessage: (created, session) =>
    buildEvent("order.lapsed", created, {
      ...{ order: session, state: "LAPSED", link: null, shop: "", plan: "", contract: null, payer: null },
    }),
  subscriptionMessage(
    event,
    created,
    { price = "price_a", status = "active", until = created + 2_592_000, subscription = "sub_1", trialEnd = null } = {},
  ) {
    const name = { created: "begun", updated: "changed", deleted: "stopped" }[event]
    return buildEvent(`contract.${name}`, created, {
      ...{ contract: subscription, payer: "cus_1", state: STATES[status], tariff: price, runs_until: toTime(until) },
      ...(trialEnd !== null && { free_until: toTime(trialEnd) }),
    })
  },
  invoiceMessage(
    event,
    created,
    { id = "in_1", amount = 1900, until = created + 2_592_000, subscription = "sub_1", discount = 0 } = {},
  ) {
    return buildEvent(event === "payment_failed" ? "charge.declined" : "charge.collected", created, {
      ...{ charge: id, contract: subscription, payer: "cus_1", sum: toSum(amount), currency: "EUR" },
      ...{ tariff: "price_a", covers_until: toTime(until), ...(discount > 0 && { rebate: toSum(discount) }) },
    })
  },
  mockCheckouts() {
    const orders = new Map<string, Order>()
    const byRequest = new Map<string, string>()
    const requests: { customer: string | null; email: string | null }[] = []
    const discounts: (string | null)[] = []
    const fetch = serve((method, path, body, rebate) => {
      const [, id = "", action] = /^\/orders\/(\w+)(\/lapse)?$/.exec(path) ?? []
      const order = orders.get(id)
      if (order && action && order.state === "NEW") Object.assign(order, { state: "LAPSED", link: null })
      if (order) return Response.json(order)
      if (path === "/self-service") return Response.json({ link: "https://pay.example/portal" })
      if (method !== "POST" || path !== "/orders") return Response.json({}, { status: 404 })
      const replayed = byRequest.get(body.request ?? "")
      requests.push({ customer: body.payer ?? null, email: body.payer_email ?? null })
      discounts.push(rebate ? describeRebate(rebate) : null)
      if (replayed) return new Response(replayed)
      const { shop = null, shop_number = null, plan = null } = body
      const created: Order = {
        ...{ order: `cs_${orders.size + 1}`, state: "NEW", link: `https://pay.example/cs_${orders.size + 1}` },
        ...{ started: new Date().toISOString(), shop, shop_number, plan, contract: null, payer: null },
      }
      orders.set(created.order, created)
      byRequest.set(body.request ?? "", JSON.stringify(created))
      return Response.json(created)
    })
    return {
      fetch,
      requests,
      discounts: () => discounts,
      open: () => [...orders.values()].filter(({ state }) => state === "NEW").map(({ order }) => order),
      expire: (id) => void Object.assign(orders.get(id) ?? {}, { state: "LAPSED", link: null }),
      remove: (id) => void orders.delete(id),
      pay(id, subscription) {
        const order = orders.get(id)
        if (order?.state !== "NEW") throw new Error(`${id} cannot be paid`)
        Object.assign(order, { state: "DONE", link: null, contract: subscription, payer: `cus_of_${subscription}` })
        return buildEvent("order.done", Math.floor(Date.now() / 1000), { ...order })
      },
    }
  },
  mockPriceChanges(until) {
    const requested: ReturnType<CardProviderDriver["mockPriceChanges"]> = []
    serve((_, path, { tariff }, rebate) => {
      if (path !== "/contracts/sub_1/tariff") throw new Error(`unexpected request to ${path}`)
      requested.push({ price: tariff ?? "", discount: rebate && describeRebate(rebate) })
      return Response.json({ contract: "sub_1", payer: "cus_1", state: "LIVE", tariff, runs_until: toTime(until) })
    })
    return requested
  },
  mockPrice(price) {
    serve((_, path) => {
      if (price === "down") throw new Error("no route")
      if (!price || path !== "/tariffs/price_a") return Response.json({}, { status: 404 })
      const { amount, currency, interval } = price
      return Response.json({ sum: toSum(amount), currency, every: interval === "year" ? "YEAR" : "MONTH" })
    })
  },
  mockSubscriptions(read) {
    const requested: string[] = []
    serve((_, path) => {
      const id = /^\/contracts\/(\w+)$/.exec(path)?.[1]
      if (!id) throw new Error(`unexpected request to ${path}`)
      requested.push(id)
      const found = read(id)
      if (!found) return Response.json({}, { status: 404 })
      const { status, until } = found
      return Response.json({
        contract: id,
        state: STATES[status],
        tariff: "price_a",
        runs_until: toTime(until),
      })
    })
    return requested
  },
  mockCancellations(...outcomes) {
    const requested: string[] = []
    serve((_, path) => {
      const id = /^\/contracts\/(\w+)\/stop$/.exec(path)?.[1]
      if (!id) throw new Error(`unexpected request to ${path}`)
      requested.push(id)
      return respondToStop(outcomes.shift())
    })
    return requested
  },
}
