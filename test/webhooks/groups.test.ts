// Groups of first attempts: one reservation and one settlement for many deliveries, and what happens when a part of a
// group fails.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { consume, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint } from "../support/factories"
import { failEveryOther, failRoundTrips } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { pauseFaults } from "../support/test-faults"
import { skipWaits } from "../support/timers"
import { drainBatches, freezeClock, makeDelivery } from "../support/webhook-factories"

beforeEach(() => pauseFaults())

/** Creates deliveries of an endpoint and returns their messages. */
async function makeMessages(endpoint: number, total: number): Promise<DeliveryMessage[]> {
  const messages = []
  for (let n = 0; n < total; n++) messages.push({ delivery: (await makeDelivery(endpoint)).id, endpoint })
  return messages
}

const consumeAll = (messages: DeliveryMessage[]) => consume("tenancy-webhooks", messages)

/** The totals of all endpoints, and the same counted from the rows. */
const totals = async () => [
  await rows(
    "select endpoint_id, sum(pending) as pending, sum(delivered) as delivered, sum(failed) as failed from webhook_totals group by 1",
  ),
  await rows(
    `select endpoint_id, sum(status = 'pending') as pending, sum(status = 'delivered') as delivered,
      sum(status = 'failed') as failed from webhook_deliveries group by 1`,
  ),
]

async function expectCorrectTotals() {
  const [stored, counted] = await totals()
  expect(stored).toEqual(counted)
  expect(await count("counters where list = 'webhook_totals'")).toBe(0)
}

describe("a group of first attempts", () => {
  test("takes two round trips, two calls of the counter, and less than four rows per delivery", async () => {
    const { id } = await makeEndpoint()
    mockReceiver()
    // The first attempt of an hour creates its statistics.
    await consumeAll(await makeMessages(id, 1))
    const hook = mockReceiver()
    const messages = await makeMessages(id, 10)
    const costs = await costsOf(() => consumeAll(messages))
    expect(hook.requests).toHaveLength(10)
    expect(costs).toMatchObject({ roundTrips: 2, objectCalls: 2 })
    expect(costs.rowsWritten / 10).toBeLessThan(4)
    await expectCorrectTotals()
    expect(await rows("select attempts, delivered from webhook_hours")).toEqual([{ attempts: 11, delivered: 11 }])
  })

  test("records each result: delivered, failed, its response and its next attempt", async () => {
    const clock = freezeClock()
    const good = await makeEndpoint({ url: "https://good.example/hook" })
    const bad = await makeEndpoint({ url: "https://bad.example/hook" })
    mockReceiver(({ url }) =>
      url.includes("bad") ? new Response("broken \u{1f980}", { status: 500 }) : new Response("thanks", { status: 202 }),
    )
    await consumeAll([...(await makeMessages(good.id, 6)), ...(await makeMessages(bad.id, 6))])
    const found = await rows(
      `select distinct endpoint_id, status, attempt, response_status, response_excerpt, error,
        next_attempt_at, delivered_at, attempts ->> '$[0].kind' as kind, json_array_length(attempts) as made
        from webhook_deliveries order by endpoint_id`,
    )
    const common = { attempt: 1, kind: "first", made: 1 }
    expect(found).toEqual([
      {
        ...{ ...common, endpoint_id: good.id, status: "delivered", response_status: 202, response_excerpt: "thanks" },
        ...{ error: null, next_attempt_at: null, delivered_at: clock.now() },
      },
      {
        ...{ ...common, endpoint_id: bad.id, status: "failed", response_status: 500 },
        ...{ response_excerpt: "broken \u{1f980}", error: "http_500" },
        ...{ next_attempt_at: clock.now() + 60_000, delivered_at: null },
      },
    ])
    await expectCorrectTotals()
    expect(await rows("select consecutive_failures as n, last_failure_at as at from webhook_endpoints")).toEqual([
      { n: 0, at: null },
      { n: 6, at: clock.now() },
    ])
  })

  test("sends each delivery once when its message arrives twice", async () => {
    const hook = mockReceiver()
    const messages = await makeMessages((await makeEndpoint()).id, 5)
    await consumeAll([...messages, ...messages])
    await consumeAll(messages)
    expect(hook.requests).toHaveLength(5)
  })

  test("leaves a delivery alone whose next attempt was made before the group settled", async () => {
    const { id } = await makeEndpoint()
    const messages = await makeMessages(id, 2)
    const [late] = messages
    mockReceiver(async () => {
      await env.DB.prepare("update webhook_deliveries set attempt = 2, status = 'delivered' where id = ?")
        .bind(late?.delivery)
        .run()
      return new Response(null, { status: 500 })
    })
    await consumeAll(messages)
    expect(await rows("select attempt, status from webhook_deliveries order by id")).toEqual([
      { attempt: 2, status: "delivered" },
      { attempt: 1, status: "failed" },
    ])
  })

  test("sends the others when the payload of one is damaged", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    const hook = mockReceiver()
    const messages = await makeMessages((await makeEndpoint()).id, 8)
    await env.DB.prepare(
      "update webhook_events set payload = '1broken' where seq = (select max(seq) from webhook_events)",
    )
      .bind()
      .run()
    await consumeAll(messages)
    expect(hook.requests).toHaveLength(7)
    expect(await rows("select status, count(*) as n from webhook_deliveries group by 1")).toEqual([
      { status: "delivered", n: 7 },
      { status: "pending", n: 1 },
    ])
    await expectCorrectTotals()
  })

  test("settles the others when the result of one cannot be stored", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    mockReceiver()
    const messages = await makeMessages((await makeEndpoint()).id, 8)
    await env.DB.prepare(
      `create trigger poison before update of status on webhook_deliveries when new.id = ${messages[3]?.delivery}
        begin select raise(abort, 'broken'); end`,
    ).run()
    await consumeAll(messages)
    expect(await rows("select status, count(*) as n from webhook_deliveries group by 1")).toEqual([
      { status: "delivered", n: 7 },
      { status: "pending", n: 1 },
    ])
    await env.DB.prepare("drop trigger poison").run()
    await expectCorrectTotals()
  })

  test("recognizes its own reservation and its own settlement after lost responses", async () => {
    const hook = mockReceiver()
    const messages = await makeMessages((await makeEndpoint()).id, 8)
    // The reservation, its repetition, the settlement, and the read that recognizes it.
    const faults = failEveryOther("webhook_deliveries", "after")
    expect((await consumeAll(messages)).retryMessages).toEqual([])
    faults.mockRestore()
    expect(hook.requests).toHaveLength(8)
    await expectCorrectTotals()
    expect(await rows("select attempts, delivered from webhook_hours")).toEqual([{ attempts: 8, delivered: 8 }])
  })

  test("whose Worker dies before it settles is attempted again when its leases end", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    const clock = freezeClock()
    let isDead = false
    const hook = mockReceiver(() => {
      isDead = true
      return new Response("ok")
    })
    const messages = await makeMessages((await makeEndpoint()).id, 8)
    const faults = failRoundTrips(() => (isDead ? "before" : null), "D1_ERROR: the Worker died")
    await consumeAll(messages)
    faults.mockRestore()
    expect(await rows("select distinct status, attempt from webhook_deliveries")).toEqual([
      { status: "pending", attempt: 1 },
    ])
    const sweep = () => run((ctx) => runSweep(ctx, { limit: 100 }))
    expect(await sweep()).toMatchObject({ queued: 0 })
    clock.advance(41)
    expect(await sweep()).toMatchObject({ queued: 8 })
    await drainBatches()
    expect(hook.requests).toHaveLength(16)
    expect(await rows("select distinct status, attempt from webhook_deliveries")).toEqual([
      { status: "delivered", attempt: 2 },
    ])
    await expectCorrectTotals()
  })

  test("gives back the deliveries behind slow receivers: its own with a delay, others without", async () => {
    const slow = await makeEndpoint({ url: "https://slow.example/hook" })
    const fast = await makeEndpoint({ url: "https://fast.example/hook" })
    const responded = Promise.withResolvers<void>()
    const hook = mockReceiver(async ({ url }) => {
      if (url.includes("slow")) await responded.promise
      return new Response("ok")
    })
    const singles = vi.mocked(env.WEBHOOK_QUEUE.send)
    const returned = Promise.withResolvers<void>()
    singles.mockImplementation(async () => {
      returned.resolve()
      return undefined as never
    })
    // Nothing responds within a wait that ends at once.
    skipWaits()
    const consumed = consumeAll([...(await makeMessages(slow.id, 6)), ...(await makeMessages(fast.id, 1))])
    await returned.promise
    responded.resolve()
    await consumed
    const unsent = await rows("select endpoint_id, attempt, status from webhook_deliveries where status = 'pending'")
    expect(unsent.length).toBeGreaterThan(0)
    expect(unsent.every(({ attempt }) => attempt === 0)).toBe(true)
    expect(hook.requests.length + unsent.length).toBe(7)
    const [[message, options] = []] = singles.mock.calls
    expect([message, options]).toEqual([
      { delivery: expect.any(Number), endpoint: slow.id, busy: 1 },
      { delaySeconds: 1 },
    ])
    await expectCorrectTotals()
  })
})
