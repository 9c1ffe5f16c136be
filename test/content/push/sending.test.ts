// Push to devices: how the provider's responses affect the device and the notification.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import guide from "../../../docs/guides/push-notifications.md?raw"
import { deliverDueNotifications } from "../../../src/content/notifications/deliver"
import { consume, run, sendOperatorCommand } from "../../support/app"
import { content, makeUser } from "../../support/content-factories"
import { failEveryOther } from "../../support/faults"
import { Occurrences } from "../../support/occurrences"
import { deviceRows, drainPushQueue, makeDevices, sendAndDrain, setUpPush, takeQueued } from "../../support/push"
import { siteRows } from "../../support/rows"
import { skipTimeouts } from "../../support/timers"

const failuresOf = (shown: { failures: { reason: string; devices: number }[] }) =>
  Object.fromEntries(shown.failures.map(({ reason, devices }) => [reason, devices]))

describe("outcomes", () => {
  test("sends one message to each device with the data that the app needs", async () => {
    const provider = await setUpPush()
    const ada = await makeUser()
    await makeDevices(["phone-ada", "phone-nobody"], { users: [ada.id, null] })
    const { shown } = await sendAndDrain({
      type: "order",
      "action-url": "https://example.com/o",
      "image-url": "https://example.com/i.png",
    })
    expect(shown).toMatchObject({
      status: "sent",
      devices: 2,
      sent: 2,
      failed: 0,
      recipients: 1,
      push: null,
      reason: null,
      failures: [],
    })
    const [inbox] = (await content("GET", "/notifications", { token: ada.token })).body.data
    const tag = String(shown.id)
    expect(provider.accepted.find(({ token }) => token === "phone-ada")).toEqual({
      token: "phone-ada",
      notification: { title: "Sale", body: "Today only", image: "https://example.com/i.png" },
      data: {
        notification_id: tag,
        recipient_id: String(inbox.id),
        type: "order",
        action_url: "https://example.com/o",
      },
      android: { notification: { tag } },
      apns: { headers: { "apns-collapse-id": tag } },
    })
    expect(provider.accepted.find(({ token }) => token === "phone-nobody")?.data).toEqual({
      notification_id: tag,
      type: "order",
      action_url: "https://example.com/o",
    })
    expect(provider.issuedTokens).toBe(1)
    expect(await siteRows("select * from push_claims")).toEqual([])
  })

  test("sends the message that the guide shows", async () => {
    const [, example = ""] = /^```json\n(.*?)^```$/ms.exec(guide) ?? []
    const { token, notification, data } = JSON.parse(example)
    const provider = await setUpPush()
    const ada = await makeUser()
    await makeDevices([token], { users: [ada.id] })
    const { shown } = await sendAndDrain({
      title: notification.title,
      message: notification.body,
      "image-url": notification.image,
      type: data.type,
      "action-url": data.action_url,
    })
    const [inbox] = (await content("GET", "/notifications", { token: ada.token })).body.data
    // The guide's ids differ from those of the test.
    const expected = example
      .replaceAll(`"${data.notification_id}"`, `"${shown.id}"`)
      .replace(`"${data.recipient_id}"`, `"${inbox.id}"`)
    expect(provider.accepted).toEqual([JSON.parse(expected)])
    const { body } = await content("POST", `/notifications/${inbox.id}/clicked`, { token: ada.token })
    expect(body.data).toMatchObject({ is_clicked: true, action_url: data.action_url })
  })

  test("adds what apps of the PHP platform read, in the legacy format of a site", async () => {
    const provider = await setUpPush()
    await sendOperatorCommand("site:settings", { "notification-format": "legacy" })
    await makeDevices(["phone"])
    const { shown } = await sendAndDrain({
      title: "Sale",
      message: "Today only",
      "image-url": "https://example.com/i.png",
      "action-url": "https://example.com/o",
    })
    const tag = String(shown.id)
    expect(provider.accepted).toEqual([
      {
        token: "phone",
        notification: { title: "Sale", body: "Today only", image: "https://example.com/i.png" },
        data: {
          notification_id: tag,
          type: "general",
          action_url: "https://example.com/o",
          title: "Sale",
          message: "Today only",
          image_url: "https://example.com/i.png",
          sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
        android: {
          priority: "high",
          notification: { tag, sound: "default", click_action: "https://example.com/o" },
        },
        apns: {
          headers: { "apns-collapse-id": tag },
          payload: {
            aps: {
              alert: { title: "Sale", body: "Today only" },
              sound: "default",
              badge: 1,
              category: "OPEN_URL",
            },
          },
        },
      },
    ])
    await sendAndDrain({ title: "Plain", message: "No links" })
    const plain = provider.accepted[1] as { data: object; android: object; apns: object }
    expect(plain.data).toMatchObject({ action_url: "", image_url: "" })
    expect(plain.android).toMatchObject({ notification: { sound: "default" } })
    expect(JSON.stringify(plain)).not.toMatch(/click_action|category/)
  })

  test("counts failures by reason, deletes dead devices and deactivates devices of another project", async () => {
    await setUpPush()
    await makeDevices([
      "fine-1",
      "unregistered-1",
      "unknown-1",
      "invalid-1",
      "refused-1",
      "foreign-1",
      "apns-1",
      "page-1",
      "expired-1",
      "fine-2",
    ])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", devices: 10, sent: 2, failed: 8 })
    expect(failuresOf(shown)).toEqual({
      unregistered: 2,
      invalid_token: 2,
      sender_mismatch: 1,
      apns_key: 1,
      unexpected: 1,
      unauthorized: 1,
    })
    expect(await deviceRows()).toEqual([
      { token: "fine-1", is_active: 1 },
      { token: "foreign-1", is_active: 0 },
      { token: "apns-1", is_active: 1 },
      { token: "page-1", is_active: 1 },
      { token: "expired-1", is_active: 1 },
      { token: "fine-2", is_active: 1 },
    ])
  })

  test("skips devices of users who switched push off, and devices of unknown platform for platform targets", async () => {
    const provider = await setUpPush()
    const [ada, bob, staff] = [await makeUser(), await makeUser(), await makeUser("central", { isStaff: true })]
    await content("PUT", "/settings", { token: bob.token, json: { notification_enabled: false } })
    await makeDevices(["ada", "bob", "staff", "nobody"], { users: [ada.id, bob.id, staff.id, null] })
    await makeDevices(["ios"], { platform: "ios" })
    const count = async (target: string) => (await sendOperatorCommand("notifications:audience", { target })).body.data
    expect(await count("all")).toEqual({ site: "central", target: "all", devices: 4, recipients: 3 })
    expect(await count("customers")).toMatchObject({ devices: 1, recipients: 2 })
    expect(await count("android")).toMatchObject({ devices: 0 })
    const { shown } = await sendAndDrain({ target: "customers" })
    expect(shown).toMatchObject({ devices: 1, sent: 1, recipients: 2 })
    expect((await sendAndDrain({ target: "ios" })).shown).toMatchObject({ devices: 1, sent: 1, recipients: 0 })
    expect((await sendAndDrain({ target: "android" })).shown).toMatchObject({ status: "sent", devices: 0, sent: 0 })
    expect(provider.accepted.map(({ token }) => token)).toEqual(["ada", "ios"])
  })

  test("counts devices deleted before their turn as failed, and ignores devices added after the start", async () => {
    await setUpPush()
    const ids = await makeDevices(Array.from({ length: 30 }, (_, n) => `d${n}`))
    const { body } = await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    await env.SITES_1.prepare("delete from device_tokens where id = ?").bind(ids[29]).run()
    await makeDevices(["latecomer"])
    await drainPushQueue()
    const shown = (await sendOperatorCommand("notifications:show", { id: body.data.id })).body.data
    expect(shown).toMatchObject({ status: "sent", devices: 30, sent: 29, failed: 1 })
    expect(failuresOf(shown)).toEqual({ gone: 1 })
  })
})

describe("an invalid message", () => {
  const tokens = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)

  test("stops at the first device and deletes none when the provider rejects a field of the message", async () => {
    const provider = await setUpPush()
    await makeDevices(tokens("field", 30))
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({
      status: "failed",
      sent: 0,
      failed: 0,
      reason: expect.stringContaining("message.notification.image"),
    })
    expect(provider.asked.size).toBe(1)
    expect(await deviceRows()).toHaveLength(30)
  })

  test("fails and deletes no device when the first 20 devices are refused", async () => {
    const provider = await setUpPush()
    await makeDevices([...tokens("refused", 10), ...tokens("invalid", 30)])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "failed", failed: 20, reason: expect.stringMatching(/first 20 devices/) })
    expect(provider.asked.size).toBe(20)
    expect(await deviceRows()).toHaveLength(40)
    expect(await siteRows("select * from push_claims")).toEqual([])
  })

  test("deletes refused devices once one of the first 20 proves that the message is valid", async () => {
    await setUpPush()
    await makeDevices([...tokens("invalid", 19), "fine", ...tokens("refused", 21), "fine-2"])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", sent: 2, failed: 40 })
    expect(await deviceRows()).toEqual([
      { token: "fine", is_active: 1 },
      { token: "fine-2", is_active: 1 },
    ])
  })

  test("counts devices as failed without deleting them when all of fewer than 20 are refused", async () => {
    await setUpPush()
    await makeDevices(tokens("invalid", 5))
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", sent: 0, failed: 5 })
    expect(await deviceRows()).toHaveLength(5)
  })

  test("does not delete a device that replaced its token in the meantime", async () => {
    const provider = await setUpPush()
    const [, id] = await makeDevices(["fine", "unregistered-1"])
    provider.message = async ({ token }) => {
      if (token === "unregistered-1")
        await env.SITES_1.prepare("update device_tokens set token = 'new' where id = ?").bind(id).run()
      return undefined
    }
    await sendAndDrain()
    expect(await deviceRows()).toEqual([
      { token: "fine", is_active: 1 },
      { token: "new", is_active: 1 },
    ])
  })
})

describe("the token endpoint", () => {
  test.each([
    ["has a private address", () => ["203.0.114.1", "10.0.0.7"]],
    ["does not resolve", 2],
  ])("gets no request when its host %s, like one that is unreachable", async (_, dns) => {
    const provider = await setUpPush("central", dns)
    await makeDevices(["a"])
    const { shown, delayed } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sending", sent: 0, failed: 0 })
    expect(delayed.length).toBeGreaterThan(0)
    expect([provider.issuedTokens, provider.asked.size]).toEqual([0, 0])
  })
})

describe("an invalid account", () => {
  test("fails with an explanation when the provider rejects the service account", async () => {
    const provider = await setUpPush()
    provider.overrideToken = () =>
      Response.json({ error: "invalid_grant", error_description: "Account was deleted." }, { status: 400 })
    await makeDevices(["a", "b", "c"])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "failed", devices: 3, sent: 0, failed: 0 })
    expect(shown.reason).toBe(
      "The push provider does not accept this site's service account. Create a new key for it and save it with push:settings. (invalid_grant: Account was deleted.)",
    )
    expect(provider.asked.size).toBe(0)
    expect((await sendOperatorCommand("push:check")).body.data).toEqual({ ok: false, reason: shown.reason })
  })

  test("fails when the service account may not send for its project", async () => {
    const provider = await setUpPush()
    await makeDevices(["denied-1", "denied-2"])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("may not send messages for its project"),
    })
    expect(provider.asked.size).toBe(1)
    expect(await deviceRows()).toHaveLength(2)
  })

  test("fails when the private key was encrypted with another APP_KEY", async () => {
    await setUpPush()
    await env.SITES_1.prepare("update push_accounts set private_key = 'v1.AA.AA'").run()
    await makeDevices(["a"])
    expect((await sendAndDrain()).shown).toMatchObject({ status: "failed", reason: expect.stringContaining("APP_KEY") })
  })

  test("fails when push is switched off while the notification is being sent", async () => {
    await setUpPush()
    await makeDevices(["a"])
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    await sendOperatorCommand("push:settings", { enabled: false })
    await drainPushQueue()
    const [{ status }] = (await sendOperatorCommand("notifications:list")).body.data
    expect(status).toBe("failed")
  })

  test("requests one new access token for all devices when the current one is rejected", async () => {
    const provider = await setUpPush()
    await makeDevices(Array.from({ length: 60 }, (_, n) => `d${n}`))
    await sendAndDrain()
    expect(provider.issuedTokens).toBe(1)
    provider.revokeTokens()
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", sent: 60, failed: 0 })
    expect(provider.issuedTokens).toBe(2)
  })
})

describe("a slow or failing provider", () => {
  const advance = (ms: number) => vi.setSystemTime(Date.now() + ms)

  test("retries a device after Retry-After or 10, 20, 40 … seconds, and sends to the others meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(["slow-1", "shaky-1", ...Array.from({ length: 40 }, (_, n) => `d${n}`)])
    const { shown, delayed } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sending", sent: 40, failed: 0 })
    expect(Math.min(...delayed.map(({ delay }) => delay))).toBe(11)
    await consume("tenancy-push", [delayed[0]?.body ?? never()])
    expect(provider.asked.get("shaky-1")).toBe(1)
    advance(10_500)
    await consume("tenancy-push", [delayed[0]?.body ?? never()])
    expect([provider.asked.get("shaky-1"), provider.asked.get("slow-1")]).toEqual([2, 1])
    const [next] = takeQueued()
    expect(next?.delay).toBeGreaterThan(15)
    advance(20_000)
    await consume("tenancy-push", [next?.body ?? never()])
    expect(await siteRows("select status, sent_count, failed_count from notifications")).toEqual([
      { status: "sent", sent_count: 42, failed_count: 0 },
    ])
  })

  test("stops retrying a device after six requests, also when only the cron runs", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(["fine", "down-1", "quota-1"])
    await sendAndDrain()
    for (let round = 0; round < 8; round++) {
      advance(400_000)
      await run((ctx) => deliverDueNotifications(ctx, "SITES_1"))
      await drainPushQueue()
    }
    expect([provider.asked.get("down-1"), provider.asked.get("quota-1"), provider.asked.get("fine")]).toEqual([6, 6, 1])
    const [row] = (await sendOperatorCommand("notifications:list")).body.data
    expect(row).toMatchObject({ status: "sent", sent: 1, failed: 2 })
    const { failures } = (await sendOperatorCommand("notifications:show", { id: row.id })).body.data
    expect(failures.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual(["slowed_down", "unavailable"])
    expect(await deviceRows()).toHaveLength(3)
  })

  test("pauses the push until Retry-After when the provider throttles every device", async () => {
    const provider = await setUpPush()
    await makeDevices(Array.from({ length: 200 }, (_, n) => `quota-${n}`))
    const { delayed } = await sendAndDrain()
    expect(provider.asked.size).toBe(21)
    expect(delayed.map(({ delay }) => delay)).toEqual([31])
  })

  test("times out after ten seconds, also at the token endpoint", async () => {
    const delays = skipTimeouts((ms) => ms === 10_000)
    const provider = await setUpPush()
    provider.overrideToken = () => new Promise(() => undefined)
    await makeDevices(["hangs-1", "d1"])
    await sendAndDrain()
    expect(delays).toContain(10_000)
    expect(provider.asked.size).toBe(0)
    expect(await siteRows("select status, failed_count from notifications")).toEqual([
      { status: "sending", failed_count: 0 },
    ])
    expect(await siteRows("select device_id from push_claims where run is null")).toHaveLength(2)
  })
})

describe("concurrency", () => {
  const tokens = Array.from({ length: 260 }, (_, n) => `d${n}`)

  test("sends to no device twice when messages are duplicated and batches run concurrently", async () => {
    const provider = await setUpPush()
    await makeDevices(tokens)
    const { body } = await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const runBatch = () => consume("tenancy-push", [message?.body ?? never()])
    await Promise.all([runBatch(), runBatch(), runBatch()])
    await Promise.all([
      drainPushQueue(),
      runBatch(),
      run((ctx) => deliverDueNotifications(ctx, "SITES_1")),
      run((ctx) => deliverDueNotifications(ctx, "SITES_1")),
    ])
    await runBatch()
    expect(Math.max(...provider.asked.values())).toBe(1)
    expect((await sendOperatorCommand("notifications:show", { id: body.data.id })).body.data).toMatchObject({
      status: "sent",
      sent: 260,
      failed: 0,
    })
  })

  test("sends to a single device until the message is proven, also when messages are duplicated", async () => {
    const provider = await setUpPush()
    await makeDevices(tokens.map((name) => `field-${name}`))
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const runBatch = () => consume("tenancy-push", [message?.body ?? never()])
    await Promise.all([runBatch(), runBatch(), runBatch()])
    await drainPushQueue()
    expect(provider.asked.size).toBe(1)
  })

  test("continues from the cron when the queue is down", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await setUpPush()
    await makeDevices(["a", "b"])
    vi.mocked(env.PUSH_QUEUE.send).mockRejectedValueOnce(new Error("the queue is down"))
    expect((await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })).body.data.status).toBe(
      "sending",
    )
    vi.setSystemTime(Date.now() + 130_000)
    await run((ctx) => deliverDueNotifications(ctx, "SITES_1"))
    await drainPushQueue()
    expect(await siteRows("select status, sent_count from notifications")).toEqual([{ status: "sent", sent_count: 2 }])
  })

  test("deletes postponed claims of other batches when one batch ends the notification", async () => {
    const provider = await setUpPush()
    await makeDevices(["fine", "quota-1", "quota-2", ...tokens])
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    let ended = false
    provider.message = async ({ token }) => {
      if (token === "quota-1" && !ended) {
        ended = true
        await env.SITES_1.prepare("update notifications set status = 'failed'").run()
      }
      return undefined
    }
    await drainPushQueue()
    expect(ended).toBe(true)
    expect(await siteRows("select * from push_claims")).toEqual([])
  })

  test("claims the devices of a crashed batch again after its lease, and counts them once", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(tokens)
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const runBatch = () => consume("tenancy-push", [message?.body ?? never()])
    const batch = env.SITES_1.batch.bind(env.SITES_1)
    let batches = 0
    const crash = vi.spyOn(env.SITES_1, "batch").mockImplementation(async (statements) => {
      if (++batches > 3) throw new Error("D1_ERROR: network connection lost")
      return batch(statements)
    })
    await runBatch()
    crash.mockRestore()
    expect(provider.asked.size).toBeGreaterThan(20)
    takeQueued()
    await runBatch()
    await drainPushQueue()
    const settled = await siteRows("select status, sent_count from notifications")
    expect(settled).toEqual([
      { status: "sending", sent_count: 260 - (await siteRows("select 1 from push_claims")).length },
    ])
    vi.setSystemTime(Date.now() + 130_000)
    await Promise.all([
      run((ctx) => deliverDueNotifications(ctx, "SITES_1")),
      run((ctx) => deliverDueNotifications(ctx, "SITES_1")),
    ])
    await drainPushQueue()
    expect(await siteRows("select status, sent_count, failed_count from notifications")).toEqual([
      { status: "sent", sent_count: 260, failed_count: 0 },
    ])
    expect(provider.asked.size).toBe(260)
    expect(Math.max(...provider.asked.values())).toBe(2)
  })

  test.each(["before", "after"] as const)(
    "sends to no device twice when every other write fails %s taking effect",
    async (fault) => {
      const provider = await setUpPush()
      await makeDevices(tokens)
      const { body } = await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
      const faults = failEveryOther('"push_claims"', fault)
      await drainPushQueue()
      faults.mockRestore()
      expect(Math.max(...provider.asked.values())).toBe(1)
      expect((await sendOperatorCommand("notifications:show", { id: body.data.id })).body.data).toMatchObject({
        status: "sent",
        sent: 260,
        failed: 0,
      })
    },
  )

  test("skips devices whose lease could expire before they are settled, and sends to them after the lease", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(tokens.slice(0, 30))
    provider.message = ({ token }) => {
      if (token === "d9") vi.setSystemTime(Date.now() + 65_000)
      return undefined
    }
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    await drainPushQueue()
    expect(provider.asked.size).toBeLessThan(20)
    vi.setSystemTime(Date.now() + 130_000)
    await run((ctx) => deliverDueNotifications(ctx, "SITES_1"))
    await drainPushQueue()
    expect(await siteRows("select status, sent_count, failed_count from notifications")).toEqual([
      { status: "sent", sent_count: 30, failed_count: 0 },
    ])
    expect(Math.max(...provider.asked.values())).toBe(1)
  })

  test("does not settle claims that another batch took over after the lease", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(["first", "second"])
    await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const runBatch = () => consume("tenancy-push", [message?.body ?? never()])
    let release = () => {}
    const blocked = new Promise<void>((resolve) => (release = resolve))
    const requests = new Occurrences()
    let isFirst = true
    provider.message = async () => {
      requests.record()
      if (!isFirst) return undefined
      isFirst = false
      await blocked
      return undefined
    }
    const stalled = runBatch()
    await requests.reached(1)
    vi.setSystemTime(Date.now() + 100_000)
    await runBatch()
    release()
    await stalled
    await drainPushQueue()
    expect(await siteRows("select status, sent_count, failed_count, devices from notifications")).toEqual([
      { status: "sent", sent_count: 2, failed_count: 0, devices: 2 },
    ])
  })
})

function never(): never {
  throw new Error("The queue contains no message")
}
