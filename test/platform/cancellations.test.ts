// Cancellations at the end of the period, and stores that an operator closes: what ends when, what withdraws it, and
// what the owner and visitors learn.
import { beforeEach, describe, expect, test } from "vitest"
import { addMs, DAY, formatTimestamp } from "../../src/lib/time"
import { previewBilling } from "../../src/platform/subscriptions/clock"
import { call, platform, run, sendOperatorCommand, type TestResponse } from "../support/app"
import { collectSentMails, readHistory, runClockAt } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import {
  clearHistory,
  listEventPayloads,
  makeSubscribedStore,
  setSubscription,
} from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const expectRefused = (response: TestResponse, status: number, code: string) =>
  expect([response.status, response.body.error.code]).toEqual([status, code])

const act = (id: string, action: string, json?: unknown) =>
  platform("POST", `/stores/${id}/subscription/${action}`, { token, json })

const END = addMs(new Date(Math.floor(Date.now() / 1000) * 1000), 10 * DAY)

/** Signs the owner in at /billing, and returns a function that sends its forms. */
async function signIn(id: string) {
  const send = (path: string, form: Record<string, string>, method = "POST", cookie = "") =>
    call(method, path, {
      host: `${id}.localhost`,
      body: method === "GET" ? undefined : new URLSearchParams(form).toString(),
      headers: { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" },
    })
  const form = { email: "owner@example.com", password: "correct-horse" }
  const cookie = (await send("/billing/sign-in", form)).headers.get("Set-Cookie")?.split(";")[0] ?? ""
  return (path: string, fields: Record<string, string>, method = "POST") => send(path, fields, method, cookie)
}

/** Creates a paid store whose period ends on END and schedules its cancellation. */
async function makeScheduledStore(json: object = {}): Promise<string> {
  const id = await makeSubscribedStore({ currentPeriodEndsAt: END })
  await clearHistory()
  expect((await act(id, "cancel", { at_period_end: true, ...json })).status).toBe(200)
  return id
}

describe("at the end of the period", () => {
  test("stays active until the end of the paid period, and is cancelled by the clock", async () => {
    const id = await makeSubscribedStore({ currentPeriodEndsAt: END })
    await clearHistory()
    const { body } = await act(id, "cancel", { at_period_end: true })
    expect(body.data).toMatchObject({ status: "active", cancel_at: formatTimestamp(END), cancelled_at: null })
    expect(body.data.allowed_actions).toEqual(["change_plan", "extend", "cancel", "reactivate"])
    // A repeated request changes nothing.
    expect((await act(id, "cancel", { at_period_end: true })).body.data).toEqual(body.data)
    expect(await readHistory(id)).toEqual({ events: [], auditLog: ["cancel_scheduled"], mails: [] })

    expect((await runClockAt(addMs(END, -1000))).stores).toBe(0)
    expect(await run((ctx) => previewBilling(ctx, { at: END, store: id }))).toMatchObject([
      { steps: [{ step: "cancelled", due_at: formatTimestamp(END) }] },
    ])
    expect(await runClockAt(END)).toMatchObject({ stores: 1, cancelled: 1, past_due: 0 })
    const { subscription, access_state } = (await platform("GET", `/stores/${id}`, { token })).body.data
    expect([subscription.status, subscription.cancelled_at, subscription.cancel_at, access_state]).toEqual([
      ...["cancelled", formatTimestamp(END), null, "suspended"],
    ])
    const history = await readHistory(id)
    expect(history.events).toEqual(["store.cancelled", "subscription.cancelled"])
    expect(history.mails).toEqual(["cancelled"])
  })

  test("ends a trial at its end, without reminders or a suspension", async () => {
    const id = await makeSubscribedStore({ status: "trialing", trialEndsAt: END, currentPeriodEndsAt: null })
    await clearHistory()
    const { body } = await act(id, "cancel", { at_period_end: true })
    expect(body.data).toMatchObject({ status: "trialing", cancel_at: formatTimestamp(END) })
    expect((await runClockAt(addMs(END, -DAY))).stores).toBe(0)
    expect(await runClockAt(END)).toMatchObject({ cancelled: 1, suspended: 0 })
  })

  test.each([
    ["past_due", { status: "past_due", pastDueSince: new Date() }],
    ["suspended", { status: "suspended", suspendedAt: new Date() }],
  ] as const)("cancels a %s subscription now, because nothing of it is left", async (_, values) => {
    const id = await makeSubscribedStore({ currentPeriodEndsAt: addMs(END, -20 * DAY), ...values })
    const { body } = await act(id, "cancel", { at_period_end: true })
    expect(body.data).toMatchObject({ status: "cancelled", cancel_at: null })
  })

  test.each([
    ["reactivate", undefined, ["cancel_scheduled", "cancel_withdrawn"]],
    ["extend", { days: 3 }, ["cancel_scheduled", "extended", "cancel_withdrawn"]],
  ] as const)("is withdrawn by %s", async (action, json, auditLog) => {
    const id = await makeScheduledStore()
    const { body } = await act(id, action, json)
    expect(body.data).toMatchObject({ status: "active", cancel_at: null })
    expect((await readHistory(id)).auditLog).toEqual(auditLog)
    expect((await runClockAt(END)).cancelled).toBe(0)
  })

  test("is withdrawn by a bank transfer", async () => {
    const id = await makeScheduledStore()
    const { plan } = (await platform("GET", `/stores/${id}/subscription`, { token })).body.data
    await sendOperatorCommand("offline:settings", { enabled: true })
    const { reference } = (await sendOperatorCommand("orders:request", { store: id, plan: plan.slug })).body.data
    await sendOperatorCommand("orders:approve", { reference })
    const { body } = await platform("GET", `/stores/${id}/subscription`, { token })
    expect(body.data).toMatchObject({ status: "active", cancel_at: null })
    expect((await readHistory(id)).auditLog.slice(-2)).toEqual(["extended", "cancel_withdrawn"])
  })

  test("does not start a period when it is withdrawn", async () => {
    const id = await makeScheduledStore()
    expect((await act(id, "reactivate")).body.data.current_period_ends_at).toBe(formatTimestamp(END))
    expectRefused(await act(id, "reactivate"), 409, "illegal_transition")
    expect((await listEventPayloads(id)).map(({ type }) => type)).toEqual([])
  })

  test("can still be cancelled now", async () => {
    const id = await makeScheduledStore()
    expect((await act(id, "cancel")).body.data).toMatchObject({ status: "cancelled", cancel_at: null })
  })

  test("is refused for a subscription that the card provider bills", async () => {
    const id = await makeSubscribedStore({ provider: "stripe", cardSubscription: "sub_1" })
    expectRefused(await act(id, "cancel", { at_period_end: true }), 409, "stripe_managed")
  })

  test("leaves the end of a subscription that is billed by card to its provider", async () => {
    const card = { provider: "stripe", cardSubscription: "sub_1", cancelAt: END } as const
    const id = await makeSubscribedStore({ ...card, currentPeriodEndsAt: END })
    expect(await run((ctx) => previewBilling(ctx, { at: END, store: id }))).toEqual([{ store: id, steps: [] }])
    // A reminder of the payment is due, so the run visits the subscription.
    await setSubscription(id, { status: "past_due", pastDueSince: END })
    expect(await runClockAt(addMs(END, DAY))).toMatchObject({ cancelled: 0 })
    expect((await platform("GET", `/stores/${id}/subscription`, { token })).body.data.status).toBe("past_due")
  })

  test("names the fields of bad input", async () => {
    const id = await makeSubscribedStore()
    const { status, body } = await act(id, "cancel", { at_period_end: "soon", notify: 1, reason: "x".repeat(501) })
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, ["at_period_end", "notify", "reason"]])
  })
})

describe("mails", () => {
  test("go out only when the operator asks for them, with the reason", async () => {
    const silent = await makeSubscribedStore()
    const loud = await makeSubscribedStore()
    await clearHistory()
    await act(silent, "cancel")
    await act(loud, "cancel", { notify: true, reason: "Chargeback <b>" })
    const mails = await collectSentMails()
    expect(mails.map(({ subject }) => subject)).toEqual(["Your subscription for A store is cancelled"])
    expect(mails[0]?.text).toContain("Reason: Chargeback <b>")
    expect(mails[0]?.html).toContain("Reason: Chargeback &lt;b&gt;")
  })

  test("tell the owner on which day a scheduled cancellation takes effect", async () => {
    await makeScheduledStore({ notify: true })
    const [mail] = await collectSentMails()
    expect(mail?.subject).toMatch(/^Your subscription for A store ends on /)
    expect(mail?.text).not.toContain("Reason")
  })
})

describe("reactivating what was cancelled before its end", () => {
  const cancelAndReactivate = async (id: string) => {
    await act(id, "cancel")
    return (await act(id, "reactivate")).body.data
  }

  test("keeps a paid end that is later than that of a new period", async () => {
    const until = addMs(END, 90 * DAY)
    const id = await makeSubscribedStore({ currentPeriodEndsAt: until })
    expect(await cancelAndReactivate(id)).toMatchObject({
      ...{ status: "active", current_period_ends_at: formatTimestamp(until), trial_ends_at: null },
    })
  })

  test("starts a new period after a trial", async () => {
    const id = await makeSubscribedStore({ status: "trialing", trialEndsAt: END, currentPeriodEndsAt: null })
    const { status, trial_ends_at, current_period_ends_at: end } = await cancelAndReactivate(id)
    expect([status, trial_ends_at]).toEqual(["active", null])
    expect(Date.parse(end)).toBeGreaterThan(Date.now() + 27 * DAY)
  })

  test("continues the next period that is paid for another plan", async () => {
    const id = await makeSubscribedStore({ currentPeriodEndsAt: END })
    const { slug } = await makePlan({ price_cents: 9900 })
    await sendOperatorCommand("offline:settings", { enabled: true })
    const order = { store: id, plan: slug, start: "next_period" }
    const { reference } = (await sendOperatorCommand("orders:request", order)).body.data
    await sendOperatorCommand("orders:approve", { reference })
    await act(id, "cancel")
    const read = async () => (await platform("GET", `/stores/${id}/subscription`, { token })).body.data
    expect((await read()).scheduled_plan).toBeNull()
    await act(id, "reactivate")
    expect(await read()).toMatchObject({
      ...{ status: "active", current_period_ends_at: formatTimestamp(END), scheduled_plan: { plan: { slug } } },
    })
  })

  test("continues a paid next period that ends before a new period would", async () => {
    const yearly = await makePlan({ interval: "year", price_cents: 50_000 })
    const id = await makeReadyStore({ plan: yearly.slug })
    await setSubscription(id, { status: "active", trialEndsAt: null, currentPeriodEndsAt: END })
    const { slug } = await makePlan({ price_cents: 9900 })
    await sendOperatorCommand("offline:settings", { enabled: true })
    const order = { store: id, plan: slug, start: "next_period" }
    const { reference } = (await sendOperatorCommand("orders:request", order)).body.data
    await sendOperatorCommand("orders:approve", { reference })
    await act(id, "cancel")
    await act(id, "reactivate")
    const { body } = await platform("GET", `/stores/${id}/subscription`, { token })
    expect(body.data).toMatchObject({
      ...{ status: "active", current_period_ends_at: formatTimestamp(END), scheduled_plan: { plan: { slug } } },
    })
    // A new period would be a year of the current plan.
    expect(Date.parse(body.data.scheduled_plan.ends_at)).toBeLessThan(Date.now() + 364 * DAY)
  })

  test("starts a new period for one that was past due", async () => {
    const pastDueSince = addMs(new Date(), -DAY)
    const id = await makeSubscribedStore({
      status: "past_due",
      pastDueSince,
      currentPeriodEndsAt: addMs(END, 90 * DAY),
    })
    const { current_period_ends_at: until } = await cancelAndReactivate(id)
    expect(Date.parse(until)).toBeLessThan(addMs(END, 30 * DAY).getTime())
  })
})

describe("a store that an operator suspended", () => {
  test("says so to visitors without the reason, and mails the owner the reason on request", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    const suspended = await platform("POST", `/stores/${id}/suspend`, {
      token,
      json: { reason: "Counterfeit goods", notify: true },
    })
    expect(suspended.body.data).toMatchObject({ status: "suspended", access_state: "suspended" })
    const page = await call("GET", "/", { host: `${id}.localhost` })
    expect([page.status, page.text.includes("closed by the platform"), page.text.includes("Counterfeit")]).toEqual([
      ...[402, true, false],
    ])
    const [mail] = await collectSentMails()
    expect(mail?.subject).toBe("A store was closed by Tenancy")
    expect(mail?.text).toContain("Reason: Counterfeit goods")
    const { body } = await platform("GET", `/stores/${id}/events`, { token })
    expect(body.data[0]).toMatchObject({ type: "suspended", data: { reason: "Counterfeit goods" } })
  })

  test("stays closed when its subscription is paid, until it is resumed", async () => {
    const id = await makeSubscribedStore({ status: "past_due", pastDueSince: addMs(new Date(), -20 * DAY) })
    await platform("POST", `/stores/${id}/suspend`, { token })
    await runClockAt(new Date())
    const read = async () => (await platform("GET", `/stores/${id}`, { token })).body.data
    expect((await read()).subscription.status).toBe("suspended")
    await platform("POST", `/stores/${id}/resume`, { token })
    expect((await read()).status).toBe("ready")
    const page = await call("GET", "/", { host: `${id}.localhost` })
    expect(page.text).not.toContain("closed by the platform")
  })

  test.each([
    ["the owner, who then takes a free plan", "owner"],
    ["an operator, who reactivates it", "reactivate"],
    ["an operator, who assigns a plan", "assign"],
    ["an operator, who approves an order", "order"],
  ] as const)("stays closed when its subscription is cancelled by %s, until it is resumed", async (_, way) => {
    await makePlan({ slug: "free", price_cents: 0 })
    await makePlan({ slug: "pro", price_cents: 1000 })
    await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer" })
    const id = await makeReadyStore({ plan: way === "owner" ? "free" : "pro" })
    const read = async () => (await platform("GET", `/stores/${id}`, { token })).body.data
    await platform("POST", `/stores/${id}/suspend`, { token, json: { reason: "Fraud" } })
    const post = await signIn(id)
    if (way === "owner") {
      expect((await post("/billing/cancel", {})).status).toBe(303)
      expect((await read()).status).toBe("cancelled")
      expect((await post("/billing/change-plan", { plan: "free" })).status).toBe(303)
    } else {
      expect((await act(id, "cancel")).status).toBe(200)
      if (way === "reactivate") await act(id, way)
      if (way === "assign") await act(id, way, { plan: "free" })
      if (way === "order") {
        const { reference } = (await sendOperatorCommand("orders:request", { store: id, plan: "pro" })).body.data
        expect((await sendOperatorCommand("orders:approve", { reference })).body.data.status).toBe("paid")
      }
    }
    const { status, access_state, subscription } = await read()
    expect([status, access_state, subscription.cancelled_at]).toEqual(["suspended", "suspended", null])
    expect((await post("/billing", {}, "GET")).text).toContain("Reason: Fraud")
    expect((await platform("POST", `/stores/${id}/resume`, { token })).body.data.status).toBe("ready")
    expect((await post("/billing", {}, "GET")).text).not.toContain("Fraud")
  })
})
