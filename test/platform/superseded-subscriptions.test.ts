// Two card subscriptions of one store: the newest checkout bills it, the other one is cancelled at the provider, in any order of messages.
import { env } from "cloudflare:workers"
import fc from "fast-check"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { DAY, later, timestamp } from "../../src/lib/time"
import { endCancelled } from "../../src/platform/payments/cancel"
import { platform, run, withSettings } from "../support/app"
import { clockAt, operate, sentMails, toldOf } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { checkout, deliver, invoiced, type ProviderMessage, subscribed } from "../support/provider-factories"
import { rows } from "../support/rows"
import { makeSubscribed, setSubscription } from "../support/subscription-factories"

const T = Math.floor(Date.now() / 1000)
const at = (seconds: number) => timestamp(new Date(seconds * 1000))

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "a", name: "A", stripe_price: "price_a" })
  await makePlan({ slug: "b", name: "B", stripe_price: "price_b", price_cents: 4900 })
})

async function send(...messages: ProviderMessage[]): Promise<void> {
  for (const message of messages) expect((await deliver(message)).status).toBe(200)
}

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const cancellations = async () =>
  (await rows("select subscription from provider_cancellations order by subscription")).map((row) => row.subscription)

/** A subscription to plan A, and ten seconds later a second one to plan B, for the same store. */
const older = (id: string) => [
  checkout(id, "a", T, "sub_a"),
  subscribed("created", T, { subscription: "sub_a", until: T + 1000 }),
  invoiced("paid", T + 1, { subscription: "sub_a", id: "in_a", until: T + 1000 }),
]
const newer = (id: string) => [
  checkout(id, "b", T + 10, "sub_b", "cus_2"),
  subscribed("created", T + 10, { subscription: "sub_b", price: "price_b", until: T + 2000 }),
  invoiced("paid", T + 11, { subscription: "sub_b", id: "in_b", until: T + 2000, amount: 4900 }),
]
const ended = (subscription: string, created: number) =>
  subscribed("deleted", created, { subscription, price: subscription === "sub_a" ? "price_a" : "price_b" })

describe("a second checkout of a store that is billed by card", () => {
  test("supersedes the older subscription: it is cancelled at the provider, audited, and every operator gets one mail", async () => {
    await operate("operators:create", { name: "Op", email: "op@example.com", password: "correct-horse-battery" })
    const id = await makeReadyStore()
    await send(...older(id))
    const second = checkout(id, "b", T + 10, "sub_b", "cus_2")
    await send(second, second)
    expect(await read(id)).toMatchObject({ billing_provider: "stripe", subscription: { plan: { slug: "b" } } })
    expect(await cancellations()).toEqual(["sub_a"])
    const entries = "select store_id, subject_id, data from audit_entries where type = 'card_subscription_superseded'"
    expect(await rows(entries)).toEqual([{ store_id: id, subject_id: id, data: '{"plan":"a"}' }])
    const mails = (await sentMails()).filter(({ to }) => to === "op@example.com")
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain(id)
    expect(JSON.stringify(mails)).not.toMatch(/sub_a|sub_b|cus_/)

    const asked: string[] = []
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
      asked.push(`${init?.method} ${url}`)
      return Response.json({ id: "sub_a", status: "canceled" })
    })
    const card = withSettings({ STRIPE_SECRET_KEY: "sk_test", STRIPE_API_URL: "https://provider.example" })
    await run((ctx) => endCancelled(ctx), { env: card, now: later(new Date(), 1000) })
    expect(asked).toEqual(["DELETE https://provider.example/v1/subscriptions/sub_a"])
    expect(await cancellations()).toEqual([])
  })

  test("is never moved by the superseded subscription again; its paid invoices still get their rows in the ledger", async () => {
    const id = await makeReadyStore()
    await send(...older(id), ...newer(id))
    const before = await read(id)
    await send(
      invoiced("payment_failed", T + 20, { subscription: "sub_a", id: "in_a2" }),
      subscribed("updated", T + 21, { subscription: "sub_a", status: "past_due" }),
      invoiced("paid", T + 22, { subscription: "sub_a", id: "in_a3", until: T + 9000 }),
      ended("sub_a", T + 23),
    )
    expect((await read(id)).subscription).toEqual(before.subscription)
    expect((await read(id)).status).toBe("ready")
    expect((await rows("select stripe_invoice from payments order by id")).map((row) => row.stripe_invoice)).toEqual([
      "in_a",
      "in_b",
      "in_a3",
    ])
    expect((await toldOf(id)).mails).not.toContain("payment_failed")
  })

  test("that completed earlier but arrives late is itself the superseded one", async () => {
    const id = await makeReadyStore()
    await send(...newer(id))
    await send(...older(id))
    expect(await read(id)).toMatchObject({
      status: "ready",
      subscription: { plan: { slug: "b" }, current_period_ends_at: at(T + 2000) },
    })
    expect(await cancellations()).toEqual(["sub_a"])
    await send(ended("sub_a", T + 30))
    expect((await read(id)).subscription.status).toBe("active")
  })

  test("that arrives late does not reopen a store that the grace period has suspended", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "b", T + 10, "sub_b"), invoiced("payment_failed", T + 20, { subscription: "sub_b" }))
    await clockAt(new Date((T + 20) * 1000 + 14 * DAY))
    expect((await read(id)).access_state).toBe("suspended")
    await send(checkout(id, "a", T, "sub_a"))
    expect(await read(id)).toMatchObject({ access_state: "suspended", subscription: { status: "suspended" } })
  })

  test("after the first one ended supersedes nothing", async () => {
    const id = await makeReadyStore()
    await send(...older(id), ended("sub_a", T + 5), ...newer(id))
    expect(await cancellations()).toEqual([])
    expect(await read(id)).toMatchObject({ status: "ready", subscription: { plan: { slug: "b" }, status: "active" } })
  })

  test("cancels the subscription that an operator detached from the store", async () => {
    const id = await makeReadyStore()
    await send(...older(id))
    await operate("billing:detach", { store: id })
    await send(...newer(id))
    expect(await cancellations()).toEqual(["sub_a"])
  })

  test("for a product that is not sold here supersedes nothing", async () => {
    const id = await makeReadyStore()
    await send(...older(id), checkout(id, "unknown", T + 10, "sub_x"))
    expect(await cancellations()).toEqual([])
    expect((await read(id)).subscription.plan.slug).toBe("a")
  })

  test("in the same second leaves the same one of the two, whichever message comes first", async () => {
    const id = await makeReadyStore()
    const deliverBoth = async (first: string, second: string) => {
      for (const table of ["provider_messages", "provider_cancellations", "subscriptions"]) {
        await env.DB.exec(`delete from ${table}`)
      }
      await Promise.all([first, second].map((subscription) => deliver(checkout(id, "a", T, subscription))))
      const [row] = await rows("select stripe_subscription from subscriptions where store_id = ?", id)
      return [row?.stripe_subscription, await cancellations()]
    }
    for (const [first, second] of [
      ["sub_a", "sub_b"],
      ["sub_b", "sub_a"],
    ] as const) {
      expect(await deliverBoth(first, second)).toEqual(["sub_b", ["sub_a"]])
    }
  })
})

describe("billing is a function of the set of messages", () => {
  async function stateOf(id: string) {
    const { status, billing_provider, subscription } = await read(id)
    const { plan, past_due_since, trial_ends_at, current_period_ends_at, cancelled_at } = subscription
    const [tie] = await rows("select stripe_subscription, stripe_customer from subscriptions where store_id = ?", id)
    const ledger = await rows("select stripe_invoice from payments where store_id = ? order by stripe_invoice", id)
    return {
      ...{ status, billing_provider, of: subscription.status, plan: [plan.slug, plan.taken_at], ...tie },
      ...{ past_due_since, trial_ends_at, current_period_ends_at, cancelled_at },
      ledger: ledger.map((row) => row.stripe_invoice),
    }
  }

  /** The store as it was before the first message. */
  const starts = {
    "without a plan": () => makeReadyStore(),
    "on a trial": () =>
      makeSubscribed({ status: "trialing", trialEndsAt: later(new Date(), 10 * DAY), currentPeriodEndsAt: null }),
    "on plan A by bank transfer": async () => {
      const id = await makeReadyStore({ plan: "a" })
      await setSubscription(id, { status: "active", trialEndsAt: null, currentPeriodEndsAt: later(new Date(), DAY) })
      return id
    },
  }

  const permutations = <Item>(items: Item[]): Item[][] =>
    items.length < 2
      ? [items]
      : items.flatMap((item, index) =>
          permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
        )

  /** Puts a store back to where it was, and delivers the messages. */
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
    return { ...(await stateOf(id)), cancellations: await cancellations() }
  }

  test.each(Object.entries(starts))(
    "for every order of two checkouts and two ends of a store %s",
    async (_, make) => {
      const id = await make()
      const start = await rows("select * from subscriptions where store_id = ?", id)
      const [a, b, endOfA, endOfB] = [
        checkout(id, "a", T, "sub_a"),
        checkout(id, "b", T + 10, "sub_b", "cus_2"),
        ended("sub_a", T + 20),
        ended("sub_b", T + 30),
      ]
      for (const set of [
        [a, b, endOfA],
        [a, b, endOfB],
        [a, b, endOfA, endOfB],
      ]) {
        const isOver = set.includes(endOfB)
        for (const order of permutations(set)) {
          const { cancellations: open, ...state } = await replay(id, start, [...order, ...order.slice(0, 1)])
          expect(
            state,
            order.map((message) => message.id),
          ).toMatchObject({
            status: isOver ? "cancelled" : "ready",
            billing_provider: isOver ? "local" : "stripe",
            of: isOver ? "cancelled" : "active",
            plan: ["b", at(T + 10)],
            cancelled_at: isOver ? at(T + 30) : null,
            stripe_subscription: "sub_b",
            stripe_customer: isOver ? expect.any(String) : "cus_2",
          })
          expect(open).not.toContain("sub_b")
          if (!set.includes(endOfA)) expect(open).toEqual(["sub_a"])
        }
      }
    },
    180_000,
  )

  test.each(Object.entries(starts))(
    "for any order and repetition of two lives of a store %s",
    async (_, make) => {
      const id = await make()
      const start = await rows("select * from subscriptions where store_id = ?", id)
      const messages = [
        ...older(id),
        invoiced("payment_failed", T + 15, { subscription: "sub_a", id: "in_a2" }),
        ended("sub_a", T + 20),
        ...newer(id),
        invoiced("payment_failed", T + 25, { subscription: "sub_b", id: "in_b2" }),
      ]
      const expected = {
        ...{ status: "ready", billing_provider: "stripe", of: "past_due", plan: ["b", at(T + 10)] },
        ...{ stripe_subscription: "sub_b", past_due_since: at(T + 25), current_period_ends_at: at(T + 2000) },
        ...{ cancelled_at: null, trial_ends_at: null, ledger: ["in_a", "in_b"] },
      }
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray(messages, { minLength: messages.length }),
          fc.array(fc.constantFrom(...messages), { maxLength: 3 }),
          async (order, repeated) => {
            const { cancellations: open, ...state } = await replay(id, start, [...order, ...repeated])
            expect(state).toMatchObject(expected)
            expect(open).not.toContain("sub_b")
          },
        ),
        { numRuns: 15 },
      )
    },
    180_000,
  )
})
