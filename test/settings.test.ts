// Settings of wrangler.toml whose value no other test changes: each of them decides what its line there says.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { DAY, HOUR, later } from "../src/lib/time"
import { confirmSignUp } from "../src/platform/signups/service"
import { call, isolate, platform, run, withSettings } from "./support/app"
import { clockAt, sentMails, toldOf } from "./support/billing-factories"
import { makeKey, makePlan } from "./support/factories"
import { drain, makeManyDevices, operate, sendAndDrain, setUpPush, takeQueued } from "./support/push"
import { forgetHistory, makeSubscribed, payloadsOf } from "./support/subscription-factories"

const set = (settings: Record<string, string>): void => {
  isolate.env = withSettings(settings)
}

describe("the billing clock goes by", () => {
  const start = new Date("2026-12-01T10:00:00Z")

  test("TENANCY_TRIAL_REMINDER_DAYS", async () => {
    set({ TENANCY_TRIAL_REMINDER_DAYS: "5" })
    const end = later(start, 14 * DAY)
    const id = await makeSubscribed({ status: "trialing", createdAt: start, updatedAt: start, trialEndsAt: end })
    await forgetHistory()
    for (let day = 0; day < 14; day++) await clockAt(later(start, day * DAY))
    expect((await payloadsOf(id)).map((event) => event.data.trial.days_left)).toEqual([5])
  })

  test("TENANCY_BILLING_GRACE_DAYS, which the platform's constants tell", async () => {
    set({ TENANCY_BILLING_GRACE_DAYS: "2" })
    const past = { pastDueSince: start, currentPeriodEndsAt: start, updatedAt: start }
    const id = await makeSubscribed({ status: "past_due", dunningDay: 14, ...past })
    await forgetHistory()
    await clockAt(later(start, 2 * DAY - HOUR))
    expect((await toldOf(id)).events).toEqual([])
    await clockAt(later(start, 2 * DAY))
    expect((await toldOf(id)).events).toEqual(["subscription.suspended"])
    const { body } = await platform("GET", "/platform", { token: await makeKey() })
    expect(body.data.grace_days).toBe(2)
  })

  test("TENANCY_RETENTION_DAYS and TENANCY_RETENTION_WARNING_DAYS", async () => {
    set({ TENANCY_RETENTION_DAYS: "10", TENANCY_RETENTION_WARNING_DAYS: "3" })
    const id = await makeSubscribed({ status: "cancelled", cancelledAt: start, updatedAt: start })
    await forgetHistory()
    await clockAt(later(start, 7 * DAY - HOUR))
    expect((await toldOf(id)).trail).toEqual([])
    await clockAt(later(start, 7 * DAY))
    expect((await toldOf(id)).trail).toEqual(["purge_announced"])
    await clockAt(later(start, 10 * DAY))
    expect((await toldOf(id)).events).toEqual(["store.deleted"])
  })
})

describe("a new store", () => {
  beforeEach(() => makePlan({ slug: "starter" }))

  const wish = { name: "Clay", subdomain: "clay", email: "clay@example.com", password: "correct-horse" }

  test("wears TENANCY_DEFAULT_THEME where it names none", async () => {
    set({ TENANCY_DEFAULT_THEME: "nocturne" })
    const { email: owner_email, ...store } = wish
    const token = await makeKey()
    await platform("POST", "/stores", { token, json: { ...store, owner_email } })
    expect((await platform("GET", "/stores/clay", { token })).body.data.theme).toBe("nocturne")
  })

  test("is made by a link that is good for TENANCY_SIGNUP_VERIFY_TTL_HOURS", async () => {
    set({ TENANCY_SIGNUP_VERIFY_TTL_HOURS: "2" })
    await call("POST", "/signup", { json: wish })
    const [mail] = await sentMails()
    const token = /\/signup\/confirm\?token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? ""
    expect(mail?.text).toContain("2 hours")
    const given = { token, password: "correct-horse", ip: "192.0.2.1" }
    expect(await run((ctx) => confirmSignUp(ctx, given), { now: later(new Date(), 2 * HOUR) })).toBeNull()
    expect(await run((ctx) => confirmSignUp(ctx, given), { now: later(new Date(), HOUR) })).toBe("clay")
  })
})

describe("a notification", () => {
  test("is sent by TENANCY_PUSH_LANES lanes at most", async () => {
    set({ TENANCY_PUSH_LANES: "2" })
    await setUpPush()
    await makeManyDevices(450)
    await operate("api:send-notification", { title: "t", message: "m" })
    const [first] = takeQueued()
    if (first) await env.PUSH_QUEUE.send(first.body)
    const { invocations } = await drain({ width: 1 })
    expect(invocations).toBe(2)
  })

  test("goes to FCM_BASE_URL", async () => {
    set({ FCM_BASE_URL: "https://elsewhere.example" })
    await setUpPush()
    await makeManyDevices(1)
    expect((await sendAndDrain()).shown).toMatchObject({ sent: 1 })
    const asked = vi.mocked(globalThis.fetch).mock.calls.map(([url]) => new URL(String(url)).origin)
    expect(asked).toEqual(["https://push.example.com", "https://elsewhere.example"])
  })
})
