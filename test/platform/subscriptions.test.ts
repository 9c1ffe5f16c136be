// The five subscription actions from every status, as specified in the tables of the contract.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import type { SubscriptionStatus } from "../../src/db/schema/central/subscriptions"
import { addMs, DAY, formatTimestamp } from "../../src/lib/time"
import { buildPlanTerms } from "../../src/platform/plans/schemas"
import { getPeriodEnd } from "../../src/platform/subscriptions/periods"
import { resyncPlan } from "../../src/platform/subscriptions/service"
import { platform, run, type TestResponse } from "../support/app"
import { runClockAt } from "../support/billing-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { rows } from "../support/rows"
import {
  clearHistory,
  listEventPayloads,
  makeSubscribedStore,
  setSubscription,
} from "../support/subscription-factories"
import { setSiteUsage } from "../support/usage-factories"

const STATUSES: SubscriptionStatus[] = ["trialing", "active", "past_due", "suspended", "cancelled"]

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const act = (id: string, action: string, json?: unknown): Promise<TestResponse> =>
  platform("POST", `/stores/${id}/subscription/${action}`, { token, json })

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data

const expectRefused = (response: TestResponse, status: number, code: string) =>
  expect([response.status, response.body.error.code]).toEqual([status, code])

const days = (from: Date | string, to: string) => (Date.parse(to) - new Date(from).getTime()) / DAY

describe("reading", () => {
  test("returns the subscription, 404 no_subscription without one, and 404 not_found without a store", async () => {
    const id = await makeSubscribedStore()
    const response = await platform("GET", `/stores/${id}/subscription`, { token })
    expect(response.status).toBe(200)
    expect(Object.keys(response.body.data)).toEqual([
      "status",
      "plan",
      "coupon_code",
      "discount",
      "scheduled_plan",
      "trial_ends_at",
      "current_period_ends_at",
      "past_due_since",
      "suspended_at",
      "cancelled_at",
      "cancel_at",
      "created_at",
      "updated_at",
      "allowed_actions",
    ])
    expect(response.body.data.allowed_actions).toEqual(["change_plan", "extend", "cancel"])
    expect((await read(id)).subscription).toEqual(response.body.data)
    const bare = await makeReadyStore()
    expectRefused(await platform("GET", `/stores/${bare}/subscription`, { token }), 404, "no_subscription")
    expectRefused(await platform("GET", "/stores/nobody/subscription", { token }), 404, "not_found")
  })

  test("returns the frozen terms after the plan changes, and never the provider's references", async () => {
    const plan = await makePlan({
      slug: "gold",
      price_cents: 1900,
      limits: { products: 5, orders: 0, storage_mb: 0, staff_users: 0 },
    })
    const id = await makeReadyStore({ plan: "gold" })
    await setSubscription(id, { cardCustomer: "cus_secret", cardSubscription: "sub_secret" })
    await makePlan({ slug: "gold", name: "Gold 2", price_cents: 9900 })
    const response = await platform("GET", `/stores/${id}/subscription`, { token })
    expect(response.body.data.plan).toEqual({
      id: plan.id,
      slug: "gold",
      name: "Plan",
      price_cents: 1900,
      currency: "EUR",
      interval: "month",
      trial_days: 0,
      limits: { products: 5, orders: 0, storage_mb: 0, staff_users: 0 },
      features: { custom_domain: true, api_access: true, remove_branding: true },
      allows_custom_domain: true,
      taken_at: response.body.data.created_at,
    })
    expect(response.text + (await platform("GET", `/stores/${id}`, { token })).text).not.toMatch(/_secret|stripe_/)
  })
})

describe("legal actions", () => {
  const actions: [name: string, body: () => unknown, legal: SubscriptionStatus[]][] = [
    ["change-plan", () => ({ plan: "other" }), ["trialing", "active", "past_due"]],
    ["extend", () => ({ days: 1 }), ["trialing", "active", "past_due"]],
    ["cancel", () => undefined, ["trialing", "active", "past_due", "suspended"]],
    ["reactivate", () => undefined, ["suspended", "cancelled"]],
    ["assign", () => ({ plan: "other" }), ["suspended", "cancelled"]],
  ]

  test.each(STATUSES)("accepts exactly the allowed_actions of a subscription that is %s", async (status) => {
    await makePlan({ slug: "other" })
    const state = {
      status,
      trialEndsAt: status === "trialing" ? new Date(Date.now() + DAY) : null,
      cancelledAt: status === "cancelled" ? new Date() : null,
    }
    const id = await makeSubscribedStore(state)
    const [original] = await rows("select plan from subscriptions")
    const allowed = (await platform("GET", `/stores/${id}/subscription`, { token })).body.data.allowed_actions
    const legal = []
    for (const [name, body, from] of actions) {
      await setSubscription(id, state)
      await env.DB.prepare("update subscriptions set plan = ?").bind(original?.plan).run()
      await env.DB.exec(`update stores set status = '${status === "cancelled" ? "cancelled" : "ready"}'`)
      const response = await act(id, name, body())
      if (from.includes(status)) expect(response.status, name).toBe(200)
      else expectRefused(response, 409, "illegal_transition")
      if (from.includes(status)) legal.push(name.replace("-", "_"))
    }
    expect(allowed).toEqual(legal)
  })

  test("refuses every action on a card subscription with stripe_managed, without changes", async () => {
    await makePlan({ slug: "other" })
    for (const status of ["active", "cancelled"] as const) {
      const id = await makeSubscribedStore({ provider: "stripe", status })
      const before = await rows("select * from subscriptions")
      await clearHistory()
      for (const [name, body] of actions) expectRefused(await act(id, name, body()), 409, "stripe_managed")
      expectRefused(await platform("POST", `/stores/${id}/cancel`, { token }), 409, "stripe_managed")
      expect(await rows("select * from subscriptions")).toEqual(before)
      expect(await listEventPayloads(id)).toEqual([])
      expect((await read(id)).subscription.allowed_actions).toEqual([])
      expect((await read(id)).billing_provider).toBe("stripe")
    }
  })

  test("returns no_subscription for actions on a store without a subscription, and 404 for a missing store", async () => {
    await makePlan({ slug: "other" })
    const bare = await makeReadyStore()
    for (const [name, body] of actions) {
      expectRefused(await act("nobody", name, body()), 404, "not_found")
      if (name === "assign") continue
      expectRefused(await act(bare, name, body()), 409, "no_subscription")
    }
    expectRefused(await platform("POST", `/stores/${bare}/cancel`, { token }), 409, "no_subscription")
  })

  test("returns no_plan for actions that need the plan of a subscription without one, and allows cancel", async () => {
    await makePlan({ slug: "other" })
    const planless = await makeSubscribedStore({ plan: null })
    expectRefused(await act(planless, "change-plan", { plan: "other" }), 409, "no_plan")
    expectRefused(await act(planless, "extend", { days: 3 }), 409, "no_plan")
    expect((await read(planless)).subscription.allowed_actions).toEqual(["cancel"])
    expect((await act(planless, "cancel")).status).toBe(200)
    expectRefused(await act(planless, "reactivate"), 409, "no_plan")
  })

  test("returns 422 with the field for an unknown or inactive plan, and for days or trial_days out of range", async () => {
    await makePlan({ slug: "retired", is_active: false })
    await makePlan({ slug: "other" })
    const id = await makeSubscribedStore()
    const bare = await makeReadyStore()
    const bad: [id: string, action: string, body: unknown, field: string][] = [
      [bare, "assign", {}, "plan"],
      [bare, "assign", { plan: "nope" }, "plan"],
      [bare, "assign", { plan: "retired" }, "plan"],
      [bare, "assign", { plan: 7 }, "plan"],
      [bare, "assign", { plan: "other", trial_days: -1 }, "trial_days"],
      [bare, "assign", { plan: "other", trial_days: 366 }, "trial_days"],
      [bare, "assign", { plan: "other", trial_days: 1.5 }, "trial_days"],
      [id, "change-plan", {}, "plan"],
      [id, "change-plan", { plan: null }, "plan"],
      [id, "change-plan", { plan: "retired" }, "plan"],
      [id, "extend", {}, "days"],
      [id, "extend", { days: 0 }, "days"],
      [id, "extend", { days: 3651 }, "days"],
      [id, "extend", { days: "7" }, "days"],
      [id, "extend", { days: 1.5 }, "days"],
    ]
    await clearHistory()
    for (const [store, action, body, field] of bad) {
      const response = await act(store, action, body)
      expectRefused(response, 422, "validation_failed")
      expect(Object.keys(response.body.errors)).toEqual([field])
    }
    expect((await act(bare, "assign", { plan: "nope" })).body.error.message).toBe("The selected plan is invalid.")
    expect((await act(id, "extend", [])).status).toBe(422)
    expect(await listEventPayloads(id)).toEqual([])
    expect((await act(id, "extend", { days: 3650 })).status).toBe(200)
    expect((await act(bare, "assign", { plan: "other", trial_days: 365 })).status).toBe(200)
  })
})

describe("assign", () => {
  test("assigns a plan with its own trial, a given one or none, and commits the audit entry with the event", async () => {
    await makePlan({ slug: "trial", trial_days: 14 })
    const [own, custom, none] = [await makeReadyStore(), await makeReadyStore(), await makeReadyStore()]
    await clearHistory()
    const first = await act(own, "assign", { plan: "trial" })
    expect(first.status).toBe(200)
    expect(first.body.data.status).toBe("trialing")
    expect(days(first.body.data.created_at, first.body.data.trial_ends_at)).toBe(14)
    expect(first.body.data.current_period_ends_at).toBeNull()
    const second = (await act(custom, "assign", { plan: "trial", trial_days: 3 })).body.data
    expect(days(second.created_at, second.trial_ends_at)).toBe(3)
    const third = (await act(none, "assign", { plan: "trial", trial_days: 0 })).body.data
    expect([third.status, third.trial_ends_at]).toEqual(["active", null])
    expect(days(third.created_at, third.current_period_ends_at)).toBeGreaterThan(27)

    const [payload, ...more] = await listEventPayloads(own)
    expect(more).toEqual([])
    expect(payload.type).toBe("subscription.assigned")
    expect(payload.data.store.billing_provider).toBe("local")
    expect(payload.data.subscription.plan.slug).toBe("trial")
    expect(payload.meta.log).toMatchObject({
      type: "assigned",
      to_status: "trialing",
      data: { plan: "trial", trial_days: 14 },
    })
    expect(payload.meta.log.actor).toEqual(payload.meta.actor)
    expect(payload.meta.actor.type).toBe("api_key")
    const [entry] = (await platform("GET", `/stores/${own}/events`, { token })).body.data
    expect(entry).toMatchObject({ ...payload.meta.log, id: payload.meta.log.id })
  })

  test("replaces the terms of a suspended or cancelled subscription on assign, and reopens the store", async () => {
    await makePlan({ slug: "fresh" })
    for (const status of ["suspended", "cancelled"] as const) {
      const id = await makeSubscribedStore({
        status,
        suspendedAt: new Date(),
        cancelledAt: new Date(),
        couponCode: "OLD",
      })
      await env.DB.prepare("update stores set status = ? where id = ?").bind(status, id).run()
      const { data } = (await act(id, "assign", { plan: "fresh" })).body
      expect(data).toMatchObject({ status: "active", suspended_at: null, cancelled_at: null, coupon_code: null })
      expect(data.plan.slug).toBe("fresh")
      expect(await read(id)).toMatchObject({ status: "ready", access_state: "serving" })
      expect(await rows("select count(*) as n from subscriptions where store_id = ?", id)).toEqual([{ n: 1 }])
    }
  })

  test("returns not_provisioned when assigning a plan to a pending, provisioning or failed store", async () => {
    await makePlan({ slug: "any" })
    const id = await makeStore()
    for (const status of ["pending", "provisioning", "failed"]) {
      await env.DB.exec(`update stores set status = '${status}'`)
      expectRefused(await act(id, "assign", { plan: "any" }), 409, "not_provisioned")
    }
    expect(await rows("select * from subscriptions")).toEqual([])
  })

  test("returns plan_unavailable when the plan is deactivated between validation and commit", async () => {
    await makePlan({ slug: "brief" })
    const [bare, id] = [await makeReadyStore(), await makeSubscribedStore()]
    await clearHistory()
    const create = {
      subdomain: "late",
      name: "L",
      owner_email: "l@example.com",
      password: "correct-horse",
      plan: "brief",
    }
    const attempts: [string, () => Promise<TestResponse>][] = [
      ["assign", () => act(bare, "assign", { plan: "brief" })],
      ["change-plan", () => act(id, "change-plan", { plan: "brief" })],
      ["create", () => platform("POST", "/stores", { token, json: create })],
    ]
    for (const [name, attempt] of attempts) {
      await env.DB.exec("update plans set is_active = 1 where slug = 'brief'")
      const restore = beforeCommit(() => env.DB.exec("update plans set is_active = 0 where slug = 'brief'"))
      const response = await attempt()
      restore()
      expect([response.status, response.body.error?.code], name).toEqual([409, "plan_unavailable"])
    }
    expect(await rows("select id from webhook_events")).toEqual([])
    expect(await rows("select id from stores where id = 'late'")).toEqual([])
  })

  test("freezes the plan's terms as of the commit when they change after validation", async () => {
    await makePlan({ slug: "moving", price_cents: 1000 })
    const id = await makeReadyStore()
    const restore = beforeCommit(() =>
      env.DB.exec("update plans set price_cents = 2000, updated_at = updated_at + 1 where slug = 'moving'"),
    )
    const response = await act(id, "assign", { plan: "moving" })
    restore()
    expect(response.body.data.plan.price_cents).toBe(2000)
  })
})

describe("change-plan", () => {
  test("freezes the new plan's terms without changing dates, and returns same_plan for the current plan", async () => {
    await makePlan({ slug: "next", price_cents: 4900 })
    const id = await makeSubscribedStore()
    const before = (await read(id)).subscription
    await clearHistory()
    const response = await act(id, "change-plan", { plan: "next" })
    expect(response.status).toBe(200)
    const { plan, updated_at, ...rest } = response.body.data
    expect(before).toMatchObject(rest)
    expect([plan.slug, plan.price_cents]).toEqual(["next", 4900])
    expect(plan.taken_at).toBe(updated_at)
    const [payload] = await listEventPayloads(id)
    expect(payload.type).toBe("subscription.plan_changed")
    expect(payload.meta.log.data).toEqual({ plan: "next", from_plan: before.plan.slug })
    expectRefused(await act(id, "change-plan", { plan: "next" }), 409, "same_plan")
    expect((await listEventPayloads(id)).length).toBe(1)
  })

  test("leaves an unpaid period due since its end when the plan changes", async () => {
    await makePlan({ slug: "next", price_cents: 4900 })
    const end = new Date(Date.now() - DAY)
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end })
    await act(id, "change-plan", { plan: "next" })
    await runClockAt(addMs(new Date(), 1000))
    expect((await read(id)).subscription).toMatchObject({ status: "past_due", past_due_since: formatTimestamp(end) })
  })

  test("withdraws a scheduled cancellation when the new plan is free, and is refused while the next period is paid", async () => {
    const plan = await makePlan({ slug: "free", price_cents: 0 })
    const end = new Date(Date.now() + 10 * DAY)
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end, cancelAt: end })
    const response = await act(id, "change-plan", { plan: "free" })
    expect(response.body.data).toMatchObject({ status: "active", cancel_at: null })
    const paid = await makeSubscribedStore({
      currentPeriodEndsAt: end,
      scheduledPlan: { terms: buildPlanTerms(plan, new Date()), ends_at: end.toISOString() },
    })
    expectRefused(await act(paid, "change-plan", { plan: "free" }), 409, "illegal_transition")
  })

  describe("from a free plan to a paid one", () => {
    const soon = new Date(Date.now() + 10 * DAY)
    const long = new Date(Date.now() - 100 * DAY)
    const month = (from: string) => formatTimestamp(getPeriodEnd("month", new Date(from)))

    test.each<[what: string, end: Date | null, continues: boolean]>([
      ["starts a period if there is none", null, false],
      ["starts a period if the last one is over", long, false],
      ["continues a running period", soon, true],
    ])("%s when changing from a free plan to a paid one, and bills the next", async (_, end, continues) => {
      await makePlan({ slug: "free", price_cents: 0 })
      await makePlan({ slug: "next", price_cents: 4900 })
      const id = await makeReadyStore({ plan: "free" })
      await setSubscription(id, { currentPeriodEndsAt: end })
      const { data } = (await act(id, "change-plan", { plan: "next" })).body
      const due = continues ? formatTimestamp(soon) : month(data.updated_at)
      expect(data).toMatchObject({ status: "active", current_period_ends_at: due })
      expect(await runClockAt(new Date())).toMatchObject({ stores: 0 })
      await runClockAt(addMs(new Date(due), 1000))
      expect((await read(id)).subscription).toMatchObject({ status: "past_due", past_due_since: due })
    })

    test("starts a period on resync when the plan itself is no longer free", async () => {
      await makePlan({ slug: "free", price_cents: 0 })
      const id = await makeReadyStore({ plan: "free" })
      await makePlan({ slug: "free", price_cents: 900 })
      const { subscription } = await run((ctx) => resyncPlan(ctx, id))
      expect(subscription.currentPeriodEndsAt).toEqual(getPeriodEnd("month", subscription.updatedAt))
    })

    test("continues a trial on a plan change, and bills nothing after changing to a free plan", async () => {
      await makePlan({ slug: "free", price_cents: 0 })
      await makePlan({ slug: "next", price_cents: 4900 })
      const id = await makeReadyStore({ plan: "free" })
      await setSubscription(id, { status: "trialing", trialEndsAt: soon })
      const trialing = (await act(id, "change-plan", { plan: "next" })).body.data
      expect(trialing).toMatchObject({ status: "trialing", current_period_ends_at: null })
      const paid = await makeReadyStore({ plan: "next" })
      const before = (await read(paid)).subscription.current_period_ends_at
      const { data } = (await act(paid, "change-plan", { plan: "free" })).body
      expect(data.current_period_ends_at).toBe(before)
      expect(await runClockAt(addMs(new Date(before), 100 * DAY), paid)).toMatchObject({ stores: 0 })
    })
  })

  test("names every limit that live usage exceeds in plan_too_small; 0 means unlimited", async () => {
    const id = await makeSubscribedStore()
    await setSiteUsage(id, { products: 6, orders: 3, bytes: 2 * 1024 * 1024 + 1, staff: 3 })
    const limits = { products: 5, orders: 2, storage_mb: 2, staff_users: 2 }
    await makePlan({ slug: "tiny", limits })
    const response = await act(id, "change-plan", { plan: "tiny" })
    expectRefused(response, 422, "plan_too_small")
    expect(response.body.error.errors).toEqual({
      products: ["The current products (6) exceeds the plan's limit (5)."],
      orders: ["The current orders (3) exceeds the plan's limit (2)."],
      storage_mb: ["The current storage mb (3) exceeds the plan's limit (2)."],
      staff_users: ["The current staff users (3) exceeds the plan's limit (2)."],
    })
    // The cached snapshot still has one staff user, so the refusal came from the live count.
    expect((await read(id)).usage.staff_users).toBe(1)
    await makePlan({ slug: "tight", limits: { products: 6, orders: 3, storage_mb: 3, staff_users: 0 } })
    expect((await act(id, "change-plan", { plan: "tight" })).status).toBe(200)
  })

  test("returns usage_unavailable without changes when a plan change cannot count usage", async () => {
    const id = await makeSubscribedStore()
    await makePlan({ slug: "next" })
    await clearHistory()
    await env.SITES_1.exec("drop table users")
    expectRefused(await act(id, "change-plan", { plan: "next" }), 409, "usage_unavailable")
    expect(await listEventPayloads(id)).toEqual([])
  })

  test("treats a store that was never provisioned as using nothing", async () => {
    const plan = await makePlan()
    await makePlan({ slug: "tiny", limits: { products: 1, orders: 1, storage_mb: 1, staff_users: 1 } })
    const id = await makeStore({ plan: plan.slug })
    expect((await act(id, "change-plan", { plan: "tiny" })).status).toBe(200)
  })
})

describe("extend", () => {
  test("extends the trial or period from its end, or from now if that has passed", async () => {
    const ahead = new Date(Math.floor(Date.now() / 1000) * 1000 + 10 * DAY)
    const past = new Date(Date.now() - 10 * DAY)
    const cases: [values: Parameters<typeof makeSubscribedStore>[0], field: string, days: number, status: string][] = [
      [{ status: "trialing", trialEndsAt: ahead, currentPeriodEndsAt: null }, "trial_ends_at", 15, "trialing"],
      [{ status: "trialing", trialEndsAt: past, currentPeriodEndsAt: null }, "trial_ends_at", 5, "trialing"],
      [{ status: "active", currentPeriodEndsAt: ahead }, "current_period_ends_at", 15, "active"],
      [{ status: "active", currentPeriodEndsAt: null }, "current_period_ends_at", 5, "active"],
      [{ status: "past_due", currentPeriodEndsAt: past, pastDueSince: past }, "current_period_ends_at", 5, "active"],
    ]
    for (const [values, field, expected, status] of cases) {
      const id = await makeSubscribedStore(values)
      await clearHistory()
      const { data } = (await act(id, "extend", { days: 5 })).body
      expect([Math.round(days(new Date(), data[field])), data.status, data.past_due_since]).toEqual([
        expected,
        status,
        null,
      ])
      const [payload] = await listEventPayloads(id)
      expect(payload.type).toBe("subscription.extended")
      expect(payload.meta.log.data).toEqual({ extended_days: 5, until: data[field] })
      expect([payload.meta.log.from_status, payload.meta.log.to_status]).toEqual([values?.status, status])
    }
  })
})

describe("cancel and reactivate", () => {
  test("sends store.cancelled with retention_days, then subscription.cancelled on cancel", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    const response = await act(id, "cancel")
    expect(response.status).toBe(200)
    expect(response.body.data.status).toBe("cancelled")
    expect(response.body.data.cancelled_at).toBe(response.body.data.updated_at)
    expect(response.body.data.allowed_actions).toEqual(["reactivate", "assign"])
    expect(await read(id)).toMatchObject({ status: "cancelled", access_state: "suspended" })
    const [first, second, ...more] = await listEventPayloads(id)
    expect([first.type, second.type, more.length]).toEqual(["store.cancelled", "subscription.cancelled", 0])
    expect(first.data.retention_days).toBe(30)
    expect(first.data.subscription).toEqual(second.data.subscription)
    expect(first.data.store.status).toBe("cancelled")
    expect(second.meta.log).toMatchObject({ type: "cancelled", from_status: "active", to_status: "cancelled" })
    expect(days(response.body.data.cancelled_at, second.meta.log.data.until)).toBe(30)
    expect(await rows("select type from audit_entries")).toEqual([{ type: "cancelled" }])
  })

  test("cancels through POST /stores/{id}/cancel and returns store and subscription", async () => {
    const id = await makeSubscribedStore()
    const response = await platform("POST", `/stores/${id}/cancel`, { token })
    expect(response.status).toBe(200)
    expect(Object.keys(response.body.data)).toEqual(["store", "subscription"])
    expect(response.body.data.store).toEqual(await read(id))
    expect(response.body.data.subscription).toEqual(response.body.data.store.subscription)
    expectRefused(await platform("POST", `/stores/${id}/cancel`, { token }), 409, "illegal_transition")
    expectRefused(await platform("POST", "/stores/nobody/cancel", { token }), 404, "not_found")
  })

  test("clears the timestamps on reactivate, starts a period and reopens the store", async () => {
    const past = new Date(Date.now() - DAY)
    const id = await makeSubscribedStore({ pastDueSince: past, suspendedAt: past, trialEndsAt: past })
    await act(id, "cancel")
    await clearHistory()
    const { data } = (await act(id, "reactivate")).body
    expect(data).toMatchObject({ status: "active", past_due_since: null, suspended_at: null, cancelled_at: null })
    expect(days(data.updated_at, data.current_period_ends_at)).toBeGreaterThan(27)
    expect(await read(id)).toMatchObject({ status: "ready", access_state: "serving" })
    const [payload, ...more] = await listEventPayloads(id)
    expect([payload.type, more.length]).toEqual(["subscription.reactivated", 0])
    expect(payload.meta.log).toMatchObject({ from_status: "cancelled", to_status: "active" })
  })

  test("reactivates a cancelled subscription until the retention period ends", async () => {
    const retention = 30 * DAY
    const late = await makeSubscribedStore({ status: "cancelled", cancelledAt: new Date(Date.now() - retention) })
    const soon = await makeSubscribedStore({
      status: "cancelled",
      cancelledAt: new Date(Date.now() - retention + 60_000),
    })
    expectRefused(await act(late, "reactivate"), 409, "illegal_transition")
    expect((await act(soon, "reactivate")).status).toBe(200)
    const free = await makePlan({ price_cents: 0 })
    const id = await makeReadyStore({ plan: free.slug })
    await act(id, "cancel")
    expect((await act(id, "reactivate")).body.data.current_period_ends_at).toBeNull()
  })

  test("resumes provisioning when a store cancelled before it was provisioned is reactivated", async () => {
    const plan = await makePlan()
    const id = await makeStore({ plan: plan.slug })
    expect((await act(id, "cancel")).status).toBe(200)
    expectRefused(await act(id, "assign", { plan: plan.slug }), 409, "not_provisioned")
    const send = vi.mocked(env.JOB_QUEUE.send)
    send.mockClear()
    expect((await act(id, "reactivate")).status).toBe(200)
    expect(await read(id)).toMatchObject({ status: "pending", access_state: "preparing" })
    expect(send).toHaveBeenCalledWith({ job: "provision", store: id, seq: expect.any(Number) })
  })
})

describe("concurrent actions", () => {
  test("applies one of two concurrent cancellations, and returns illegal_transition for the other", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    const responses = await Promise.all([act(id, "cancel"), platform("POST", `/stores/${id}/cancel`, { token })])
    expect(responses.map((response) => response.status).sort()).toEqual([200, 409])
    expect((await listEventPayloads(id)).map((payload) => payload.type)).toEqual([
      "store.cancelled",
      "subscription.cancelled",
    ])
    expect(await rows("select type from audit_entries")).toEqual([{ type: "cancelled" }])
  })

  test("applies all concurrent extensions", async () => {
    const start = new Date(Math.floor(Date.now() / 1000) * 1000 + 100 * DAY)
    const id = await makeSubscribedStore({ currentPeriodEndsAt: start })
    const responses = await Promise.all([1, 2, 4].map((count) => act(id, "extend", { days: count })))
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200])
    expect(days(start, (await read(id)).subscription.current_period_ends_at)).toBe(7)
  })

  test("applies a concurrent PATCH and cancellation in either order", async () => {
    const id = await makeSubscribedStore()
    const [patched, cancelled] = await Promise.all([
      platform("PATCH", `/stores/${id}`, { token, json: { name: "Renamed" } }),
      act(id, "cancel"),
    ])
    expect([patched.status, cancelled.status]).toEqual([200, 200])
    expect(await read(id)).toMatchObject({ name: "Renamed", status: "cancelled" })
  })
})

test("reads a subscription in two round trips and writes it in three, including authentication", async () => {
  const plan = await makePlan()
  await makePlan({ slug: "next" })
  const id = await makeReadyStore()
  // Updates the key's last use in the background now, so that the measured requests do not.
  await platform("GET", "/me", { token })
  const cost = async (method: string, path: string, json?: unknown) =>
    (await costsOf(() => platform(method, `/stores/${id}/subscription${path}`, { token, json }))).roundTrips
  expect(await cost("POST", "/assign", { plan: plan.slug })).toBe(3)
  expect(await cost("GET", "")).toBe(2)
  // The live count runs in parallel with the central query, so three of these are sequential.
  expect(await cost("POST", "/change-plan", { plan: "next" })).toBe(4)
  expect(await cost("POST", "/extend", { days: 1 })).toBe(3)
  expect(await cost("POST", "/cancel")).toBe(3)
  expect(await cost("POST", "/reactivate")).toBe(3)
})

/** Runs `work` once, right before the first writing batch is sent. */
function beforeCommit(work: () => Promise<unknown>): () => void {
  const batch = env.DB.batch.bind(env.DB)
  let batches = 0
  const spy = vi.spyOn(env.DB, "batch").mockImplementation(async (statements) => {
    batches += 1
    if (batches === 2) await work()
    return batch(statements)
  })
  return () => spy.mockRestore()
}
