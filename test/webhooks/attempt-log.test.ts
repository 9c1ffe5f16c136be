// The attempt log of deliveries, the statistics of endpoints, and the cost of both.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { commit } from "../../src/core/write/commit"
import { formatTimestamp } from "../../src/lib/time"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { getLatencyBucket, getPercentile, LATENCY_BUCKETS_MS } from "../../src/webhooks/histogram"
import { prune } from "../../src/webhooks/sweep/prune"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { AUDIT_DRAFT, drainBatches, freezeClock, makeDelivery } from "../support/webhook-factories"

const attempts = async (id: number) => {
  const { body } = await platform("GET", `/webhooks/deliveries/${id}/attempts`, { token: await makeKey() })
  return body.data
}

const stats = async (id: number, hours = 24) => {
  const { body } = await platform("GET", `/webhooks/${id}/stats?hours=${hours}`, { token: await makeKey() })
  return body.data
}

describe("the attempt log", () => {
  test("lists each attempt with its result, newest first", async () => {
    const clock = freezeClock()
    mockReceiver((_, count) => {
      clock.advance(2)
      return new Response("ok", { status: count === 1 ? 500 : count === 2 ? 404 : 202 })
    })
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id)
    await run((ctx) => attemptDelivery(ctx, id, "first"))
    const failure = (await platform("POST", `/webhooks/deliveries/${id}/retry`, { token: await makeKey() })).body.data
    expect(failure.status).toBe("failed")
    clock.advance(3600)
    await run((ctx) => runSweep(ctx, { limit: 10 }))
    await drainBatches()
    const listed = await attempts(id)
    expect(
      listed.map(({ number, kind, response_status, error, duration_ms }: Record<string, unknown>) => [
        number,
        kind,
        response_status,
        error,
        duration_ms,
      ]),
    ).toEqual([
      [3, "retry", 202, null, 2000],
      [2, "manual", 404, "http_404", 2000],
      [1, "first", 500, "http_500", 2000],
    ])
    expect(listed[0].started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
  })

  test("returns an empty attempt log for a delivery without attempts", async () => {
    const { id } = await makeDelivery((await makeEndpoint()).id)
    expect(await attempts(id)).toEqual([])
  })

  test("returns 404 for an unknown delivery or endpoint", async () => {
    const token = await makeKey()
    for (const path of ["/webhooks/deliveries/999", "/webhooks/deliveries/999/attempts", "/webhooks/999/stats"])
      expect((await platform("GET", path, { token })).status).toBe(404)
  })

  test("stores the newest hundred attempts of a delivery", async () => {
    const { id } = await makeDelivery((await makeEndpoint()).id, {
      status: "exhausted",
      attempt: 150,
      nextAttemptAt: null,
    })
    const attempt = { kind: "manual", startedAt: 0, durationMs: 1, responseStatus: 500, error: "http_500" }
    const all = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ number: index + 51, ...attempt })))
    await env.DB.prepare("update webhook_deliveries set attempts = ? where id = ?").bind(all, id).run()
    mockReceiver()
    expect((await platform("POST", `/webhooks/deliveries/${id}/retry`, { token: await makeKey() })).status).toBe(200)
    const stored = await attempts(id)
    expect(stored).toHaveLength(100)
    expect([stored[0].number, stored.at(-1).number]).toEqual([151, 52])
  })

  test("lists an attempt by its number even if it is settled after a newer one", async () => {
    const { id } = await makeDelivery((await makeEndpoint()).id)
    mockReceiver(async (_, count) => {
      if (count > 1) return new Response("newer")
      // Its lease expires while it waits, and another worker takes over.
      await env.DB.prepare("update webhook_deliveries set next_attempt_at = 0").run()
      await platform("POST", `/webhooks/deliveries/${id}/retry`, { token: await makeKey() })
      return new Response("late", { status: 500 })
    })
    await run((ctx) => attemptDelivery(ctx, id, "first"))
    expect(
      (await attempts(id)).map((attempt: { number: number; response_status: number }) => [
        attempt.number,
        attempt.response_status,
      ]),
    ).toEqual([
      [2, 200],
      [1, 500],
    ])
  })

  test("reads a delivery by its id, with its payload on request", async () => {
    const { id, eventId } = await makeDelivery((await makeEndpoint()).id)
    const token = await makeKey()
    const { body } = await platform("GET", `/webhooks/deliveries/${id}`, { token })
    expect(body.data).toMatchObject({ id, event_id: eventId, status: "pending" })
    expect(body.data.payload).toBeUndefined()
    const full = await platform("GET", `/webhooks/deliveries/${id}?include=payload`, { token })
    expect(full.body.data.payload.id).toBe(eventId)
  })
})

describe("endpoint statistics", () => {
  test("counts attempts by outcome, status, latency and hour", async () => {
    const clock = freezeClock()
    const responses: [status: number, seconds: number][] = [...Array(18).fill([204, 0.02]), [302, 0.2], [503, 4]]
    mockReceiver((_, count) => {
      const [status, seconds] = responses[(count - 1) % 20] ?? [204, 0]
      clock.advance(seconds)
      return new Response(null, { status })
    })
    const endpoint = await makeEndpoint()
    for (const _ of responses) {
      const { id } = await makeDelivery(endpoint.id)
      await run((ctx) => attemptDelivery(ctx, id, "first"))
    }
    const [{ failedAt }] = (await rows(
      "select min(updated_at) as failedAt from webhook_deliveries where status = 'failed'",
    )) as [{ failedAt: number }]
    clock.advance(3600)
    const { id } = await makeDelivery(endpoint.id)
    await run((ctx) => attemptDelivery(ctx, id, "first"))
    const numbers = await stats(endpoint.id)
    expect(numbers).toMatchObject({
      attempts: 21,
      delivered: 19,
      failed: 2,
      statuses: { "2xx": 19, "3xx": 1, "4xx": 0, "5xx": 1, none: 0 },
      latency_ms: { p50: 20, p95: 200, p99: 4000 },
      delivery_latency_ms: { p50: 20, p95: 20, p99: 20 },
      backlog: 2,
      oldest_due_at: formatTimestamp(new Date(failedAt + 60_000)),
    })
    expect(numbers.buckets).toHaveLength(24)
    expect(numbers.buckets.slice(-2).map((bucket: { attempts: number }) => bucket.attempts)).toEqual([20, 1])
    expect((await stats(endpoint.id, 1)).attempts).toBe(1)
  })

  test("reads one row per hour of statistics, however many deliveries there are", async () => {
    const endpoint = await makeEndpoint()
    const token = await makeKey()
    const costs = () => costsOf(() => platform("GET", `/webhooks/${endpoint.id}/stats`, { token }))
    await makeDelivery(endpoint.id)
    await costs()
    const before = await costs()
    for (let index = 0; index < 30; index++) await makeDelivery(endpoint.id)
    expect((await costs()).rowsRead).toBe(before.rowsRead)
  })

  test.each(["0", "721", "x", "1.5"])("refuses statistics of %s hours", async (hours) => {
    const { id } = await makeEndpoint()
    const { status, body } = await platform("GET", `/webhooks/${id}/stats?hours=${hours}`, { token: await makeKey() })
    expect([status, Object.keys(body.errors)]).toEqual([422, ["hours"]])
  })

  test("deletes hourly statistics once the API can no longer return them", async () => {
    const clock = freezeClock()
    mockReceiver()
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id)
    await run((ctx) => attemptDelivery(ctx, id, "first"))
    clock.advance(723 * 3600)
    const now = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000)
    await run((ctx) => runSweep(ctx, { limit: 1 }), { now })
    expect(await count("webhook_hours")).toBe(0)
  })
})

test("returns the upper bound of the latency bucket that contains the percentile", () => {
  const counts = [...LATENCY_BUCKETS_MS, 0].map(() => 0)
  expect(getPercentile(counts, 0.5)).toBeNull()
  counts[getLatencyBucket(20)] = 99
  counts[getLatencyBucket(99_999)] = 1
  expect([0.5, 0.99, 1].map((share) => getPercentile(counts, share))).toEqual([20, 20, 60_000])
  expect([0, 5, 6, 60_000, 60_001].map((ms) => getLatencyBucket(ms))).toEqual([
    0,
    0,
    1,
    LATENCY_BUCKETS_MS.length - 1,
    LATENCY_BUCKETS_MS.length,
  ])
})

describe("the cost of a delivery", () => {
  const MANY = 40

  test("writes 15 rows over the life of an event with one delivery", async () => {
    mockReceiver()
    await makeEndpoint({ events: ["store.created"] })
    const countRowsWritten = async (work: () => Promise<unknown>): Promise<number> => {
      const costs = await costsOf(work)
      return costs.rowsWritten + costs.routing.rowsWritten
    }
    // The cost of a change with only its audit entry, which is subtracted below.
    const entry = await countRowsWritten(() => run((ctx) => commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT }] })))
    const event = { type: "store.created", data: { store: { id: "acme" } }, meta: { source: "api" } } as const
    let rowsWritten = 0
    for (let index = 0; index < MANY; index++) {
      rowsWritten +=
        (await countRowsWritten(() =>
          run((ctx) => commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT, events: [event] }] })),
        )) - entry
      const [newest] = await rows("select max(id) as id from webhook_deliveries")
      rowsWritten += await countRowsWritten(() => run((ctx) => attemptDelivery(ctx, Number(newest?.id), "first")))
    }
    expect(await count("webhook_deliveries where status = 'delivered'")).toBe(MANY)
    const now = new Date(Date.now() + 31 * 86_400_000)
    rowsWritten += await countRowsWritten(() => run(prune, { now }))
    expect((await count("webhook_events")) + (await count("webhook_deliveries"))).toBe(0)
    // Pruning itself writes a few rows, however much it deletes.
    expect(rowsWritten).toBeLessThanOrEqual(15 * MANY + 6)
  })
})
