// The card providers' messages: signatures, the effect of each message, and independence of order and duplicates.
import { env as bindings } from "cloudflare:workers"
import fc from "fast-check"
import Stripe from "stripe"
import { beforeEach, describe, expect, test } from "vitest"
import { addMs, DAY, formatTimestamp } from "../../src/lib/time"
import { deleteExpiredMails } from "../../src/mails/outbox"
import { processCancellations } from "../../src/platform/payments/cancel"
import type { Message } from "../../src/platform/payments/message"
import { projectSubscription } from "../../src/platform/payments/projection"
import { deleteExpiredMessages } from "../../src/platform/payments/receive"
import { reconcileSubscriptions } from "../../src/platform/payments/reconcile"
import { platform, run, sendOperatorCommand, withSettings } from "../support/app"
import { collectSentMails, readHistory, runClockAt } from "../support/billing-factories"
import { CARD_PROVIDER_DRIVERS } from "../support/card-providers/all"
import type { ProviderMessage } from "../support/card-providers/driver"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { CARD_SETTINGS, deliverMessage, PROVIDER_SECRET, providerMessage } from "../support/provider-factories"
import { rows } from "../support/rows"
import {
  clearHistory,
  listEventPayloads,
  makeSubscribedStore,
  setSubscription,
} from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "a", name: "A", stripe_price: "price_a" })
  await makePlan({ slug: "b", name: "B", stripe_price: "price_b", price_cents: 4900 })
})

const T = Math.floor(Date.now() / 1000)
const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data

describe("signatures of Stripe", () => {
  const ping = providerMessage("product.created", T, { id: "prod_1" })

  test("accepts signatures of the provider's own library, and refuses missing, forged, foreign and old ones", async () => {
    const payload = JSON.stringify(ping)
    const header = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: PROVIDER_SECRET })
    expect((await deliverMessage(payload, { signature: header })).status).toBe(200)
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
    for (const options of bad) {
      const response = await deliverMessage(ping, options)
      expect([response.status, response.body.error.code], JSON.stringify(options)).toEqual([400, "invalid_signature"])
    }
    expect((await deliverMessage(ping, { at: now - 290 })).status).toBe(200)
    const two = header.replace("v1=", `v1=${"0".repeat(64)},v1=`)
    expect((await deliverMessage(payload, { signature: two })).status).toBe(200)
  })

  test("returns 400 for unreadable messages, 413 for too large ones, and 200 for irrelevant ones", async () => {
    for (const body of [
      "",
      "{",
      "null",
      "[]",
      '{"id":1}',
      JSON.stringify({ id: "evt", type: "invoice.paid", created: T }),
    ]) {
      expect((await deliverMessage(body)).status, body).toBe(400)
    }
    expect((await deliverMessage({ ...ping, type: "invoice.paid", data: { object: {} } })).status).toBe(400)
    expect((await deliverMessage("x".repeat(1_000_001))).status).toBe(413)
    expect((await deliverMessage(ping)).body).toEqual({ received: true })
    expect(await rows("select id from provider_messages")).toEqual([])
  })

  test("receives messages only as POST /webhooks/stripe on the central host", async () => {
    const store = await makeReadyStore()
    expect((await deliverMessage(ping, { host: `${store}.localhost` })).status).toBe(404)
    const { call } = await import("../support/app")
    const wrongMethod = await call("GET", "/webhooks/stripe")
    expect([wrongMethod.status, wrongMethod.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"])
    expect((await call("POST", "/webhooks/other")).status).toBe(404)
  })
})

test("derives the state from the latest relevant message, regardless of ids and order of arrival", () => {
  const status = fc.constantFrom("active", "past_due", "trialing")
  const price = fc.constantFrom("price_a", "price_b", "price_c")
  const updateLists = fc.uniqueArray(fc.record({ created: fc.nat(50), status, price, id: fc.uuid() }), {
    minLength: 1,
    maxLength: 8,
    selector: ({ created }) => created,
  })
  const getPlan = (price: string) => price.slice("price_".length)
  fc.assert(
    fc.property(updateLists, fc.option(fc.nat(50)), (updates, end) => {
      const about = { type: "", subscription: "sub_1", customer: "cus_1" }
      const messages: Message[] = updates.map(({ id, created, status, price }) => ({
        ...{ ...about, id, created },
        facts: { kind: "updated", price, status, until: created, trialEnd: null },
      }))
      if (end !== null) messages.push({ ...about, id: "end", created: end, facts: { kind: "deleted" } })
      const projection = projectSubscription(messages, getPlan, () => true)
      const relevant = updates
        .filter(({ created }) => end === null || created <= end)
        .sort((a, b) => a.created - b.created)
      const last = relevant.at(-1)
      expect([
        projection.plan?.slug,
        projection.status,
        projection.periodEnd?.getTime(),
        projection.endedAt?.getTime(),
      ]).toEqual([
        last && getPlan(last.price),
        last?.status ?? null,
        last && last.created * 1000,
        end === null ? undefined : end * 1000,
      ])
    }),
    { numRuns: 500 },
  )
})

test("finds overdue subscriptions without reading up-to-date or local ones", async () => {
  const fill = (from: number, count: number) =>
    bindings.DB.prepare(
      `insert into subscriptions (store_id, status, provider, current_period_ends_at, created_at, updated_at) with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
       select 's' || i, iif(i % 5, 'active', 'cancelled'), iif(i % 2, 'stripe', 'local'), iif(i % 10 in (0, 2, 5), 1, ${Date.now() + 30 * DAY}), 1, 1 from n`,
    ).run()
  const cost = async () =>
    (await costsOf(() => run((ctx) => reconcileSubscriptions(ctx), { env: withSettings(CARD_SETTINGS) }))).rowsRead
  await fill(1, 100)
  const small = await cost()
  await fill(101, 5000)
  expect(await cost()).toBeLessThanOrEqual(small)
})

test("deletes expired rows without reading more rows in a larger table", async () => {
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
      await run((ctx) => deleteExpiredMails(ctx))
      await run((ctx) => deleteExpiredMessages(ctx))
    })
    return costs.rowsRead
  }
  await fill(1, 1000)
  const small = await cost()
  await fill(2000, 10_000)
  expect(await cost()).toBeLessThanOrEqual(small + 5)
  expect(await rows("select count(*) as total from mails")).toEqual([{ total: 11_000 }])
})

describe.each(CARD_PROVIDER_DRIVERS)("$name", (provider) => {
  const { checkoutMessage, subscriptionMessage, invoiceMessage, reference } = provider
  beforeEach(() => provider.register())

  const send = async (...messages: ProviderMessage[]) => {
    for (const message of messages) {
      const response = await provider.deliver(message)
      expect([response.status, response.body]).toEqual([200, { received: true }])
    }
  }

  describe("effects", () => {
    test("assigns the plan of a checkout to a store without one, and refuses actions with stripe_managed from then on", async () => {
      const id = await makeReadyStore()
      await clearHistory()
      await send(checkoutMessage(id, "a", T), subscriptionMessage("created", T))
      expect(await read(id)).toMatchObject({
        status: "ready",
        billing_provider: provider.name,
        subscription: {
          status: "active",
          plan: { slug: "a" },
          current_period_ends_at: formatTimestamp(new Date((T + 2_592_000) * 1000)),
          allowed_actions: [],
        },
      })
      expect((await readHistory(id)).events).toEqual(["subscription.assigned"])
      const refused = await platform("POST", `/stores/${id}/subscription/cancel`, { token })
      expect([refused.status, refused.body.error.code]).toEqual([409, "stripe_managed"])
      const everything = JSON.stringify([
        await read(id),
        await listEventPayloads(id),
        (await sendOperatorCommand("payments:list")).body,
      ])
      expect(everything).not.toMatch(/sub_1|cus_1|in_1|price_a/)
    })

    test("continues the trial of a store after a checkout, and changes the plan if it differs", async () => {
      const trialEndsAt = addMs(new Date(), 10 * DAY)
      const id = await makeSubscribedStore({ status: "trialing", trialEndsAt })
      await clearHistory()
      await send(checkoutMessage(id, "b", T))
      expect((await readHistory(id)).events).toEqual(["subscription.plan_changed"])
      expect(await read(id)).toMatchObject({
        billing_provider: provider.name,
        subscription: {
          status: "trialing",
          trial_ends_at: formatTimestamp(trialEndsAt),
          plan: { slug: "b", price_cents: 4900 },
        },
      })
      await send(
        invoiceMessage("paid", T + 5, { amount: 0, id: "in_0" }),
        subscriptionMessage("created", T, { price: "price_b", status: "trialing" }),
      )
      expect((await read(id)).subscription.status).toBe("trialing")
      await send(invoiceMessage("paid", T + 100))
      expect((await readHistory(id)).events.at(-1)).toBe("subscription.activated")
    })

    test("changes the plan by the price, and ignores an update with an unknown price", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T), subscriptionMessage("updated", T + 10, { price: "price_b" }))
      expect((await read(id)).subscription.plan.slug).toBe("b")
      const before = (await read(id)).subscription
      await send(subscriptionMessage("updated", T + 20, { price: "price_unknown", status: "past_due", until: T + 99 }))
      const { updated_at: _, ...after } = (await read(id)).subscription
      expect(before).toMatchObject(after)
    })

    describe("after the plan got another price", () => {
      const replacePrice = (stripe_price: string | null, slug = "a") =>
        platform("PATCH", `/plans/${slug}`, { token, json: { stripe_price, name: `New ${slug}` } })
      const readState = async (id: string) => {
        const { status, plan, current_period_ends_at, cancel_at } = (await read(id)).subscription
        return [status, plan.slug, plan.name, current_period_ends_at, cancel_at]
      }
      const at = (seconds: number) => formatTimestamp(new Date(seconds * 1000))

      test("applies messages and invoices with the earlier price", async () => {
        const id = await makeReadyStore()
        await send(checkoutMessage(id, "a", T), subscriptionMessage("created", T + 1, { until: T + 1000 }))
        expect((await replacePrice("price_new")).status).toBe(200)
        await send(subscriptionMessage("updated", T + 10, { status: "past_due", until: T + 2000 }))
        expect(await readState(id)).toEqual(["past_due", "a", "A", at(T + 2000), null])
        await send(invoiceMessage("paid", T + 20, { id: "in_2", until: T + 3000 }))
        expect(await readState(id)).toEqual(["active", "a", "A", at(T + 3000), null])
        const [payment] = (await sendOperatorCommand("payments:list", { store: id })).body.data
        const [invoice] = (await sendOperatorCommand("invoices:list", { store: id })).body.data
        expect([payment.plan, invoice.plan]).toEqual(["a", "New a"])
        // The earlier price is known from each message of the subscription, and from no other subscription's.
        await replacePrice(null)
        await send(subscriptionMessage("updated", T + 30, { status: "past_due", until: T + 4000 }))
        expect(await readState(id)).toEqual(["past_due", "a", "A", at(T + 4000), null])
        const other = await makeReadyStore()
        await send(checkoutMessage(other, "a", T, "sub_2", "cus_2"))
        const before = await readState(other)
        await send(subscriptionMessage("updated", T + 40, { subscription: "sub_2", status: "past_due" }))
        expect(await readState(other)).toEqual(before)
      })

      test("knows the price of a plan that the checkout did not name, and applies the next change of plan", async () => {
        const id = await makeReadyStore()
        await send(checkoutMessage(id, "a", T), subscriptionMessage("updated", T + 1, { price: "price_b" }))
        await replacePrice(null, "b")
        await send(subscriptionMessage("updated", T + 10, { price: "price_b", status: "past_due", until: T + 2000 }))
        expect(await readState(id)).toEqual(["past_due", "b", "B", at(T + 2000), null])
        await send(subscriptionMessage("updated", T + 20, { price: "price_a", until: T + 2000 }))
        expect(await readState(id)).toEqual(["active", "a", "A", at(T + 2000), null])
      })

      test("names the subscription's plan on an invoice with an unknown price", async () => {
        const id = await makeReadyStore()
        await replacePrice("price_new")
        await send(checkoutMessage(id, "b", T), invoiceMessage("paid", T + 1))
        const [payment] = (await sendOperatorCommand("payments:list", { store: id })).body.data
        const [invoice] = (await sendOperatorCommand("invoices:list", { store: id })).body.data
        expect([payment.plan, invoice.plan]).toEqual([null, "B"])
      })
    })

    test("makes the subscription past due on the first failed payment, mails once per invoice, and activates it on payment", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T), invoiceMessage("payment_failed", T + 100, { id: "in_2" }))
      await clearHistory()
      const since = (await read(id)).subscription.past_due_since
      expect(since).toBe(formatTimestamp(new Date((T + 100) * 1000)))
      await send(
        invoiceMessage("payment_failed", T + 200, { id: "in_2" }),
        invoiceMessage("payment_failed", T + 300, { id: "in_3" }),
      )
      expect((await read(id)).subscription).toMatchObject({ status: "past_due", past_due_since: since })
      expect(await readHistory(id)).toEqual({ events: [], auditLog: [], mails: ["payment_failed", "payment_failed"] })
      await send(
        invoiceMessage("paid", T + 400, { id: "in_3", until: T + 9_000_000 }),
        invoiceMessage("payment_succeeded", T + 400, { id: "in_3" }),
      )
      expect((await read(id)).subscription).toMatchObject({ status: "active", past_due_since: null })
      expect((await readHistory(id)).events).toEqual(["subscription.activated"])
      expect((await sendOperatorCommand("payments:list", { store: id })).body.data).toMatchObject([
        {
          provider: provider.name,
          number: expect.stringMatching(/^INV-\d{4}-000001$/),
          amount_cents: 1900,
          currency: "EUR",
          plan: "a",
        },
      ])
    })

    test("suspends a card customer's store after the grace period, and reopens it on payment", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T), invoiceMessage("payment_failed", T + 100))
      await runClockAt(new Date((T + 100) * 1000 + 13 * DAY))
      expect((await read(id)).access_state).toBe("serving")
      await runClockAt(new Date((T + 100) * 1000 + 14 * DAY))
      expect(await read(id)).toMatchObject({ access_state: "suspended", subscription: { status: "suspended" } })
      await send(invoiceMessage("payment_failed", T + 150, { id: "in_8" }))
      expect((await read(id)).subscription.status).toBe("suspended")
      await send(invoiceMessage("paid", T + 200))
      expect(await read(id)).toMatchObject({
        access_state: "serving",
        subscription: { status: "active", suspended_at: null },
      })
    })

    test("takes an invoice of 0 for a payment only if a discount covers it", async () => {
      const id = await makeReadyStore()
      await send(
        checkoutMessage(id, "a", T),
        invoiceMessage("paid", T + 1, { id: "in_1" }),
        invoiceMessage("payment_failed", T + 100, { id: "in_2" }),
      )
      const pastDue = (await read(id)).subscription
      await send(invoiceMessage("paid", T + 150, { id: "in_3", amount: 0 }))
      expect((await read(id)).subscription).toMatchObject({
        status: "past_due",
        past_due_since: pastDue.past_due_since,
        current_period_ends_at: pastDue.current_period_ends_at,
      })
      await runClockAt(new Date((T + 100) * 1000 + 14 * DAY))
      await send(invoiceMessage("paid", T + 200, { id: "in_4", amount: 0 }))
      await send(subscriptionMessage("updated", T + 201, { status: "past_due" }))
      expect(await read(id)).toMatchObject({
        access_state: "suspended",
        subscription: { status: "suspended", past_due_since: pastDue.past_due_since },
      })
      await send(invoiceMessage("paid", T + 300, { id: "in_5", amount: 0, discount: 1900, until: T + 9000 }))
      expect(await read(id)).toMatchObject({ access_state: "serving", subscription: { status: "active" } })
      // A credit may pay the next period.
      await send(invoiceMessage("paid", T + 400, { id: "in_6", amount: 0, until: T + 10_000 }))
      expect((await read(id)).subscription.current_period_ends_at).toBe(formatTimestamp(new Date((T + 10_000) * 1000)))
    })

    test("keeps a store closed that an operator suspended when its card payment clears", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T), invoiceMessage("payment_failed", T + 100))
      await runClockAt(new Date((T + 100) * 1000 + 14 * DAY))
      await bindings.DB.prepare("update stores set operator_suspended_at = 1 where id = ?").bind(id).run()
      await send(invoiceMessage("paid", T + 200))
      expect(await read(id)).toMatchObject({ access_state: "suspended", subscription: { status: "active" } })
    })

    test("cancels the store when its subscription ends, bills locally from then on, and applies late messages only to the ledger", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T), subscriptionMessage("deleted", T + 500))
      expect(await read(id)).toMatchObject({
        status: "cancelled",
        billing_provider: "local",
        subscription: { status: "cancelled", cancelled_at: formatTimestamp(new Date((T + 500) * 1000)) },
      })
      expect((await platform("POST", `/stores/${id}/subscription/assign`, { token, json: { plan: "b" } })).status).toBe(
        200,
      )
      await clearHistory()
      await send(subscriptionMessage("updated", T + 600), invoiceMessage("paid", T + 700, { id: "in_late" }))
      expect(await read(id)).toMatchObject({
        billing_provider: "local",
        subscription: { plan: { slug: "b" }, status: "active" },
      })
      expect((await readHistory(id)).events).toEqual([])
      expect((await sendOperatorCommand("payments:list", { store: id })).body.data).toHaveLength(1)
    })

    test("stores messages without a store, and applies them once a checkout binds their subscription", async () => {
      const id = await makeReadyStore()
      await send(
        subscriptionMessage("created", T),
        invoiceMessage("paid", T + 1),
        invoiceMessage("payment_failed", T + 10, { id: "in_2" }),
      )
      expect((await read(id)).subscription).toBeNull()
      await send(checkoutMessage(id, "a", T + 20))
      expect((await read(id)).subscription).toMatchObject({ status: "past_due", plan: { slug: "a" } })
      expect((await sendOperatorCommand("payments:list")).body.data).toHaveLength(1)
      await send(checkoutMessage("nobody", "a", T, "sub_x"), invoiceMessage("paid", T, { subscription: "sub_x" }))
      expect((await sendOperatorCommand("payments:list")).body.data).toHaveLength(1)
    })

    test("returns 503 when the database fails, applies the retry, and applies duplicates once", async () => {
      const id = await makeReadyStore()
      const message = checkoutMessage(id, "a", T)
      const { failBatches } = await import("../support/faults")
      const spy = failBatches((statements) => (statements > 3 ? "before" : null))
      expect((await provider.deliver(message)).status).toBe(503)
      spy.mockRestore()
      expect((await read(id)).subscription).toBeNull()
      await Promise.all([1, 2, 3].map(() => provider.deliver(message)))
      expect((await readHistory(id)).events.filter((type) => type === "subscription.assigned")).toHaveLength(1)
      const failedPayment = invoiceMessage("payment_failed", T + 1)
      const after = failBatches((statements) => (statements > 3 ? "after" : null))
      expect((await provider.deliver(failedPayment)).status).toBe(503)
      after.mockRestore()
      await send(failedPayment)
      expect((await readHistory(id)).events.filter((type) => type === "subscription.past_due")).toHaveLength(1)
    })
  })

  describe("order of messages", () => {
    const toTimestamp = (seconds: number) => formatTimestamp(new Date(seconds * 1000))

    /**
     * Builds the messages of a subscription with equal timestamps: trial, upgrade, failures, recovery and, if it ended,
     * late messages. Later messages have smaller ids, so ordering by id, kind or arrival leads to another state than
     * ordering by time.
     */
    const buildMessages = (id: string, isEnded: boolean): ProviderMessage[] =>
      [
        checkoutMessage(id, "a", T),
        subscriptionMessage("created", T, { status: "trialing", trialEnd: T + 1000, until: T + 1000 }),
        invoiceMessage("paid", T, { id: "in_0", amount: 0 }),
        invoiceMessage("paid", T + 1000, { id: "in_1" }),
        subscriptionMessage("updated", T + 1000, { until: T + 5000 }),
        subscriptionMessage("updated", T + 2000, { price: "price_b", until: T + 5000 }),
        invoiceMessage("payment_failed", T + 5000, { id: "in_2" }),
        subscriptionMessage("updated", T + 5000, { price: "price_b", status: "past_due", until: T + 8900 }),
        invoiceMessage("payment_failed", T + 6000, { id: "in_2" }),
        invoiceMessage("paid", T + 7000, { id: "in_2", until: T + 9000, amount: 4900 }),
        ...(isEnded
          ? [
              subscriptionMessage("deleted", T + 8000, { price: "price_b" }),
              subscriptionMessage("updated", T + 8500, { until: T + 99_000 }),
              invoiceMessage("payment_failed", T + 8500, { id: "in_3" }),
              invoiceMessage("paid", T + 8600, { id: "in_3", until: T + 99_000 }),
            ]
          : []),
      ].map((message, n) => provider.withId(message, `evt_life_${String(99 - n)}`))

    const readState = async (id: string) => {
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
      [reference("in_0"), 0, 0],
      [reference("in_1"), 1900, 1000],
      [reference("in_2"), 4900, 7000],
    ]
    const common = {
      plan: ["b", toTimestamp(T + 2000)],
      past_due_since: null,
      trial_ends_at: toTimestamp(T + 1000),
      current_period_ends_at: toTimestamp(T + 9000),
    }

    test.each([
      ["active", false, { ...common, store: "ready", status: "active", cancelled_at: null, ledger: paid }],
      [
        "cancelled",
        true,
        {
          ...{ ...common, store: "cancelled", status: "cancelled", cancelled_at: toTimestamp(T + 8000) },
          ledger: [...paid, [reference("in_3"), 1900, 8600]],
        },
      ],
    ] as const)(
      "reaches the same state for permuted and repeated messages of a subscription that is %s",
      async (_, isEnded, expected) => {
        const first = await makeReadyStore({ subdomain: "first" })
        const messages = buildMessages(first, isEnded)
        for (const message of messages) await provider.deliver(message)
        expect(await readState(first)).toEqual(expected)
        await fc.assert(
          fc.asyncProperty(
            fc.shuffledSubarray(messages, { minLength: messages.length }),
            fc.array(fc.constantFrom(...messages), { maxLength: 4 }),
            async (order, repeated) => {
              for (const table of ["provider_messages", "payments", "subscriptions", "mails"])
                await bindings.DB.exec(`delete from ${table}`)
              await bindings.DB.exec("update stores set status = 'ready'")
              for (const message of [...order, ...repeated]) expect((await provider.deliver(message)).status).toBe(200)
              expect(await readState(first)).toEqual(expected)
            },
          ),
          { numRuns: 20 },
        )
      },
      180_000,
    )
  })

  describe("lost messages", () => {
    const env = withSettings(provider.settings)

    test("fetches a subscription two days after the end of its period, and applies it like a message", async () => {
      const [alive, missing, quiet] = [await makeReadyStore(), await makeReadyStore(), await makeReadyStore()]
      await send(
        checkoutMessage(alive, "a", T, "sub_alive"),
        checkoutMessage(missing, "a", T, "sub_gone"),
        checkoutMessage(quiet, "a", T, "sub_quiet"),
      )
      const periodEnd = addMs(new Date(), -3 * DAY)
      await setSubscription(alive, { currentPeriodEndsAt: periodEnd })
      await setSubscription(missing, { currentPeriodEndsAt: periodEnd })
      const until = T + 2_000_000
      const requested = provider.mockSubscriptions((id) => (id === "sub_alive" ? { status: "active", until } : null))
      await run((ctx) => reconcileSubscriptions(ctx), { env })
      expect(requested.toSorted()).toEqual(["sub_alive", "sub_gone"])
      expect((await read(alive)).subscription.current_period_ends_at).toBe(formatTimestamp(new Date(until * 1000)))
      expect((await read(missing)).subscription.status).toBe("cancelled")
      await run((ctx) => reconcileSubscriptions(ctx))
      expect(requested).toHaveLength(2)
    })

    test("fetches a subscription known only from its checkout after its trial, or at once without one, and only once", async () => {
      const [trialing, free] = [
        await makeSubscribedStore({
          status: "trialing",
          trialEndsAt: addMs(new Date(), 10 * DAY),
          currentPeriodEndsAt: null,
        }),
        await makeReadyStore({ plan: (await makePlan({ price_cents: 0 })).slug }),
      ]
      await send(checkoutMessage(trialing, "a", T, "sub_trialing"), checkoutMessage(free, "a", T, "sub_free"))
      for (const id of [trialing, free]) {
        expect(await read(id)).toMatchObject({
          billing_provider: provider.name,
          subscription: { plan: { slug: "a" }, current_period_ends_at: null },
        })
      }
      const requested = provider.mockSubscriptions((id) => ({
        status: id === "sub_free" ? "past_due" : "active",
        until: T + 2_592_000,
      }))
      const reconcileOn = async (day: number) => {
        await run((ctx) => reconcileSubscriptions(ctx), { env, now: addMs(new Date(), day * DAY) })
        return requested.splice(0)
      }
      expect([await reconcileOn(1), await reconcileOn(3), await reconcileOn(4)]).toEqual([[], ["sub_free"], []])
      expect((await read(free)).subscription.status).toBe("past_due")
      expect([await reconcileOn(11), await reconcileOn(13), await reconcileOn(14)]).toEqual([[], ["sub_trialing"], []])
      expect((await read(trialing)).subscription).toMatchObject({
        status: "active",
        current_period_ends_at: formatTimestamp(new Date((T + 2_592_000) * 1000)),
      })
    })

    test("starts a period with billing:detach when the provider has reported none", async () => {
      const id = await makeReadyStore({ plan: (await makePlan({ price_cents: 0 })).slug })
      await send(checkoutMessage(id, "a", T))
      const { current_period_ends_at } = (await sendOperatorCommand("billing:detach", { store: id })).body.data
      await runClockAt(addMs(new Date(current_period_ends_at), 1000))
      expect((await read(id)).subscription).toMatchObject({
        status: "past_due",
        past_due_since: current_period_ends_at,
      })
    })

    test("bills a store locally after billing:detach, and ignores the provider's messages", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T))
      expect((await sendOperatorCommand("billing:detach", { store: id })).body.data).toMatchObject({
        status: "active",
        allowed_actions: ["change_plan", "extend", "cancel"],
      })
      await send(subscriptionMessage("deleted", T + 10))
      expect(await read(id)).toMatchObject({ billing_provider: "local", subscription: { status: "active" } })
      expect((await sendOperatorCommand("billing:detach", { store: id })).body.error.code).toBe("illegal_transition")
    })
  })

  test("mails the owner the amount of a failed payment", async () => {
    const id = await makeReadyStore()
    await send(checkoutMessage(id, "a", T), invoiceMessage("payment_failed", T + 1, { amount: 1900 }))
    const mails = await collectSentMails()
    expect(mails.at(-1)?.subject).toBe("A payment for A store failed")
    expect(mails.at(-1)?.text).toContain("€19.00")
  })

  describe("deleted stores", () => {
    const env = withSettings(provider.settings)
    const deleteStore = async (id: string) =>
      expect((await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })).status).toBe(204)
    const listCancellations = () =>
      rows("select subscription, store_id, attempts from provider_cancellations order by subscription")
    const listAuditEntries = () =>
      rows("select store_id, subject_id from audit_entries where type = 'card_subscription_cancelled'")
    const cancelAt = (now: Date) => run((ctx) => processCancellations(ctx), { env, now })

    test("cancels the card subscription of a deleted store, retries until confirmed, and audits it once", async () => {
      const [id, other] = [await makeReadyStore(), await makeReadyStore()]
      await send(checkoutMessage(id, "a", T), checkoutMessage(other, "a", T, "sub_other"))
      await deleteStore(id)
      const due = { subscription: reference("sub_1"), store_id: id }
      expect(await listCancellations()).toEqual([{ ...due, attempts: 0 }])
      const requested = provider.mockCancellations("unreachable", "server_error", "still_active", "cancelled")
      const start = new Date(Date.now() + 1000)
      await cancelAt(start)
      expect(await listCancellations()).toEqual([{ ...due, attempts: 1 }])
      await cancelAt(start)
      expect(requested).toHaveLength(1)
      for (const minutes of [1, 3, 7]) await cancelAt(addMs(start, minutes * 60_000))
      expect(requested).toEqual(Array(4).fill("sub_1"))
      expect([await listCancellations(), await listAuditEntries()]).toEqual([[], [{ store_id: id, subject_id: id }]])
      await cancelAt(addMs(start, DAY))
      expect(requested).toHaveLength(4)
    })

    test("sends one request from concurrent runs, and treats an unknown subscription as cancelled", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T))
      await deleteStore(id)
      const requested = provider.mockCancellations("unknown")
      const now = new Date(Date.now() + 1000)
      await Promise.all([cancelAt(now), cancelAt(now), cancelAt(now)])
      expect([requested.length, await listCancellations(), (await listAuditEntries()).length]).toEqual([1, [], 1])
    })

    test("cancels active and detached subscriptions when the retention period ends, but not ended ones", async () => {
      const id = await makeReadyStore()
      await send(
        checkoutMessage(id, "a", T),
        subscriptionMessage("deleted", T + 1),
        checkoutMessage(id, "a", T + 2, "sub_2"),
      )
      await sendOperatorCommand("billing:detach", { store: id })
      expect((await platform("POST", `/stores/${id}/subscription/cancel`, { token })).status).toBe(200)
      expect(await runClockAt(addMs(new Date(), 31 * DAY))).toMatchObject({ purged: 1 })
      expect((await listCancellations()).map(({ subscription }) => subscription)).toEqual([reference("sub_2")])
    })

    test("cancels a subscription paid after its store was deleted, but not one of an unknown store", async () => {
      const id = await makeReadyStore()
      await deleteStore(id)
      await send(checkoutMessage(id, "a", T), checkoutMessage("stranger", "a", T, "sub_x"), checkoutMessage(id, "a", T))
      expect((await listCancellations()).map(({ subscription }) => subscription)).toEqual([reference("sub_1")])
    })

    test("fails the cron job when a cancellation has failed for a day, and continues to retry it", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T))
      await deleteStore(id)
      await bindings.DB.exec("update provider_cancellations set attempts = 10")
      const soon = new Date(Date.now() + 1000)
      await run((ctx) => processCancellations(ctx), { now: soon })
      await expect(run((ctx) => processCancellations(ctx), { now: addMs(soon, 2 * DAY) })).rejects.toThrow(
        `of the store ${id}`,
      )
      expect(await listCancellations()).toMatchObject([{ attempts: 12 }])
    })
  })

  test("applies a message in two round trips, a duplicate in one, and a forged one in none", async () => {
    const id = await makeReadyStore()
    const countRoundTrips = async (message: unknown, options = {}) =>
      (await costsOf(() => provider.deliver(message, options))).roundTrips
    const first = checkoutMessage(id, "a", T)
    const counted = [
      await countRoundTrips(first),
      await countRoundTrips(invoiceMessage("paid", T + 1)),
      await countRoundTrips(first),
    ]
    expect(counted).toEqual([2, 2, 1])
    expect(await countRoundTrips(first, { secret: "another secret" })).toBe(0)
    expect(await countRoundTrips(provider.unrelatedMessage(T))).toBe(0)
  })

  describe("retention", () => {
    const listSubscriptions = async () =>
      (await rows("select subscription from provider_messages order by id")).map((row) => row.subscription)
    const deleteExpiredIn = (days: number) =>
      run((ctx) => deleteExpiredMessages(ctx), { now: addMs(new Date(), days * DAY) })

    test("deletes messages without a store after 30 days, and those of a deleted store 30 days after its deletion", async () => {
      const id = await makeReadyStore()
      await send(
        invoiceMessage("paid", T, { subscription: "sub_stray" }),
        subscriptionMessage("created", T),
        checkoutMessage(id, "a", T),
      )
      await deleteExpiredIn(29)
      expect(await listSubscriptions()).toHaveLength(3)
      await deleteExpiredIn(31)
      expect(await listSubscriptions()).toEqual([reference("sub_1"), reference("sub_1")])
      await deleteExpiredIn(4000)
      expect(await listSubscriptions()).toHaveLength(2)
      await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
      await deleteExpiredIn(29)
      expect(await listSubscriptions()).toHaveLength(2)
      await deleteExpiredIn(31)
      expect(await listSubscriptions()).toEqual([])
    })

    test("deletes finished mails after 90 days without sending mails about old failures again", async () => {
      const id = await makeReadyStore()
      await send(checkoutMessage(id, "a", T), invoiceMessage("payment_failed", T + 1, { id: "in_old" }))
      await collectSentMails()
      const deleteMailsIn = (days: number) =>
        run((ctx) => deleteExpiredMails(ctx), { now: addMs(new Date(), days * DAY) })
      await deleteMailsIn(89)
      expect((await readHistory(id)).mails).toContain("payment_failed")
      await send(invoiceMessage("payment_failed", T + 2, { id: "in_waits" }))
      await deleteMailsIn(91)
      expect((await readHistory(id)).mails).toEqual(["payment_failed"])
      await send(
        subscriptionMessage("updated", T + 3, { status: "past_due" }),
        invoiceMessage("payment_failed", T + 4, { id: "in_new" }),
      )
      expect((await rows("select key from mails order by id")).map(({ key }) => String(key).split(":").at(-1))).toEqual(
        ["in_waits", "in_new"],
      )
    })
  })
})
