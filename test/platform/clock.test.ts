// The billing clock: what time makes of a subscription, each step once, whoever runs it and however late.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { DAY, HOUR, later, MINUTE, timestamp } from "../../src/lib/time"
import { sendWaitingMails } from "../../src/mails/outbox"
import { continueBilling, runBilling, startBilling } from "../../src/platform/subscriptions/clock"
import { platform, run, withSettings } from "../support/app"
import { clockAt, operate, sentMails, toldOf } from "../support/billing-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { failTrips } from "../support/faults"
import { rows } from "../support/rows"
import { forgetHistory, makeSubscribed, payloadsOf, setSubscription } from "../support/subscription-factories"

const TEST_CLOCK = { TENANCY_TEST_CLOCK: "true" }

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const act = (id: string, action: string, json?: unknown) =>
  platform("POST", `/stores/${id}/subscription/${action}`, { token, json })

/** A store in a trial of 14 days that began at a round moment. */
async function onTrial(plan: Record<string, unknown> = {}): Promise<{ id: string; start: Date; end: Date }> {
  const { slug } = await makePlan({ trial_days: 14, ...plan })
  const id = await makeReadyStore({ plan: slug })
  const start = new Date("2026-12-01T10:00:00Z")
  const end = later(start, 14 * DAY)
  await setSubscription(id, { createdAt: start, updatedAt: start, trialEndsAt: end })
  await forgetHistory()
  return { id, start, end }
}

/** Runs the clock every hour from one moment to another, as the cron does, and answers what it did. */
async function everyHour(from: Date, until: Date) {
  const runs = []
  for (let now = from; now <= until; now = later(now, HOUR)) {
    const did = await clockAt(now)
    if (did.stores) runs.push(did)
  }
  return runs
}

describe("a trial", () => {
  test("is reminded of on each of the days, each once, with the days left", async () => {
    const { id, end } = await onTrial()
    await everyHour(later(end, -8 * DAY), later(end, -HOUR))
    const told = await payloadsOf(id)
    expect(told.map((event) => [event.type, event.data.trial, event.meta.actor.type, event.created_at])).toEqual(
      [7, 3, 1].map((day) => [
        "subscription.trial_ending",
        { ends_at: timestamp(end), days_left: day },
        "system",
        timestamp(later(end, -day * DAY)),
      ]),
    )
    expect((await toldOf(id)).trail).toEqual(["trial_ending", "trial_ending", "trial_ending"])
    const mails = await sentMails()
    expect(mails.map((mail) => [mail.to, mail.subject])).toEqual(
      [7, 3, 1].map(() => ["owner@example.com", "Your trial of A store ends on December 15, 2026"]),
    )
    expect(mails[1]?.text).toContain("Days left: 3.")
    expect(mails[1]?.text).toContain(`https://${id}.localhost/billing`)
    expect(mails[1]?.html).toContain(`href="https://${id}.localhost/billing"`)
  })

  test("is reminded of by the nearest only when the run comes late, and never after its end", async () => {
    const { id, end } = await onTrial()
    await clockAt(later(end, -2 * DAY))
    expect((await payloadsOf(id)).map((event) => event.data.trial.days_left)).toEqual([2])
    await clockAt(later(end, -2 * DAY + HOUR))
    expect(await payloadsOf(id)).toHaveLength(1)
    await forgetHistory()
    await clockAt(end)
    expect((await toldOf(id)).events).toEqual(["subscription.suspended"])
  })

  test("that is shorter than a reminder's days has none of it; one that is extended repeats none", async () => {
    const { id, end } = await onTrial()
    await setSubscription(id, { createdAt: later(end, -5 * DAY) })
    await clockAt(later(end, -5 * DAY + HOUR))
    expect(await payloadsOf(id)).toEqual([])
    await clockAt(later(end, -3 * DAY))
    await setSubscription(id, { trialEndsAt: later(end, 10 * DAY) })
    await everyHour(later(end, 10 * DAY - 4 * DAY), later(end, 10 * DAY - HOUR))
    expect((await payloadsOf(id)).map((event) => event.data.trial.days_left)).toEqual([3, 1])
  })

  test("of a free plan converts without a period; of a paid one it ends the store, at the second and not before", async () => {
    const free = await onTrial({ price_cents: 0 })
    const paid = await onTrial()
    await clockAt(later(free.end, -HOUR))
    await forgetHistory()
    expect(await clockAt(later(free.end, -1000))).toMatchObject({ stores: 0 })
    expect(await clockAt(free.end)).toEqual({
      at: timestamp(free.end),
      stores: 2,
      reminded: 0,
      activated: 1,
      past_due: 0,
      suspended: 1,
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
      subscription: { status: "suspended", suspended_at: timestamp(paid.end) },
    })
    expect((await toldOf(free.id)).events).toEqual(["subscription.activated"])
    const [event] = await payloadsOf(paid.id)
    expect(event).toMatchObject({
      type: "subscription.suspended",
      meta: { actor: { type: "system" }, log: { type: "suspended", data: { reason: "trial_expired" } } },
    })
    expect(await clockAt(later(free.end, 400 * DAY))).toMatchObject({ stores: 0 })
  })
})

describe("a period", () => {
  test("that ends unpaid is past due since its end, and ends the store when the grace is over; the owner is told on each day", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const id = await makeSubscribed({ currentPeriodEndsAt: end, updatedAt: new Date("2026-12-31T12:00:00Z") })
    await forgetHistory()
    await everyHour(later(end, -DAY), later(end, 15 * DAY))
    expect(await toldOf(id)).toEqual({
      events: ["subscription.past_due", "subscription.suspended"],
      trail: ["past_due", "payment_reminded", "payment_reminded", "payment_reminded", "suspended"],
      mails: ["past_due", "past_due", "past_due", "suspended"],
    })
    expect(await read(id)).toMatchObject({
      status: "suspended",
      subscription: {
        status: "suspended",
        past_due_since: timestamp(end),
        suspended_at: timestamp(later(end, 14 * DAY)),
      },
    })
    const mails = await sentMails()
    expect(mails[0]?.text).toContain("goes offline on February 14, 2027")
    expect(mails[3]?.subject).toBe("A store is offline: a payment is missing")
  })

  test("of a free plan never ends, and one that the provider bills is left to its messages, grace excepted", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const { slug } = await makePlan({ price_cents: 0 })
    const free = await makeReadyStore({ plan: slug })
    const carded = await makeSubscribed({ provider: "stripe", currentPeriodEndsAt: end })
    const trialing = await makeSubscribed({ provider: "stripe", status: "trialing", trialEndsAt: end })
    for (const id of [free, carded, trialing]) await setSubscription(id, { currentPeriodEndsAt: end })
    expect(await clockAt(later(end, 60 * DAY))).toMatchObject({ stores: 0 })
    await setSubscription(carded, { status: "past_due", pastDueSince: end })
    expect(await clockAt(later(end, 14 * DAY))).toMatchObject({ stores: 1, suspended: 1 })
  })
})

describe("the retention", () => {
  test("is warned of once and then ends the store, with its data, for the reason retention", async () => {
    const id = await makeSubscribed()
    await act(id, "cancel")
    const cancelledAt = new Date((await read(id)).subscription.cancelled_at)
    await forgetHistory()
    await clockAt(later(cancelledAt, 22 * DAY))
    expect((await toldOf(id)).trail).toEqual([])
    await clockAt(later(cancelledAt, 24 * DAY))
    await clockAt(later(cancelledAt, 25 * DAY))
    expect((await toldOf(id)).trail).toEqual(["purge_announced"])
    expect(await clockAt(later(cancelledAt, 31 * DAY))).toMatchObject({ stores: 1, purged: 1 })
    expect((await platform("GET", `/stores/${id}`, { token })).status).toBe(404)
    const [event] = await payloadsOf(id)
    expect(event).toMatchObject({ type: "store.deleted", meta: { reason: "retention", actor: { type: "system" } } })
    expect(await rows("select store_id from purges")).toEqual([{ store_id: id }])
  })

  test("a store that is reactivated meanwhile lives, and is warned again the next time", async () => {
    const id = await makeSubscribed()
    await act(id, "cancel")
    await clockAt(later(new Date(), 24 * DAY))
    await act(id, "reactivate")
    expect(await clockAt(later(new Date(), 10 * DAY))).toMatchObject({ purged: 0 })
    await act(id, "cancel")
    await clockAt(later(new Date(), 24 * DAY))
    expect((await toldOf(id)).mails.filter((kind) => kind === "purge_ahead")).toHaveLength(2)
  })
})

test("a platform that slept for months catches up in one run: every event in its order, at the moment of the run", async () => {
  const end = new Date("2027-01-31T12:00:00Z")
  const id = await makeSubscribed({ currentPeriodEndsAt: end })
  await forgetHistory()
  const woke = later(end, 90 * DAY)
  expect(await clockAt(woke)).toMatchObject({ stores: 1, past_due: 1, suspended: 1 })
  const told = await payloadsOf(id)
  expect(told.map((event) => [event.type, event.created_at])).toEqual([
    ["subscription.past_due", timestamp(woke)],
    ["subscription.suspended", timestamp(woke)],
  ])
  // Nobody is told of a day of suspension that is past.
  expect((await toldOf(id)).mails.filter((kind) => kind === "past_due")).toEqual([])
})

test("a life of years: trial, reminders, suspension, payment, dunning, cancellation, reactivation, cancellation, purge", async () => {
  const { id, end } = await onTrial()
  await everyHour(later(end, -8 * DAY), end)
  const plan = (await read(id)).subscription.plan.slug
  vi.useFakeTimers({ toFake: ["Date"], now: later(end, 2 * DAY) })
  token = await makeKey()
  await act(id, "assign", { plan, trial_days: 0 })
  const period = new Date((await read(id)).subscription.current_period_ends_at)
  expect(period.toISOString()).toBe("2027-01-17T10:00:00.000Z")
  await everyHour(later(period, -HOUR), later(period, 4 * DAY))
  vi.setSystemTime(later(period, 5 * DAY))
  await act(id, "extend", { days: 31 })
  const leap = new Date((await read(id)).subscription.current_period_ends_at)
  await clockAt(later(leap, 20 * DAY))
  vi.setSystemTime(later(leap, 21 * DAY))
  await act(id, "reactivate")
  await act(id, "cancel")
  await act(id, "reactivate")
  await act(id, "cancel")
  await everyHour(later(leap, 43 * DAY), later(leap, 52 * DAY))
  const told = await toldOf(id)
  expect(told.events).toEqual([
    ...["trial_ending", "trial_ending", "trial_ending", "suspended", "assigned", "past_due", "extended"].map(sub),
    ...["past_due", "suspended", "reactivated"].map(sub),
    "store.cancelled",
    sub("cancelled"),
    sub("reactivated"),
    "store.cancelled",
    sub("cancelled"),
    "store.deleted",
  ])
  expect(told.trail).toEqual([
    ...["trial_ending", "trial_ending", "trial_ending", "suspended", "assigned", "past_due"],
    ...["payment_reminded", "payment_reminded", "extended", "past_due", "suspended", "reactivated", "cancelled"],
    ...["reactivated", "cancelled", "purge_announced", "store_deleted"],
  ])
  expect(told.mails).toEqual([
    ...["trial_ending", "trial_ending", "trial_ending", "suspended_trial", "past_due", "past_due", "suspended"],
    ...["cancelled", "purge_ahead"],
  ])
})

const sub = (type: string) => `subscription.${type}`

describe("runs", () => {
  test("two at once, and one that was repeated, take every step once", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await makeSubscribed({ currentPeriodEndsAt: end }))
    await forgetHistory()
    const now = later(end, HOUR)
    const both = await Promise.all([clockAt(now), clockAt(now), clockAt(now)])
    expect(both.reduce((sum, did) => sum + did.past_due, 0)).toBe(5)
    for (const id of ids) expect((await toldOf(id)).events).toEqual(["subscription.past_due"])
    expect(await clockAt(now)).toMatchObject({ stores: 0 })
  })

  test("a payment in the moment of the suspension wins or loses whole", async () => {
    for (let n = 0; n < 4; n++) {
      const end = later(new Date(), -15 * DAY)
      const id = await makeSubscribed({ status: "past_due", pastDueSince: end, currentPeriodEndsAt: end })
      await forgetHistory()
      const [, answer] = await Promise.all([clockAt(new Date(Date.now() + 1000)), act(id, "extend", { days: 30 })])
      const { events } = await toldOf(id)
      const { status, subscription } = await read(id)
      expect([answer.status, status, subscription.status, events]).toEqual(
        answer.status === 200
          ? [200, "ready", "active", ["subscription.extended"]]
          : [409, "suspended", "suspended", ["subscription.suspended"]],
      )
    }
  })

  test("an order that is approved in the moment of the suspension opens the store, whichever was first", async () => {
    await operate("offline:settings", { enabled: true })
    for (let n = 0; n < 4; n++) {
      const end = later(new Date(), -15 * DAY)
      const id = await makeSubscribed({ status: "past_due", pastDueSince: end, currentPeriodEndsAt: end })
      const plan = (await read(id)).subscription.plan.slug
      const { reference } = (await operate("orders:request", { store: id, plan })).body.data
      await forgetHistory()
      const [, answer] = await Promise.all([
        clockAt(new Date(Date.now() + 1000)),
        operate("orders:approve", { reference }),
      ])
      const { events } = await toldOf(id)
      const { status, subscription } = await read(id)
      const before = events.includes("subscription.suspended") ? ["subscription.suspended"] : []
      expect([answer.status, status, subscription.status, subscription.past_due_since, events]).toEqual([
        ...[200, "ready", "active", null],
        [...before, "order.paid", before.length ? "subscription.assigned" : "subscription.activated"],
      ])
    }
  })

  test("a store that fails stops nobody, and is tried again", async () => {
    const end = new Date("2027-01-31T12:00:00Z")
    const [bad, good] = [await makeSubscribed({ currentPeriodEndsAt: end }), await makeSubscribed()]
    await setSubscription(good, { currentPeriodEndsAt: end })
    await env.DB.prepare(
      `create trigger poison before update on stores when old.id = '${bad}' begin select raise(abort, 'poisoned'); end`,
    ).run()
    expect(await clockAt(later(end, HOUR))).toMatchObject({ past_due: 1 })
    expect((await read(good)).subscription.status).toBe("past_due")
    await env.DB.exec("drop trigger poison")
    expect(await clockAt(later(end, HOUR))).toMatchObject({ past_due: 1 })
  })

  test("a run hands on what is more than one invocation should do, and the queue goes on at the same moment", async () => {
    const id = await makeSubscribed({ currentPeriodEndsAt: new Date(Date.now() - HOUR) })
    await setSubscription(id, { updatedAt: later(new Date(), -DAY) })
    const moment = Date.now()
    await run((ctx) => continueBilling(ctx, { after: 10_000, at: moment }))
    expect((await read(id)).subscription.status).toBe("active")
    await run((ctx) => startBilling(ctx))
    expect((await read(id)).subscription.status).toBe("past_due")
  })
})

describe("billing:run", () => {
  test("answers what it did; another moment is forbidden without the test clock", async () => {
    const end = later(new Date(), 10 * DAY)
    const id = await makeSubscribed({ currentPeriodEndsAt: end })
    const at = timestamp(later(end, DAY))
    const refused = await operate("billing:run", { at })
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"])
    expect((await operate("billing:run")).body.data).toMatchObject({ stores: 0 })
    const answer = await operate("billing:run", { at, store: id }, TEST_CLOCK)
    expect(answer.body.data).toEqual({
      ...{ at, stores: 1, reminded: 0, activated: 0, past_due: 1, suspended: 0, warned: 0, purged: 0 },
    })
    expect((await read(id)).subscription).toMatchObject({ status: "past_due", updated_at: at })
  })

  test("at the second that an answer or a dry run names, what is due in it is done", async () => {
    const end = new Date("2027-03-31T12:00:00.789Z")
    const id = await makeSubscribed({ currentPeriodEndsAt: end })
    const { current_period_ends_at: at } = (await read(id)).subscription
    const before = timestamp(later(end, -1000))
    expect((await operate("billing:run", { at: before, store: id }, TEST_CLOCK)).body.data).toMatchObject({
      past_due: 0,
    })
    const [{ steps }] = (await operate("billing:run", { at, store: id, "dry-run": true })).body.data
    expect(steps).toEqual([
      { step: "past_due", due_at: at },
      { step: "dunned", due_at: at },
    ])
    expect((await operate("billing:run", { at, store: id }, TEST_CLOCK)).body.data).toMatchObject({ at, past_due: 1 })
  })

  test("a moment before the last change is clock_behind for one store, and leaves it out for all", async () => {
    const end = later(new Date(), 10 * DAY)
    const id = await makeSubscribed({ currentPeriodEndsAt: end })
    await operate("billing:run", { at: timestamp(later(end, 5 * DAY)) }, TEST_CLOCK)
    const back = timestamp(later(end, 4 * DAY))
    const answer = await operate("billing:run", { at: back, store: id }, TEST_CLOCK)
    expect([answer.status, answer.body.error.code]).toEqual([409, "clock_behind"])
    expect((await operate("billing:run", { at: back }, TEST_CLOCK)).body.data).toMatchObject({ stores: 0 })
    expect((await operate("billing:run", { store: "nobody" })).body.error.code).toBe("not_found")
    for (const wrong of ["tomorrow", "2027-01-31", ""]) {
      expect((await operate("billing:run", { at: wrong }, TEST_CLOCK)).status).toBe(422)
    }
  })

  test("--dry-run answers the steps store by store, writes nothing, and needs no test clock", async () => {
    const end = new Date("2027-03-31T12:00:00Z")
    const id = await makeSubscribed({ currentPeriodEndsAt: end })
    const idle = await makeSubscribed()
    await forgetHistory()
    const before = await rows("select status, updated_at from subscriptions")
    const at = timestamp(later(end, 20 * DAY))
    const expected = [
      { step: "past_due", due_at: timestamp(end) },
      { step: "suspended", due_at: timestamp(later(end, 14 * DAY)) },
    ]
    await setSubscription(idle, { currentPeriodEndsAt: later(end, 90 * DAY) })
    expect((await operate("billing:run", { at, "dry-run": true })).body.data).toEqual([{ store: id, steps: expected }])
    expect((await operate("billing:run", { at, store: idle, "dry-run": "true" })).body.data).toEqual([
      { store: idle, steps: [] },
    ])
    expect(await rows("select status, updated_at from subscriptions")).toEqual(before)
    expect(await toldOf(id)).toMatchObject({ events: [], trail: [] })
    expect((await read(id)).subscription.status).toBe("active")
  })
})

describe("mails", () => {
  test("go out once, whoever sends them at once; one that fails is tried again later", async () => {
    const id = await makeSubscribed()
    await forgetHistory()
    await act(id, "cancel")
    const send = vi.mocked(env.MAIL.send).mockRejectedValueOnce(new Error("mail service down"))
    await run((ctx) => sendWaitingMails(ctx))
    expect(send).toHaveBeenCalledTimes(1)
    await run((ctx) => sendWaitingMails(ctx))
    expect(send).toHaveBeenCalledTimes(1)
    const soon = later(new Date(), HOUR)
    send.mockResolvedValue({ messageId: "1" } as never)
    await Promise.all([1, 2, 3].map(() => run((ctx) => sendWaitingMails(ctx), { now: soon })))
    expect(send).toHaveBeenCalledTimes(2)
    expect(await rows("select attempts, due_at from mails")).toEqual([{ attempts: 2, due_at: null }])
  })

  test("of a run that dies are sent by another once its lease is over, and no mail kills runs for ever", async () => {
    const id = await makeSubscribed()
    await forgetHistory()
    await act(id, "cancel")
    const send = vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    let now = new Date()
    for (let died = 1; died <= 6; died++) {
      const faults = failTrips(() => (send.mock.calls.length >= died ? "before" : null))
      await expect(run((ctx) => sendWaitingMails(ctx), { now })).rejects.toThrow()
      faults.mockRestore()
      await run((ctx) => sendWaitingMails(ctx), { now: later(now, 14 * MINUTE) })
      expect(send).toHaveBeenCalledTimes(died)
      now = later(now, 16 * MINUTE)
    }
    await run((ctx) => sendWaitingMails(ctx), { now })
    expect(send).toHaveBeenCalledTimes(6)
    expect(await rows("select due_at, sent_at from mails")).toEqual([{ due_at: null, sent_at: null }])
  })

  test("tell an owner that the store is open, where it is, and how to get in", async () => {
    const id = await makeReadyStore()
    const [mail] = await sentMails()
    expect(mail).toMatchObject({ to: "owner@example.com", subject: "Your store A store is open" })
    expect(mail?.text).toContain(`https://${id}.localhost/`)
  })

  test("are in the language of the store's settings", async () => {
    const id = await makeSubscribed()
    await operate("site:settings", { site: id, language: "fr" })
    await forgetHistory()
    await act(id, "cancel")
    const [mail] = await sentMails()
    expect(mail?.subject).toBe("L'abonnement de A store est résilié")
    expect(mail?.html).toContain('lang="fr"')
  })
})

test("the hourly cron runs the clock, whatever the settings of the test clock", async () => {
  const id = await makeSubscribed({ currentPeriodEndsAt: later(new Date(), -HOUR) })
  await setSubscription(id, { updatedAt: later(new Date(), -DAY) })
  const { cron } = await import("../support/app")
  await cron("7 * * * *", { env: withSettings({ TENANCY_TEST_CLOCK: "false" }) })
  expect((await read(id)).subscription.status).toBe("past_due")
  await run((ctx) => runBilling(ctx, {}))
})
