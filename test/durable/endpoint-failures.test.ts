// The failure counter of an endpoint: its threshold at it, one below it, broken, and after it has fired.
import { evictDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type { EndpointFailures, FailureCount } from "../../durable/endpoint-failures"
import { callDurable } from "../../src/lib/durable"

const THRESHOLD = 25
const NAME = "endpoint:test"

const record = (delivered: boolean, now = 1_000, threshold = THRESHOLD) =>
  callDurable<EndpointFailures, FailureCount>(env.ENDPOINT_FAILURES, NAME, (failures) =>
    failures.record(delivered, threshold, now, null),
  )
const reset = () =>
  callDurable<EndpointFailures, FailureCount>(env.ENDPOINT_FAILURES, NAME, (failures) => failures.reset())
const deleteState = () =>
  callDurable<EndpointFailures, null>(env.ENDPOINT_FAILURES, NAME, (failures) => failures.deleteState())

async function fail(times: number): Promise<FailureCount> {
  let last: FailureCount | undefined
  for (let failure = 0; failure < times; failure++) last = await record(false)
  if (!last) throw new Error("no failure")
  return last
}

describe("the failure counter", () => {
  test("one failure below the threshold leaves the endpoint on", async () => {
    expect(await fail(THRESHOLD - 1)).toMatchObject({ failures: 24, disabledAt: null, disabledNow: false })
  })

  test("the failure at the threshold switches it off, and says so this once", async () => {
    await fail(THRESHOLD - 1)
    expect(await record(false, 5_000)).toMatchObject({ failures: 25, disabledAt: 5_000, disabledNow: true })
    expect(await record(false, 6_000)).toMatchObject({ failures: 26, disabledAt: 5_000, disabledNow: false })
  })

  test("a success in between starts the run again", async () => {
    await fail(THRESHOLD - 1)
    expect(await record(true)).toMatchObject({ failures: 0, disabledAt: null })
    expect(await fail(THRESHOLD - 1)).toMatchObject({ failures: 24, disabledNow: false })
    expect(await record(false)).toMatchObject({ failures: 25, disabledNow: true })
  })

  test("of many failures at once exactly one switches it off", async () => {
    const counts = await Promise.all(Array.from({ length: 60 }, () => record(false)))
    expect(counts.filter((count) => count.disabledNow)).toHaveLength(1)
    expect(new Set(counts.map((count) => count.seq)).size).toBe(60)
  })

  test("a success while it is off resets the run and does not switch it on", async () => {
    await fail(THRESHOLD)
    expect(await record(true)).toMatchObject({ failures: 0, disabledAt: 1_000 })
  })

  test("switched on again it counts from nothing, and can be switched off again", async () => {
    await fail(THRESHOLD)
    expect(await reset()).toMatchObject({ failures: 0, disabledAt: null })
    expect(await fail(THRESHOLD)).toMatchObject({ failures: 25, disabledNow: true })
  })

  test("a threshold that was lowered holds from the next failure on", async () => {
    await fail(10)
    expect(await record(false, 1_000, 5)).toMatchObject({ failures: 11, disabledNow: true })
  })

  test("a success after a success changes nothing; every change has a higher number", async () => {
    expect(await record(true)).toMatchObject({ seq: 0 })
    const first = await record(false)
    const second = await record(true)
    expect(second.seq).toBeGreaterThan(first.seq)
    expect((await record(true)).seq).toBe(second.seq)
  })

  test("the run outlives an eviction", async () => {
    await fail(THRESHOLD - 1)
    await evictDurableObject(env.ENDPOINT_FAILURES.get(env.ENDPOINT_FAILURES.idFromName(NAME)) as never)
    expect(await record(false)).toMatchObject({ failures: 25, disabledNow: true })
  })

  test("of a deleted endpoint nothing is kept", async () => {
    await fail(3)
    await deleteState()
    await evictDurableObject(env.ENDPOINT_FAILURES.get(env.ENDPOINT_FAILURES.idFromName(NAME)) as never)
    expect(await record(false)).toMatchObject({ seq: 1, failures: 1 })
  })
})
