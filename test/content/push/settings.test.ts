// Push settings of a site: the service account, the check, and notifications without push.
import { env } from "cloudflare:workers"
import { exportPKCS8, generateKeyPair } from "jose"
import { describe, expect, test } from "vitest"
import { sendOperatorCommand } from "../../support/app"
import { content, makeUser } from "../../support/content-factories"
import { makeReadyStore } from "../../support/factories"
import { deviceRows, makeDevices, sendAndDrain, setUpPush, stubPushProvider, takeQueued } from "../../support/push"
import { rows, siteRows } from "../../support/rows"

const UNSET = { site: "central", enabled: false, project_id: null, client_email: null, configured_at: null }

describe("push:settings", () => {
  test("encrypts the private key, never returns it, and records every change in the audit log", async () => {
    const { serviceAccount } = await stubPushProvider()
    expect((await sendOperatorCommand("push:settings")).body.data).toEqual(UNSET)
    const saved = await sendOperatorCommand("push:settings", { service_account: serviceAccount })
    expect(saved.body.data).toEqual({
      site: "central",
      enabled: false,
      project_id: "demo-project",
      client_email: "push@demo-project.example",
      configured_at: expect.stringMatching(/\+00:00$/),
    })
    const on = await sendOperatorCommand("push:settings", { enabled: "true" })
    expect(on.body.data).toEqual({ ...saved.body.data, enabled: true })
    expect((await sendOperatorCommand("push:settings")).body.data).toEqual(on.body.data)
    const key = JSON.parse(serviceAccount).private_key.slice(40, 100)
    const stored = JSON.stringify([
      await siteRows("select * from push_accounts"),
      await siteRows("select * from site_trail"),
      await rows("select * from audit_entries"),
    ])
    expect(stored).not.toContain(key)
    expect(stored).toContain("demo-project")
    expect(
      await rows("select type, before, after from audit_entries where subject_type = 'push_settings' order by id"),
    ).toEqual([
      {
        type: "push_settings_saved",
        before: null,
        after: '{"enabled":false,"project_id":"demo-project","client_email":"push@demo-project.example"}',
      },
      {
        type: "push_settings_saved",
        before: '{"enabled":false,"project_id":"demo-project","client_email":"push@demo-project.example"}',
        after: '{"enabled":true}',
      },
    ])
  })

  test("returns 422 with the reason for an invalid service account", async () => {
    const { serviceAccount } = await stubPushProvider()
    const valid = JSON.parse(serviceAccount)
    const { privateKey } = await generateKeyPair("ES256", { extractable: true })
    const without = (part: string) => JSON.stringify({ ...valid, [part]: undefined })
    const invalid: [unknown, RegExp][] = [
      ["{", /valid JSON/],
      ["[]", /must be an object/],
      ["null", /must be an object/],
      ['"text"', /must be an object/],
      [without("project_id"), /contain project_id/],
      [without("private_key"), /contain private_key/],
      [without("client_email"), /contain client_email/],
      [JSON.stringify({ ...valid, client_email: 7 }), /contain client_email/],
      [
        JSON.stringify({ ...valid, private_key: "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----" }),
        /RSA key/,
      ],
      [JSON.stringify({ ...valid, private_key: await exportPKCS8(privateKey) }), /RSA key/],
      [JSON.stringify({ ...valid, token_uri: "http://push.example.com/token" }), /public HTTPS/],
      [JSON.stringify({ ...valid, token_uri: "http://127.0.0.1/token" }), /public HTTPS/],
      [JSON.stringify({ ...valid, token_uri: "https://169.254.169.254/token" }), /public HTTPS/],
      [JSON.stringify({ ...valid, token_uri: "ftp://example.com" }), /public HTTPS/],
      ["[".repeat(19_000), /valid JSON/],
      ["x".repeat(20_001), /20000 characters/],
      [{}, /must be a string/],
    ]
    for (const [service_account, reason] of invalid) {
      const { status, body } = await sendOperatorCommand("push:settings", { service_account })
      expect(status, String(service_account).slice(0, 50)).toBe(422)
      expect(body.errors.service_account[0]).toMatch(reason)
    }
    expect((await sendOperatorCommand("push:settings", { enabled: true })).status).toBe(422)
    expect((await sendOperatorCommand("push:settings", { enabled: false })).body.data).toEqual(UNSET)
    expect((await sendOperatorCommand("push:settings", { site: "no-such-store" })).status).toBe(422)
    expect(await siteRows("select * from push_accounts")).toEqual([])
  })

  test("accepts a token endpoint on loopback when private hosts are allowed", async () => {
    const { serviceAccount } = await stubPushProvider()
    const local = JSON.stringify({ ...JSON.parse(serviceAccount), token_uri: "http://127.0.0.1:9000/token" })
    const saved = await sendOperatorCommand(
      "push:settings",
      { service_account: local },
      { TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" },
    )
    expect(saved.status).toBe(200)
  })

  test("stores push settings per site", async () => {
    const store = await makeReadyStore()
    await setUpPush(store)
    expect((await sendOperatorCommand("push:settings")).body.data).toEqual(UNSET)
    expect((await sendOperatorCommand("push:settings", { site: store })).body.data).toMatchObject({
      site: store,
      enabled: true,
    })
  })
})

describe("a site without push", () => {
  test("fills inboxes and reports the reason without contacting the provider when push is not set up or off", async () => {
    const ada = await makeUser()
    await makeDevices(["a"], { users: [ada.id] })
    const unset = (await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })).body.data
    expect(unset).toMatchObject({
      status: "sent",
      recipients: 1,
      devices: 0,
      sent: 0,
      push: expect.stringMatching(/not set up/),
    })
    const provider = await setUpPush()
    await sendOperatorCommand("push:settings", { enabled: false })
    const off = (await sendOperatorCommand("api:send-notification", { title: "t", message: "m" })).body.data
    expect(off).toMatchObject({
      status: "sent",
      recipients: 1,
      devices: 0,
      push: expect.stringMatching(/switched off/),
    })
    expect(takeQueued()).toEqual([])
    expect(provider.asked.size + provider.issuedTokens).toBe(0)
    expect((await content("GET", "/notifications", { token: ada.token })).body.meta.total).toBe(2)
  })
})

describe("push:check", () => {
  test("validates account, project and message without sending, or sends a test message to one device", async () => {
    expect((await sendOperatorCommand("push:check")).body.data).toEqual({
      ok: false,
      reason: "Push is not set up for this site.",
    })
    const provider = await setUpPush()
    await sendOperatorCommand("push:settings", { enabled: false })
    expect((await sendOperatorCommand("push:check")).body.data).toEqual({ ok: true, reason: null })
    expect(provider.accepted).toEqual([])
    const [fine, dead] = await makeDevices(["fine", "unregistered-1"])
    expect((await sendOperatorCommand("push:check", { device: fine })).body.data).toEqual({ ok: true, reason: null })
    expect(provider.accepted.map(({ token, notification }) => [token, notification.title])).toEqual([["fine", "Test"]])
    const refused = await sendOperatorCommand("push:check", { device: dead })
    expect(refused.body.data).toMatchObject({ ok: false, reason: expect.stringMatching(/removed/) })
    expect(await deviceRows()).toHaveLength(2)
    expect((await sendOperatorCommand("push:check", { device: 999_999 })).status).toBe(422)
    const other = await makeReadyStore()
    expect((await sendOperatorCommand("push:check", { site: other, device: fine })).status).toBe(422)
    expect((await rows("select type from audit_entries where type = 'push_settings_tested'")).length).toBe(3)
  })

  test("explains an invalid field, missing permissions, and an unavailable provider", async () => {
    const provider = await setUpPush()
    const reason = async (name: string) => {
      const [device] = await makeDevices([name])
      return (await sendOperatorCommand("push:check", { device })).body.data.reason
    }
    expect(await reason("field-1")).toMatch(/message.notification.image/)
    expect(await reason("denied-1")).toMatch(/may not send/)
    expect(await reason("refused-1")).toMatch(/token is invalid/)
    expect(await reason("down-1")).toMatch(/does not respond/)
    expect(await reason("quota-1")).toMatch(/rate limit/)
    provider.overrideToken = () => new Response("<html>", { status: 404 })
    await env.SITES_1.prepare("update push_accounts set access_token = null").run()
    expect(await reason("fine")).toMatch(/does not accept this site's service account.*status 404/)
  })
})

describe("schedules", () => {
  test("rejects a time in the past, and cancels a scheduled notification once, before it is sent", async () => {
    const provider = await setUpPush()
    await makeDevices(["a"])
    const schedule = (at: Date) =>
      sendOperatorCommand("api:send-notification", { title: "t", message: "m", at: at.toISOString() })
    expect((await schedule(new Date(Date.now() - 1_000))).status).toBe(422)
    const planned = (await schedule(new Date(Date.now() + 3_600_000))).body.data
    expect((await sendOperatorCommand("notifications:cancel", { id: planned.id })).body.data).toMatchObject({
      status: "cancelled",
    })
    const again = await sendOperatorCommand("notifications:cancel", { id: planned.id })
    expect([again.status, again.body.error.message]).toEqual([
      409,
      "Only a scheduled notification can be cancelled; this one is cancelled.",
    ])
    expect((await sendOperatorCommand("notifications:cancel", { id: 999 })).status).toBe(404)
    const { shown } = await sendAndDrain()
    expect((await sendOperatorCommand("notifications:cancel", { id: shown.id })).status).toBe(409)
    expect(provider.accepted).toHaveLength(1)
    expect(
      await rows("select type, from_status, to_status from audit_entries where type = 'notification_cancelled'"),
    ).toEqual([{ type: "notification_cancelled", from_status: "scheduled", to_status: "cancelled" }])
    const listed = (await sendOperatorCommand("notifications:list")).body.data
    expect(listed.map(({ status }: { status: string }) => status)).toEqual(["sent", "cancelled"])
    expect(
      (await sendOperatorCommand("notifications:show", { id: shown.id, site: await makeReadyStore() })).status,
    ).toBe(404)
  })
})
