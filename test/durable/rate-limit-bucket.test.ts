// Fixed-window counting, and the state of a bucket's Durable Object.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import type { RateLimitBucket } from "../../durable/rate-limit-bucket"
import { callDurable } from "../../src/lib/durable"
import { type Budget, hit, WINDOW_MS, type Window } from "../../src/lib/fixed-window"

describe("hit", () => {
  const T = 1_000_000

  test("opens a window of a minute with the first hit", () => {
    expect(hit({ endsAt: 0, hits: 0 }, 3, T)).toEqual({
      window: { endsAt: T + WINDOW_MS, hits: 1 },
      budget: { allowed: true, limit: 3, remaining: 2, resetAt: T + WINDOW_MS },
    })
  })

  test("allows hits up to the limit and counts at most one beyond it", () => {
    let window: Window = { endsAt: 0, hits: 0 }
    const allowed = []
    for (let i = 0; i < 5; i++) {
      const next = hit(window, 3, T + i)
      window = next.window
      allowed.push(next.budget.allowed)
    }
    expect(allowed).toEqual([true, true, true, false, false])
    expect(window.hits).toBe(4)
  })

  test("opens a new window exactly when the old one ends", () => {
    const full: Window = { endsAt: T + WINDOW_MS, hits: 4 }
    expect(hit(full, 3, T + WINDOW_MS - 1).budget.allowed).toBe(false)
    expect(hit(full, 3, T + WINDOW_MS).window).toEqual({ endsAt: T + 2 * WINDOW_MS, hits: 1 })
  })

  test("applies a raised limit within a window", () => {
    expect(hit({ endsAt: T + 1000, hits: 3 }, 10, T).budget).toMatchObject({ allowed: true, remaining: 6 })
  })
})

describe("RateLimitBucket", () => {
  const take = (name: string, limit = 3) =>
    callDurable<RateLimitBucket, Budget>(env.RATE_LIMIT, name, (bucket) => bucket.take(limit, WINDOW_MS, null))
  const stub = (name: string) => env.RATE_LIMIT.get(env.RATE_LIMIT.idFromName(name))

  test("stores the hits of a bucket across an eviction", async () => {
    await take("key:a")
    await take("key:a")
    await evictDurableObject(stub("key:a"))
    expect((await take("key:a")).remaining).toBe(0)
  })

  test("loses at most an eighth of its hits, or 15, by an eviction", async () => {
    let hits = 0
    for (const count of [15, 23, 31, 63, 127, 255, 511, 575]) {
      while (hits < count) hits = 600 - (await take("key:a", 600)).remaining
      await evictDurableObject(stub("key:a"))
      hits = 600 - (await take("key:a", 600)).remaining - 1
      expect.soft(count - hits, String(count)).toBeLessThanOrEqual(Math.max(15, count / 8))
      hits += 1
    }
  })

  test("allows at most 15 more than its limit when it is evicted after 255 hits", async () => {
    let allowed = 0
    for (; allowed < 255; allowed++) await take("key:a", 600)
    await evictDurableObject(stub("key:a"))
    while ((await take("key:a", 600)).allowed) allowed++
    expect(allowed).toBeLessThanOrEqual(600 + 15)
  })

  test("writes its count 33 times and its alarm once for 600 hits", async () => {
    await take("key:a", 600)
    const writes = await runInDurableObject(stub("key:a"), (_, { storage }) => ({
      put: vi.spyOn(storage, "put"),
      setAlarm: vi.spyOn(storage, "setAlarm"),
    }))
    for (let hits = 1; hits < 700; hits++) await take("key:a", 600)
    expect([writes.put.mock.calls.length, writes.setAlarm.mock.calls.length]).toEqual([33, 1])
  })

  test("stores a refund across an eviction", async () => {
    await take("key:a")
    await callDurable<RateLimitBucket, null>(env.RATE_LIMIT, "key:a", (bucket) => bucket.refund())
    await evictDurableObject(stub("key:a"))
    expect((await take("key:a")).remaining).toBe(2)
  })

  test("counts each bucket separately", async () => {
    await take("key:a")
    expect((await take("key:b")).remaining).toBe(2)
  })

  test("counts concurrent hits", async () => {
    const budgets = await Promise.all(Array.from({ length: 10 }, () => take("key:a", 4)))
    expect(budgets.filter((budget) => budget.allowed)).toHaveLength(4)
  })

  test("counts refused and refunded hits in neither of two windows", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const longWindow = { limit: 3, windowMs: 10 * WINDOW_MS }
    const isAllowed = async () => {
      const budget = await callDurable<RateLimitBucket, Budget>(env.RATE_LIMIT, "mail", (bucket) =>
        bucket.take(2, WINDOW_MS, longWindow),
      )
      return budget.allowed
    }
    expect([await isAllowed(), await isAllowed(), await isAllowed(), await isAllowed()]).toEqual([
      true,
      true,
      false,
      false,
    ])
    await callDurable<RateLimitBucket, null>(env.RATE_LIMIT, "mail", (bucket) => bucket.refund())
    vi.setSystemTime(Date.now() + WINDOW_MS + 1)
    expect([await isAllowed(), await isAllowed(), await isAllowed()]).toEqual([true, true, false])
    vi.setSystemTime(Date.now() + WINDOW_MS + 1)
    expect(await isAllowed(), "the limit of the long window is used up").toBe(false)
  })

  test("deletes the state of a bucket when its window ends", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await take("ip:192.0.2.1")
    vi.setSystemTime(Date.now() + WINDOW_MS + 1)
    expect(await runDurableObjectAlarm(stub("ip:192.0.2.1"))).toBe(true)
    const storedKeys = await runInDurableObject(
      stub("ip:192.0.2.1"),
      async (_, state) => (await state.storage.list()).size,
    )
    expect(storedKeys).toBe(0)
  })
})
