// The billing clock: which steps are due when, that each is taken once, and catching up after downtime.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { addMs, DAY, formatTimestamp, HOUR, MINUTE } from "../../src/lib/time"
import { sendDueMails } from "../../src/mails/outbox"
import { continueBillingRun, runBilling, startBillingRun } from "../../src/platform/subscriptions/clock"
import { cron, platform, run, sendOperatorCommand, withSettings } from "../support/app"
import { collectSentMails, readHistory, runClockAt } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { withJobs } from "../support/jobs"
import { rows } from "../support/rows"
import {
  clearHistory,
  listEventPayloads,
  makeSubscribedStore,
  setSubscription,
} from "../support/subscription-factories"

const TEST_CLOCK = { TENANCY_TEST_CLOCK: "true" }

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const act = (id: string, action: string, json?: unknown) =>
  platform("POST", `/stores/${id}/subscription/${action}`, { token, json })

/** Creates a store in a 14-day trial with a fixed start. */
async function makeTrialStore(plan: Record<string, unknown> = {}): Promise<{ id: string; start: Date; end: Date }> {
  const { slug } = await makePlan({ trial_days: 14, ...plan })
  const id = await makeReadyStore({ plan: slug })
  const start = new Date("2026-12-01T10:00:00Z")
  const end = addMs(start, 14 * DAY)
  await setSubscription(id, { createdAt: start, updatedAt: start, trialEndsAt: end })
  await clearHistory()
  return { id, start, end }
}

/** Runs the clock every hour in a period of time, like the cron, and returns the runs with at least one step. */
async function runHourly(from: Date, until: Date) {
  const runs = []
  for (let now = from; now <= until; now = addMs(now, HOUR)) {
    const result = await runClockAt(now)
    if (result.stores) runs.push(result)
  }
  return runs
}

describe("trials", () => {
  test("reminds the owner in a second trial too, on the days that it has", async () => {
    const { id, end } = await makeTrialStore()
    for (const day of [7, 3, 1, 0]) await runClockAt(addMs(end, -day * DAY))
    vi.useFakeTimers({ toFake: ["Date"], now: addMs(end, 2 * DAY) })
    token = await makeKey()
    const json = { resolution: "extend_trial", days: 5 }
    expect((await platform("POST", `/stores/${id}/resume`, { token, json })).status).toBe(200)
    const next = addMs(end, 7 * DAY)
    const sinceResume = addMs(end, 2 * DAY + MINUTE)
    expect((await runClockAt(sinceResume)).reminded).toBe(0)
    for (const day of [3, 3, 1]) await runClockAt(addMs(next, -day * DAY))
    vi.useRealTimers()
    const { events, mails } = await readHistory(id)
    expect(events.filter((type) => type === "subscription.trial_ending")).toHaveLength(5)
    expect(mails.filter((kind) => kind === "trial_ending")).toHaveLength(5)
  })

  test("tells an owner with a saved card when it is charged, instead of asking for a payment method", async () => {
    const { id, end } = await makeTrialStore()
    await setSubscription(id, { provider: "stripe", cardCustomer: "cus_1", cardSubscription: "sub_1" })
    await runClockAt(addMs(end, -3 * DAY))
    expect((await readHistory(id)).events).toEqual(["subscription.trial_ending"])
    const [mail] = await collectSentMails()
    expect(mail?.text).toContain("Your card will be charged for the first time on December 15, 2026.")
    expect(mail?.text).not.toContain("payment method")
  })

  test("reminds the owner of a trial's end once on each reminder day, with the days left", async () => {
    const { id, end } = await makeTrialStore()
    await runHourly(addMs(end, -8 * DAY), addMs(end, -HOUR))
    const events = await listEventPayloads(id)
    expect(events.map((event) => [event.type, event.data.trial, event.meta.actor.type, event.created_at])).toEqual(
      [7, 3, 1].map((day) => [
        "subscription.trial_ending",
        { ends_at: formatTimestamp(end), days_left: day },
        "system",
        formatTimestamp(addMs(end, -day * DAY)),
      ]),
    )
    expect((await readHistory(id)).auditLog).toEqual(["trial_ending", "trial_ending", "trial_ending"])
    const mails = await collectSentMails()
    expect(mails.map((mail) => [mail.to, mail.subject])).toEqual(
      [7, 3, 1].map(() => ["owner@example.com", "Your trial of A store ends on December 15, 2026"]),
    )
    expect(mails[1]?.text).toContain("Days left: 3.")
    expect(mails[1]?.text).toContain(`https://${id}.localhost/billing`)
    expect(mails[1]?.html).toContain(`href="https://${id}.localhost/billing"`)
  })

  test("sends only the nearest trial reminder in a late run, and none after the trial's end", async () => {
    const { id, end } = await makeTrialStore()
    await runClockAt(addMs(end, -2 * DAY))
    expect((await listEventPayloads(id)).map((event) => event.data.trial.days_left)).toEqual([2])
    await runClockAt(addMs(end, -2 * DAY + HOUR))
    expect(await listEventPayloads(id)).toHaveLength(1)
    await clearHistory()
    await runClockAt(end)
    expect((await readHistory(id)).events).toEqual(["subscription.suspended"])
  })

  test("skips reminders of trials shorter than their days, and repeats none after an extension", async () => {
    const { id, end } = await makeTrialStore()
    await setSubscription(id, { createdAt: addMs(end, -5 * DAY) })
    await runClockAt(addMs(end, -5 * DAY + HOUR))
    expect(await listEventPayloads(id)).toEqual([])
    await runClockAt(addMs(end, -3 * DAY))
    await setSubscription(id, { trialEndsAt: addMs(end, 10 * DAY) })
    await runHourly(addMs(end, 10 * DAY - 4 * DAY), addMs(end, 10 * DAY - HOUR))
    expect((await listEventPayloads(id)).map((event) => event.data.trial.days_left)).toEqual([3, 1])
  })

  test("converts a trial of a free plan, and suspends the store of a paid one, exactly at the trial's end", async () => {
    const free = await makeTrialStore({ price_cents: 0 })
    const paid = await makeTrialStore()
    await runClockAt(addMs(free.end, -HOUR))
    await clearHistory()
    expect(await runClockAt(addMs(free.end, -1000))).toMatchObject({ stores: 0 })
    expect(await runClockAt(free.end)).toEqual({
      at: formatTimestamp(free.end),
      stores: 2,
      reminded: 0,
      activated: 1,
      past_due: 0,
      suspended: 1,
      cancelled: 0,
      warned: 0,
      purged: 0,
    })
    expect(await read(free.id)).toMatchObject({
      status: "ready",
      subscription: { status: "active", current_period_ends_at: null },
    })
    expect(await read(paid.id)).toMatchObject({
      status: "suspended",
      access_state: "suspended",
      subscription: { status: "suspended", suspended_at: formatTimestamp(paid.end) },
    })
    expect((await readHistory(free.id)).events).toEqual(["subscription.activated"])
    const [event] = await listEventPayloads(paid.id)
    expect(event).toMatchObject({
      type: "subscription.suspended",
      meta: { actor: { type: "system" }, log: { type: "suspended", data: { reason: "trial_expired" } } },
    })
    expect(await runClockAt(addMs(free.end, 400 * DAY))).toMatchObject({ stores: 0 })
  })
})

describe("billing periods", () => {
  test("makes an unpaid period past due, reminds the owner on each dunning day, and suspends after the grace period", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end, updatedAt: new Date("2026-12-31T12:00:00Z") })
    await clearHistory()
    await runHourly(addMs(end, -DAY), addMs(end, 15 * DAY))
    expect(await readHistory(id)).toEqual({
      events: ["subscription.past_due", "subscription.suspended"],
      auditLog: ["past_due", "payment_reminded", "payment_reminded", "payment_reminded", "suspended"],
      mails: ["past_due", "past_due", "past_due", "suspended"],
    })
    expect(await read(id)).toMatchObject({
      status: "suspended",
      subscription: {
        status: "suspended",
        past_due_since: formatTimestamp(end),
        suspended_at: formatTimestamp(addMs(end, 14 * DAY)),
      },
    })
    const mails = await collectSentMails()
    expect(mails[0]?.text).toContain("goes offline on February 14, 2027")
    expect(mails[3]?.subject).toBe("A store is offline: payment overdue")
  })

  test("ignores periods of free plans and of card subscriptions, except for the grace period of the latter", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const { slug } = await makePlan({ price_cents: 0 })
    const free = await makeReadyStore({ plan: slug })
    const carded = await makeSubscribedStore({ provider: "stripe", currentPeriodEndsAt: end })
    const trialing = await makeSubscribedStore({ provider: "stripe", status: "trialing", trialEndsAt: end })
    for (const id of [free, carded, trialing]) await setSubscription(id, { currentPeriodEndsAt: end })
    expect(await runClockAt(addMs(end, 60 * DAY))).toMatchObject({ stores: 0 })
    await setSubscription(carded, { status: "past_due", pastDueSince: end })
    expect(await runClockAt(addMs(end, 14 * DAY))).toMatchObject({ stores: 1, suspended: 1 })
  })
})

describe("retention", () => {
  test("warns of the purge once, then deletes the store and its data with the reason `retention`", async () => {
    const id = await makeSubscribedStore()
    await act(id, "cancel", { notify: true })
    const cancelledAt = new Date((await read(id)).subscription.cancelled_at)
    await clearHistory()
    await runClockAt(addMs(cancelledAt, 22 * DAY))
    expect((await readHistory(id)).auditLog).toEqual([])
    await runClockAt(addMs(cancelledAt, 24 * DAY))
    await runClockAt(addMs(cancelledAt, 25 * DAY))
    expect((await readHistory(id)).auditLog).toEqual(["purge_announced"])
    expect(await runClockAt(addMs(cancelledAt, 31 * DAY))).toMatchObject({ stores: 1, purged: 1 })
    expect((await platform("GET", `/stores/${id}`, { token })).status).toBe(404)
    const [event] = await listEventPayloads(id)
    expect(event).toMatchObject({ type: "store.deleted", meta: { reason: "retention", actor: { type: "system" } } })
    expect(await rows("select store_id from purges")).toEqual([{ store_id: id }])
  })

  test("does not purge a reactivated store, and warns again after the next cancellation", async () => {
    const id = await makeSubscribedStore()
    await act(id, "cancel", { notify: true })
    await runClockAt(addMs(new Date(), 24 * DAY))
    await act(id, "reactivate")
    expect(await runClockAt(addMs(new Date(), 10 * DAY))).toMatchObject({ purged: 0 })
    await act(id, "cancel", { notify: true })
    await runClockAt(addMs(new Date(), 24 * DAY))
    expect((await readHistory(id)).mails.filter((kind) => kind === "purge_ahead")).toHaveLength(2)
  })
})

test("catches up after months of downtime in one run, with events in order and the time of the run", async () => {
  const end = new Date("2027-01-31T12:00:00Z")
  const id = await makeSubscribedStore({ currentPeriodEndsAt: end })
  await clearHistory()
  const now = addMs(end, 90 * DAY)
  expect(await runClockAt(now)).toMatchObject({ stores: 1, past_due: 1, suspended: 1 })
  const events = await listEventPayloads(id)
  expect(events.map((event) => [event.type, event.created_at])).toEqual([
    ["subscription.past_due", formatTimestamp(now)],
    ["subscription.suspended", formatTimestamp(now)],
  ])
  // No reminder announces a suspension that has already happened.
  expect((await readHistory(id)).mails.filter((kind) => kind === "past_due")).toEqual([])
})

test("takes a store through trial, reminders, suspension, payment, dunning, cancellation, reactivation and purge", async () => {
  const { id, end } = await makeTrialStore()
  await runHourly(addMs(end, -8 * DAY), end)
  const plan = (await read(id)).subscription.plan.slug
  vi.useFakeTimers({ toFake: ["Date"], now: addMs(end, 2 * DAY) })
  token = await makeKey()
  await act(id, "assign", { plan, trial_days: 0 })
  const period = new Date((await read(id)).subscription.current_period_ends_at)
  expect(period.toISOString()).toBe("2027-01-17T10:00:00.000Z")
  await runHourly(addMs(period, -HOUR), addMs(period, 4 * DAY))
  vi.setSystemTime(addMs(period, 5 * DAY))
  await act(id, "extend", { days: 31 })
  const leap = new Date((await read(id)).subscription.current_period_ends_at)
  await runClockAt(addMs(leap, 20 * DAY))
  vi.setSystemTime(addMs(leap, 21 * DAY))
  await act(id, "reactivate")
  await act(id, "cancel", { notify: true })
  await act(id, "reactivate")
  await act(id, "cancel", { notify: true })
  await runHourly(addMs(leap, 43 * DAY), addMs(leap, 52 * DAY))
  const history = await readHistory(id)
  expect(history.events).toEqual([
    ...["trial_ending", "trial_ending", "trial_ending", "suspended", "assigned", "past_due", "extended"].map(
      toEventType,
    ),
    ...["past_due", "suspended", "reactivated"].map(toEventType),
    "store.cancelled",
    toEventType("cancelled"),
    toEventType("reactivated"),
    "store.cancelled",
    toEventType("cancelled"),
    "store.deleted",
  ])
  expect(history.auditLog).toEqual([
    ...["trial_ending", "trial_ending", "trial_ending", "suspended", "assigned", "past_due"],
    ...["payment_reminded", "payment_reminded", "extended", "past_due", "suspended", "reactivated", "cancelled"],
    ...["reactivated", "cancelled", "purge_announced", "store_deleted"],
  ])
  expect(history.mails).toEqual([
    ...["trial_ending", "trial_ending", "trial_ending", "suspended_trial", "past_due", "past_due", "suspended"],
    ...["cancelled", "purge_ahead"],
  ])
})

const toEventType = (type: string) => `subscription.${type}`

describe("runs", () => {
  test("takes every step once in concurrent and repeated runs", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await makeSubscribedStore({ currentPeriodEndsAt: end }))
    await clearHistory()
    const now = addMs(end, HOUR)
    const both = await Promise.all([runClockAt(now), runClockAt(now), runClockAt(now)])
    expect(both.reduce((sum, result) => sum + result.past_due, 0)).toBe(5)
    for (const id of ids) expect((await readHistory(id)).events).toEqual(["subscription.past_due"])
    expect(await runClockAt(now)).toMatchObject({ stores: 0 })
  })

  test("applies either an extension or a concurrent suspension, never parts of both", async () => {
    for (let n = 0; n < 4; n++) {
      const end = addMs(new Date(), -15 * DAY)
      const id = await makeSubscribedStore({ status: "past_due", pastDueSince: end, currentPeriodEndsAt: end })
      await clearHistory()
      const [, response] = await Promise.all([runClockAt(new Date(Date.now() + 1000)), act(id, "extend", { days: 30 })])
      const { events } = await readHistory(id)
      const { status, subscription } = await read(id)
      expect([response.status, status, subscription.status, events]).toEqual(
        response.status === 200
          ? [200, "ready", "active", ["subscription.extended"]]
          : [409, "suspended", "suspended", ["subscription.suspended"]],
      )
    }
  })

  test("reopens the store for an order approved concurrently with its suspension, in either order", async () => {
    await sendOperatorCommand("offline:settings", { enabled: true })
    for (let n = 0; n < 4; n++) {
      const end = addMs(new Date(), -15 * DAY)
      const id = await makeSubscribedStore({ status: "past_due", pastDueSince: end, currentPeriodEndsAt: end })
      const plan = (await read(id)).subscription.plan.slug
      const { reference } = (await sendOperatorCommand("orders:request", { store: id, plan })).body.data
      await clearHistory()
      const [, response] = await Promise.all([
        runClockAt(new Date(Date.now() + 1000)),
        sendOperatorCommand("orders:approve", { reference }),
      ])
      const { events } = await readHistory(id)
      const { status, subscription } = await read(id)
      const before = events.includes("subscription.suspended") ? ["subscription.suspended"] : []
      expect([response.status, status, subscription.status, subscription.past_due_since, events]).toEqual([
        ...[200, "ready", "active", null],
        [...before, "order.paid", before.length ? "subscription.assigned" : "subscription.activated"],
      ])
    }
  })

  test("continues after a store that fails, and retries it in the next run", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const [bad, good] = [await makeSubscribedStore({ currentPeriodEndsAt: end }), await makeSubscribedStore()]
    await setSubscription(good, { currentPeriodEndsAt: end })
    await env.DB.prepare(
      `create trigger poison before update on stores when old.id = '${bad}' begin select raise(abort, 'poisoned'); end`,
    ).run()
    expect(await runClockAt(addMs(end, HOUR))).toMatchObject({ past_due: 1 })
    expect((await read(good)).subscription.status).toBe("past_due")
    await env.DB.exec("drop trigger poison")
    expect(await runClockAt(addMs(end, HOUR))).toMatchObject({ past_due: 1 })
  })

  test("continues a run after the given subscription, and starts the hourly run from the first one", async () => {
    const id = await makeSubscribedStore({ currentPeriodEndsAt: new Date(Date.now() - HOUR) })
    await setSubscription(id, { updatedAt: addMs(new Date(), -DAY) })
    const moment = Date.now()
    await run((ctx) => continueBillingRun(ctx, { after: 10_000, at: moment }))
    expect((await read(id)).subscription.status).toBe("active")
    await withJobs(() => run((ctx) => startBillingRun(ctx)))
    expect((await read(id)).subscription.status).toBe("past_due")
  })
})

describe("billing:run", () => {
  test("returns the steps taken, and refuses another time without the test clock", async () => {
    const end = addMs(new Date(), 10 * DAY)
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end })
    const at = formatTimestamp(addMs(end, DAY))
    const refused = await sendOperatorCommand("billing:run", { at })
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"])
    expect((await sendOperatorCommand("billing:run")).body.data).toMatchObject({ stores: 0 })
    const response = await sendOperatorCommand("billing:run", { at, store: id }, TEST_CLOCK)
    expect(response.body.data).toEqual({
      ...{ at, stores: 1, reminded: 0, activated: 0, past_due: 1, suspended: 0, cancelled: 0, warned: 0, purged: 0 },
    })
    expect((await read(id)).subscription).toMatchObject({ status: "past_due", updated_at: at })
  })

  test("takes a step that is due within the second given as `at`", async () => {
    const end = new Date("2027-03-31T12:00:00.789Z")
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end })
    const { current_period_ends_at: at } = (await read(id)).subscription
    const before = formatTimestamp(addMs(end, -1000))
    expect((await sendOperatorCommand("billing:run", { at: before, store: id }, TEST_CLOCK)).body.data).toMatchObject({
      past_due: 0,
    })
    const [{ steps }] = (await sendOperatorCommand("billing:run", { at, store: id, "dry-run": true })).body.data
    expect(steps).toEqual([
      { step: "past_due", due_at: at },
      { step: "dunned", due_at: at },
    ])
    expect((await sendOperatorCommand("billing:run", { at, store: id }, TEST_CLOCK)).body.data).toMatchObject({
      at,
      past_due: 1,
    })
  })

  test("returns clock_behind for one store, and skips it in a full run, when `at` is before its last change", async () => {
    const end = addMs(new Date(), 10 * DAY)
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end })
    await sendOperatorCommand("billing:run", { at: formatTimestamp(addMs(end, 5 * DAY)) }, TEST_CLOCK)
    const back = formatTimestamp(addMs(end, 4 * DAY))
    const response = await sendOperatorCommand("billing:run", { at: back, store: id }, TEST_CLOCK)
    expect([response.status, response.body.error.code]).toEqual([409, "clock_behind"])
    expect((await sendOperatorCommand("billing:run", { at: back }, TEST_CLOCK)).body.data).toMatchObject({ stores: 0 })
    expect((await sendOperatorCommand("billing:run", { store: "nobody" })).body.error.code).toBe("not_found")
    for (const wrong of ["tomorrow", "2027-01-31", ""]) {
      expect((await sendOperatorCommand("billing:run", { at: wrong }, TEST_CLOCK)).status).toBe(422)
    }
  })

  test("lists the steps per store with --dry-run, without writing and without the test clock", async () => {
    const end = new Date("2027-03-31T12:00:00Z")
    const id = await makeSubscribedStore({ currentPeriodEndsAt: end })
    const idle = await makeSubscribedStore()
    await clearHistory()
    const before = await rows("select status, updated_at from subscriptions")
    const at = formatTimestamp(addMs(end, 20 * DAY))
    const expected = [
      { step: "past_due", due_at: formatTimestamp(end) },
      { step: "suspended", due_at: formatTimestamp(addMs(end, 14 * DAY)) },
    ]
    await setSubscription(idle, { currentPeriodEndsAt: addMs(end, 90 * DAY) })
    expect((await sendOperatorCommand("billing:run", { at, "dry-run": true })).body.data).toEqual([
      { store: id, steps: expected },
    ])
    expect((await sendOperatorCommand("billing:run", { at, store: idle, "dry-run": "true" })).body.data).toEqual([
      { store: idle, steps: [] },
    ])
    expect(await rows("select status, updated_at from subscriptions")).toEqual(before)
    expect(await readHistory(id)).toMatchObject({ events: [], auditLog: [] })
    expect((await read(id)).subscription.status).toBe("active")
  })
})

describe("mails", () => {
  test("sends each mail once despite concurrent senders, and retries a failed one later", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    await act(id, "cancel", { notify: true })
    const send = vi.mocked(env.MAIL.send).mockRejectedValueOnce(new Error("mail service down"))
    await run((ctx) => sendDueMails(ctx))
    expect(send).toHaveBeenCalledTimes(1)
    await run((ctx) => sendDueMails(ctx))
    expect(send).toHaveBeenCalledTimes(1)
    const soon = addMs(new Date(), HOUR)
    send.mockResolvedValue({ messageId: "1" } as never)
    await Promise.all([1, 2, 3].map(() => run((ctx) => sendDueMails(ctx), { now: soon })))
    expect(send).toHaveBeenCalledTimes(2)
    expect(await rows("select attempts, due_at from mails")).toEqual([{ attempts: 2, due_at: null }])
  })

  test("resends a mail whose result could not be recorded after its lease, at most three times", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    await act(id, "cancel", { notify: true })
    const send = vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    let now = new Date()
    for (let copies = 1; copies <= 3; copies++) {
      const failures = failRoundTrips(() => (send.mock.calls.length >= copies ? "before" : null))
      await run((ctx) => sendDueMails(ctx), { now })
      failures.mockRestore()
      expect(await rows("select attempts, unconfirmed, sent_at from mails")).toEqual([
        { attempts: copies, unconfirmed: copies, sent_at: null },
      ])
      await run((ctx) => sendDueMails(ctx), { now: addMs(now, 14 * MINUTE) })
      expect(send).toHaveBeenCalledTimes(copies)
      now = addMs(now, 16 * MINUTE)
    }
    await run((ctx) => sendDueMails(ctx), { now })
    expect(send).toHaveBeenCalledTimes(3)
    expect(await rows("select due_at, sent_at from mails")).toEqual([{ due_at: null, sent_at: null }])
    const references = send.mock.calls.map(([mail]) => (mail as { headers: object }).headers)
    expect(references).toEqual(Array(3).fill({ "X-Entity-Ref-ID": expect.stringMatching(/^mail-\d+$/) }))
    expect(new Set(references.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test("sends a mail once when recording its success fails for a moment", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    await act(id, "cancel", { notify: true })
    const send = vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    for (const fault of ["before", "after"] as const) {
      let failed = false
      const failures = failRoundTrips(() => {
        if (failed || send.mock.calls.length === 0) return null
        failed = true
        return fault
      })
      await run((ctx) => sendDueMails(ctx))
      failures.mockRestore()
      expect([failed, send.mock.calls.length], fault).toEqual([true, 1])
      expect(await rows("select due_at, attempts from mails"), fault).toEqual([{ due_at: null, attempts: 1 }])
      await env.DB.exec("update mails set due_at = 0, attempts = 0, unconfirmed = 0")
      send.mockClear()
    }
  })

  test("sends a mail once when the response to its lease is lost", async () => {
    const id = await makeSubscribedStore()
    await clearHistory()
    await act(id, "cancel", { notify: true })
    const send = vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    let calls = 0
    const failures = failRoundTrips(() => (++calls === 2 ? "after" : null))
    await run((ctx) => sendDueMails(ctx))
    failures.mockRestore()
    expect(send).toHaveBeenCalledTimes(1)
    expect(await rows("select due_at, attempts, unconfirmed from mails")).toEqual([
      { due_at: null, attempts: 1, unconfirmed: 1 },
    ])
  })

  test("mails the owner the links to the admin and the store when it is ready", async () => {
    const id = await makeReadyStore()
    const [mail] = await collectSentMails()
    expect(mail).toMatchObject({ to: "owner@example.com", subject: "Your store A store is open" })
    expect(mail?.text).toContain(`Open the admin:\nhttps://${id}.localhost/admin\n`)
    expect(mail?.html).toContain(`href="https://${id}.localhost/admin"`)
    expect(mail?.text).toContain(`Customers visit your store at https://${id}.localhost.`)
  })

  test("sends mails in the language of the store's settings", async () => {
    const id = await makeSubscribedStore()
    await sendOperatorCommand("site:settings", { site: id, language: "fr" })
    await clearHistory()
    await act(id, "cancel", { notify: true })
    const [mail] = await collectSentMails()
    expect(mail?.subject).toBe("Votre abonnement pour A store est résilié")
    expect(mail?.html).toContain('lang="fr"')
  })
})

test("runs the clock in the hourly cron even when the test clock is off", async () => {
  const id = await makeSubscribedStore({ currentPeriodEndsAt: addMs(new Date(), -HOUR) })
  await setSubscription(id, { updatedAt: addMs(new Date(), -DAY) })
  await withJobs(() => cron("7 * * * *", { env: withSettings({ TENANCY_TEST_CLOCK: "false" }) }))
  expect((await read(id)).subscription.status).toBe("past_due")
  await run((ctx) => runBilling(ctx, {}))
})
