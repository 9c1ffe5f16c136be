// The license manager's API keys, rate limits, settings and date notices.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { sendLicenseNotices } from "../../src/license/notices"
import { parseSettings } from "../../src/license/settings"
import { call, run } from "../support/app"
import {
  externalClient,
  makeActive,
  makeLicense,
  makeLicenseKey,
  makeProduct,
  setLicenseSettings,
} from "../support/license-factories"
import { rows } from "../support/rows"

const operator = (command: string, json: unknown = {}) =>
  call("POST", `/api/operator/v1/${command}`, { json, token: env.OPERATOR_TOKEN })

const connect = (headers: Record<string, string>, path = "/api/external/connection-check", host?: string) =>
  call("GET", path, { headers, host })

describe("keys", () => {
  test("creates a key that is returned once, stored as a hash and not listed", async () => {
    const { body } = await operator("license-keys:create", {
      type: "external",
      name: "Client",
      scopes: "license:verify",
    })
    expect(body.data).toMatchObject({ id: 1, type: "external", scopes: ["license:verify"], is_usable: true })
    expect(body.data.key).toMatch(/^lme_\w{8}_\w{40}$/)
    const [row] = await rows("select * from license_keys")
    expect(JSON.stringify(row)).not.toContain(body.data.key)
    expect(JSON.stringify((await operator("license-keys:list")).body)).not.toContain(body.data.key)
    expect(
      (await operator("license-keys:create", { type: "external", name: "x", scopes: "products:read" })).status,
    ).toBe(422)
    expect((await operator("license-keys:create", { type: "admin", name: "x" })).status).toBe(422)
    expect((await operator("license-keys:create", { type: "external", name: "x", expires: "2020-01-01" })).status).toBe(
      422,
    )
  })

  test("imports an existing key, and accepts it in either header or as a bearer token", async () => {
    const key = "0123456789ABCDEF0123"
    expect((await operator("license-keys:create", { type: "external", name: "Old", key })).body.data.key).toBe(key)
    expect((await operator("license-keys:create", { type: "external", name: "Old", key })).status).toBe(422)
    for (const headers of [{ "X-API-KEY": key }, { "LB-API-KEY": key }, { Authorization: `Bearer ${key}` }]) {
      expect((await connect(headers as unknown as Record<string, string>)).body).toEqual({
        status: true,
        is_active: true,
        message: "Connection successful.",
      })
    }
    expect((await rows("select last_used_at from license_keys"))[0]?.last_used_at).not.toBeNull()
  })

  const invalid = { status: false, message: "The API key is missing or invalid." }

  test("returns 401 for a missing or unknown key or one of the other type, before routing", async () => {
    const internal = await makeLicenseKey("internal")
    for (const headers of [{}, { "X-API-KEY": "nope" }, { "X-API-KEY": internal }, { "X-API-KEY": "x".repeat(9000) }]) {
      for (const path of ["/api/external/connection-check", "/api/external/nope", "/api/check_connection_ext"]) {
        const response = await call("POST", path, { headers: headers as Record<string, string> })
        expect([response.status, response.body], path).toEqual([401, invalid])
      }
    }
  })

  test("returns 403 for a route outside the key's scopes", async () => {
    const external = await makeLicenseKey("external", { scopes: ["license:verify"] })
    const json = { product_id: "x", license_code: "y" }
    const activate = await call("POST", "/api/external/license/activate", { json, headers: { "X-API-KEY": external } })
    expect([activate.status, activate.body]).toEqual([
      403,
      { status: false, message: "The API key does not permit this." },
    ])
    expect(
      (await call("POST", "/api/external/license/verify", { json, headers: { "X-API-KEY": external } })).status,
    ).toBe(200)
    expect((await call("POST", "/api/activate_license", { json, headers: { "LB-API-KEY": external } })).status).toBe(
      403,
    )
    expect((await connect({ "X-API-KEY": external }, "/api/external/nope")).status).toBe(404)
    const wrongMethod = await call("PUT", "/api/external/license/verify", { headers: { "X-API-KEY": external } })
    expect([wrongMethod.status, wrongMethod.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"])
  })

  test("returns 401 for an expired or revoked key", async () => {
    const created = (await operator("license-keys:create", { type: "external", name: "x", expires: "2999-01-01" })).body
      .data
    expect((await connect({ "X-API-KEY": created.key })).status).toBe(200)
    await env.DB.prepare("update license_keys set expires_at = 1 where id = ?").bind(created.id).run()
    const expired = await connect({ "X-API-KEY": created.key, "X-API-LANGUAGE": "spanish" })
    expect([expired.status, expired.body.message]).toEqual([401, "La clave de API ha caducado."])
    await operator("license-keys:revoke", { id: created.id })
    expect((await connect({ "X-API-KEY": created.key })).body).toEqual(invalid)
  })

  test("caches the key of verifications and checks for five seconds, and of no other request", async () => {
    const external = await externalClient()
    const { proof, input } = await makeActive(external)
    const other = await call("POST", "/api/external/license/verify", {
      json: proof,
      headers: { "X-API-KEY": "no key" },
    })
    expect(other.status).toBe(401)
    const verify = () => external("POST", "/license/verify", { json: proof })
    const check = () => external("POST", "/license/check", { json: input })
    expect((await verify()).status).toBe(200)
    // Another isolate revoked the key.
    await env.DB.prepare("update license_keys set revoked_at = 1").run()
    expect((await verify()).body.status).toBe(true)
    expect((await check()).status).toBe(200)
    for (const path of ["/license/activate", "/license/deactivate", "/update/check"])
      expect.soft((await external("POST", path, { json: input })).status, path).toBe(401)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_001 })
    expect((await verify()).status).toBe(401)
    expect((await check()).status).toBe(401)
  })

  test("rejects verifications with a key that this isolate revoked or that expired, at once", async () => {
    const { key, id } = (await operator("license-keys:create", { type: "external", name: "x" })).body.data
    const verify = () => call("POST", "/api/external/license/verify", { json: {}, headers: { "X-API-KEY": key } })
    expect((await verify()).status).toBe(422)
    await operator("license-keys:revoke", { id })
    expect((await verify()).status).toBe(401)
    const expiring = (await operator("license-keys:create", { type: "external", name: "y" })).body.data
    await env.DB.prepare("update license_keys set expires_at = ? where id = ?")
      .bind(Date.now() + 1_000, expiring.id)
      .run()
    const headers = { "X-API-KEY": expiring.key }
    expect((await call("POST", "/api/external/license/verify", { json: {}, headers })).status).toBe(422)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_001 })
    expect((await call("POST", "/api/external/license/verify", { json: {}, headers })).status).toBe(401)
  })

  test("returns 404 on every host except the central one", async () => {
    const key = await makeLicenseKey()
    for (const path of ["/api/external/connection-check", "/api/internal/products", "/api/check_connection_ext"]) {
      expect((await connect({ "X-API-KEY": key }, path, "acme.localhost")).status).toBe(404)
    }
    const forged = { "X-API-KEY": key, "X-Forwarded-Host": "localhost" }
    expect((await connect(forged, "/api/external/connection-check", "evil.example")).status).toBe(404)
  })
})

describe("the rate limit", () => {
  test.each([
    ["ip_address", [200, 401, 429], [200]],
    ["api_key", [200, 401, 200], [429]],
    ["api_key_ip_address", [200, 401, 429], [200, 429]],
  ])("rate limits requests by %s", async (method, sameAddress, otherAddress) => {
    const key = await makeLicenseKey()
    await setLicenseSettings({ lm_requests_rate_limiting_period: "2", lm_requests_rate_limiting_method: method })
    const at = async (ip: string, presented: string) =>
      connect({
        "X-API-KEY": presented,
        "CF-Connecting-IP": ip,
        "X-API-IP": `10.0.0.${Math.floor(Math.random() * 200)}`,
      })
    const responses = [await at("192.0.2.1", key), await at("192.0.2.1", "unknown-key"), await at("192.0.2.1", key)]
    expect(responses.map((response) => response.status)).toEqual(sameAddress)
    const otherResponses = []
    for (const _ of otherAddress) otherResponses.push(await at("192.0.2.2", key))
    expect(otherResponses.map((response) => response.status)).toEqual(otherAddress)
    const limited = [...responses, ...otherResponses].find((response) => response.status === 429)
    expect(limited?.body).toEqual({ status: false, message: "Too many requests. Please try again later." })
    expect(limited?.headers.get("Retry-After")).toMatch(/^\d+$/)
    expect(limited?.headers.get("X-RateLimit-Remaining")).toBe("0")
  })

  test("counts an unknown key against its network, without its own bucket", async () => {
    const key = await makeLicenseKey()
    await setLicenseSettings({ lm_requests_rate_limiting_period: 3, lm_requests_rate_limiting_method: "api_key" })
    const names = vi.spyOn(env.RATE_LIMIT, "idFromName")
    const guess = async (presented: string) =>
      (await connect({ "X-API-KEY": presented, "CF-Connecting-IP": "192.0.2.1" })).status
    for (const status of [401, 401, 401, 429]) expect(await guess(`unknown ${names.mock.calls.length}`)).toBe(status)
    expect(new Set(names.mock.calls.map(([name]) => name))).toEqual(new Set(["license:ip:192.0.2.1"]))
    expect(await guess(key)).toBe(200)
  })

  test("rejects a flood without a Durable Object call or a database query", async () => {
    const key = await makeLicenseKey()
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1 })
    for (const status of [200, 429]) expect((await connect({ "X-API-KEY": key })).status).toBe(status)
    const prepared = vi.spyOn(env.DB, "prepare")
    const durableObject = vi.spyOn(env.RATE_LIMIT, "get")
    const response = await connect({ "X-API-KEY": "unknown" })
    expect([response.status, response.headers.get("X-RateLimit-Remaining")]).toEqual([429, "0"])
    expect(durableObject).not.toHaveBeenCalled()
    expect(prepared).not.toHaveBeenCalled()
  })
})

describe("settings", () => {
  test("license settings have defaults, validate input, and never show a key", async () => {
    const key = `base64:${new Uint8Array(16).fill(7).toBase64()}`
    expect((await operator("license-settings")).body.data).toEqual({
      lm_requests_rate_limiting_period: 3000,
      lm_requests_rate_limiting_method: "ip_address",
      lm_license_encryption_cipher: "aes-256-gcm",
      lm_license_encryption_key: "0 set",
      lm_legacy_encryption_key: "not set",
      lm_retired_keys: "0 set",
    })
    const saved = await operator("license-settings", {
      lm_license_encryption_key: key,
      lm_legacy_encryption_key: "old secret",
    })
    expect(saved.body.data).toMatchObject({ lm_license_encryption_key: "1 set", lm_legacy_encryption_key: "set" })
    const stored = JSON.stringify(await rows("select * from settings"))
    expect(stored).not.toContain(key)
    expect(stored).not.toContain("old secret")
    for (const bad of [
      { lm_license_encryption_key: "base64:AAAA" },
      { lm_license_encryption_cipher: "des" },
      { lm_requests_rate_limiting_period: 0 },
      { lm_requests_rate_limiting_method: "moon" },
    ]) {
      expect((await operator("license-settings", bad)).status).toBe(422)
    }
    expect(parseSettings([])).toMatchObject({ lm_requests_rate_limiting_period: 3000 })
  })
})

describe("date notices", () => {
  const DAY = 86_400_000
  const listEvents = async () =>
    (await rows("select type, payload from webhook_events order by id")).map(({ type, payload }) => {
      const { days } = JSON.parse(String(payload)).data
      return days ? `${type} ${days}` : type
    })

  test("emits each expiry event once, 30, 7 and 1 days before and at the expiry, also with concurrent runs", async () => {
    const start = Date.now()
    await makeLicense(await makeProduct(), { expires_at: new Date(start + 40 * DAY).toISOString() })
    const at = (days: number) => run(sendLicenseNotices, { now: new Date(start + days * DAY + 1000) })
    for (const days of [5, 10, 11, 20, 33, 33.5, 39, 39.2, 40, 41, 400]) {
      await Promise.all([at(days), at(days)])
    }
    expect(await listEvents()).toEqual([
      "license.expiring 30",
      "license.expiring 7",
      "license.expiring 1",
      "license.expired",
    ])
    expect((await rows("select next_notice_at from licenses"))[0]?.next_notice_at).toBeNull()
  })

  test("emits only the latest overdue expiry event after an outage, and the end of the update period", async () => {
    const start = Date.now()
    const product = await makeProduct()
    const expires_at = new Date(start + 40 * DAY).toISOString()
    await makeLicense(product, { expires_at, updates_until: new Date(start + 20 * DAY).toISOString() })
    await makeLicense(product, { expires_at, is_valid: false })
    await run(sendLicenseNotices, { now: new Date(start + 50 * DAY) })
    await run(sendLicenseNotices, { now: new Date(start + 51 * DAY) })
    expect(await listEvents()).toEqual(["license.expired", "license.update_support_expired"])
  })

  test("retries failed licenses after an hour without blocking others", async () => {
    const start = Date.now()
    const product = await makeProduct()
    const expires_at = new Date(start + DAY).toISOString()
    // More than one batch of unreadable rows.
    const unreadable = []
    for (let n = 0; n < 41; n++) unreadable.push((await makeLicense(product, { expires_at })).id)
    await env.DB.exec("update licenses set domains = '{'")
    const readable = await makeLicense(product, { expires_at: new Date(start + DAY + 1000).toISOString() })
    const at = (ms: number) => run(sendLicenseNotices, { now: new Date(start + DAY + ms) })
    await at(2_000)
    await at(60_000)
    expect(await listEvents()).toEqual(["license.expired"])
    const failed = await rows("select count(*) as n from licenses where notice_failed_at is not null")
    expect(failed).toEqual([{ n: unreadable.length }])
    await env.DB.exec("update licenses set domains = '[]'")
    await at(120_000)
    expect(await listEvents()).toHaveLength(1)
    await at(3_700_000)
    await at(3_760_000)
    expect(await listEvents()).toHaveLength(42)
    expect(
      await rows("select id from licenses where next_notice_at is not null or notice_failed_at is not null"),
    ).toEqual([])
    expect((await rows("select next_notice_at from licenses where id = ?", readable.id))[0]?.next_notice_at).toBeNull()
  })
})
