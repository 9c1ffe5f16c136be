// The card provider's messages: who may send them, what each does, and that neither order nor repetition makes a difference.
import fc from "fast-check"
import Stripe from "stripe"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { DAY, later, timestamp } from "../../src/lib/time"
import { reconcileSubscriptions } from "../../src/platform/payments/reconcile"
import { platform, run, withSettings } from "../support/app"
import { clockAt, operate, sentMails, toldOf } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import {
  checkout,
  deliver,
  invoiced,
  PROVIDER_SECRET,
  type ProviderMessage,
  providerMessage,
  subscribed,
} from "../support/provider-factories"
import { rows } from "../support/rows"
import { forgetHistory, makeSubscribed, payloadsOf, setSubscription } from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "a", name: "A", stripe_price: "price_a" })
  await makePlan({ slug: "b", name: "B", stripe_price: "price_b", price_cents: 4900 })
})

const T = Math.floor(Date.now() / 1000)
const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const send = async (...messages: ProviderMessage[]) => {
  for (const message of messages) {
    const answer = await deliver(message)
    expect([answer.status, answer.body]).toEqual([200, { received: true }])
  }
}

describe("who may send", () => {
  const ping = providerMessage("product.created", T, { id: "prod_1" })

  test("a signature of the provider's own library is good; missing, forged, foreign and old ones are invalid_signature", async () => {
    const payload = JSON.stringify(ping)
    const header = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: PROVIDER_SECRET })
    expect((await deliver(payload, { signature: header })).status).toBe(200)
    const now = Math.floor(Date.now() / 1000)
    const bad = [
      { signature: null },
      { signature: "" },
      { signature: `t=${now}` },
      { signature: `t=${now},v1=${"0".repeat(64)}` },
      { signature: `v1=${"0".repeat(64)}` },
      { signature: `t=nan,v1=x` },
      { signature: "x".repeat(100_000) },
      { secret: "whsec_other" },
      { at: now - 301 },
      { at: now + 305 },
      { env: { STRIPE_WEBHOOK_SECRET: "" } },
    ]
    for (const given of bad) {
      const answer = await deliver(ping, given)
      expect([given, answer.status, answer.body.error.code]).toEqual([given, 400, "invalid_signature"])
    }
    expect((await deliver(ping, { at: now - 290 })).status).toBe(200)
    const two = header.replace("v1=", `v1=${"0".repeat(64)},v1=`)
    expect((await deliver(payload, { signature: two })).status).toBe(200)
  })

  test("what is signed and unreadable is 400, what is of no interest 200, other hosts and verbs have nothing here", async () => {
    for (const body of [
      "",
      "{",
      "null",
      "[]",
      '{"id":1}',
      JSON.stringify({ id: "evt", type: "invoice.paid", created: T }),
    ]) {
      expect([body, (await deliver(body)).status]).toEqual([body, 400])
    }
    expect((await deliver({ ...ping, type: "invoice.paid", data: { object: {} } })).status).toBe(400)
    expect((await deliver(ping)).body).toEqual({ received: true })
    const store = await makeReadyStore()
    expect((await deliver(ping, { host: `${store}.localhost` })).status).toBe(404)
    expect((await deliver("x".repeat(1_000_001))).status).toBe(413)
    const { call } = await import("../support/app")
    const got = await call("GET", "/webhooks/stripe")
    expect([got.status, got.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"])
    expect((await call("POST", "/webhooks/other")).status).toBe(404)
    expect(await rows("select id from provider_messages")).toEqual([])
  })
})

describe("what they do", () => {
  test("a checkout gives a store without a plan its plan, billed by stripe; every action is stripe_managed from then on", async () => {
    const id = await makeReadyStore()
    await forgetHistory()
    await send(checkout(id, "a", T), subscribed("created", T))
    expect(await read(id)).toMatchObject({
      status: "ready",
      billing_provider: "stripe",
      subscription: {
        status: "active",
        plan: { slug: "a" },
        current_period_ends_at: timestamp(new Date((T + 2_592_000) * 1000)),
        allowed_actions: [],
      },
    })
    expect((await toldOf(id)).events).toEqual(["subscription.assigned"])
    const refused = await platform("POST", `/stores/${id}/subscription/cancel`, { token })
    expect([refused.status, refused.body.error.code]).toEqual([409, "stripe_managed"])
    const everything = JSON.stringify([await read(id), await payloadsOf(id), (await operate("payments:list")).body])
    expect(everything).not.toMatch(/sub_1|cus_1|in_1|price_a/)
  })

  test("a checkout of a store on trial keeps the trial and the plan, or changes it where it differs", async () => {
    const trialEndsAt = later(new Date(), 10 * DAY)
    const id = await makeSubscribed({ status: "trialing", trialEndsAt })
    await forgetHistory()
    await send(checkout(id, "b", T))
    expect((await toldOf(id)).events).toEqual(["subscription.plan_changed"])
    expect(await read(id)).toMatchObject({
      billing_provider: "stripe",
      subscription: {
        status: "trialing",
        trial_ends_at: timestamp(trialEndsAt),
        plan: { slug: "b", price_cents: 4900 },
      },
    })
    await send(
      invoiced("paid", T + 5, { amount: 0, id: "in_0" }),
      subscribed("created", T, { price: "price_b", status: "trialing" }),
    )
    expect((await read(id)).subscription.status).toBe("trialing")
    await send(invoiced("paid", T + 100))
    expect((await toldOf(id)).events.at(-1)).toBe("subscription.activated")
  })

  test("the price decides the plan; an unknown one moves nothing", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T), subscribed("updated", T + 10, { price: "price_b" }))
    expect((await read(id)).subscription.plan.slug).toBe("b")
    const before = (await read(id)).subscription
    await send(subscribed("updated", T + 20, { price: "price_unknown", status: "past_due", until: T + 99 }))
    const { updated_at: _, ...after } = (await read(id)).subscription
    expect(before).toMatchObject(after)
  })

  test("a failure is past_due, a second one moves nothing and mails once an invoice; a payment clears it", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T), invoiced("payment_failed", T + 100, { id: "in_2" }))
    await forgetHistory()
    const since = (await read(id)).subscription.past_due_since
    expect(since).toBe(timestamp(new Date((T + 100) * 1000)))
    await send(invoiced("payment_failed", T + 200, { id: "in_2" }), invoiced("payment_failed", T + 300, { id: "in_3" }))
    expect((await read(id)).subscription).toMatchObject({ status: "past_due", past_due_since: since })
    expect(await toldOf(id)).toEqual({ events: [], trail: [], mails: ["payment_failed", "payment_failed"] })
    await send(
      invoiced("paid", T + 400, { id: "in_3", until: T + 9_000_000 }),
      invoiced("payment_succeeded", T + 400, { id: "in_3" }),
    )
    expect((await read(id)).subscription).toMatchObject({ status: "active", past_due_since: null })
    expect((await toldOf(id)).events).toEqual(["subscription.activated"])
    expect((await operate("payments:list", { store: id })).body.data).toMatchObject([
      { provider: "stripe", number: null, amount_cents: 1900, currency: "EUR", plan: "a" },
    ])
  })

  test("the grace is ours: it suspends, and a payment opens the store again", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T), invoiced("payment_failed", T + 100))
    await clockAt(new Date((T + 100) * 1000 + 13 * DAY))
    expect((await read(id)).access_state).toBe("serving")
    await clockAt(new Date((T + 100) * 1000 + 14 * DAY))
    expect(await read(id)).toMatchObject({ access_state: "suspended", subscription: { status: "suspended" } })
    await send(invoiced("payment_failed", T + 150, { id: "in_8" }))
    expect((await read(id)).subscription.status).toBe("suspended")
    await send(invoiced("paid", T + 200))
    expect(await read(id)).toMatchObject({
      access_state: "serving",
      subscription: { status: "active", suspended_at: null },
    })
  })

  test("an end cancels: the store is kept for the retention, is ours again, and a late message moves nothing but the ledger", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T), subscribed("deleted", T + 500))
    expect(await read(id)).toMatchObject({
      status: "cancelled",
      billing_provider: "local",
      subscription: { status: "cancelled", cancelled_at: timestamp(new Date((T + 500) * 1000)) },
    })
    expect((await platform("POST", `/stores/${id}/subscription/assign`, { token, json: { plan: "b" } })).status).toBe(
      200,
    )
    await forgetHistory()
    await send(subscribed("updated", T + 600), invoiced("paid", T + 700, { id: "in_late" }))
    expect(await read(id)).toMatchObject({
      billing_provider: "local",
      subscription: { plan: { slug: "b" }, status: "active" },
    })
    expect((await toldOf(id)).events).toEqual([])
    expect((await operate("payments:list", { store: id })).body.data).toHaveLength(1)
  })

  test("messages about a customer of no store are kept, and count once a checkout ties it, also when that is the newest", async () => {
    const id = await makeReadyStore()
    await send(subscribed("created", T), invoiced("paid", T + 1), invoiced("payment_failed", T + 10, { id: "in_2" }))
    expect((await read(id)).subscription).toBeNull()
    await send(checkout(id, "a", T + 20))
    expect((await read(id)).subscription).toMatchObject({ status: "past_due", plan: { slug: "a" } })
    expect((await operate("payments:list")).body.data).toHaveLength(1)
    await send(checkout("nobody", "a", T, "sub_x"), invoiced("paid", T, { subscription: "sub_x" }))
    expect((await operate("payments:list")).body.data).toHaveLength(1)
  })

  test("a fault of ours is a 500, after which the repetition counts; a repetition of a known one counts for nothing", async () => {
    const id = await makeReadyStore()
    const message = checkout(id, "a", T)
    const { failBatches } = await import("../support/faults")
    const spy = failBatches((statements) => (statements > 3 ? "before" : null))
    expect((await deliver(message)).status).toBe(500)
    spy.mockRestore()
    expect((await read(id)).subscription).toBeNull()
    await Promise.all([1, 2, 3].map(() => deliver(message)))
    expect((await toldOf(id)).events.filter((type) => type === "subscription.assigned")).toHaveLength(1)
    const lost = invoiced("payment_failed", T + 1)
    const after = failBatches((statements) => (statements > 3 ? "after" : null))
    expect((await deliver(lost)).status).toBe(500)
    after.mockRestore()
    await send(lost)
    expect((await toldOf(id)).events.filter((type) => type === "subscription.past_due")).toHaveLength(1)
  })
})

describe("neither order nor repetition makes a difference", () => {
  /** A life with ties: trial, upgrade, failures, recovery, renewal, end. */
  const life = (id: string): ProviderMessage[] => [
    checkout(id, "a", T),
    subscribed("created", T, { status: "trialing", trialEnd: T + 1000, until: T + 1000 }),
    invoiced("paid", T, { id: "in_0", amount: 0 }),
    invoiced("paid", T + 1000, { id: "in_1" }),
    subscribed("updated", T + 1000, { until: T + 5000 }),
    subscribed("updated", T + 2000, { price: "price_b", until: T + 5000 }),
    invoiced("payment_failed", T + 5000, { id: "in_2" }),
    subscribed("updated", T + 5000, { price: "price_b", status: "past_due", until: T + 9000 }),
    invoiced("payment_failed", T + 6000, { id: "in_2" }),
    invoiced("paid", T + 7000, { id: "in_2", until: T + 9000, amount: 4900 }),
  ]

  const stateOf = async (id: string) => {
    const { status, subscription } = await read(id)
    const { updated_at: _, ...kept } = subscription
    const ledger = await rows(
      "select stripe_invoice, amount_cents, plan, paid_at from payments where store_id = ? order by stripe_invoice",
      id,
    )
    return { status, kept, ledger }
  }

  test.each([
    ["still alive", false],
    ["that ended", true],
  ] as const)(
    "a recorded life %s, permuted and repeated",
    async (_, ended) => {
      const messagesOf = (id: string) => [
        ...life(id),
        ...(ended ? [subscribed("deleted", T + 8000, { price: "price_b" })] : []),
      ]
      const first = await makeReadyStore({ subdomain: "first" })
      for (const message of messagesOf(first)) await deliver(message)
      const expected = await stateOf(first)
      expect(expected.kept.status).toBe(ended ? "cancelled" : "active")
      expect(expected.ledger).toHaveLength(3)
      const { env } = await import("cloudflare:workers")
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray(
            messagesOf("x").map((_, n) => n),
            { minLength: messagesOf("x").length },
          ),
          fc.array(fc.nat(messagesOf("x").length - 1), { maxLength: 4 }),
          async (order, repeated) => {
            for (const table of ["provider_messages", "payments", "subscriptions", "mails"])
              await env.DB.exec(`delete from ${table}`)
            await env.DB.exec("update stores set status = 'ready'")
            const messages = messagesOf(first)
            for (const n of [...order, ...repeated]) {
              const message = messages[n]
              if (message) expect((await deliver(message)).status).toBe(200)
            }
            expect(await stateOf(first)).toEqual(expected)
          },
        ),
        { numRuns: 25 },
      )
    },
    180_000,
  )
})

describe("a message that never came", () => {
  const env = withSettings({ STRIPE_SECRET_KEY: "sk_test", STRIPE_API_URL: "https://provider.example" })

  test("is asked for two days after the period's end, and taken in as if it had come", async () => {
    const [alive, gone, quiet] = [await makeReadyStore(), await makeReadyStore(), await makeReadyStore()]
    await send(
      checkout(alive, "a", T, "sub_alive"),
      checkout(gone, "a", T, "sub_gone"),
      checkout(quiet, "a", T, "sub_quiet"),
    )
    const ended = later(new Date(), -3 * DAY)
    await setSubscription(alive, { currentPeriodEndsAt: ended })
    await setSubscription(gone, { currentPeriodEndsAt: ended })
    const until = T + 2_000_000
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
      expect(new Headers((init as RequestInit).headers).get("Authorization")).toBe("Bearer sk_test")
      if (String(url) === "https://provider.example/v1/subscriptions/sub_alive") {
        return Response.json({
          id: "sub_alive",
          status: "active",
          items: { data: [{ price: { id: "price_a" }, current_period_end: until }] },
        })
      }
      if (String(url).endsWith("sub_gone")) return Response.json({ error: {} }, { status: 404 })
      throw new Error(`nobody asks for ${url}`)
    })
    await run((ctx) => reconcileSubscriptions(ctx), { env })
    expect(spy).toHaveBeenCalledTimes(2)
    expect((await read(alive)).subscription.current_period_ends_at).toBe(timestamp(new Date(until * 1000)))
    expect((await read(gone)).subscription.status).toBe("cancelled")
    await run((ctx) => reconcileSubscriptions(ctx))
    expect(spy).toHaveBeenCalledTimes(2)
  })

  test("billing:detach lets a store go: it is ours, and the provider's messages move it no more", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T))
    expect((await operate("billing:detach", { store: id })).body.data).toMatchObject({
      status: "active",
      allowed_actions: ["change_plan", "extend", "cancel"],
    })
    await send(subscribed("deleted", T + 10))
    expect(await read(id)).toMatchObject({ billing_provider: "local", subscription: { status: "active" } })
    expect((await operate("billing:detach", { store: id })).body.error.code).toBe("illegal_transition")
  })
})

test("a payment that failed is told to the owner with its amount", async () => {
  const id = await makeReadyStore()
  await send(checkout(id, "a", T), invoiced("payment_failed", T + 1, { amount: 1900 }))
  const mails = await sentMails()
  expect(mails.at(-1)?.subject).toBe("A payment for A store failed")
  expect(mails.at(-1)?.text).toContain("€19.00")
})
