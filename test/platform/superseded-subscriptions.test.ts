// Stores with two card subscriptions: the newest checkout bills the store and the other one is cancelled, in any
// order of messages.
import { env } from "cloudflare:workers"
import fc from "fast-check"
import { beforeEach, describe, expect, test } from "vitest"
import { addMs, DAY, formatTimestamp } from "../../src/lib/time"
import { processCancellations } from "../../src/platform/payments/cancel"
import { platform, run, sendOperatorCommand, withSettings } from "../support/app"
import { collectSentMails, readHistory, runClockAt } from "../support/billing-factories"
import { CARD_PROVIDER_DRIVERS } from "../support/card-providers/all"
import type { ProviderMessage } from "../support/card-providers/driver"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { makeSubscribedStore, setSubscription } from "../support/subscription-factories"

const T = Math.floor(Date.now() / 1000)
const toTimestamp = (seconds: number) => formatTimestamp(new Date(seconds * 1000))

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "a", name: "A", stripe_price: "price_a" })
  await makePlan({ slug: "b", name: "B", stripe_price: "price_b", price_cents: 4900 })
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data

describe.each(CARD_PROVIDER_DRIVERS)("$name", (provider) => {
  const { checkoutMessage, subscriptionMessage, invoiceMessage, reference } = provider
  beforeEach(() => provider.register())

  async function send(...messages: ProviderMessage[]): Promise<void> {
    for (const message of messages) expect((await provider.deliver(message)).status).toBe(200)
  }

  const cancellations = async () =>
    (await rows("select subscription from provider_cancellations order by subscription")).map((row) => row.subscription)

  /** Messages of a subscription to plan A, and of a second one to plan B for the same store ten seconds later. */
  const older = (id: string) => [
    checkoutMessage(id, "a", T, "sub_a"),
    subscriptionMessage("created", T, { subscription: "sub_a", until: T + 1000 }),
    invoiceMessage("paid", T + 1, { subscription: "sub_a", id: "in_a", until: T + 1000 }),
  ]
  const newer = (id: string) => [
    checkoutMessage(id, "b", T + 10, "sub_b", "cus_2"),
    subscriptionMessage("created", T + 10, { subscription: "sub_b", price: "price_b", until: T + 2000 }),
    invoiceMessage("paid", T + 11, { subscription: "sub_b", id: "in_b", until: T + 2000, amount: 4900 }),
  ]
  const endedMessage = (subscription: string, created: number) =>
    subscriptionMessage("deleted", created, { subscription, price: subscription === "sub_a" ? "price_a" : "price_b" })

  describe("a second checkout", () => {
    test("cancels the older subscription at the provider after a second checkout, audits it, and mails every operator once", async () => {
      await sendOperatorCommand("operators:create", {
        name: "Op",
        email: "op@example.com",
        password: "correct-horse-battery",
      })
      const id = await makeReadyStore()
      await send(...older(id))
      const second = checkoutMessage(id, "b", T + 10, "sub_b", "cus_2")
      await send(second, second)
      expect(await read(id)).toMatchObject({ billing_provider: provider.name, subscription: { plan: { slug: "b" } } })
      expect(await cancellations()).toEqual([reference("sub_a")])
      const entries = "select store_id, subject_id, data from audit_entries where type = 'card_subscription_superseded'"
      expect(await rows(entries)).toEqual([{ store_id: id, subject_id: id, data: '{"plan":"a"}' }])
      const mails = (await collectSentMails()).filter(({ to }) => to === "op@example.com")
      expect(mails).toHaveLength(1)
      expect(mails[0]?.text).toContain(id)
      expect(JSON.stringify(mails)).not.toMatch(/sub_a|sub_b|cus_/)

      const requested = provider.mockCancellations("cancelled")
      const card = withSettings(provider.settings)
      await run((ctx) => processCancellations(ctx), { env: card, now: addMs(new Date(), 1000) })
      expect(requested).toEqual(["sub_a"])
      expect(await cancellations()).toEqual([])
    })

    test("ignores later messages about a superseded subscription, except for paid invoices in the ledger", async () => {
      const id = await makeReadyStore()
      await send(...older(id), ...newer(id))
      const before = await read(id)
      await send(
        invoiceMessage("payment_failed", T + 20, { subscription: "sub_a", id: "in_a2" }),
        subscriptionMessage("updated", T + 21, { subscription: "sub_a", status: "past_due" }),
        invoiceMessage("paid", T + 22, { subscription: "sub_a", id: "in_a3", until: T + 9000 }),
        endedMessage("sub_a", T + 23),
      )
      expect((await read(id)).subscription).toEqual(before.subscription)
      expect((await read(id)).status).toBe("ready")
      expect((await rows("select stripe_invoice from payments order by id")).map((row) => row.stripe_invoice)).toEqual([
        ...["in_a", "in_b", "in_a3"].map(reference),
      ])
      expect((await readHistory(id)).mails).not.toContain("payment_failed")
    })

    test("supersedes an older checkout that arrives late", async () => {
      const id = await makeReadyStore()
      await send(...newer(id))
      await send(...older(id))
      expect(await read(id)).toMatchObject({
        status: "ready",
        subscription: { plan: { slug: "b" }, current_period_ends_at: toTimestamp(T + 2000) },
      })
      expect(await cancellations()).toEqual([reference("sub_a")])
      await send(endedMessage("sub_a", T + 30))
      expect((await read(id)).subscription.status).toBe("active")
    })

    test("does not reopen a suspended store for an older checkout that arrives late", async () => {
      const id = await makeReadyStore()
      await send(
        checkoutMessage(id, "b", T + 10, "sub_b"),
        invoiceMessage("payment_failed", T + 20, { subscription: "sub_b" }),
      )
      await runClockAt(new Date((T + 20) * 1000 + 14 * DAY))
      expect((await read(id)).access_state).toBe("suspended")
      await send(checkoutMessage(id, "a", T, "sub_a"))
      expect(await read(id)).toMatchObject({ access_state: "suspended", subscription: { status: "suspended" } })
    })

    test("cancels nothing when the first subscription ended before the second checkout", async () => {
      const id = await makeReadyStore()
      await send(...older(id), endedMessage("sub_a", T + 5), ...newer(id))
      expect(await cancellations()).toEqual([])
      expect(await read(id)).toMatchObject({ status: "ready", subscription: { plan: { slug: "b" }, status: "active" } })
    })

    test("cancels a detached subscription after a second checkout", async () => {
      const id = await makeReadyStore()
      await send(...older(id))
      await sendOperatorCommand("billing:detach", { store: id })
      await send(...newer(id))
      expect(await cancellations()).toEqual([reference("sub_a")])
    })

    test("cancels nothing after a checkout of an unknown product", async () => {
      const id = await makeReadyStore()
      await send(...older(id), checkoutMessage(id, "unknown", T + 10, "sub_x"))
      expect(await cancellations()).toEqual([])
      expect((await read(id)).subscription.plan.slug).toBe("a")
    })

    test("picks the same one of two checkouts of the same second in any order of messages", async () => {
      const id = await makeReadyStore()
      const deliverBoth = async (first: string, second: string) => {
        for (const table of ["provider_messages", "provider_cancellations", "subscriptions"]) {
          await env.DB.exec(`delete from ${table}`)
        }
        await Promise.all(
          [first, second].map((subscription) => provider.deliver(checkoutMessage(id, "a", T, subscription))),
        )
        const [row] = await rows("select stripe_subscription from subscriptions where store_id = ?", id)
        return [row?.stripe_subscription, await cancellations()]
      }
      for (const [first, second] of [
        ["sub_a", "sub_b"],
        ["sub_b", "sub_a"],
      ] as const) {
        expect(await deliverBoth(first, second)).toEqual([reference("sub_b"), [reference("sub_a")]])
      }
    })
  })

  describe("order of messages", () => {
    async function readState(id: string) {
      const { status, billing_provider, subscription } = await read(id)
      const { plan, past_due_since, trial_ends_at, current_period_ends_at, cancelled_at } = subscription
      const [providerIds] = await rows(
        "select stripe_subscription, stripe_customer from subscriptions where store_id = ?",
        id,
      )
      const ledger = await rows("select stripe_invoice from payments where store_id = ? order by stripe_invoice", id)
      return {
        ...{ status, billing_provider, of: subscription.status, plan: [plan.slug, plan.taken_at], ...providerIds },
        ...{ past_due_since, trial_ends_at, current_period_ends_at, cancelled_at },
        ledger: ledger.map((row) => row.stripe_invoice),
      }
    }

    /** The store's state before the first message. */
    const initialStates = {
      "without a plan": () => makeReadyStore(),
      "on a trial": () =>
        makeSubscribedStore({
          status: "trialing",
          trialEndsAt: addMs(new Date(), 10 * DAY),
          currentPeriodEndsAt: null,
        }),
      "on plan A by bank transfer": async () => {
        const id = await makeReadyStore({ plan: "a" })
        await setSubscription(id, { status: "active", trialEndsAt: null, currentPeriodEndsAt: addMs(new Date(), DAY) })
        return id
      },
    }

    // The order of messages is resolved above the providers, so one of them meets every state.
    const states = Object.entries(initialStates).slice(provider === CARD_PROVIDER_DRIVERS[0] ? 0 : -1)

    const permutations = <Item>(items: Item[]): Item[][] =>
      items.length < 2
        ? [items]
        : items.flatMap((item, index) =>
            permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
          )

    /** Restores a store's initial state and delivers the messages. */
    async function replay(id: string, start: Record<string, string | number | null>[], messages: ProviderMessage[]) {
      for (const table of ["provider_messages", "provider_cancellations", "payments", "subscriptions", "mails"]) {
        await env.DB.exec(`delete from ${table}`)
      }
      await env.DB.exec("update stores set status = 'ready'")
      for (const row of start) {
        const names = Object.keys(row)
        await env.DB.prepare(`insert into subscriptions (${names}) values (${names.map(() => "?")})`)
          .bind(...Object.values(row))
          .run()
      }
      await send(...messages)
      return { ...(await readState(id)), cancellations: await cancellations() }
    }

    test.each(states)(
      "reaches the same state for every order of two checkouts and two cancellations of a store %s",
      async (_, make) => {
        const id = await make()
        const start = await rows("select * from subscriptions where store_id = ?", id)
        const [a, b, endOfA, endOfB] = [
          checkoutMessage(id, "a", T, "sub_a"),
          checkoutMessage(id, "b", T + 10, "sub_b", "cus_2"),
          endedMessage("sub_a", T + 20),
          endedMessage("sub_b", T + 30),
        ]
        for (const set of [
          [a, b, endOfA],
          [a, b, endOfB],
          [a, b, endOfA, endOfB],
        ]) {
          const isOver = set.includes(endOfB)
          for (const order of permutations(set)) {
            const { cancellations: open, ...state } = await replay(id, start, [...order, ...order.slice(0, 1)])
            expect(state, JSON.stringify(order)).toMatchObject({
              status: isOver ? "cancelled" : "ready",
              billing_provider: isOver ? "local" : provider.name,
              of: isOver ? "cancelled" : "active",
              plan: ["b", toTimestamp(T + 10)],
              cancelled_at: isOver ? toTimestamp(T + 30) : null,
              stripe_subscription: reference("sub_b"),
              stripe_customer: isOver ? expect.any(String) : reference("cus_2"),
            })
            expect(open).not.toContain(reference("sub_b"))
            if (!set.includes(endOfA)) expect(open).toEqual([reference("sub_a")])
          }
        }
      },
      180_000,
    )

    test.each(states)(
      "reaches the same state for any order and repetition of two subscriptions' messages of a store %s",
      async (_, make) => {
        const id = await make()
        const start = await rows("select * from subscriptions where store_id = ?", id)
        const messages = [
          ...older(id),
          invoiceMessage("payment_failed", T + 15, { subscription: "sub_a", id: "in_a2" }),
          endedMessage("sub_a", T + 20),
          ...newer(id),
          invoiceMessage("payment_failed", T + 25, { subscription: "sub_b", id: "in_b2" }),
        ]
        const expected = {
          ...{ status: "ready", billing_provider: provider.name, of: "past_due", plan: ["b", toTimestamp(T + 10)] },
          ...{
            stripe_subscription: reference("sub_b"),
            past_due_since: toTimestamp(T + 25),
            current_period_ends_at: toTimestamp(T + 2000),
          },
          ...{ cancelled_at: null, trial_ends_at: null, ledger: ["in_a", "in_b"].map(reference) },
        }
        await fc.assert(
          fc.asyncProperty(
            fc.shuffledSubarray(messages, { minLength: messages.length }),
            fc.array(fc.constantFrom(...messages), { maxLength: 3 }),
            async (order, repeated) => {
              const { cancellations: open, ...state } = await replay(id, start, [...order, ...repeated])
              expect(state).toMatchObject(expected)
              expect(open).not.toContain(reference("sub_b"))
            },
          ),
          { numRuns: 10 },
        )
      },
      180_000,
    )
  })
})
