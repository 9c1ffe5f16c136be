// Whatever dies between commit and receiver: no event is lost, and no attempt is made by two workers.
import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import worker from "../../src/index"
import { runEndpointBatch } from "../../src/webhooks/sweep/endpoint-batch"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { consume, run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { failBatches } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { drainBatches, emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const QUEUE = "tenancy-webhooks"

/** A sweep, and all that it handed on. */
async function sweepNow() {
  const report = await run((ctx) => runSweep(ctx, { limit: 100 }))
  await drainBatches()
  return report
}

const state = async () => (await rows("select status, attempt from webhook_deliveries order by id"))[0]

describe("a message", () => {
  test("that is lost: the sweep makes the first attempt once the queue had its time", async () => {
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

  test("that is delivered twice, at once or again later, makes one attempt", async () => {
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    await consume(QUEUE, [{ delivery }, { delivery }, { delivery }])
    await consume(QUEUE, [{ delivery }])
    expect(hook.requests).toHaveLength(1)
    expect(await state()).toEqual({ status: "delivered", attempt: 1 })
  })

  test("for a delivery that is gone is done", async () => {
    const result = await consume(QUEUE, [{ delivery: 4711 }])
    expect(result).toMatchObject({ explicitAcks: ["0"], retryMessages: [] })
  })

  test("that comes after the sweep made the attempt changes nothing", async () => {
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

  test("for a receiver that hangs is done as soon as the attempt is reserved, and its neighbours' too", async () => {
    let answer: (response: Response) => void = () => undefined
    mockReceiver((request) =>
      request.url.includes("hung") ? new Promise<Response>((resolve) => (answer = resolve)) : new Response(),
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
    expect((await rows(statuses)).map((row) => row.status)).toEqual(["pending", "delivered", "delivered"])
    answer(new Response(null, { status: 503 }))
    await waitOnExecutionContext(execution)
    expect((await rows(statuses))[0]).toEqual({ status: "failed" })
  })
})

describe("a worker that dies", () => {
  test("after sending and before settling: the lease brings the delivery back, with the same id", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    let batches = 0
    const faults = failBatches(() => (++batches === 2 ? "before" : null))
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

  test("while it sends: the same, and what it might still do later is not written", async () => {
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

describe("a database fault", () => {
  test("before the attempt is reserved: the queue tries again, and one attempt is made", async () => {
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

  test("that swallows the reservation's answer: nothing was sent, and the lease brings the delivery back", async () => {
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

  test("that swallows the settlement's answer: it is settled all the same, and nothing is sent again", async () => {
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

  test("in the middle of a lane ends that attempt only", async () => {
    freezeClock()
    mockReceiver()
    const { id } = await makeEndpoint()
    for (let delivery = 0; delivery < 3; delivery++) await makeDelivery(id)
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ queued: 3 })
    let batches = 0
    const faults = failBatches(() => (++batches === 3 ? "before" : null))
    await drainBatches()
    faults.mockRestore()
    expect(await count("locks")).toBe(0)
    expect(await count("webhook_deliveries where status = 'pending'")).toBe(1)
  })

  test("at the start of a sweep leaves the lock free for the next one", async () => {
    mockReceiver()
    const { id } = await makeEndpoint()
    await makeDelivery(id)
    const faults = failBatches(() => "before")
    await expect(sweepNow()).rejects.toThrow()
    faults.mockRestore()
    expect(await sweepNow()).toMatchObject({ ran: true, queued: 1 })
  })

  test("in the commit of a change leaves neither the change nor its event", async () => {
    await makeEndpoint()
    const faults = failBatches(() => "before")
    await expect(emitEvent()).rejects.toThrow()
    faults.mockRestore()
    expect(await count("webhook_events")).toBe(0)
    expect(env.WEBHOOK_QUEUE.sendBatch).not.toHaveBeenCalled()
  })
})

test("a lane that is delivered three times at once makes each attempt once", async () => {
  const hook = mockReceiver(async () => {
    await scheduler.wait(2)
    return new Response()
  })
  const { id } = await makeEndpoint()
  vi.useFakeTimers({ toFake: ["Date"] })
  const deliveries: number[] = []
  for (let delivery = 0; delivery < 20; delivery++) deliveries.push((await makeDelivery(id)).id)
  const lane = { endpoint: id, until: null, deliveries, lease: Date.now() }
  await Promise.all([1, 2, 3].map(() => run((ctx) => runEndpointBatch(ctx, lane))))
  await drainBatches()
  expect(hook.requests).toHaveLength(20)
  expect(await count("webhook_deliveries where status = 'delivered' and attempt = 1")).toBe(20)
})
