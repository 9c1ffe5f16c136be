// Failures between commit and receiver: no event is lost, and no two workers make the same attempt.
import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import worker from "../../src/index"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { runEndpointBatch } from "../../src/webhooks/sweep/endpoint-batch"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { consume, run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { failBatches, failRoundTrips } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { letWorkerProceed } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { drainBatches, emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const QUEUE = "tenancy-webhooks"

/** Runs a sweep and everything that it enqueues. */
async function sweepNow() {
  const report = await run((ctx) => runSweep(ctx, { limit: 100 }))
  await drainBatches()
  return report
}

const state = async () => (await rows("select status, attempt from webhook_deliveries order by id"))[0]

describe("a queue message", () => {
  test("lets the sweep make the first attempt when the message is lost", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    await makeEndpoint()
    await emitEvent()
    clock.advance(19)
    await sweepNow()
    expect(hook.requests).toHaveLength(0)
    clock.advance(1)
    await sweepNow()
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 1 })
  })

  test("makes one attempt when the message is delivered several times", async () => {
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    await consume(QUEUE, [{ delivery }, { delivery }, { delivery }])
    await consume(QUEUE, [{ delivery }])
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 1 })
  })

  test("acknowledges the message of a deleted delivery", async () => {
    const result = await consume(QUEUE, [{ delivery: 4711 }])
    expect(result).toMatchObject({ explicitAcks: ["0"], retryMessages: [] })
  })

  test("ignores a message that arrives after the sweep made the attempt", async () => {
    const clock = freezeClock()
    const hook = mockReceiver(new Response(null, { status: 500 }))
    await makeEndpoint()
    await emitEvent()
    clock.advance(60)
    await sweepNow()
    const [row] = await rows("select id from webhook_deliveries")
    await consume(QUEUE, [{ delivery: Number(row?.id) }])
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "failed", attempt: 1 })
  })

  test("completes the batch as soon as the attempt at a hanging receiver is reserved", async () => {
    let respond: (response: Response) => void = () => undefined
    mockReceiver((request) =>
      request.url.includes("hung") ? new Promise<Response>((resolve) => (respond = resolve)) : new Response(),
    )
    const hung = await makeEndpoint({ url: "https://hung.example/" })
    const quick = await makeEndpoint()
    const deliveries = [await makeDelivery(hung.id), await makeDelivery(quick.id), await makeDelivery(quick.id)]
    const messages = deliveries.map(({ id }) => ({
      id: String(id),
      timestamp: new Date(),
      attempts: 1,
      body: { delivery: id },
    }))
    const execution = createExecutionContext()
    const batch = createMessageBatch<{ delivery: number }>(QUEUE, messages)
    await worker.queue(batch, env, execution)
    const statuses = "select status from webhook_deliveries order by id"
    expect((await rows(statuses))[0]).toEqual({ status: "pending" })
    respond(new Response(null, { status: 503 }))
    await waitOnExecutionContext(execution)
    expect((await rows(statuses)).map((row) => row.status)).toEqual(["failed", "delivered", "delivered"])
  })
})

describe("a worker that dies", () => {
  test("retries under the same id when the worker dies between sending and settling", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    let batches = 0
    const faults = failBatches(() => (++batches >= 2 ? "before" : null))
    await consume(QUEUE, [{ delivery }])
    faults.mockRestore()
    expect(await state()).toEqual({ status: "pending", attempt: 1 })

    await consume(QUEUE, [{ delivery }])
    clock.advance(39)
    await sweepNow()
    expect(hook.requests).toHaveLength(1)
    clock.advance(1)
    await sweepNow()
    expect(hook.requests).toHaveLength(2)
    expect(new Set(hook.requests.map((request) => request.headers.get("webhook-id"))).size).toBe(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 2 })
  })

  test("retries when the worker dies while sending, and discards its late result", async () => {
    const clock = freezeClock()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    const hook = mockReceiver(() => new Response())
    hook.spy.mockImplementationOnce(async () =>
      Response.json({ Status: 0, Answer: [{ type: 1, data: "203.0.114.1" }] }),
    )
    hook.spy.mockImplementationOnce(async () => Response.json({ Status: 0 }))
    hook.spy.mockImplementationOnce(() => new Promise(() => undefined))
    const execution = createExecutionContext()
    const message = { id: "0", timestamp: new Date(), attempts: 1, body: { delivery } }
    await worker.queue(createMessageBatch<{ delivery: number }>(QUEUE, [message]), env, execution)
    clock.advance(40)
    await sweepNow()
    expect(await state()).toEqual({ status: "delivered", attempt: 2 })
    expect(hook.requests).toHaveLength(1)
  })
})

describe("a database error", () => {
  test.each(["before", "after"] as const)(
    "sends an event once when reserving and settling fail %s they take effect",
    async (fault) => {
      const hook = mockReceiver()
      const { id } = await makeEndpoint()
      const { id: delivery } = await makeDelivery(id)
      let batches = 0
      const faults = failBatches(() => (++batches % 2 ? fault : null))
      const { explicitAcks } = await consume(QUEUE, [{ delivery }])
      faults.mockRestore()
      expect(explicitAcks).toEqual(["0"])
      expect(hook.requests).toHaveLength(1)
      expect(await state()).toEqual({ status: "delivered", attempt: 1 })
      expect(await rows("select attempts, delivered from webhook_hours")).toEqual([{ attempts: 1, delivered: 1 }])
      expect(await rows("select json_array_length(attempts) as attempts from webhook_deliveries")).toEqual([
        { attempts: 1 },
      ])
    },
  )

  test("retries the queue message when the reservation of an attempt fails", async () => {
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    const faults = failBatches(() => "before")
    expect((await consume(QUEUE, [{ delivery }])).retryMessages).toHaveLength(1)
    faults.mockRestore()
    expect(await state()).toEqual({ status: "pending", attempt: 0 })
    await consume(QUEUE, [{ delivery }])
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 1 })
  })

  test("sends nothing when the response to the reservation is lost, and retries after the lease", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    const faults = failBatches(() => "after")
    await consume(QUEUE, [{ delivery }])
    faults.mockRestore()
    expect(await state()).toEqual({ status: "pending", attempt: 1 })
    expect(hook.requests).toHaveLength(0)
    clock.advance(40)
    await sweepNow()
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 2 })
  })

  test("sends nothing again when the response to the settlement is lost", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    let batches = 0
    const faults = failBatches(() => (++batches === 2 ? "after" : null))
    await consume(QUEUE, [{ delivery }])
    faults.mockRestore()
    await consume(QUEUE, [{ delivery }])
    clock.advance(100)
    await sweepNow()
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 1 })
  })

  test("announces an exhausted delivery when the response to its settlement is lost", async () => {
    freezeClock()
    mockReceiver(new Response(null, { status: 500 }))
    await makeEndpoint()
    await emitEvent()
    const due = Date.now() - 1000
    await env.DB.prepare("update webhook_deliveries set status = 'failed', attempt = 5, next_attempt_at = ?")
      .bind(due)
      .run()
    const [delivery] = await rows("select id from webhook_deliveries")
    const isSettlement = (statements: string[]) =>
      statements.some((sql) => /^update "webhook_deliveries" set .*"delivered_at" = /.test(sql))
    let settlements = 0
    const faults = failRoundTrips((statements) => (isSettlement(statements) && settlements++ === 0 ? "after" : null))
    const attempted = await run((ctx) => attemptDelivery(ctx, Number(delivery?.id), new Date(due)))
    faults.mockRestore()
    expect([attempted?.status, attempted?.attempt, settlements]).toEqual(["exhausted", 6, 1])
    expect(await count("webhook_events where type = 'delivery.exhausted'")).toBe(1)
  })

  test("makes every attempt of an endpoint batch once when a database call fails", async () => {
    freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    for (let delivery = 0; delivery < 3; delivery++) await makeDelivery(id)
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ queued: 3 })
    let batches = 0
    const faults = failBatches(() => (++batches === 3 ? "before" : null))
    await drainBatches()
    faults.mockRestore()
    expect(await count("locks")).toBe(0)
    expect(hook.requests).toHaveLength(3)
    expect(await count("webhook_deliveries where status = 'pending'")).toBe(0)
  })

  test("releases the sweep's lock when the database fails at the start of a sweep", async () => {
    mockReceiver()
    const { id } = await makeEndpoint()
    await makeDelivery(id)
    const faults = failBatches(() => "before")
    await expect(sweepNow()).rejects.toThrow()
    faults.mockRestore()
    expect(await sweepNow()).toMatchObject({ ran: true, queued: 1 })
  })

  test("writes neither the change nor its event when the commit fails", async () => {
    await makeEndpoint()
    const faults = failBatches(() => "before")
    await expect(emitEvent()).rejects.toThrow()
    faults.mockRestore()
    expect(await count("webhook_events")).toBe(0)
    expect(env.WEBHOOK_QUEUE.sendBatch).not.toHaveBeenCalled()
  })
})

test("makes each attempt once when an endpoint batch is delivered three times concurrently", async () => {
  const hook = mockReceiver(async () => {
    await letWorkerProceed()
    return new Response()
  })
  const { id } = await makeEndpoint()
  vi.useFakeTimers({ toFake: ["Date"] })
  const deliveries: number[] = []
  for (let delivery = 0; delivery < 20; delivery++) deliveries.push((await makeDelivery(id)).id)
  const batch = { endpoint: id, until: null, deliveries, lease: Date.now() }
  await Promise.all([1, 2, 3].map(() => run((ctx) => runEndpointBatch(ctx, batch))))
  await drainBatches()
  expect(hook.requests).toHaveLength(20)
  expect(await count("webhook_deliveries where status = 'delivered' and attempt = 1")).toBe(20)
})
