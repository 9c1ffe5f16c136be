// The gate of the control plane: the order of its checks, API keys, rate limits and the response envelope.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { LICENSE_EVENTS } from "../../src/core/write/event-types"
import { API_VERSION } from "../../src/core/write/events"
import { platform } from "../support/app"
import { makeKey, makePlan } from "../support/factories"
import { rows } from "../support/rows"

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]
const unknownKey = `tnk_aaaaaaaa_${"b".repeat(40)}`

describe("gate order", () => {
  test("refuses store hosts first, with every method, even while the API is disabled and with a valid key", async () => {
    const token = await makeKey()
    for (const method of METHODS) {
      for (const host of ["acme.localhost", "shop.example", "localhost.evil.example"]) {
        const response = await platform(method, "/me", { token, host, env: { TENANCY_API_ENABLED: "false" } })
        expect(response.status).toBe(404)
        if (method !== "HEAD") expect(response.body.error.code).toBe("not_found")
        expect(response.headers.get("X-RateLimit-Limit")).toBeNull()
      }
    }
  })

  test("checks the kill switch before rate limits and the key, for every method and path", async () => {
    const disabled = { TENANCY_API_ENABLED: "false", TENANCY_API_RATE_LIMIT: "0" }
    for (const method of METHODS) {
      for (const path of ["/me", "/no-such-path"]) {
        const response = await platform(method, path, { env: disabled })
        expect(response.status).toBe(503)
        if (method !== "HEAD") expect(response.body.error.code).toBe("api_disabled")
      }
    }
  })

  test("checks rate limits before the key, so unknown keys use up their budget", async () => {
    const limit = { TENANCY_API_RATE_LIMIT: "2" }
    const codes = []
    for (let i = 0; i < 3; i++)
      codes.push((await platform("GET", "/me", { token: unknownKey, env: limit })).body.error.code)
    expect(codes).toEqual(["invalid_key", "invalid_key", "rate_limited"])
  })

  test("checks key, scope, path, method and body in this order", async () => {
    const read = await makeKey({ scopes: ["read"] })
    const write = await makeKey({ scopes: ["write"] })
    const both = await makeKey()
    const refusals: [string, string, Parameters<typeof platform>[2], number, string][] = [
      ["POST", "/no-such-path", { token: unknownKey }, 401, "invalid_key"],
      ["POST", "/no-such-path", { token: read }, 403, "insufficient_scope"],
      ["GET", "/no-such-path", { token: write }, 403, "insufficient_scope"],
      ["OPTIONS", "/me", { token: write }, 403, "insufficient_scope"],
      ["POST", "/no-such-path", { token: both, body: "{" }, 404, "not_found"],
      ["PUT", "/stores", { token: both, body: "{" }, 405, "method_not_allowed"],
      ["POST", "/stores", { token: both, body: "{" }, 415, "http_error"],
    ]
    for (const [method, path, options, status, code] of refusals) {
      const response = await platform(method, path, options)
      expect([response.status, response.body.error.code], `${method} ${path}`).toEqual([status, code])
    }
  })
})

describe("API keys", () => {
  test("distinguishes missing, unknown, revoked and expired keys", async () => {
    const revoked = await makeKey({ revoked: true, expires: new Date(Date.now() + 1) })
    const expired = await makeKey({ expires: new Date(Date.now() - 1000) })
    const cases: [string | undefined, string][] = [
      [undefined, "unauthenticated"],
      ["nonsense", "invalid_key"],
      [unknownKey, "invalid_key"],
      [revoked, "key_revoked"],
      [expired, "key_expired"],
    ]
    for (const [token, code] of cases) {
      const response = await platform("GET", "/me", { token })
      expect([response.status, response.body.error.code]).toEqual([401, code])
    }
  })

  test("expire at their exact time", async () => {
    const token = await makeKey({ expires: new Date("2031-01-01T00:00:00Z") })
    for (const [now, status] of [
      ["2030-12-31T23:59:59.999Z", 200],
      ["2031-01-01T00:00:00.000Z", 401],
    ] as const) {
      vi.useFakeTimers({ toFake: ["Date"], now: new Date(now) })
      expect((await platform("GET", "/me", { token })).status).toBe(status)
    }
  })

  test("accepts a bearer token or the X-API-KEY header and prefers the bearer token", async () => {
    const token = await makeKey({ scopes: ["read"], name: "reader" })
    const headers = { "X-API-KEY": token }
    expect((await platform("GET", "/me", { headers })).body.data.name).toBe("reader")
    expect((await platform("GET", "/me", { token })).status).toBe(200)
    expect((await platform("GET", "/me", { token: unknownKey, headers })).body.error.code).toBe("invalid_key")
  })

  test("refuses a malformed token without a database query", async () => {
    const prepare = vi.spyOn(env.DB, "prepare")
    await platform("GET", "/me", { token: "tnk_short" })
    expect(prepare).not.toHaveBeenCalled()
  })

  test("returns the key without its secret from GET /me", async () => {
    const token = await makeKey({ scopes: ["read", "write"], name: "mine", unused: true })
    const { body } = await platform("GET", "/me", { token })
    expect(body.data).toEqual({
      id: expect.any(Number),
      name: "mine",
      key_prefix: token.slice(0, 12),
      scopes: ["read", "write"],
      store_ids: null,
      is_usable: true,
      created_by_name: "system",
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    })
  })

  test("updates last_used_at in the background, at most once a minute", async () => {
    const token = await makeKey({ unused: true })
    await platform("GET", "/me", { token })
    const [first] = await rows("select last_used_at from api_keys")
    expect(first?.last_used_at).toBeTypeOf("number")
    vi.useFakeTimers({ toFake: ["Date"], now: Number(first?.last_used_at) + 59_999 })
    await platform("GET", "/me", { token })
    expect(await rows("select last_used_at from api_keys")).toEqual([first])
    vi.setSystemTime(Number(first?.last_used_at) + 60_000)
    await platform("GET", "/me", { token })
    expect((await rows("select last_used_at from api_keys"))[0]?.last_used_at).toBe(
      Number(first?.last_used_at) + 60_000,
    )
  })
})

describe("rate limits", () => {
  test("reports the tighter budget, and Retry-After on 429", async () => {
    const token = await makeKey()
    const limits = { TENANCY_API_RATE_LIMIT: "5", TENANCY_API_RATE_LIMIT_PER_IP: "2" }
    const responses = []
    for (let i = 0; i < 3; i++) responses.push(await platform("GET", "/me", { token, env: limits }))
    expect(
      responses.map((a) => [a.status, a.headers.get("X-RateLimit-Limit"), a.headers.get("X-RateLimit-Remaining")]),
    ).toEqual([
      [200, "2", "1"],
      [200, "2", "0"],
      [429, "2", "0"],
    ])
    const refused = responses[2]
    const seconds = Number(refused?.headers.get("Retry-After"))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(Number(refused?.headers.get("X-RateLimit-Reset"))).toBeGreaterThan(Date.now() / 1000 - 1)
    expect(refused?.body.error.code).toBe("rate_limited")
  })

  test("limits each credential and each client address separately", async () => {
    const [a, b] = [await makeKey(), await makeKey()]
    const perKey = { TENANCY_API_RATE_LIMIT: "1", TENANCY_API_RATE_LIMIT_PER_IP: "0" }
    expect((await platform("GET", "/me", { token: a, env: perKey })).status).toBe(200)
    expect((await platform("GET", "/me", { token: a, env: perKey })).status).toBe(429)
    expect((await platform("GET", "/me", { token: b, env: perKey })).status).toBe(200)
    const perIp = { TENANCY_API_RATE_LIMIT_PER_IP: "1" }
    const from = (ip: string, token: string) =>
      platform("GET", "/me", { token, env: perIp, headers: { "CF-Connecting-IP": ip } })
    const statuses = [await from("192.0.2.1", a), await from("192.0.2.1", b), await from("192.0.2.2", b)]
    expect(statuses.map((response) => response.status)).toEqual([200, 429, 200])
  })

  test("limits Workers per zone, because Cloudflare shows one address for all of them", async () => {
    const token = await makeKey()
    const from = async (ip: string, zone?: string) => {
      const headers = { "CF-Connecting-IP": ip, ...(zone !== undefined && { "CF-Worker": zone }) }
      return (await platform("GET", "/me", { token, env: { TENANCY_API_RATE_LIMIT_PER_IP: "1" }, headers })).status
    }
    const workers = "2a06:98c0:3600::103"
    expect([await from(workers, "a.example"), await from(workers, "A.example")]).toEqual([200, 429])
    const long = "b".repeat(62)
    expect([await from(workers, `${long}.example`), await from(workers, `${long}.test`)]).toEqual([200, 200])
    expect([await from(workers), await from(workers, "not a zone"), await from(workers, "a".repeat(254))]).toEqual([
      200, 429, 429,
    ])
    // Other clients may send the header, but Cloudflare shows their own address.
    expect([await from("192.0.2.1", "c.example"), await from("192.0.2.1", "d.example")]).toEqual([200, 429])

    const created = await platform("POST", "/keys", {
      token,
      json: { name: "Created", scopes: ["stores:read"] },
      headers: { "CF-Connecting-IP": workers, "CF-Worker": "e.example" },
    })
    expect(created.status).toBe(201)
    expect((await rows("select distinct address from audit_entries")).map(({ address }) => address)).toEqual([
      "worker:e.example",
    ])
  })

  test("allows requests when a rate-limit bucket is unreachable", async () => {
    const token = await makeKey()
    vi.spyOn(env.RATE_LIMIT, "get").mockImplementation(() => {
      throw new Error("unreachable")
    })
    const response = await platform("GET", "/me", { token })
    expect(response.status).toBe(200)
    expect(response.headers.get("X-RateLimit-Limit")).toBeNull()
  })
})

describe("response envelope", () => {
  test("sends the API version and a request id with every response", async () => {
    const token = await makeKey()
    const body = "x".repeat(2_000_000)
    const responses = [
      await platform("GET", "/me", { token }),
      await platform("GET", "/me"),
      await platform("GET", "/unknown", { token }),
      await platform("PUT", "/me", { token }),
      await platform("POST", "/plans", { token, json: {} }),
      await platform("POST", "/plans", { token, body, headers: { "Content-Type": "application/json" } }),
      await platform("GET", "/me", { token, env: { TENANCY_API_ENABLED: "false" } }),
      await platform("GET", "/me", { token, host: "acme.localhost" }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 404, 405, 422, 413, 503, 404])
    for (const response of responses) {
      expect(response.headers.get("X-Tenancy-Api-Version")).toBe(API_VERSION)
      expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9A-Z]{26}$/)
    }
  })

  test("returns 405 with Allow for a method that the path does not have", async () => {
    const response = await platform("DELETE", "/me", { token: await makeKey() })
    expect([response.status, response.body.error.code]).toEqual([405, "method_not_allowed"])
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS")
  })

  test("returns 204 with Allow for OPTIONS, and 404 for an unknown path", async () => {
    const token = await makeKey()
    const response = await platform("OPTIONS", "/stores/any", { token })
    expect([response.status, response.text]).toEqual([204, ""])
    expect(response.headers.get("Allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH"])
    expect((await platform("OPTIONS", "/no-such-path", { token })).status).toBe(404)
  })

  test("returns no body for HEAD", async () => {
    const { status, text } = await platform("HEAD", "/plans", { token: await makeKey() })
    expect([status, text]).toEqual([200, ""])
  })

  test("returns a 500 that names only the request id for an internal error", async () => {
    const token = await makeKey()
    await env.DB.exec("drop table plans")
    const response = await platform("GET", "/plans", { token })
    expect([response.status, response.body.error.code]).toEqual([500, "server_error"])
    expect(response.body.error.message).toContain(response.headers.get("X-Request-Id"))
    expect(response.text).not.toMatch(/plans|sqlite|select/i)
  })

  test("returns 400 for invalid JSON, 415 for another media type, 413 above a megabyte and 422 for an array", async () => {
    const token = await makeKey()
    const json = { "Content-Type": "application/json" }
    const post = (body: string, headers: Record<string, string>) =>
      platform("POST", "/stores", { token, body, headers })
    expect((await post("{", json)).status).toBe(400)
    expect((await post("a=1", { "Content-Type": "application/x-www-form-urlencoded" })).status).toBe(415)
    expect((await post(JSON.stringify({ name: "x".repeat(1_000_001) }), json)).status).toBe(413)
    const array = await post("[]", json)
    expect([array.status, array.body.error.code]).toEqual([422, "validation_failed"])
    expect((await post("", json)).body.errors.subdomain).toEqual(["The subdomain field is required."])
  })

  test("localizes messages by Accept-Language, but not codes", async () => {
    const errorIn = async (language: string) =>
      (await platform("GET", "/me", { headers: { "Accept-Language": language } })).body.error
    expect(await errorIn("vi")).toEqual({ code: "unauthenticated", message: "Cần có khóa API." })
    expect(await errorIn("de, fr-CA;q=0.8, es;q=0.5")).toEqual({
      code: "unauthenticated",
      message: "Une clé d’API est requise.",
    })
    expect((await errorIn("de")).message).toBe("An API key is required.")
  })
})

describe("platform constants and plans", () => {
  test("returns the constants from GET /platform, with every event and separate license events", async () => {
    const token = await makeKey({ scopes: ["read"] })
    const { data } = (await platform("GET", "/platform", { token })).body
    expect(data).toMatchObject({
      api_version: API_VERSION,
      grace_days: 14,
      retention_days: 30,
      central_domain: "localhost",
    })
    expect(data.webhook_events).toHaveLength(48)
    expect(data.webhook_events).not.toContain("ping")
    expect(data.license_events).toEqual(LICENSE_EVENTS)
    expect(data.features.custom_domain).toEqual({
      label: expect.any(String),
      description: expect.any(String),
      default: false,
      column: "allows_custom_domain",
    })
  })

  test("lists active plans, inactive ones on request, without the provider's price id", async () => {
    const token = await makeKey()
    await makePlan({ slug: "now", stripe_price: "price_secret" })
    await makePlan({ slug: "then", is_active: false })
    const slugs = async (query: string) =>
      (await platform("GET", `/plans${query}`, { token })).body.data.map((plan: { slug: string }) => plan.slug)
    expect(await slugs("")).toEqual(["now"])
    expect(await slugs("?include_inactive=1")).toEqual(["now", "then"])
    expect((await platform("GET", "/plans?include_inactive=maybe", { token })).status).toBe(422)
    const plan = await platform("GET", "/plans/now", { token })
    expect(plan.text).not.toContain("price_secret")
    expect((await platform("GET", "/plans/none", { token })).status).toBe(404)
  })
})
