// The failure counter of an endpoint: below, at and above its threshold, resets and evictions.
import { evictDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type { EndpointFailures, FailureCount } from "../../durable/endpoint-failures"
import { callDurable } from "../../src/lib/durable"

const THRESHOLD = 25
const NAME = "endpoint:test"

const record = (delivered: boolean, now = 1_000, threshold = THRESHOLD, attempt: string = crypto.randomUUID()) =>
  callDurable<EndpointFailures, FailureCount>(env.ENDPOINT_FAILURES, NAME, (failures) =>
    failures.record(delivered, threshold, now, null, attempt),
  )
const reset = () =>
  callDurable<EndpointFailures, FailureCount>(env.ENDPOINT_FAILURES, NAME, (failures) => failures.clear())
const deleteState = () =>
  callDurable<EndpointFailures, null>(env.ENDPOINT_FAILURES, NAME, (failures) => failures.deleteState())

async function fail(times: number): Promise<FailureCount> {
  let last: FailureCount | undefined
  for (let failure = 0; failure < times; failure++) last = await record(false)
  if (!last) throw new Error("no failure")
  return last
}

describe("the failure counter", () => {
  test("leaves the endpoint enabled one failure below the threshold", async () => {
    expect(await fail(THRESHOLD - 1)).toMatchObject({ failures: 24, disabledAt: null, disabledNow: false })
  })

  test("disables the endpoint at the threshold and reports it once", async () => {
    await fail(THRESHOLD - 1)
    expect(await record(false, 5_000)).toMatchObject({ failures: 25, disabledAt: 5_000, disabledNow: true })
    expect(await record(false, 6_000)).toMatchObject({ failures: 26, disabledAt: 5_000, disabledNow: false })
  })

  test("counts an attempt once when its call is repeated, and repeats that it disabled the endpoint", async () => {
    await fail(THRESHOLD - 2)
    expect(await record(false, 5_000, THRESHOLD, "7:1")).toMatchObject({ failures: 24, disabledNow: false })
    expect(await record(false, 5_000, THRESHOLD, "7:1")).toMatchObject({ failures: 24, disabledNow: false })
    const disabled = await record(false, 6_000, THRESHOLD, "8:1")
    expect(disabled).toMatchObject({ failures: 25, disabledAt: 6_000, disabledNow: true })
    expect(await record(false, 6_000, THRESHOLD, "8:1")).toEqual(disabled)
  })

  test("counts every failure of a caller that names no attempt", async () => {
    const call = () =>
      callDurable<EndpointFailures, FailureCount>(env.ENDPOINT_FAILURES, NAME, (failures) =>
        failures.record(false, THRESHOLD, 1_000, null, null),
      )
    await call()
    expect(await call()).toMatchObject({ failures: 2 })
  })

  test("counts failures from zero after a success", async () => {
    await fail(THRESHOLD - 1)
    expect(await record(true)).toMatchObject({ failures: 0, disabledAt: null })
    expect(await fail(THRESHOLD - 1)).toMatchObject({ failures: 24, disabledNow: false })
    expect(await record(false)).toMatchObject({ failures: 25, disabledNow: true })
  })

  test("reports the disabling once for concurrent failures", async () => {
    const counts = await Promise.all(Array.from({ length: 60 }, () => record(false)))
    expect(counts.filter((count) => count.disabledNow)).toHaveLength(1)
    expect(new Set(counts.map((count) => count.seq)).size).toBe(60)
  })

  test("resets the failures of a disabled endpoint on a success without enabling it", async () => {
    await fail(THRESHOLD)
    expect(await record(true)).toMatchObject({ failures: 0, disabledAt: 1_000 })
  })

  test("counts failures from zero after it was cleared and can disable the endpoint again", async () => {
    await fail(THRESHOLD)
    expect(await reset()).toMatchObject({ failures: 0, disabledAt: null })
    expect(await fail(THRESHOLD)).toMatchObject({ failures: 25, disabledNow: true })
  })

  test("applies a lowered threshold from the next failure on", async () => {
    await fail(10)
    expect(await record(false, 1_000, 5)).toMatchObject({ failures: 11, disabledNow: true })
  })

  test("increments `seq` with every change and not on a repeated success", async () => {
    expect(await record(true)).toMatchObject({ seq: 0 })
    const first = await record(false)
    const second = await record(true)
    expect(second.seq).toBeGreaterThan(first.seq)
    expect((await record(true)).seq).toBe(second.seq)
  })

  test("stores the failure count across an eviction", async () => {
    await fail(THRESHOLD - 1)
    await evictDurableObject(env.ENDPOINT_FAILURES.get(env.ENDPOINT_FAILURES.idFromName(NAME)) as never)
    expect(await record(false)).toMatchObject({ failures: 25, disabledNow: true })
  })

  test("stores nothing of a deleted endpoint", async () => {
    await fail(3)
    await deleteState()
    await evictDurableObject(env.ENDPOINT_FAILURES.get(env.ENDPOINT_FAILURES.idFromName(NAME)) as never)
    expect(await record(false)).toMatchObject({ seq: 1, failures: 1 })
  })
})

describe("the slots of first attempts", () => {
  const call = <R>(work: Parameters<typeof callDurable<EndpointFailures, R>>[2]) =>
    callDurable<EndpointFailures, R>(env.ENDPOINT_FAILURES, NAME, work)
  let tokens = 0
  /** Acquires all slots that are free, then reports the outcome of each. */
  async function fill(delivered: boolean, isFast = delivered): Promise<number> {
    const slotTokens = Array.from({ length: 60 }, () => `slot ${tokens++}`)
    const acquired = await call<number>((endpoint) => endpoint.acquireSlots(slotTokens, 9_000, 1_000, null))
    const outcomes = slotTokens
      .slice(0, acquired)
      .map((slotToken) => ({ delivered, slotToken, attempt: slotToken, isFast }))
    await call((endpoint) => endpoint.recordAll(outcomes, 1_000, 1_000))
    return acquired
  }

  test("start at ten, grow by one per fast success up to fifty, and stay for a slow one", async () => {
    expect([await fill(true, false), await fill(true), await fill(true), await fill(true), await fill(true)]).toEqual([
      10, 10, 20, 40, 50,
    ])
  })

  test("are halved by a failure, down to five", async () => {
    const outcome = { delivered: false, slotToken: "none", attempt: "1:1", isFast: false }
    await call((endpoint) => endpoint.recordAll([outcome], 1_000, 1_000))
    expect([await fill(false), await fill(true)]).toEqual([5, 5])
  })

  test("expire when their worker dies, and are released by token", async () => {
    const slotTokens = Array.from({ length: 12 }, (_, index) => `token ${index}`)
    const acquire = (now: number) =>
      call<number>((endpoint) => endpoint.acquireSlots(slotTokens, now + 1_000, now, null))
    expect([await acquire(0), await acquire(500)]).toEqual([10, 0])
    await call((endpoint) => endpoint.releaseSlots(slotTokens.slice(0, 3)))
    expect([await acquire(600), await acquire(1_601)]).toEqual([3, 10])
  })

  test("count a repeated call once", async () => {
    const outcomes = ["1:1", "2:1"].map((attempt) => ({ delivered: false, slotToken: null, attempt, isFast: false }))
    const record = () => call<FailureCount>((endpoint) => endpoint.recordAll(outcomes, 2, 1_000))
    expect(await record()).toMatchObject({ failures: 2, disabledNow: true })
    expect(await record()).toMatchObject({ failures: 2, disabledNow: true })
  })
})
