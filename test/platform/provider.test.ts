// The card provider's messages: who may send them, what each does, and that neither order nor repetition makes a difference.
import fc from "fast-check"
import Stripe from "stripe"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { DAY, later, timestamp } from "../../src/lib/time"
import { forgetMails } from "../../src/mails/outbox"
import { endCancelled } from "../../src/platform/payments/cancel"
import type { Message } from "../../src/platform/payments/message"
import { lifeOf } from "../../src/platform/payments/projection"
import { forgetMessages } from "../../src/platform/payments/receive"
import { reconcileSubscriptions } from "../../src/platform/payments/reconcile"
import { platform, run, withSettings } from "../support/app"
import { clockAt, operate, sentMails, toldOf } from "../support/billing-factories"
import { costsOf } from "../support/costs"
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
      expect([answer.status, answer.body.error.code], JSON.stringify(given)).toEqual([400, "invalid_signature"])
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
      expect((await deliver(body)).status, body).toBe(400)
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
  const when = (seconds: number) => timestamp(new Date(seconds * 1000))

  /**
   * A life with ties: trial, upgrade, failures, recovery; and, where it ended, what came too late. The later a message the smaller
   * its id, so that whoever goes by ids, or by kinds, or by arrival comes to another end than whoever goes by time.
   */
  const life = (id: string, ended: boolean): ProviderMessage[] =>
    [
      checkout(id, "a", T),
      subscribed("created", T, { status: "trialing", trialEnd: T + 1000, until: T + 1000 }),
      invoiced("paid", T, { id: "in_0", amount: 0 }),
      invoiced("paid", T + 1000, { id: "in_1" }),
      subscribed("updated", T + 1000, { until: T + 5000 }),
      subscribed("updated", T + 2000, { price: "price_b", until: T + 5000 }),
      invoiced("payment_failed", T + 5000, { id: "in_2" }),
      subscribed("updated", T + 5000, { price: "price_b", status: "past_due", until: T + 8900 }),
      invoiced("payment_failed", T + 6000, { id: "in_2" }),
      invoiced("paid", T + 7000, { id: "in_2", until: T + 9000, amount: 4900 }),
      ...(ended
        ? [
            subscribed("deleted", T + 8000, { price: "price_b" }),
            subscribed("updated", T + 8500, { until: T + 99_000 }),
            invoiced("payment_failed", T + 8500, { id: "in_3" }),
            invoiced("paid", T + 8600, { id: "in_3", until: T + 99_000 }),
          ]
        : []),
    ].map((message, n) => ({ ...message, id: `evt_life_${String(99 - n)}` }))

  const stateOf = async (id: string) => {
    const { status, subscription } = await read(id)
    const { plan, past_due_since, trial_ends_at, current_period_ends_at, cancelled_at } = subscription
    const ledger = await rows(
      "select stripe_invoice, amount_cents, paid_at from payments where store_id = ? order by stripe_invoice",
      id,
    )
    return {
      ...{ store: status, status: subscription.status, plan: [plan.slug, plan.taken_at] },
      ...{ past_due_since, trial_ends_at, current_period_ends_at, cancelled_at },
      ledger: ledger.map((row) => [row.stripe_invoice, row.amount_cents, Number(row.paid_at) / 1000 - T]),
    }
  }

  const paid = [
    ["in_0", 0, 0],
    ["in_1", 1900, 1000],
    ["in_2", 4900, 7000],
  ]
  const common = {
    plan: ["b", when(T + 2000)],
    past_due_since: null,
    trial_ends_at: when(T + 1000),
    current_period_ends_at: when(T + 9000),
  }

  test.each([
    ["still alive", false, { ...common, store: "ready", status: "active", cancelled_at: null, ledger: paid }],
    [
      "that ended",
      true,
      {
        ...{ ...common, store: "cancelled", status: "cancelled", cancelled_at: when(T + 8000) },
        ledger: [...paid, ["in_3", 1900, 8600]],
      },
    ],
  ] as const)(
    "a recorded life %s, permuted and repeated, ends as told",
    async (_, ended, expected) => {
      const first = await makeReadyStore({ subdomain: "first" })
      const messages = life(first, ended)
      for (const message of messages) await deliver(message)
      expect(await stateOf(first)).toEqual(expected)
      const { env } = await import("cloudflare:workers")
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray(messages, { minLength: messages.length }),
          fc.array(fc.constantFrom(...messages), { maxLength: 4 }),
          async (order, repeated) => {
            for (const table of ["provider_messages", "payments", "subscriptions", "mails"])
              await env.DB.exec(`delete from ${table}`)
            await env.DB.exec("update stores set status = 'ready'")
            for (const message of [...order, ...repeated]) expect((await deliver(message)).status).toBe(200)
            expect(await stateOf(first)).toEqual(expected)
          },
        ),
        { numRuns: 20 },
      )
    },
    180_000,
  )

  test("of any set the latest message that counts decides, whatever the ids and the order of arrival", () => {
    const status = fc.constantFrom("active", "past_due", "trialing")
    const price = fc.constantFrom("price_a", "price_b", "price_c")
    const updates = fc.uniqueArray(fc.record({ created: fc.nat(50), status, price, id: fc.uuid() }), {
      minLength: 1,
      maxLength: 8,
      selector: ({ created }) => created,
    })
    const planOf = (given: string) => given.slice("price_".length)
    fc.assert(
      fc.property(updates, fc.option(fc.nat(50)), (said, end) => {
        const about = { type: "", subscription: "sub_1", customer: "cus_1" }
        const messages: Message[] = said.map(({ id, created, status, price }) => ({
          ...{ ...about, id, created },
          facts: { kind: "updated", price, status, until: created, trialEnd: null },
        }))
        if (end !== null) messages.push({ ...about, id: "end", created: end, facts: { kind: "deleted" } })
        const found = lifeOf(messages, planOf, () => true)
        const counting = said
          .filter(({ created }) => end === null || created <= end)
          .sort((a, b) => a.created - b.created)
        const last = counting.at(-1)
        expect([found.plan?.slug, found.status, found.periodEnd?.getTime(), found.endedAt?.getTime()]).toEqual([
          last && planOf(last.price),
          last?.status ?? null,
          last && last.created * 1000,
          end === null ? undefined : end * 1000,
        ])
      }),
      { numRuns: 500 },
    )
  })
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

  test("is asked for where a checkout is all that came: after the trial, or when there was none; and not again once it is known", async () => {
    const [trialing, free] = [
      await makeSubscribed({
        status: "trialing",
        trialEndsAt: later(new Date(), 10 * DAY),
        currentPeriodEndsAt: null,
      }),
      await makeReadyStore({ plan: (await makePlan({ price_cents: 0 })).slug }),
    ]
    await send(checkout(trialing, "a", T, "sub_trialing"), checkout(free, "a", T, "sub_free"))
    for (const id of [trialing, free]) {
      expect(await read(id)).toMatchObject({
        billing_provider: "stripe",
        subscription: { plan: { slug: "a" }, current_period_ends_at: null },
      })
    }
    const asked: string[] = []
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
      const id = String(url).split("/").at(-1) ?? ""
      asked.push(id)
      const items = { data: [{ price: { id: "price_a" }, current_period_end: T + 2_592_000 }] }
      return Response.json({ id, status: id === "sub_free" ? "past_due" : "active", items })
    })
    const askedBy = async (day: number) => {
      await run((ctx) => reconcileSubscriptions(ctx), { env, now: later(new Date(), day * DAY) })
      return asked.splice(0)
    }
    expect([await askedBy(1), await askedBy(3), await askedBy(4)]).toEqual([[], ["sub_free"], []])
    expect((await read(free)).subscription.status).toBe("past_due")
    expect([await askedBy(11), await askedBy(13), await askedBy(14)]).toEqual([[], ["sub_trialing"], []])
    expect((await read(trialing)).subscription).toMatchObject({
      status: "active",
      current_period_ends_at: timestamp(new Date((T + 2_592_000) * 1000)),
    })
  })

  test("is looked for without reading those of which all is known, nor those that are ours", async () => {
    const { env: bindings } = await import("cloudflare:workers")
    const fill = (from: number, count: number) =>
      bindings.DB.prepare(
        `insert into subscriptions (store_id, status, provider, current_period_ends_at, created_at, updated_at) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
         select 's' || i, iif(i % 5, 'active', 'cancelled'), iif(i % 2, 'stripe', 'local'), iif(i % 10 in (0, 2, 5), 1, ${Date.now() + 30 * DAY}), 1, 1 from n`,
      ).run()
    const cost = async () => (await costsOf(() => run((ctx) => reconcileSubscriptions(ctx), { env }))).rowsRead
    await fill(1, 100)
    const small = await cost()
    await fill(101, 5000)
    expect(await cost()).toBeLessThanOrEqual(small)
  })

  test("billing:detach begins a period where the provider named none, so that it is billed by us", async () => {
    const id = await makeReadyStore({ plan: (await makePlan({ price_cents: 0 })).slug })
    await send(checkout(id, "a", T))
    const { current_period_ends_at } = (await operate("billing:detach", { store: id })).body.data
    await clockAt(later(new Date(current_period_ends_at), 1000))
    expect((await read(id)).subscription).toMatchObject({ status: "past_due", past_due_since: current_period_ends_at })
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

describe("a store that is deleted", () => {
  const env = withSettings({ STRIPE_SECRET_KEY: "sk_test", STRIPE_API_URL: "https://provider.example" })
  const deleted = async (id: string) =>
    expect((await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })).status).toBe(204)
  const waiting = () =>
    rows("select subscription, store_id, attempts from provider_cancellations order by subscription")
  const trail = () => rows("select store_id, subject_id from audit_entries where type = 'card_subscription_cancelled'")
  const endAt = (now: Date) => run((ctx) => endCancelled(ctx), { env, now })
  /** The provider, which answers as told; what it was asked. */
  const provider = (...answers: (Response | Error)[]) => {
    const asked: string[] = []
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
      asked.push(`${init?.method} ${String(url).replace("https://provider.example/v1", "")}`)
      const answer = answers.shift()
      if (!answer || answer instanceof Error) throw answer ?? new Error("nobody expects that")
      return answer
    })
    return asked
  }

  test("has what is paid for it ended at the provider: asked again until it is, told once", async () => {
    const [id, other] = [await makeReadyStore(), await makeReadyStore()]
    await send(checkout(id, "a", T), checkout(other, "a", T, "sub_other"))
    await deleted(id)
    const due = { subscription: "sub_1", store_id: id }
    expect(await waiting()).toEqual([{ ...due, attempts: 0 }])
    const ended = () => Response.json({ id: "sub_1", status: "canceled" })
    const asked = provider(
      new Error("no route"),
      Response.json({}, { status: 500 }),
      Response.json({ id: "sub_1", status: "active" }),
      ended(),
    )
    const start = new Date(Date.now() + 1000)
    await endAt(start)
    expect(await waiting()).toEqual([{ ...due, attempts: 1 }])
    await endAt(start)
    expect(asked).toHaveLength(1)
    for (const minutes of [1, 3, 7]) await endAt(later(start, minutes * 60_000))
    expect(asked).toEqual(Array(4).fill("DELETE /subscriptions/sub_1"))
    expect([await waiting(), await trail()]).toEqual([[], [{ store_id: id, subject_id: id }]])
    await endAt(later(start, DAY))
    expect(asked).toHaveLength(4)
  })

  test("two runs at once ask once; one that the provider knows no more is ended", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T))
    await deleted(id)
    const asked = provider(Response.json({}, { status: 404 }))
    const now = new Date(Date.now() + 1000)
    await Promise.all([endAt(now), endAt(now), endAt(now)])
    expect([asked.length, await waiting(), (await trail()).length]).toEqual([1, [], 1])
  })

  test("by the end of its retention, too; also what was detached from it, and not what ended before", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T), subscribed("deleted", T + 1), checkout(id, "a", T + 2, "sub_2"))
    await operate("billing:detach", { store: id })
    expect((await platform("POST", `/stores/${id}/subscription/cancel`, { token })).status).toBe(200)
    expect(await clockAt(later(new Date(), 31 * DAY))).toMatchObject({ purged: 1 })
    expect((await waiting()).map(({ subscription }) => subscription)).toEqual(["sub_2"])
  })

  test("and is paid for in that moment has that ended as well; a checkout of a store that never was is somebody else's", async () => {
    const id = await makeReadyStore()
    await deleted(id)
    await send(checkout(id, "a", T), checkout("stranger", "a", T, "sub_x"), checkout(id, "a", T))
    expect((await waiting()).map(({ subscription }) => subscription)).toEqual(["sub_1"])
  })

  test("whose subscription cannot be ended for a day is a failing cron part, and is still tried", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T))
    await deleted(id)
    const { env: bindings } = await import("cloudflare:workers")
    await bindings.DB.exec("update provider_cancellations set attempts = 10")
    const soon = new Date(Date.now() + 1000)
    await run((ctx) => endCancelled(ctx), { now: soon })
    await expect(run((ctx) => endCancelled(ctx), { now: later(soon, 2 * DAY) })).rejects.toThrow(`of the store ${id}`)
    expect(await waiting()).toMatchObject([{ attempts: 12 }])
  })
})

test("a message of the provider costs two trips, one that is known and one that is forged fewer", async () => {
  const id = await makeReadyStore()
  const trips = async (message: unknown, given = {}) => (await costsOf(() => deliver(message, given))).roundTrips
  const first = checkout(id, "a", T)
  const counted = [await trips(first), await trips(invoiced("paid", T + 1)), await trips(first)]
  expect(counted).toEqual([2, 2, 1])
  expect(await trips(first, { secret: "whsec_other" })).toBe(0)
  expect(await trips(providerMessage("product.created", T, { id: "prod_1" }))).toBe(0)
})

describe("what is past its time", () => {
  const left = async () =>
    (await rows("select subscription from provider_messages order by id")).map((row) => row.subscription)
  const forgetIn = (days: number) => run((ctx) => forgetMessages(ctx), { now: later(new Date(), days * DAY) })

  test("messages of no store go after 30 days, those of a living store stay, those of a deleted one go 30 days after it", async () => {
    const id = await makeReadyStore()
    await send(invoiced("paid", T, { subscription: "sub_stray" }), subscribed("created", T), checkout(id, "a", T))
    await forgetIn(29)
    expect(await left()).toHaveLength(3)
    await forgetIn(31)
    expect(await left()).toEqual(["sub_1", "sub_1"])
    await forgetIn(4000)
    expect(await left()).toHaveLength(2)
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    await forgetIn(29)
    expect(await left()).toHaveLength(2)
    await forgetIn(31)
    expect(await left()).toEqual([])
  })

  test("mails that were sent or given up go after 90 days, and no old failure is told of again", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T), invoiced("payment_failed", T + 1, { id: "in_old" }))
    await sentMails()
    const forget = (days: number) => run((ctx) => forgetMails(ctx), { now: later(new Date(), days * DAY) })
    await forget(89)
    expect((await toldOf(id)).mails).toContain("payment_failed")
    await send(invoiced("payment_failed", T + 2, { id: "in_waits" }))
    await forget(91)
    expect((await toldOf(id)).mails).toEqual(["payment_failed"])
    await send(
      subscribed("updated", T + 3, { status: "past_due" }),
      invoiced("payment_failed", T + 4, { id: "in_new" }),
    )
    expect((await rows("select key from mails order by id")).map(({ key }) => String(key).split(":").at(-1))).toEqual([
      "in_waits",
      "in_new",
    ])
  })

  test("is forgotten in steps that read no more rows in a larger table", async () => {
    const { env: bindings } = await import("cloudflare:workers")
    const fill = (from: number, count: number) =>
      bindings.DB.batch([
        bindings.DB.prepare(
          `insert into mails (key, kind, recipient, data, due_at, attempts, created_at) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
           select 'k' || i, 'sign_in', 'a@example.com', '{}', null, 1, ${Date.now()} from n`,
        ),
        bindings.DB.prepare(
          `insert into provider_messages (id, type, created, subscription, facts, received_at, forget_at) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
           select 'e' || i, 'x', 1, 's' || i, '{}', 1, case when i % 2 then ${Date.now() + 30 * DAY} end from n`,
        ),
      ])
    const cost = async () => {
      const costs = await costsOf(async () => {
        await run((ctx) => forgetMails(ctx))
        await run((ctx) => forgetMessages(ctx))
      })
      return costs.rowsRead
    }
    await fill(1, 1000)
    const small = await cost()
    await fill(2000, 10_000)
    expect(await cost()).toBeLessThanOrEqual(small + 5)
    expect(await rows("select count(*) as total from mails")).toEqual([{ total: 11_000 }])
  })
})
