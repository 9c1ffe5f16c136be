// Sending to devices: what each answer of the provider makes of a device and of the notification.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { deliverDue } from "../../../src/content/notifications/deliver"
import { consume, run } from "../../support/app"
import { content, makeUser } from "../../support/content-factories"
import { deviceRows, drain, makeDevices, operate, sendAndDrain, setUpPush, takeQueued } from "../../support/push"
import { siteRows } from "../../support/rows"

const failuresOf = (shown: { failures: { reason: string; devices: number }[] }) =>
  Object.fromEntries(shown.failures.map(({ reason, devices }) => [reason, devices]))

describe("a message", () => {
  test("goes to each device once, with what the app needs to know", async () => {
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
    expect(provider.grants).toBe(1)
    expect(await siteRows("select * from push_claims")).toEqual([])
  })

  test("outcomes: each failure by its reason, what is dead deleted, what is another's deactivated", async () => {
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

  test("a device of somebody who switched push off is not counted, one of no platform belongs to none", async () => {
    const provider = await setUpPush()
    const [ada, bob, staff] = [await makeUser(), await makeUser(), await makeUser("central", { isStaff: true })]
    await content("PUT", "/settings", { token: bob.token, json: { notification_enabled: false } })
    await makeDevices(["ada", "bob", "staff", "nobody"], { users: [ada.id, bob.id, staff.id, null] })
    await makeDevices(["ios"], { platform: "ios" })
    const count = async (target: string) => (await operate("notifications:audience", { target })).body.data
    expect(await count("all")).toEqual({ site: "central", target: "all", devices: 4, recipients: 3 })
    expect(await count("customers")).toMatchObject({ devices: 1, recipients: 2 })
    expect(await count("android")).toMatchObject({ devices: 0 })
    const { shown } = await sendAndDrain({ target: "customers" })
    expect(shown).toMatchObject({ devices: 1, sent: 1, recipients: 2 })
    expect((await sendAndDrain({ target: "ios" })).shown).toMatchObject({ devices: 1, sent: 1, recipients: 0 })
    expect((await sendAndDrain({ target: "android" })).shown).toMatchObject({ status: "sent", devices: 0, sent: 0 })
    expect(provider.accepted.map(({ token }) => token)).toEqual(["ada", "ios"])
  })

  test("counted devices that are gone before their turn have failed; later ones are not the notification's", async () => {
    await setUpPush()
    const ids = await makeDevices(Array.from({ length: 30 }, (_, n) => `d${n}`))
    const { body } = await operate("api:send-notification", { title: "t", message: "m" })
    await env.SITES_1.prepare("delete from device_tokens where id = ?").bind(ids[29]).run()
    await makeDevices(["latecomer"])
    await drain()
    const shown = (await operate("notifications:show", { id: body.data.id })).body.data
    expect(shown).toMatchObject({ status: "sent", devices: 30, sent: 29, failed: 1 })
    expect(failuresOf(shown)).toEqual({ gone: 1 })
  })
})

describe("a message that is no good", () => {
  const tokens = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)

  test("by a field of its own ends at the first device, and no device is deleted", async () => {
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

  test("as twenty devices in a row say: it ends, and none is deleted", async () => {
    const provider = await setUpPush()
    await makeDevices([...tokens("refused", 10), ...tokens("invalid", 30)])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "failed", failed: 20, reason: expect.stringMatching(/first 20 devices/) })
    expect(provider.asked.size).toBe(20)
    expect(await deviceRows()).toHaveLength(40)
    expect(await siteRows("select * from push_claims")).toEqual([])
  })

  test("is not, when one of the first twenty is understood: then those that were refused go", async () => {
    await setUpPush()
    await makeDevices([...tokens("invalid", 19), "fine", ...tokens("refused", 21), "fine-2"])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", sent: 2, failed: 40 })
    expect(await deviceRows()).toEqual([
      { token: "fine", is_active: 1 },
      { token: "fine-2", is_active: 1 },
    ])
  })

  test("is not known to be, when there are fewer and all refuse: they failed, and stay", async () => {
    await setUpPush()
    await makeDevices(tokens("invalid", 5))
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", sent: 0, failed: 5 })
    expect(await deviceRows()).toHaveLength(5)
  })

  test("a device that traded its token meanwhile keeps the new one", async () => {
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

describe("an account that is no good", () => {
  test("ends it at the first device, in a sentence for an administrator", async () => {
    const provider = await setUpPush()
    provider.token = () =>
      Response.json({ error: "invalid_grant", error_description: "Account was deleted." }, { status: 400 })
    await makeDevices(["a", "b", "c"])
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "failed", devices: 3, sent: 0, failed: 0 })
    expect(shown.reason).toBe(
      "The push provider does not accept this site's service account. Make a new key for it at the provider and save it with push:settings. (invalid_grant: Account was deleted.)",
    )
    expect(provider.asked.size).toBe(0)
    expect((await operate("push:check")).body.data).toEqual({ ok: false, reason: shown.reason })
  })

  test("without rights in its project, likewise", async () => {
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

  test("stored under another APP_KEY, likewise", async () => {
    await setUpPush()
    await env.SITES_1.prepare("update push_accounts set private_key = 'v1.AA.AA'").run()
    await makeDevices(["a"])
    expect((await sendAndDrain()).shown).toMatchObject({ status: "failed", reason: expect.stringContaining("APP_KEY") })
  })

  test("switched off while it is sent, likewise", async () => {
    await setUpPush()
    await makeDevices(["a"])
    await operate("api:send-notification", { title: "t", message: "m" })
    await operate("push:settings", { enabled: false })
    await drain()
    const [{ status }] = (await operate("notifications:list")).body.data
    expect(status).toBe("failed")
  })

  test("an access token that is not taken any more is asked for anew, once, and shared", async () => {
    const provider = await setUpPush()
    await makeDevices(Array.from({ length: 60 }, (_, n) => `d${n}`))
    await sendAndDrain()
    expect(provider.grants).toBe(1)
    provider.forgetGrants()
    const { shown } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sent", sent: 60, failed: 0 })
    expect(provider.grants).toBe(2)
  })
})

describe("a provider that is slow or fails", () => {
  const at = (ms: number) => vi.setSystemTime(Date.now() + ms)

  test("is asked again when it says, or after 10, 20, 40 … seconds; the other devices go on meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(["slow-1", "shaky-1", ...Array.from({ length: 40 }, (_, n) => `d${n}`)])
    const { shown, delayed } = await sendAndDrain()
    expect(shown).toMatchObject({ status: "sending", sent: 40, failed: 0 })
    expect(Math.min(...delayed.map(({ delay }) => delay))).toBe(11)
    await consume("tenancy-push", [delayed[0]?.body ?? never()])
    expect(provider.asked.get("shaky-1")).toBe(1)
    at(10_500)
    await consume("tenancy-push", [delayed[0]?.body ?? never()])
    expect([provider.asked.get("shaky-1"), provider.asked.get("slow-1")]).toEqual([2, 1])
    const [next] = takeQueued()
    expect(next?.delay).toBeGreaterThan(15)
    at(20_000)
    await consume("tenancy-push", [next?.body ?? never()])
    expect(await siteRows("select status, sent_count, failed_count from notifications")).toEqual([
      { status: "sent", sent_count: 42, failed_count: 0 },
    ])
  })

  test("is given up after six requests, and by the cron alone where the queue loses everything", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(["fine", "down-1", "quota-1"])
    await sendAndDrain()
    for (let round = 0; round < 8; round++) {
      at(400_000)
      await run(deliverDue)
      await drain()
    }
    expect([provider.asked.get("down-1"), provider.asked.get("quota-1"), provider.asked.get("fine")]).toEqual([6, 6, 1])
    const [row] = (await operate("notifications:list")).body.data
    expect(row).toMatchObject({ status: "sent", sent: 1, failed: 2 })
    const { failures } = (await operate("notifications:show", { id: row.id })).body.data
    expect(failures.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual(["slowed_down", "unavailable"])
    expect(await deviceRows()).toHaveLength(3)
  })

  test("that puts off everybody is left alone until it may be asked", async () => {
    const provider = await setUpPush()
    await makeDevices(Array.from({ length: 200 }, (_, n) => `quota-${n}`))
    const { delayed } = await sendAndDrain()
    expect(provider.asked.size).toBe(21)
    expect(delayed.map(({ delay }) => delay)).toEqual([31])
  })

  test("that does not answer has ten seconds, at its token endpoint too", async () => {
    const real = globalThis.setTimeout
    const patience = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((work: () => void, ms?: number) => real(work, ms === 10_000 ? 0 : ms)) as typeof setTimeout)
    const provider = await setUpPush()
    provider.token = () => new Promise(() => undefined)
    await makeDevices(["hangs-1", "d1"])
    await sendAndDrain()
    expect(patience).toHaveBeenCalledWith(expect.any(Function), 10_000)
    expect(provider.asked.size).toBe(0)
    expect(await siteRows("select status, failed_count from notifications")).toEqual([
      { status: "sending", failed_count: 0 },
    ])
    expect(await siteRows("select device_id from push_claims where run is null")).toHaveLength(2)
  })
})

describe("no device twice", () => {
  const tokens = Array.from({ length: 260 }, (_, n) => `d${n}`)

  test("whatever is delivered twice, and however many run at once", async () => {
    const provider = await setUpPush()
    await makeDevices(tokens)
    const { body } = await operate("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const lane = () => consume("tenancy-push", [message?.body ?? never()])
    await Promise.all([lane(), lane(), lane()])
    await Promise.all([drain(), lane(), run(deliverDue), run(deliverDue)])
    await lane()
    expect(Math.max(...provider.asked.values())).toBe(1)
    expect((await operate("notifications:show", { id: body.data.id })).body.data).toMatchObject({
      status: "sent",
      sent: 260,
      failed: 0,
    })
  })

  test("and the first is tried alone, whatever is delivered twice", async () => {
    const provider = await setUpPush()
    await makeDevices(tokens.map((name) => `field-${name}`))
    await operate("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const lane = () => consume("tenancy-push", [message?.body ?? never()])
    await Promise.all([lane(), lane(), lane()])
    await drain()
    expect(provider.asked.size).toBe(1)
  })

  test("a queue that takes nothing is nobody's fault: the cron goes on", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await setUpPush()
    await makeDevices(["a", "b"])
    vi.mocked(env.PUSH_QUEUE.send).mockRejectedValueOnce(new Error("the queue is down"))
    expect((await operate("api:send-notification", { title: "t", message: "m" })).body.data.status).toBe("sending")
    vi.setSystemTime(Date.now() + 130_000)
    await run(deliverDue)
    await drain()
    expect(await siteRows("select status, sent_count from notifications")).toEqual([{ status: "sent", sent_count: 2 }])
  })

  test("a notification that one run ends leaves nothing behind of what another has put off", async () => {
    const provider = await setUpPush()
    await makeDevices(["fine", "quota-1", "quota-2", ...tokens])
    await operate("api:send-notification", { title: "t", message: "m" })
    let ended = false
    provider.message = async ({ token }) => {
      if (token === "quota-1" && !ended) {
        ended = true
        await env.SITES_1.prepare("update notifications set status = 'failed'").run()
      }
      return undefined
    }
    await drain()
    expect(ended).toBe(true)
    expect(await siteRows("select * from push_claims")).toEqual([])
  })

  test("a Worker that dies between two lines: what it claimed is taken up after its lease, and counts once", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(tokens)
    await operate("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const lane = () => consume("tenancy-push", [message?.body ?? never()])
    const batch = env.SITES_1.batch.bind(env.SITES_1)
    let batches = 0
    const dying = vi.spyOn(env.SITES_1, "batch").mockImplementation(async (statements) => {
      if (++batches > 3) throw new Error("D1_ERROR: network connection lost")
      return batch(statements)
    })
    await lane()
    dying.mockRestore()
    const asked = provider.asked.size
    expect(asked).toBeGreaterThan(20)
    takeQueued()
    await lane()
    await drain()
    const settled = await siteRows("select status, sent_count from notifications")
    expect(settled).toEqual([
      { status: "sending", sent_count: 260 - (await siteRows("select 1 from push_claims")).length },
    ])
    vi.setSystemTime(Date.now() + 130_000)
    await Promise.all([run(deliverDue), run(deliverDue)])
    await drain()
    expect(await siteRows("select status, sent_count, failed_count from notifications")).toEqual([
      { status: "sent", sent_count: 260, failed_count: 0 },
    ])
    expect(provider.asked.size).toBe(260)
    expect(Math.max(...provider.asked.values())).toBe(2)
  })

  test("a provider that takes its time: what would outlive its lease is not begun, and taken up after it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(tokens.slice(0, 30))
    provider.message = ({ token }) => {
      if (token === "d9") vi.setSystemTime(Date.now() + 65_000)
      return undefined
    }
    await operate("api:send-notification", { title: "t", message: "m" })
    await drain()
    expect(provider.asked.size).toBeLessThan(20)
    vi.setSystemTime(Date.now() + 130_000)
    await run(deliverDue)
    await drain()
    expect(await siteRows("select status, sent_count, failed_count from notifications")).toEqual([
      { status: "sent", sent_count: 30, failed_count: 0 },
    ])
    expect(Math.max(...provider.asked.values())).toBe(1)
  })

  test("a run that comes back after its lease settles nothing that another has", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const provider = await setUpPush()
    await makeDevices(["first", "second"])
    await operate("api:send-notification", { title: "t", message: "m" })
    const [message] = takeQueued()
    const lane = () => consume("tenancy-push", [message?.body ?? never()])
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let isFirst = true
    provider.message = async () => {
      if (!isFirst) return undefined
      isFirst = false
      await held
      return undefined
    }
    const sleeping = lane()
    await vi.waitFor(() => expect(isFirst).toBe(false))
    vi.setSystemTime(Date.now() + 100_000)
    await lane()
    release()
    await sleeping
    await drain()
    expect(await siteRows("select status, sent_count, failed_count, devices from notifications")).toEqual([
      { status: "sent", sent_count: 2, failed_count: 0, devices: 2 },
    ])
  })
})

function never(): never {
  throw new Error("there is no message")
}
