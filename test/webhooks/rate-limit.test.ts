// The rate limit of an endpoint: first attempts, retries and recoveries wait for it, without a slot and without failing.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import type { EndpointFailures } from "../../durable/endpoint-failures"
import { callDurable } from "../../src/lib/durable"
import { consume, cron, platform } from "../support/app"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

/** Returns the messages that were sent one by one or in batches since the last call, with their delays. */
function takeMessages(queue: Queue) {
  const single = vi.mocked(queue.send).mock.calls.splice(0)
  const batches = vi.mocked(queue.sendBatch).mock.calls.splice(0)
  return [
    ...batches.flatMap(([sent]) => [...sent].map(({ body, delaySeconds }) => ({ body, delay: delaySeconds }))),
    ...single.map(([body, options]) => ({ body, delay: options?.delaySeconds })),
  ]
}

const bodies = (messages: ReturnType<typeof takeMessages>) => messages.map(({ body }) => body)

test("the token bucket allows a burst of one second and is refilled continuously", async () => {
  const take = (requested: number, rate: number, now: number) =>
    callDurable<EndpointFailures, number>(env.ENDPOINT_FAILURES, "bucket", (endpoint) =>
      endpoint.takeFromBucket(requested, rate, now),
    )
  expect([await take(3, 4, 1_000), await take(3, 4, 1_000), await take(1, 4, 1_249)]).toEqual([3, 1, 0])
  expect([await take(1, 4, 1_250), await take(9, 4, 60_000), await take(1, 4, 1_000)]).toEqual([1, 4, 0])
  // A lower limit applies at once.
  expect(await take(9, 2, 120_000)).toBe(2)
  const acquire = (rate: number | null) =>
    callDurable<EndpointFailures, number>(env.ENDPOINT_FAILURES, "slots", (endpoint) =>
      endpoint.acquireSlots(
        Array.from({ length: 12 }, () => crypto.randomUUID()),
        9_000,
        1_000,
        rate,
      ),
    )
  // Attempts beyond the limit hold no slot of the ten.
  expect([await acquire(2), await acquire(2), await acquire(null)]).toEqual([2, 0, 8])
})

test("first attempts beyond the limit wait, without a failure or an attempt", async () => {
  const clock = freezeClock()
  const token = await makeKey()
  const hook = mockReceiver()
  const json = { url: "https://receiver.example/hook", events: ["*"], max_per_second: 2 }
  const { id } = (await platform("POST", "/webhooks", { token, json })).body.data
  for (let event = 0; event < 5; event++) await emitEvent()
  await consume("tenancy-webhooks", bodies(takeMessages(env.WEBHOOK_QUEUE)))
  expect(hook.requests).toHaveLength(2)
  const waiting = await rows("select attempt, status, attempts from webhook_deliveries where status = 'pending'")
  expect(waiting).toEqual(Array.from({ length: 3 }, () => ({ attempt: 0, status: "pending", attempts: "[]" })))
  clock.advance(1)
  const deferred = takeMessages(env.WEBHOOK_QUEUE)
  expect(deferred.map(({ delay }) => delay)).toEqual([1, 1, 1])
  await consume("tenancy-webhooks", bodies(deferred))
  expect(hook.requests).toHaveLength(4)
  const { data } = (await platform("GET", `/webhooks/${id}`, { token })).body
  expect(data).toMatchObject({ max_per_second: 2, consecutive_failures: 0, is_receiving: true })
  const lifted = await platform("PATCH", `/webhooks/${id}`, { token, json: { max_per_second: null } })
  expect(lifted.body.data.max_per_second).toBeNull()
  await consume("tenancy-webhooks", bodies(takeMessages(env.WEBHOOK_QUEUE)))
  for (let event = 0; event < 5; event++) await emitEvent()
  await consume("tenancy-webhooks", bodies(takeMessages(env.WEBHOOK_QUEUE)))
  expect(hook.requests.length).toBeGreaterThanOrEqual(9)
})

test("a batch of the sweep sends as many as the limit allows, and continues a second later", async () => {
  const clock = freezeClock()
  const hook = mockReceiver()
  const { id } = await makeEndpoint({ maxPerSecond: 2 })
  for (let n = 0; n < 4; n++) await makeDelivery(id, { status: "failed", attempt: 1, nextAttemptAt: new Date(0) })
  const lost = await makeDelivery(id, { nextAttemptAt: new Date(0) })
  await cron("* * * * *")
  const sent: number[] = []
  for (let round = 0; round < 4; round++) {
    const messages = takeMessages(env.RETRY_QUEUE)
    if (round > 0 && messages.length) expect(messages.map(({ delay }) => delay)).toEqual([1])
    await consume("tenancy-retries", bodies(messages))
    sent.push(hook.requests.length)
    clock.advance(1)
  }
  expect(sent).toEqual([2, 4, 5, 5])
  expect(await rows("select distinct status from webhook_deliveries")).toEqual([{ status: "delivered" }])
  expect(await rows(`select attempt from webhook_deliveries where id = ${lost.id}`)).toEqual([{ attempt: 1 }])
  expect(await rows("select lane_until from webhook_endpoints")).toEqual([{ lane_until: null }])
})

test("a recovery waits for the limit", async () => {
  const clock = freezeClock()
  const token = await makeKey()
  const hook = mockReceiver()
  for (let event = 0; event < 4; event++) await emitEvent()
  const { id } = await makeEndpoint({ maxPerSecond: 2 })
  const waits: number[] = []
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    waits.push(ms)
    clock.advance(ms / 1000)
  })
  const json = { since: new Date(clock.now() - 60_000).toISOString(), mode: "missed" }
  await platform("POST", `/webhooks/${id}/recover`, { token, json })
  await consume("tenancy-slow-jobs", [{ job: "recovery", endpoint: id }])
  expect([hook.requests.length, waits.filter((ms) => ms === 500).length]).toEqual([4, 2])
})

test.each([0, -1, 1.5, 1001, "5", true])("refuses a limit of %j", async (max_per_second) => {
  mockReceiver()
  const json = { url: "https://receiver.example/hook", events: ["*"], max_per_second }
  const { status, body } = await platform("POST", "/webhooks", { token: await makeKey(), json })
  expect([status, Object.keys(body.errors)]).toEqual([422, ["max_per_second"]])
})
