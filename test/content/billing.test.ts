// A store's billing for its own staff, on the store's host, also while the store is suspended or cancelled.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { addMs, DAY } from "../../src/lib/time"
import { call, platform, sendOperatorCommand } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { CARD_SETTINGS, mockProvider } from "../support/provider-factories"
import { makeSubscribedStore, setSubscription } from "../support/subscription-factories"

let key: string
beforeEach(async () => {
  key = await makeKey()
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN XX00" })
})

const at =
  (store: string) =>
  (method: string, path: string, options: Parameters<typeof call>[2] = {}) =>
    call(method, `/api/v1${path}`, { host: `${store}.localhost`, ...options })

async function signIn(store: string, email = "owner@example.com"): Promise<string> {
  const response = await at(store)("POST", "/login", { json: { email, password: "correct-horse" } })
  expect(response.status).toBe(200)
  return response.body.data.token
}

describe("authorization", () => {
  test("admits staff with a valid token only: 401 without one, 403 for customers", async () => {
    const id = await makeReadyStore()
    const token = await signIn(id)
    expect((await at(id)("GET", "/billing", { token })).status).toBe(200)
    expect((await at(id)("GET", "/billing")).status).toBe(401)
    expect((await at(id)("GET", "/billing", { token: `1|${"x".repeat(48)}` })).status).toBe(401)
    const other = await makeReadyStore()
    expect((await at(other)("GET", "/billing", { token })).status).toBe(401)
    await env.SITES_1.prepare("update users set is_staff = 0 where site_id = ?").bind(id).run()
    for (const [method, path] of [
      ["GET", "/billing"],
      ["GET", "/billing/orders"],
      ["DELETE", "/billing/orders/PO-000001"],
      ["POST", "/billing/portal"],
    ] as const) {
      const response = await at(id)(method, path, { token })
      expect([response.status, response.body.error], `${method} ${path}`).toEqual([403, true])
    }
    expect((await call("GET", "/api/v1/billing", { token })).status).toBe(401)
  })

  test.each(["suspended", "cancelled"])(
    "keeps billing and account routes of a %s store open, and returns 503 on all others",
    async (status) => {
      const { slug } = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
      const id = await makeReadyStore({ plan: slug })
      await env.DB.prepare("update stores set status = ? where id = ?").bind(status, id).run()
      const token = await signIn(id)
      for (const path of ["/billing", "/billing/orders", "/me"]) {
        expect((await at(id)("GET", path, { token })).status, path).toBe(200)
      }
      for (const path of ["/settings", "/posts", "/notifications", "/billings"]) {
        expect((await at(id)("GET", path, { token })).status, path).toBe(503)
      }
      await env.DB.prepare("update stores set status = 'ready' where id = ?").bind(id).run()
      expect((await at(id)("GET", "/settings", { token })).status).toBe(403)
      expect((await at(id)("GET", "/logout", { token })).status).toBe(200)
      await env.DB.prepare("update stores set status = 'failed' where id = ?").bind(id).run()
      expect((await at(id)("GET", "/billing", { token })).status).toBe(503)
    },
  )
})

test("returns the subscription, the plans on sale, the orders and the payment methods", async () => {
  const plan = await makePlan({ stripe_price: "price_secret" })
  await makePlan({ is_active: false })
  const id = await makeReadyStore({ plan: plan.slug })
  const token = await signIn(id)
  const { body, text } = await at(id)("GET", "/billing", { token })
  expect(body).toMatchObject({
    error: false,
    data: {
      subscription: { status: "active", plan: { slug: plan.slug } },
      plans: [{ slug: plan.slug }],
      orders: [],
      offline: { enabled: true, label: "Transfer", instructions: "IBAN XX00" },
      card: { enabled: false },
    },
    message: null,
  })
  expect(Object.keys(body.data)).toEqual(["subscription", "plans", "orders", "offline", "card"])
  expect(text).not.toContain("price_secret")
})

test("costs the same number of round trips and rows, however many orders, payments and plans there are", async () => {
  const { slug } = await makePlan({ stripe_price: "price_a" })
  const id = await makeReadyStore({ plan: slug })
  const token = await signIn(id)
  const trips = async (method: string, path: string, json?: unknown) =>
    (await costsOf(() => at(id)(method, path, { token, json, env: CARD_SETTINGS }))).roundTrips
  mockProvider()
  await trips("GET", "/billing")
  const first = [
    await trips("GET", "/billing"),
    await trips("GET", "/billing/orders"),
    await trips("POST", "/billing/orders", { plan: slug }),
    await trips("DELETE", "/billing/orders/PO-000001"),
    await trips("POST", "/billing/checkout", { plan: slug }),
  ]
  expect(first).toEqual([3, 3, 4, 4, 4])
  const read = async () => (await costsOf(() => at(id)("GET", "/billing", { token }))).rowsRead
  const few = await read()
  await makePlan({ is_active: false })
  const otherStore = await makeReadyStore()
  for (let n = 0; n < 5; n++) {
    const { reference } = (await sendOperatorCommand("orders:request", { store: otherStore, plan: slug })).body.data
    await sendOperatorCommand("orders:approve", { reference })
  }
  // One row for the inactive plan, one for the receipt prefix that the first payment locked.
  expect((await read()) - few).toBeLessThanOrEqual(2)
})

describe("orders", () => {
  test("requests, lists and withdraws an order, with the owner as customer in the audit log", async () => {
    const { slug } = await makePlan()
    const id = await makeReadyStore()
    const token = await signIn(id)
    const response = await at(id)("POST", "/billing/orders", { token, json: { plan: slug, note: "soon" } })
    expect([response.status, response.body.data]).toMatchObject([
      201,
      { reference: "PO-000001", status: "pending", note: "soon" },
    ])
    const second = await at(id)("POST", "/billing/orders", { token, json: { plan: slug } })
    expect([second.status, second.body.error, second.body.data]).toEqual([409, true, null])
    expect((await at(id)("GET", "/billing/orders", { token })).body.data).toHaveLength(1)
    const auditLog = (await platform("GET", `/stores/${id}/events`, { token: key })).body.data
    expect(auditLog[0]).toMatchObject({ type: "order_requested", actor: { type: "customer", name: "A store Admin" } })
    const withdrawn = await at(id)("DELETE", "/billing/orders/PO-000001", { token })
    expect([withdrawn.status, withdrawn.body.data.status]).toEqual([200, "withdrawn"])
    expect((await at(id)("DELETE", "/billing/orders/PO-000001", { token })).status).toBe(409)
    expect((await at(id)("POST", "/billing/orders", { token, json: {} })).status).toBe(422)
  })

  test("returns an order as paid when a discount covers its price", async () => {
    const { slug } = await makePlan({ price_cents: 2900 })
    const id = await makeSubscribedStore()
    const discount = { code: "ALL", percent_off: 100, amount_off: null, months: null, plans: null, ends_at: null }
    await setSubscription(id, { discount })
    const order = { json: { plan: slug }, token: await signIn(id) }
    const { status, body } = await at(id)("POST", "/billing/orders", order)
    expect([status, body.data]).toMatchObject([201, { status: "paid", amount_cents: 0 }])
  })

  test("returns 409 for an order while the next period is paid for another plan", async () => {
    const current = await makePlan({ price_cents: 1900 })
    const [next, third] = [await makePlan({ price_cents: 2900 }), await makePlan({ price_cents: 3900 })]
    const id = await makeReadyStore({ plan: current.slug })
    await setSubscription(id, {
      status: "active",
      ...{ trialEndsAt: null, currentPeriodEndsAt: addMs(new Date(), 20 * DAY) },
    })
    const token = await signIn(id)
    const order = (json: object) => at(id)("POST", "/billing/orders", { token, json })
    const { body } = await order({ plan: next.slug, start: "next_period" })
    await sendOperatorCommand("orders:approve", { reference: body.data.reference })
    expect(await order({ plan: third.slug })).toMatchObject({
      ...{ status: 409, body: { message: "This is not possible in the current status." } },
    })
  })

  test("returns 404 for an order of another store", async () => {
    const { slug } = await makePlan()
    const [mine, other] = [await makeReadyStore(), await makeReadyStore()]
    const { reference } = (await sendOperatorCommand("orders:request", { store: other, plan: slug })).body.data
    const token = await signIn(mine)
    expect((await at(mine)("DELETE", `/billing/orders/${reference}`, { token })).status).toBe(404)
    expect((await at(mine)("GET", "/billing/orders", { token })).body.data).toEqual([])
  })
})

test("returns 409 for an order while bank transfers are disabled, and for a store that pays by card", async () => {
  const { slug } = await makePlan()
  const cardStore = await makeSubscribedStore({ provider: "stripe" })
  const order = async (id: string) => {
    const { status, body } = await at(id)("POST", "/billing/orders", { token: await signIn(id), json: { plan: slug } })
    return [status, body.error]
  }
  expect(await order(cardStore)).toEqual([409, true])
  await sendOperatorCommand("offline:settings", { enabled: false })
  expect(await order(await makeReadyStore())).toEqual([409, true])
})

describe("card payments", () => {
  test("returns 502 when the card provider is unreachable", async () => {
    const { slug } = await makePlan({ stripe_price: "price_1" })
    const id = await makeReadyStore({ plan: slug })
    const token = await signIn(id)
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("connection refused"))
    const response = await at(id)("POST", "/billing/checkout", { token, json: { plan: slug }, env: CARD_SETTINGS })
    expect([response.status, response.body.error]).toEqual([502, true])
  })

  test("returns 409 for checkout and portal when card payments are not set up", async () => {
    const id = await makeReadyStore()
    const token = await signIn(id)
    for (const [path, json] of [
      ["/billing/checkout", { plan: "x" }],
      ["/billing/portal", undefined],
    ] as const) {
      const response = await at(id)("POST", path, { token, json })
      expect([response.status, response.body.error, response.body.message]).toEqual([
        409,
        true,
        "Payment by card is not set up.",
      ])
    }
  })

  test("creates a checkout with the store, the plan and, from two days up, the rest of the trial", async () => {
    const { slug } = await makePlan({ stripe_price: "price_1" })
    const bare = await makePlan()
    const id = await makeReadyStore({ plan: slug })
    const token = await signIn(id)
    const { forms } = mockProvider()
    const pay = (plan: string) => at(id)("POST", "/billing/checkout", { token, json: { plan }, env: CARD_SETTINGS })
    const trialEnd = addMs(new Date(), 5 * DAY)
    await setSubscription(id, { status: "trialing", trialEndsAt: trialEnd })
    expect((await pay(slug)).body.data).toEqual({ url: "https://pay.example/cs_1" })
    await setSubscription(id, { trialEndsAt: addMs(new Date(), DAY) })
    await pay(slug)
    expect(Object.fromEntries(forms[0] ?? [])).toMatchObject({
      mode: "subscription",
      client_reference_id: id,
      "metadata[plan]": slug,
      "line_items[0][price]": "price_1",
      "line_items[0][quantity]": "1",
      "subscription_data[trial_end]": String(Math.floor(trialEnd.getTime() / 1000)),
      customer_email: "owner@example.com",
      success_url: `https://${id}.localhost/billing?paid=1`,
    })
    expect(forms[1]?.has("subscription_data[trial_end]")).toBe(false)
    expect((await pay(bare.slug)).status).toBe(422)
    const other = await makePlan({ stripe_price: "price_2" })
    await setSubscription(id, { status: "active", trialEndsAt: null, currentPeriodEndsAt: trialEnd })
    expect((await pay(other.slug)).status).toBe(409)
    expect((await pay(slug)).status).toBe(200)
    await setSubscription(id, { provider: "stripe", cardCustomer: "cus_1" })
    expect((await pay(slug)).status).toBe(409)
  })

  test("opens the customer's own billing portal", async () => {
    const id = await makeSubscribedStore({ provider: "stripe", cardCustomer: "cus_9" })
    const token = await signIn(id)
    const spy = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(Response.json({ url: "https://pay.example/p" }))
    expect((await at(id)("POST", "/billing/portal", { token, env: CARD_SETTINGS })).body.data.url).toBe(
      "https://pay.example/p",
    )
    expect(String((spy.mock.calls[0]?.[1] as RequestInit | undefined)?.body)).toContain("customer=cus_9")
  })

  test("returns 502 without details when the provider rejects the portal", async () => {
    const id = await makeSubscribedStore({ provider: "stripe", cardCustomer: "cus_9" })
    const token = await signIn(id)
    const spy = vi.spyOn(globalThis, "fetch")
    spy.mockRejectedValueOnce(new Error("secret detail"))
    const failed = await at(id)("POST", "/billing/portal", { token, env: CARD_SETTINGS })
    expect([failed.status, failed.text.includes("secret")]).toEqual([502, false])
    spy.mockResolvedValueOnce(Response.json({ error: { message: "No such customer: cus_9" } }, { status: 400 }))
    const refused = await at(id)("POST", "/billing/portal", { token, env: CARD_SETTINGS })
    expect([refused.status, refused.text.includes("cus_9")]).toEqual([502, false])
  })
})
