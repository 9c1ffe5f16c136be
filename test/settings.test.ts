// The settings of wrangler.toml that no other test changes.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { addMs, DAY, HOUR } from "../src/lib/time"
import { confirmSignUp } from "../src/platform/signups/service"
import { call, isolate, platform, run, sendOperatorCommand, withSettings } from "./support/app"
import { collectSentMails, readHistory, runClockAt } from "./support/billing-factories"
import { makeKey, makePlan } from "./support/factories"
import { drainPushQueue, makeManyDevices, sendAndDrain, setUpPush, takeQueued } from "./support/push"
import { clearHistory, listEventPayloads, makeSubscribedStore } from "./support/subscription-factories"

const useSettings = (settings: Record<string, string>): void => {
  isolate.env = withSettings(settings)
}

describe("billing settings", () => {
  const start = new Date("2026-12-01T10:00:00Z")

  test("sends the trial reminder TENANCY_TRIAL_REMINDER_DAYS before the end", async () => {
    useSettings({ TENANCY_TRIAL_REMINDER_DAYS: "5" })
    const end = addMs(start, 14 * DAY)
    const id = await makeSubscribedStore({ status: "trialing", createdAt: start, updatedAt: start, trialEndsAt: end })
    await clearHistory()
    for (let day = 0; day < 14; day++) await runClockAt(addMs(start, day * DAY))
    expect((await listEventPayloads(id)).map((event) => event.data.trial.days_left)).toEqual([5])
  })

  test("suspends after TENANCY_BILLING_GRACE_DAYS, and publishes it in the platform's constants", async () => {
    useSettings({ TENANCY_BILLING_GRACE_DAYS: "2" })
    const pastDue = { pastDueSince: start, currentPeriodEndsAt: start, updatedAt: start }
    const id = await makeSubscribedStore({ status: "past_due", dunningDay: 14, ...pastDue })
    await clearHistory()
    await runClockAt(addMs(start, 2 * DAY - HOUR))
    expect((await readHistory(id)).events).toEqual([])
    await runClockAt(addMs(start, 2 * DAY))
    expect((await readHistory(id)).events).toEqual(["subscription.suspended"])
    const { body } = await platform("GET", "/platform", { token: await makeKey() })
    expect(body.data.grace_days).toBe(2)
  })

  test("announces the purge TENANCY_RETENTION_WARNING_DAYS before TENANCY_RETENTION_DAYS are over", async () => {
    useSettings({ TENANCY_RETENTION_DAYS: "10", TENANCY_RETENTION_WARNING_DAYS: "3" })
    const id = await makeSubscribedStore({ status: "cancelled", cancelledAt: start, updatedAt: start })
    await clearHistory()
    await runClockAt(addMs(start, 7 * DAY - HOUR))
    expect((await readHistory(id)).auditLog).toEqual([])
    await runClockAt(addMs(start, 7 * DAY))
    expect((await readHistory(id)).auditLog).toEqual(["purge_announced"])
    await runClockAt(addMs(start, 10 * DAY))
    expect((await readHistory(id)).events).toEqual(["store.deleted"])
  })
})

describe("store creation settings", () => {
  beforeEach(() => makePlan({ slug: "starter" }))

  const signup = { name: "Clay", subdomain: "clay", email: "clay@example.com", password: "correct-horse" }

  test("creates a store with TENANCY_DEFAULT_THEME unless it names a theme", async () => {
    useSettings({ TENANCY_DEFAULT_THEME: "nocturne" })
    const { email: owner_email, ...store } = signup
    const token = await makeKey()
    await platform("POST", "/stores", { token, json: { ...store, owner_email } })
    expect((await platform("GET", "/stores/clay", { token })).body.data.theme).toBe("nocturne")
  })

  test("accepts a sign-up link for TENANCY_SIGNUP_VERIFY_TTL_HOURS", async () => {
    useSettings({ TENANCY_SIGNUP_VERIFY_TTL_HOURS: "2" })
    await call("POST", "/signup", { json: signup })
    const [mail] = await collectSentMails()
    const token = /\/signup\/confirm\?token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? ""
    expect(mail?.text).toContain("2 hours")
    const confirmation = { token, password: "correct-horse", ip: "192.0.2.1" }
    expect(await run((ctx) => confirmSignUp(ctx, confirmation), { now: addMs(new Date(), 2 * HOUR) })).toBeNull()
    expect(await run((ctx) => confirmSignUp(ctx, confirmation), { now: addMs(new Date(), HOUR) })).toMatchObject({
      id: "clay",
    })
  })
})

describe("push settings", () => {
  test("sends a notification in at most TENANCY_PUSH_LANES lanes", async () => {
    useSettings({ TENANCY_PUSH_LANES: "2" })
    await setUpPush()
    await makeManyDevices(450)
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    const [first] = takeQueued()
    if (first) await env.PUSH_QUEUE.send(first.body)
    const { invocations } = await drainPushQueue({ width: 1 })
    expect(invocations).toBe(2)
  })

  test("sends notifications to FCM_BASE_URL", async () => {
    useSettings({ FCM_BASE_URL: "https://elsewhere.example" })
    await setUpPush()
    await makeManyDevices(1)
    expect((await sendAndDrain()).shown).toMatchObject({ sent: 1 })
    const origins = vi.mocked(globalThis.fetch).mock.calls.map(([url]) => new URL(String(url)).origin)
    const dns = "https://cloudflare-dns.com"
    expect(origins).toEqual([dns, dns, "https://push.example.com", "https://elsewhere.example"])
  })
})

describe("the location of Durable Objects", () => {
  const request = async () => platform("GET", "/platform", { token: await makeKey() })

  test("creates objects in the region DURABLE_OBJECT_LOCATION_HINT", async () => {
    const get = vi.spyOn(env.RATE_LIMIT, "get")
    await request()
    expect(get.mock.calls.map(([, options]) => options)).not.toContainEqual({ locationHint: "weur" })
    get.mockClear()
    useSettings({ DURABLE_OBJECT_LOCATION_HINT: "weur" })
    await request()
    expect(get.mock.calls.length).toBeGreaterThan(0)
    for (const [, options] of get.mock.calls) expect(options).toEqual({ locationHint: "weur" })
  })

  test("creates objects in the jurisdiction DURABLE_OBJECT_JURISDICTION", async () => {
    // The local runtime has no jurisdictions.
    const jurisdiction = vi.spyOn(env.RATE_LIMIT, "jurisdiction").mockReturnValue(env.RATE_LIMIT)
    await request()
    expect(jurisdiction).not.toHaveBeenCalled()
    useSettings({ DURABLE_OBJECT_JURISDICTION: "eu" })
    await request()
    expect(jurisdiction).toHaveBeenCalledWith("eu")
  })
})
