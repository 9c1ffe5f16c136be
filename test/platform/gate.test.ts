// The control plane's gate: the order of its checks, case by case.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { LICENSE_EVENTS } from "../../src/core/write/event-types"
import { API_VERSION } from "../../src/core/write/events"
import { platform } from "../support/app"
import { makeKey, makePlan } from "../support/factories"
import { rows } from "../support/rows"

const VERBS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]
const unknownKey = `tnk_aaaaaaaa_${"b".repeat(40)}`

describe("the order of checks", () => {
  test("a store's host is refused first, with every verb, even while the API is off and with a good key", async () => {
    const token = await makeKey()
    for (const method of VERBS) {
      for (const host of ["acme.localhost", "shop.example", "localhost.evil.example"]) {
        const answer = await platform(method, "/me", { token, host, env: { TENANCY_API_ENABLED: "false" } })
        expect(answer.status).toBe(404)
        if (method !== "HEAD") expect(answer.body.error.code).toBe("not_found")
        expect(answer.headers.get("X-RateLimit-Limit")).toBeNull()
      }
    }
  })

  test("the kill switch comes before the key and before throttling, for every verb and path", async () => {
    const off = { TENANCY_API_ENABLED: "false", TENANCY_API_RATE_LIMIT: "0" }
    for (const method of VERBS) {
      for (const path of ["/me", "/no-such-path"]) {
        const answer = await platform(method, path, { env: off })
        expect(answer.status).toBe(503)
        if (method !== "HEAD") expect(answer.body.error.code).toBe("api_disabled")
      }
    }
  })

  test("throttling comes before the key: unknown keys use up their budget", async () => {
    const limit = { TENANCY_API_RATE_LIMIT: "2" }
    const codes = []
    for (let i = 0; i < 3; i++)
      codes.push((await platform("GET", "/me", { token: unknownKey, env: limit })).body.error.code)
    expect(codes).toEqual(["invalid_key", "invalid_key", "rate_limited"])
  })

  test("the key comes before the scope, the scope before the path, the path before the verb, the verb before the body", async () => {
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
      const answer = await platform(method, path, options)
      expect([answer.status, answer.body.error.code], `${method} ${path}`).toEqual([status, code])
    }
  })
})

describe("keys", () => {
  test("no token, an unknown one, a revoked one and an expired one are told apart", async () => {
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
      const answer = await platform("GET", "/me", { token })
      expect([answer.status, answer.body.error.code]).toEqual([401, code])
    }
  })

  test("a bearer token and the X-API-KEY header both open it; the bearer token wins", async () => {
    const token = await makeKey({ scopes: ["read"], name: "reader" })
    const headers = { "X-API-KEY": token }
    expect((await platform("GET", "/me", { headers })).body.data.name).toBe("reader")
    expect((await platform("GET", "/me", { token })).status).toBe(200)
    expect((await platform("GET", "/me", { token: unknownKey, headers })).body.error.code).toBe("invalid_key")
  })

  test("a token of another shape is refused without a query", async () => {
    const prepare = vi.spyOn(env.DB, "prepare")
    await platform("GET", "/me", { token: "tnk_short" })
    expect(prepare).not.toHaveBeenCalled()
  })

  test("GET /me shows the key and none of its secrets", async () => {
    const token = await makeKey({ scopes: ["read", "write"], name: "mine", unused: true })
    const { body } = await platform("GET", "/me", { token })
    expect(body.data).toEqual({
      id: expect.any(Number),
      name: "mine",
      key_prefix: token.slice(0, 12),
      scopes: ["read", "write"],
      is_usable: true,
      created_by_name: "system",
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    })
  })

  test("last_used_at is written behind the answer, at most once a minute", async () => {
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

describe("throttling", () => {
  test("the smaller remaining of both budgets is told, and on 429 when to come back", async () => {
    const token = await makeKey()
    const limits = { TENANCY_API_RATE_LIMIT: "5", TENANCY_API_RATE_LIMIT_PER_IP: "2" }
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await platform("GET", "/me", { token, env: limits }))
    expect(
      answers.map((a) => [a.status, a.headers.get("X-RateLimit-Limit"), a.headers.get("X-RateLimit-Remaining")]),
    ).toEqual([
      [200, "2", "1"],
      [200, "2", "0"],
      [429, "2", "0"],
    ])
    const refused = answers[2]
    const seconds = Number(refused?.headers.get("Retry-After"))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(Number(refused?.headers.get("X-RateLimit-Reset"))).toBeGreaterThan(Date.now() / 1000 - 1)
    expect(refused?.body.error.code).toBe("rate_limited")
  })

  test("two credentials have two budgets, one address has one", async () => {
    const [a, b] = [await makeKey(), await makeKey()]
    const perKey = { TENANCY_API_RATE_LIMIT: "1", TENANCY_API_RATE_LIMIT_PER_IP: "0" }
    expect((await platform("GET", "/me", { token: a, env: perKey })).status).toBe(200)
    expect((await platform("GET", "/me", { token: a, env: perKey })).status).toBe(429)
    expect((await platform("GET", "/me", { token: b, env: perKey })).status).toBe(200)
    const perIp = { TENANCY_API_RATE_LIMIT_PER_IP: "1" }
    const from = (ip: string, token: string) =>
      platform("GET", "/me", { token, env: perIp, headers: { "CF-Connecting-IP": ip } })
    const statuses = [await from("192.0.2.1", a), await from("192.0.2.1", b), await from("192.0.2.2", b)]
    expect(statuses.map((answer) => answer.status)).toEqual([200, 429, 200])
  })

  test("a bucket that cannot be reached lets the request through", async () => {
    const token = await makeKey()
    vi.spyOn(env.RATE_LIMIT, "get").mockImplementation(() => {
      throw new Error("unreachable")
    })
    const answer = await platform("GET", "/me", { token })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("X-RateLimit-Limit")).toBeNull()
  })
})

describe("the envelope", () => {
  test("every answer carries the version and a request id", async () => {
    const token = await makeKey()
    for (const answer of [await platform("GET", "/me", { token }), await platform("GET", "/me")]) {
      expect(answer.headers.get("X-Tenancy-Api-Version")).toBe(API_VERSION)
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9A-Z]{26}$/)
    }
  })

  test("a known path with another verb is 405 with Allow; OPTIONS is 204 with it; HEAD is GET without a body", async () => {
    const token = await makeKey()
    const wrong = await platform("DELETE", "/plans", { token })
    expect([wrong.status, wrong.body.error.code]).toEqual([405, "method_not_allowed"])
    expect(wrong.headers.get("Allow")).toBe("GET, HEAD, OPTIONS")
    const options = await platform("OPTIONS", "/stores/any", { token })
    expect([options.status, options.text]).toEqual([204, ""])
    expect(options.headers.get("Allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH"])
    const head = await platform("HEAD", "/plans", { token })
    expect([head.status, head.text]).toEqual([200, ""])
    expect((await platform("OPTIONS", "/no-such-path", { token })).status).toBe(404)
  })

  test("a fault of ours is a 500 that names the request and nothing else", async () => {
    const token = await makeKey()
    await env.DB.exec("drop table plans")
    const answer = await platform("GET", "/plans", { token })
    expect([answer.status, answer.body.error.code]).toEqual([500, "server_error"])
    expect(answer.body.error.message).toContain(answer.headers.get("X-Request-Id"))
    expect(answer.text).not.toMatch(/plans|sqlite|select/i)
  })

  test("unreadable JSON is 400, another media type 415, a body over a megabyte 413, an array 422", async () => {
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

  test("messages follow Accept-Language, codes never do", async () => {
    const says = async (language: string) =>
      (await platform("GET", "/me", { headers: { "Accept-Language": language } })).body.error
    expect(await says("vi")).toEqual({ code: "unauthenticated", message: "Chưa cung cấp khóa API." })
    expect(await says("de, fr-CA;q=0.8, es;q=0.5")).toEqual({
      code: "unauthenticated",
      message: "Aucune clé d'API n'a été fournie.",
    })
    expect((await says("de")).message).toBe("No API key was given.")
  })
})

describe("constants and plans", () => {
  test("GET /platform gives the constants, with the 27 events and the license manager's apart", async () => {
    const token = await makeKey({ scopes: ["read"] })
    const { data } = (await platform("GET", "/platform", { token })).body
    expect(data).toMatchObject({
      api_version: API_VERSION,
      grace_days: 14,
      retention_days: 30,
      central_domain: "localhost",
    })
    expect(data.webhook_events).toHaveLength(27)
    expect(data.webhook_events).not.toContain("ping")
    expect(data.license_events).toEqual(LICENSE_EVENTS)
    expect(data.features.custom_domain).toEqual({
      label: expect.any(String),
      description: expect.any(String),
      default: false,
      column: "allows_custom_domain",
    })
  })

  test("GET /plans lists active plans, retired ones on request, without the provider's price", async () => {
    const token = await makeKey()
    await makePlan({ slug: "now", stripe_price: "price_secret" })
    await makePlan({ slug: "then", is_active: false })
    const slugs = async (query: string) =>
      (await platform("GET", `/plans${query}`, { token })).body.data.map((plan: { slug: string }) => plan.slug)
    expect(await slugs("")).toEqual(["now"])
    expect(await slugs("?include_inactive=1")).toEqual(["now", "then"])
    expect((await platform("GET", "/plans?include_inactive=maybe", { token })).status).toBe(422)
    const one = await platform("GET", "/plans/now", { token })
    expect(one.text).not.toContain("price_secret")
    expect((await platform("GET", "/plans/none", { token })).status).toBe(404)
  })
})
