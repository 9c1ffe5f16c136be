// Rate limits: cached refusals, overloaded buckets, and client networks.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import {
  addressLimits,
  assertBudgetLeft,
  peekBudget,
  refundHit,
  takeToken,
  takeTokens,
} from "../../src/core/http/rate-limit"
import { createLog } from "../../src/core/log"
import { call, isolate, platform } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey } from "../support/factories"

const log = createLog({})
const FORGED_KEY = `tnk_aaaaaaaa_${"x".repeat(40)}`

describe("rate limits", () => {
  test("caches a refusal for five seconds without calling the Durable Object", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const limit = { name: "test:a", limit: 1 }
    await takeToken(isolate.env, log, limit)
    await takeToken(isolate.env, log, limit)
    const calls = vi.spyOn(env.RATE_LIMIT, "get")
    expect(await takeToken(isolate.env, log, limit)).toMatchObject({ allowed: false, remaining: 0 })
    vi.setSystemTime(Date.now() + 4_999)
    expect(await takeToken(isolate.env, log, limit)).toMatchObject({ allowed: false, remaining: 0 })
    expect(calls).not.toHaveBeenCalled()
    vi.setSystemTime(Date.now() + 1)
    expect(await takeToken(isolate.env, log, limit)).toMatchObject({ allowed: false })
    expect(calls).toHaveBeenCalledOnce()
    vi.setSystemTime(Date.now() + 60_000)
    expect(await takeToken(isolate.env, log, limit)).toMatchObject({ allowed: true })
  })

  test("refuses when the bucket is overloaded, and allows when it is unreachable", async () => {
    const fail = (error: Error) =>
      vi.spyOn(env.RATE_LIMIT, "get").mockImplementation(() => {
        throw error
      })
    fail(Object.assign(new Error("Durable Object is overloaded."), { overloaded: true }))
    const limit = { name: "test:b", limit: 5 }
    expect(await takeToken(isolate.env, log, limit)).toMatchObject({ allowed: false })
    expect(await peekBudget(isolate.env, log, limit)).toMatchObject({ allowed: false })
    await expect(assertBudgetLeft(isolate.env, log, [limit])).rejects.toMatchObject({ code: "rate_limited" })
    vi.restoreAllMocks()
    fail(new Error("Network connection lost."))
    expect(await takeToken(isolate.env, log, limit)).toBeNull()
    expect(await peekBudget(isolate.env, log, limit)).toBeNull()
    await assertBudgetLeft(isolate.env, log, [limit])
  })

  test("reports the tightest of several limits and refuses when one is exhausted", async () => {
    const limits = [
      { name: "test:c", limit: 5 },
      { name: "test:d", limit: 2 },
    ]
    expect(await takeTokens(isolate.env, log, limits)).toMatchObject({ limit: 2, remaining: 1 })
    await takeTokens(isolate.env, log, limits)
    await expect(takeTokens(isolate.env, log, limits)).rejects.toMatchObject({ code: "rate_limited" })
  })

  test("counts a refused request against none of its limits", async () => {
    const [narrow, wide] = [
      { name: "test:narrow", limit: 2 },
      { name: "test:wide", limit: 5 },
    ]
    const burst = await Promise.allSettled(
      Array.from({ length: 20 }, () => takeTokens(isolate.env, log, [narrow, wide])),
    )
    // Each bucket sees the burst in a different order, so one may refuse what the other allowed.
    const passed = burst.filter(({ status }) => status === "fulfilled").length
    expect(passed).toBeLessThanOrEqual(2)
    // Another isolate has no cached refusals. Its peek includes one more request.
    const other = { ...isolate.env }
    expect(await peekBudget(other, log, wide)).toMatchObject({ allowed: true, remaining: 5 - passed - 1 })
    expect(await peekBudget(other, log, narrow)).toMatchObject({ remaining: Math.max(0, 2 - passed - 1) })
  })

  test("allows requests again a few seconds after another isolate's refund", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const limit = { name: "test:elsewhere", limit: 1, windowMs: 3_600_000 }
    await takeToken({ ...isolate.env }, log, limit)
    expect((await takeToken(isolate.env, log, limit))?.allowed).toBe(false)
    await refundHit({ ...isolate.env }, log, limit.name)
    expect((await takeToken(isolate.env, log, limit))?.allowed).toBe(false)
    vi.setSystemTime(Date.now() + 5_000)
    expect((await takeToken(isolate.env, log, limit))?.allowed).toBe(true)
  })

  test("allows requests again after a refund", async () => {
    const limit = { name: "test:refunded", limit: 1 }
    await takeToken(isolate.env, log, limit)
    expect((await takeToken(isolate.env, log, limit))?.allowed).toBe(false)
    await refundHit(isolate.env, log, limit.name)
    expect((await takeToken(isolate.env, log, limit))?.allowed).toBe(true)
  })

  test("checks a limit without counting", async () => {
    const failures = [{ name: "test:e", limit: 1 }]
    await assertBudgetLeft(isolate.env, log, failures)
    await assertBudgetLeft(isolate.env, log, failures)
    await takeTokens(isolate.env, log, failures)
    await expect(assertBudgetLeft(isolate.env, log, failures)).rejects.toMatchObject({ code: "rate_limited" })
  })

  test("peeks at both windows without counting", async () => {
    const limit = { name: "test:g", limit: 2, longer: { limit: 1, windowMs: 3_600_000 } }
    for (let i = 0; i < 3; i++) expect(await peekBudget(isolate.env, log, limit)).toMatchObject({ allowed: true })
    expect(await takeToken(isolate.env, log, limit)).toMatchObject({ allowed: true })
    expect(await peekBudget(isolate.env, log, limit)).toMatchObject({ allowed: false, limit: 1 })
  })

  test("keeps counting in a window longer than a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const limit = { name: "test:f", limit: 1, windowMs: 3_600_000 }
    await takeToken(isolate.env, log, limit)
    vi.setSystemTime(Date.now() + 61_000)
    expect((await takeToken(isolate.env, log, limit))?.allowed).toBe(false)
  })
})

describe("client networks", () => {
  test("counts IPv6 per /64 and /48, and mapped addresses as IPv4", () => {
    expect(addressLimits("ip", "2001:db8:1:2::9", 10).map(({ name, limit }) => [name, limit])).toEqual([
      ["ip:2001:db8:1:2::/64", 10],
      ["ip:2001:db8:1::/48", 40],
    ])
    expect(addressLimits("ip", "::ffff:192.0.2.1", 10).map(({ name }) => name)).toEqual(["ip:192.0.2.1"])
  })

  test("shares one control-plane budget within a /64", async () => {
    const settings = { TENANCY_API_RATE_LIMIT: "3", TENANCY_API_RATE_LIMIT_PER_IP: "3" }
    const statuses = []
    for (let i = 0; i < 4; i++) {
      const headers = { "CF-Connecting-IP": `2001:db8:3::${i}` }
      statuses.push((await platform("GET", "/me", { headers, env: settings })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})

describe("costs", () => {
  test("creates no bucket for a forged token", async () => {
    const names = vi.spyOn(env.RATE_LIMIT, "idFromName")
    await platform("GET", "/me", { token: "guess" })
    await platform("GET", "/me", { token: "another" })
    expect(new Set(names.mock.calls.map(([name]) => name))).toEqual(new Set(["anonymous:unknown", "ip:unknown"]))
  })

  test("refuses a rate-limited caller without a Durable Object call or a query", async () => {
    const settings = { ...isolate.env, TENANCY_API_RATE_LIMIT: "1" }
    isolate.env = settings
    const token = FORGED_KEY
    for (const status of [401, 429]) expect((await platform("GET", "/me", { token })).status).toBe(status)
    const costs = await costsOf(() => platform("GET", "/me", { token }))
    expect(costs).toMatchObject({ objectCalls: 0, roundTrips: 0 })
  })

  test("persists budgets only at thresholds", async () => {
    const token = await makeKey()
    await platform("GET", "/me", { token })
    const stub = env.RATE_LIMIT.get(env.RATE_LIMIT.idFromName("ip:unknown"))
    const { runInDurableObject } = await import("cloudflare:test")
    const countStoredKeys = () => runInDurableObject(stub, async (_, state) => (await state.storage.list()).size)
    expect(await countStoredKeys()).toBe(0)
    for (let i = 0; i < 15; i++) await platform("GET", "/me", { token })
    expect(await countStoredKeys()).toBe(1)
  })
})

test("limits guesses of the operator token per address, even for a correct token afterwards", async () => {
  const guess = (token: string) => call("GET", "/api/operator/v1", { token })
  for (let i = 0; i < 10; i++) expect((await guess(`guess ${i}`.replace(" ", ""))).status).toBe(401)
  expect((await guess("guess")).status).toBe(429)
  expect((await guess(env.OPERATOR_TOKEN as string)).status).toBe(429)
})
