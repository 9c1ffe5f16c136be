// Changes of plan by owners: by transfer for the difference or from the next period, to a free plan, and by card.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { PlanTerms } from "../../src/db/schema/central/subscriptions"
import { addMs, DAY, formatTimestamp } from "../../src/lib/time"
import { quoteOrder } from "../../src/platform/orders/quote"
import { addMonths } from "../../src/platform/subscriptions/periods"
import { call, platform, sendOperatorCommand } from "../support/app"
import { readHistory, runClockAt } from "../support/billing-factories"
import { CARD_PROVIDER_DRIVERS } from "../support/card-providers/all"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { CARD_SETTINGS } from "../support/provider-factories"
import { rows } from "../support/rows"
import { clearHistory, setSubscription } from "../support/subscription-factories"
import { setSiteUsage } from "../support/usage-factories"

const NOW = new Date("2027-04-16T00:00:00Z")
const MAY = new Date("2027-05-01T00:00:00Z")

const plan = (slug: string, price: number, interval: "month" | "year" = "month", currency = "EUR") =>
  ({ slug, priceCents: price, interval, currency }) as Parameters<typeof quoteOrder>[1]

const billed = (price: number, end: Date | null, more: object = {}) =>
  ({
    ...{ status: "active", currentPeriodEndsAt: end, discount: null },
    plan: { slug: "small", price_cents: price, interval: "month", currency: "EUR" } as PlanTerms,
    ...more,
  }) as Parameters<typeof quoteOrder>[0]

test("quotes the difference for the rest of the paid period, or the next period where there is none to pay", () => {
  const quote = (sold: Parameters<typeof quoteOrder>[1], start?: "now" | "next_period", from = billed(1000, MAY)) => {
    const { kind, priceCents, from: begins } = quoteOrder(from, sold, start, NOW)
    return [kind, priceCents, begins.toISOString().slice(0, 10)]
  }
  expect(quote(plan("large", 3000))).toEqual(["difference", 1000, "2027-04-16"])
  expect(quote(plan("large", 3000), "next_period")).toEqual(["next_period", 3000, "2027-05-01"])
  expect(quote(plan("cheap", 500))).toEqual(["next_period", 500, "2027-05-01"])
  expect(quote(plan("cheap", 500), "now")).toEqual(["next_period", 500, "2027-05-01"])
  expect(quote(plan("yen", 3000, "month", "JPY"), "now")).toEqual(["next_period", 3000, "2027-05-01"])
  expect(quote(plan("yearly", 10_000, "year"))).toEqual(["difference", 9500, "2027-04-16"])
  expect(quote(plan("small", 1000))).toEqual([null, 1000, "2027-05-01"])
  for (const state of [{ status: "past_due" }, { status: "trialing" }, { currentPeriodEndsAt: NOW }])
    expect(quote(plan("large", 3000), "now", billed(1000, MAY, state))).toEqual([null, 3000, "2027-04-16"])
  const half = { code: "HALF", percent_off: 50, amount_off: null, months: null, plans: null, ends_at: null }
  expect(quote(plan("large", 3000), "now", billed(1000, MAY, { discount: half }))).toEqual([
    ...["difference", 500, "2027-04-16"],
  ])
})

test("quotes the difference of each paid period, with the discount of the periods that begin within its months", () => {
  const at = new Date("2026-03-01T00:00:00Z")
  const difference = (months: number, discount: object | null, sold = plan("pro", 7900)) =>
    quoteOrder(billed(1900, addMonths(at, months), { discount }), sold, "now", at).priceCents
  const half = { code: "HALF", percent_off: 50, amount_off: null, plans: null }
  expect(difference(12, null)).toBe(12 * 6000)
  expect(difference(4, { ...half, months: 1, ends_at: addMonths(at, 1).toISOString() })).toBe(3000 + 3 * 6000)
  // It has not reduced a whole period yet, so it reduces the next one.
  expect(difference(1, { ...half, months: 1, ends_at: null, plans: ["pro"] })).toBe(6000)
  expect(difference(12, null, plan("yearly", 79_000, "year"))).toBe(79_000 - 12 * 1900)
})

let key: string
let end: Date
beforeEach(async () => {
  key = await makeKey()
  end = addMs(new Date(), 15 * DAY)
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer" })
  await makePlan({ slug: "small", name: "Small", price_cents: 1000, stripe_price: "price_a" })
  await makePlan({ slug: "large", name: "Large", price_cents: 3000, stripe_price: "price_b" })
  await makePlan({ slug: "free", name: "Free", price_cents: 0 })
})

async function makePaidStore(values: Parameters<typeof setSubscription>[1] = {}): Promise<string> {
  const id = await makeReadyStore({ plan: "small" })
  await setSubscription(id, { currentPeriodEndsAt: end, ...values })
  await clearHistory()
  return id
}

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1_000) * 1_000

const run = async (command: string, input: object) => (await sendOperatorCommand(command, input)).body

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token: key })).body.data

/** Signs in at /billing, and returns a function that requests its pages. */
async function signIn(id: string, settings: Record<string, string> = {}) {
  const send = (method: string, path: string, form?: Record<string, string>, cookie = "") =>
    call(method, path, {
      host: `${id}.localhost`,
      env: settings,
      body: form && new URLSearchParams(form).toString(),
      headers: { Cookie: cookie, ...(form && { "Content-Type": "application/x-www-form-urlencoded" }) },
    })
  const form = { email: "owner@example.com", password: "correct-horse" }
  const cookie = (await send("POST", "/billing/sign-in", form)).headers.get("Set-Cookie")?.split(";")[0] ?? ""
  return (method: string, path: string, fields?: Record<string, string>) => send(method, path, fields, cookie)
}

describe("by bank transfer", () => {
  test("changes the plan for the difference, and keeps the end of the paid period", async () => {
    const id = await makePaidStore()
    const owner = await signIn(id)
    expect((await owner("GET", "/billing")).text).toContain("Switch now · Transfer")
    expect((await owner("POST", "/billing/orders", { plan: "large", start: "now" })).status).toBe(303)
    const [order] = (await run("orders:list", { store: id })).data
    const length = end.getTime() - addMonths(end, -1).getTime()
    expect(order.amount_cents).toBeCloseTo((2000 * 15 * DAY) / length, -1)
    await run("orders:approve", { reference: order.reference })
    const { subscription } = await read(id)
    expect(subscription).toMatchObject({ status: "active", current_period_ends_at: formatTimestamp(end) })
    expect(subscription.plan).toMatchObject({ slug: "large", price_cents: 3000 })
    const [invoice] = (await run("invoices:list", { store: id })).data
    expect(invoice).toMatchObject({ gross_cents: order.amount_cents, plan: "Large" })
    expect(Date.parse(invoice.period.to)).toBe(end.getTime())
  })

  test("names the period of the amount, and has a primary button only for plans that are no downgrade", async () => {
    await makePlan({ slug: "tiny", name: "Tiny", price_cents: 500 })
    await makePlan({ slug: "yearly", name: "Yearly", price_cents: 30_000, interval: "year" })
    const id = await makePaidStore()
    const { text } = await (await signIn(id))("GET", "/billing")
    const cards = Object.fromEntries(
      text.split('<li class="card').map((card) => [/<h3>(.+?)<\/h3>/.exec(card)?.[1], card] as const),
    )
    const read = (plan: string) =>
      [...(cards[plan] ?? "").matchAll(/<(?:button|a class="button)([^>]*)>(.+?)<\/(?:button|a)>/g)].map(
        ([, attributes, label]) =>
          [attributes?.includes("quiet") ? "quiet" : "primary", label?.replaceAll(/<[^>]*>/g, "")] as const,
      )
    const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(end)
    const from = `Switch on ${day} · Transfer`
    const share = (2000 * 15 * DAY) / (end.getTime() - addMonths(end, -1).getTime()) / 100
    expect(read("Large")).toEqual([
      ["primary", `Switch now · Transfer · €${share.toFixed(2)} until ${day}`],
      ["quiet", from],
    ])
    expect(read("Yearly")[0]?.[1]).toMatch(/^Switch now · Transfer · €[\d.]+ for the first year$/)
    expect(read("Yearly")[0]?.[0]).toBe("primary")
    expect(read("Tiny")).toEqual([["quiet", from]])
    expect(read("Free")).toEqual([["quiet", "Switch to Free"]])
    expect(read("Small")).toEqual([["primary", "Renew · Transfer"]])
    await run("orders:request", { store: id, plan: "tiny", start: "next_period" })
    const waiting = (await (await signIn(id))("GET", "/billing")).text.replaceAll(/<[^>]*>/g, "")
    expect(waiting).toContain(`Your payment covers Tiny from ${day}.`)
  })

  test("refuses a smaller plan than the store needs, unless it is the current one or the store is closed", async () => {
    const limits = { products: 5, orders: 0, storage_mb: 0, staff_users: 0 }
    await makePlan({ slug: "tiny", name: "Tiny", price_cents: 500, limits, stripe_price: "price_c" })
    const id = await makePaidStore()
    await setSiteUsage(id, { products: 6 })
    const owner = await signIn(id, CARD_SETTINGS)
    const order = () => owner("POST", "/billing/orders", { plan: "tiny" })
    const host = `${id}.localhost`
    const login = { email: "owner@example.com", password: "correct-horse" }
    const { token } = (await call("POST", "/api/v1/login", { host, json: login })).body.data
    const requestByApi = (path: string) =>
      call("POST", `/api/v1/billing/${path}`, { host, token, json: { plan: "tiny" }, env: CARD_SETTINGS })
    const refusal = { status: 409, body: { message: "The store uses more than this plan allows." } }
    const refused = await order()
    expect([refused.status, refused.text.includes("This store uses more than that plan allows")]).toEqual([409, true])
    expect(await requestByApi("orders")).toMatchObject(refusal)
    // A checkout of another plan is possible in the trial, but not while a period is paid.
    await setSubscription(id, { status: "trialing", trialEndsAt: end })
    expect((await owner("POST", "/billing/checkout", { plan: "tiny" })).text).toContain("uses more than that plan")
    expect(await requestByApi("checkout")).toMatchObject(refusal)
    expect((await run("orders:list", { store: id })).data).toEqual([])

    await setSubscription(id, { status: "suspended", suspendedAt: new Date() })
    expect((await order()).status).toBe(303)
    const [{ reference }] = (await run("orders:list", { store: id })).data
    await run("orders:approve", { reference })
    expect((await read(id)).subscription.plan.slug).toBe("tiny")
    expect((await order()).status).toBe(303)
  })

  test("sells no other plan while the usage of the store cannot be counted", async () => {
    await makePlan({ slug: "medium", name: "Medium", price_cents: 1500, stripe_price: "price_c" })
    const id = await makePaidStore({ status: "trialing", trialEndsAt: end })
    const host = `${id}.localhost`
    const login = { email: "owner@example.com", password: "correct-horse" }
    const { token } = (await call("POST", "/api/v1/login", { host, json: login })).body.data
    await env.SITES_1.exec("drop table counters")
    for (const path of ["orders", "checkout"])
      expect(
        await call("POST", `/api/v1/billing/${path}`, { host, token, json: { plan: "medium" }, env: CARD_SETTINGS }),
      ).toMatchObject({ status: 409, body: { message: "The store's usage could not be counted." } })
    expect((await run("orders:list", { store: id })).data).toEqual([])
  })

  test("begins the period of another interval when the order was placed, whenever it is approved", async () => {
    await makePlan({ slug: "yearly", name: "Yearly", price_cents: 30_000, interval: "year" })
    const orderBefore = async (days: number) => {
      const id = await makePaidStore()
      const { reference } = (await run("orders:request", { store: id, plan: "yearly", start: "now" })).data
      const placedAt = addMs(new Date(), -days * DAY)
      await env.DB.prepare("update orders set created_at = ? where reference = ?")
        .bind(placedAt.getTime(), reference)
        .run()
      const approved = await run("orders:approve", { reference })
      const [invoice] = (await run("invoices:list", { store: id })).data
      return { approved, invoice, placedAt, paidUntil: (await read(id)).subscription.current_period_ends_at }
    }
    const { placedAt, paidUntil, invoice } = await orderBefore(40)
    expect(Date.parse(invoice.period.from)).toBe(placedAt.getTime())
    expect(paidUntil).toBe(formatTimestamp(addMonths(placedAt, 12)))
    expect((await orderBefore(400)).approved.error.code).toBe("illegal_transition")
  })

  test("refuses a difference after the end or the plan of the paid period has changed", async () => {
    const changes = [
      (id: string) => platform("POST", `/stores/${id}/subscription/extend`, { token: key, json: { days: 365 } }),
      (id: string) =>
        platform("POST", `/stores/${id}/subscription/change-plan`, { token: key, json: { plan: "large" } }),
    ]
    for (const change of changes) {
      const id = await makePaidStore()
      const { reference } = (await run("orders:request", { store: id, plan: "large" })).data
      await change(id)
      expect((await run("orders:approve", { reference })).error.code).toBe("illegal_transition")
      await run("orders:reject", { reference, reason: "Order again." })
    }
  })

  test("begins a renewal after the paid period when the plan has changed since the order", async () => {
    const id = await makePaidStore()
    const { reference } = (await run("orders:request", { store: id, plan: "small" })).data
    await platform("POST", `/stores/${id}/subscription/change-plan`, { token: key, json: { plan: "large" } })
    await run("orders:approve", { reference })
    const { subscription } = await read(id)
    expect([subscription.plan.slug, Date.parse(subscription.current_period_ends_at)]).toEqual(["large", toSeconds(end)])
    await runClockAt(addMs(end, DAY), id)
    expect((await read(id)).subscription.plan.slug).toBe("small")
  })

  test("refuses the difference of a period that has ended", async () => {
    const id = await makePaidStore()
    const { reference } = (await run("orders:request", { store: id, plan: "large" })).data
    await setSubscription(id, { status: "past_due", pastDueSince: new Date() })
    expect((await run("orders:approve", { reference })).error.code).toBe("illegal_transition")
    expect(await rows("select * from payments")).toEqual([])
  })

  test("begins another plan when the paid period ends, in the clock's order, and takes no second order", async () => {
    const id = await makePaidStore()
    const { reference, amount_cents } = (
      await run("orders:request", { store: id, plan: "large", start: "next_period" })
    ).data
    expect(amount_cents).toBe(3000)
    await run("orders:approve", { reference })
    // The mail must not offer to withdraw what is paid.
    expect((await readHistory(id)).mails).toContain("paid_plan_scheduled")
    expect((await read(id)).subscription.plan.slug).toBe("small")
    const [invoice] = (await run("invoices:list", { store: id })).data
    const nextEnd = addMonths(end, 1)
    expect([Date.parse(invoice.period.from), Date.parse(invoice.period.to)]).toEqual([end.getTime(), nextEnd.getTime()])
    expect((await run("orders:request", { store: id, plan: "small" })).error.code).toBe("illegal_transition")
    expect((await (await signIn(id))("GET", "/billing")).text).toContain("you are on Large.")
    await platform("POST", `/stores/${id}/subscription/extend`, { token: key, json: { days: 2 } })
    await clearHistory()
    await runClockAt(addMs(end, 2 * DAY), id)
    expect((await readHistory(id)).events).toEqual(["subscription.plan_changed"])
    const { subscription } = await read(id)
    expect([subscription.status, subscription.plan.slug]).toEqual(["active", "large"])
    expect(Date.parse(subscription.current_period_ends_at)).toBe(
      Math.floor(addMs(nextEnd, 2 * DAY).getTime() / 1000) * 1000,
    )
  })
})

describe("to a free plan", () => {
  const change = async (id: string) => {
    const owner = await signIn(id)
    return owner("POST", "/billing/change-plan", { plan: "free" })
  }

  test("begins when the paid period ends, and can be withdrawn until then", async () => {
    const id = await makePaidStore()
    const owner = await signIn(id)
    expect((await owner("GET", "/billing/change-plan?plan=free")).text).toContain("stays until then")
    for (const status of [303, 303]) {
      expect((await owner("POST", "/billing/change-plan", { plan: "free" })).status).toBe(status)
      const { subscription } = await read(id)
      expect(subscription.plan.slug).toBe("small")
      expect(subscription.scheduled_plan).toMatchObject({
        ...{ plan: { slug: "free" }, starts_at: subscription.current_period_ends_at, ends_at: null },
      })
      expect((await owner("POST", "/billing/change-plan/withdraw", {})).status).toBe(303)
    }
    expect((await owner("POST", "/billing/change-plan/withdraw", {})).status).toBe(409)
    await owner("POST", "/billing/change-plan", { plan: "free" })
    await runClockAt(addMs(end, DAY), id)
    const { subscription, status } = await read(id)
    expect([status, subscription.status, subscription.plan.slug]).toEqual(["ready", "active", "free"])
    expect([subscription.current_period_ends_at, subscription.scheduled_plan]).toEqual([null, null])
    const { mails } = await readHistory(id)
    expect([mails.includes("plan_change_scheduled"), mails.at(-1)]).toEqual([true, "plan_changed"])
    expect(await runClockAt(addMs(end, 100 * DAY), id)).toMatchObject({ stores: 0 })
  })

  test.each(["trialing", "past_due", "suspended", "cancelled"] as const)(
    "begins now for a %s store",
    async (status) => {
      const dates = { trialEndsAt: end, pastDueSince: new Date(), suspendedAt: new Date(), cancelledAt: new Date() }
      const id = await makePaidStore({ status, ...dates })
      const isClosed = status === "suspended" || status === "cancelled"
      if (isClosed) await env.DB.prepare("update stores set status = ? where id = ?").bind(status, id).run()
      expect((await change(id)).status).toBe(303)
      const store = await read(id)
      expect([store.status, store.subscription.plan.slug]).toEqual(["ready", "free"])
      expect(store.subscription.status).toBe(status === "trialing" ? "trialing" : "active")
    },
  )

  test("does not open a store that an operator closed, and refuses a plan that has to be paid", async () => {
    const id = await makePaidStore({ status: "suspended", suspendedAt: new Date() })
    await env.DB.prepare("update stores set status = 'suspended', operator_suspended_at = 1 where id = ?")
      .bind(id)
      .run()
    expect((await change(id)).status).toBe(303)
    expect((await read(id)).status).toBe("suspended")
    const paid = await makePaidStore()
    const owner = await signIn(paid)
    expect((await owner("POST", "/billing/change-plan", { plan: "large" })).status).toBe(409)
    expect((await owner("POST", "/billing/change-plan", { plan: "none" })).status).toBe(422)
  })

  test("says what happens in every language", async () => {
    const id = await makePaidStore()
    const owner = await signIn(id)
    const texts = { es: "hasta entonces", fr: "jusque-là", vi: "đến lúc đó" }
    for (const [language, text] of Object.entries(texts)) {
      await owner("POST", "/billing/language", { language })
      expect((await owner("GET", "/billing/change-plan?plan=free")).text).toContain(text)
    }
  })
})

describe.each(CARD_PROVIDER_DRIVERS)("by card at $name", (provider) => {
  let unregister: () => void
  beforeEach(() => {
    unregister = provider.register()
  })
  afterEach(() => unregister())

  test("changes the price at the provider, and the plan here at once", async () => {
    const id = await makeReadyStore({ plan: "small" })
    const now = Math.floor(Date.now() / 1000) - 10
    const deliver = (message: unknown) => provider.deliver(message, { env: provider.settings })
    await deliver(provider.checkoutMessage(id, "small", now))
    await deliver(provider.subscriptionMessage("created", now + 1))
    const owner = await signIn(id, provider.settings)
    expect((await owner("GET", "/billing/change-plan?plan=large")).text).toContain("charged to your card")
    await setSubscription(id, { status: "trialing", trialEndsAt: end })
    expect((await owner("GET", "/billing/change-plan?plan=large")).text).toContain("Nothing is charged today")
    await setSubscription(id, { status: "active", trialEndsAt: null })
    const requested = provider.mockPriceChanges(now + 2_592_000)
    expect((await owner("POST", "/billing/change-plan", { plan: "free" })).status).toBe(422)
    expect((await owner("POST", "/billing/change-plan", { plan: "small" })).status).toBe(409)
    expect((await owner("POST", "/billing/change-plan", { plan: "large" })).status).toBe(303)
    expect(requested).toEqual([{ price: "price_b", discount: undefined }])
    const store = await read(id)
    expect([store.billing_provider, store.subscription.plan.slug]).toEqual([provider.name, "large"])
    await deliver(provider.subscriptionMessage("updated", now + 60, { price: "price_b" }))
    expect((await read(id)).subscription.plan.slug).toBe("large")
    expect((await owner("POST", "/billing/orders", { plan: "small" })).status).toBe(409)
  })

  test.each([
    ["removes the discount that the new plan does not get", { plans: ["small"] }, null],
    ["adds the discount that only the new plan gets", { plans: ["large"] }, "50 %/3"],
    ["keeps the discount of both plans", { plans: null }, undefined],
    ["adds no discount that has ended", { plans: ["large"], ends_at: "2020-01-01T00:00:00.000Z" }, undefined],
  ])("%s", async (_, terms, expected) => {
    const half = { code: "HALF", percent_off: 50, amount_off: null, months: 3, plans: null, ends_at: null }
    const id = await makeReadyStore({ plan: "small" })
    const now = Math.floor(Date.now() / 1000) - 10
    const deliver = (message: unknown) => provider.deliver(message, { env: provider.settings })
    await deliver(provider.checkoutMessage(id, "small", now))
    await deliver(provider.subscriptionMessage("created", now + 1))
    await setSubscription(id, { discount: { ...half, ...terms }, couponCode: "HALF" })
    const owner = await signIn(id, provider.settings)
    const requested = provider.mockPriceChanges(now + 2_592_000)
    expect((await owner("POST", "/billing/change-plan", { plan: "large" })).status).toBe(303)
    expect(requested).toEqual([{ price: "price_b", discount: expected }])
  })

  test.each([false, true])(
    "sells the current plan only while a period is paid, from its end, and shows no trial (reversed messages: %s)",
    async (isReversed) => {
      const id = await makePaidStore()
      const owner = await signIn(id, provider.settings)
      const checkouts = provider.mockCheckouts()
      const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(end)
      const readPage = async () => (await owner("GET", "/billing")).text.replaceAll(/<\/?time[^>]*>/g, "")
      const before = await readPage()
      expect(before.split(`Pay by card from ${day}`)).toHaveLength(2)
      expect(before.split(`Available by card from ${day}`)).toHaveLength(2)
      expect((await owner("POST", "/billing/checkout", { plan: "large" })).status).toBe(409)
      expect(checkouts.requests).toEqual([])
      expect((await owner("POST", "/billing/checkout", { plan: "small" })).status).toBe(200)
      checkouts.fetch.mockRestore()

      const now = Math.floor(Date.now() / 1000)
      const trialEnd = Math.floor(end.getTime() / 1000)
      const trial = { status: "trialing", trialEnd, until: trialEnd } as const
      const messages = [
        provider.checkoutMessage(id, "small", now),
        provider.subscriptionMessage("created", now, trial),
        provider.subscriptionMessage("updated", now + 1, trial),
      ]
      const deliver = (message: unknown) => provider.deliver(message, { env: provider.settings })
      for (const message of isReversed ? messages.reverse() : messages) await deliver(message)
      const { billing_provider, subscription } = await read(id)
      expect([billing_provider, subscription.status, subscription.plan.slug]).toEqual([
        ...[provider.name, "active", "small"],
      ])
      expect([subscription.current_period_ends_at, subscription.trial_ends_at]).toEqual([
        ...[formatTimestamp(end), formatTimestamp(end)],
      ])
      const after = await readPage()
      expect(after).toContain("First charge on")
      expect(after).not.toContain("Trial")
      expect(after).not.toContain("/billing/change-plan?plan=large")
      expect((await owner("POST", "/billing/change-plan", { plan: "large" })).status).toBe(409)
      expect((await readHistory(id)).events).toEqual([])

      await deliver(provider.invoiceMessage("paid", trialEnd, { until: trialEnd + 2_592_000 }))
      expect((await read(id)).subscription).toMatchObject({
        status: "active",
        current_period_ends_at: formatTimestamp(new Date((trialEnd + 2_592_000) * 1000)),
      })
      const paid = await readPage()
      expect(paid).toContain("Paid until")
      expect(paid).not.toContain("First charge on")
    },
  )

  test("sells nothing in the last two days of a paid period, and nothing while the next one is paid for another plan", async () => {
    const id = await makePaidStore({ currentPeriodEndsAt: addMs(new Date(), DAY) })
    const owner = await signIn(id, provider.settings)
    const checkouts = provider.mockCheckouts()
    const { text } = await owner("GET", "/billing")
    expect([text.includes("Available by card from"), text.includes("Pay by card")]).toEqual([true, false])
    expect((await owner("POST", "/billing/checkout", { plan: "small" })).status).toBe(409)
    await setSubscription(id, { currentPeriodEndsAt: end })
    const { reference } = (await run("orders:request", { store: id, plan: "large", start: "next_period" })).data
    await run("orders:approve", { reference })
    for (const plan of ["small", "large"]) expect((await owner("POST", "/billing/checkout", { plan })).status).toBe(409)
    expect(checkouts.requests).toEqual([])
  })
})
