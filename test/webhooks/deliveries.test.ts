// Deliveries: which endpoints get an event, and the list of an endpoint's deliveries.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { commit } from "../../src/core/write/commit"
import { QUEUE_GRACE_MS } from "../../src/core/write/events"
import { SearchDeliveries, searchDeliveries } from "../../src/webhooks/deliveries/search"
import { cron, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { withoutFaults } from "../support/test-faults"
import {
  AUDIT_DRAFT,
  buildEvent,
  drainBatches,
  emitEvent,
  freezeClock,
  makeDelivery,
} from "../support/webhook-factories"

test("finds deliveries by an error that is longer than a LIKE pattern may be, or by its part before a colon", async () => {
  const { id: endpoint } = await makeEndpoint()
  const kind = `TypeError größer 😀 ${"than fifty bytes ".repeat(3)}`.trim()
  const { id } = await makeDelivery(endpoint, { status: "failed", error: `${kind}: no response` })
  await makeDelivery(endpoint, { status: "failed", error: `${kind} of another kind` })
  const find = async (error: string) => {
    const { rows } = await run((ctx) => searchDeliveries(ctx, SearchDeliveries.parse({ error })))
    return rows.map(({ delivery }) => delivery.id)
  }
  expect(await find(`${kind}: no response`)).toEqual([id])
  expect(await find(kind)).toEqual([id])
  expect(await find("%")).toEqual([])
})

describe("an event", () => {
  test("creates deliveries for the receiving endpoints subscribed to the type, the resource or all events", async () => {
    const endpoints: [Parameters<typeof makeEndpoint>[0], boolean][] = [
      [{ events: ["*"] }, true],
      [{ events: ["store.*"] }, true],
      [{ events: ["store.ready"] }, true],
      [{ events: ["app.enabled", "store.ready"] }, true],
      [{ events: ["store.*", "*", "store.ready"] }, true],
      [{ events: ["store.created"] }, false],
      [{ events: ["subscription.*"] }, false],
      [{ events: ["*"], isActive: false }, false],
      [{ events: ["*"], disabledAt: new Date() }, false],
    ]
    const expected: number[] = []
    for (const [overrides, isReceiver] of endpoints) {
      const { id } = await makeEndpoint(overrides)
      if (isReceiver) expected.push(id)
    }
    await emitEvent("store.ready")
    const deliveries = await rows("select endpoint_id, status, attempt, event_id from webhook_deliveries order by id")
    expect(deliveries.map((row) => row.endpoint_id)).toEqual(expected)
    const [event] = await rows("select id from webhook_events")
    for (const row of deliveries) expect(row).toMatchObject({ status: "pending", attempt: 0, event_id: event?.id })
  })

  test("creates deliveries for a thousand endpoints in one transaction and enqueues them in ten calls", async () => {
    for (let index = 0; index < 10; index++) await makeEndpoint()
    await env.DB.prepare(
      `insert into webhook_endpoints (url, events, secret, is_active, consecutive_failures, failure_seq, created_by_name, created_at, updated_at)
        select e.url, e.events, e.secret, 1, 0, 0, 'test', 1, 1 from webhook_endpoints e, json_each('[${"1,".repeat(98)}1]')`,
    ).run()
    expect(await count("webhook_endpoints")).toBe(1000)
    const { roundTrips, routing } = await costsOf(() => emitEvent())
    expect(roundTrips).toBe(1)
    // The events, the endpoints and the deliveries.
    expect(routing.roundTrips).toBe(3)
    expect(await count("webhook_deliveries")).toBe(1000)
    expect(env.WEBHOOK_QUEUE.sendBatch).toHaveBeenCalledTimes(10)
  })

  test("delivers and retries the events of a deleted store", async () => {
    const clock = freezeClock()
    const hook = mockReceiver((_request, n) => new Response(null, { status: n === 1 ? 500 : 204 }))
    const token = await makeKey()
    const store = await makeReadyStore()
    await makeEndpoint({ events: ["store.deleted"] })
    const response = await platform("DELETE", `/stores/${store}`, { token, json: { confirm: store } })
    expect(response.status).toBe(204)
    const sweepAfter = async (seconds: number) => {
      clock.advance(seconds)
      // A lost response of the sweep would delay the attempt until its lease ends.
      await withoutFaults(() => cron("* * * * *"))
      await drainBatches()
    }
    await sweepAfter(60)
    expect(await count("stores")).toBe(0)
    expect((await rows("select status, attempt from webhook_deliveries"))[0]).toEqual({ status: "failed", attempt: 1 })
    await sweepAfter(60)
    const [row] = await rows("select status, attempt, store_id from webhook_deliveries")
    expect(row).toEqual({ status: "delivered", attempt: 2, store_id: store })
    expect(hook.events()[1]).toMatchObject({
      type: "store.deleted",
      data: { store: { id: store } },
      meta: { reason: "api" },
    })
  })
})

describe("the list of an endpoint's deliveries", () => {
  test("lists deliveries in pages, newest first, with payloads on request", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const other = await makeEndpoint()
    const created: number[] = []
    for (let delivery = 0; delivery < 5; delivery++) created.unshift((await makeDelivery(id)).id)
    await makeDelivery(other.id)
    const list = (query = "") => platform("GET", `/webhooks/${id}/deliveries${query}`, { token })
    const all = (await list()).body
    expect(all.data.map((row: { id: number }) => row.id)).toEqual(created)
    expect(all.meta).toEqual({ page: 1, per_page: 30, total: 5, last_page: 1 })
    expect(all.data[0]).not.toHaveProperty("payload")
    const page = (await list("?per_page=2&page=2&include=payload")).body
    expect(page.data.map((row: { id: number }) => row.id)).toEqual(created.slice(2, 4))
    expect(page.meta).toEqual({ page: 2, per_page: 2, total: 5, last_page: 3 })
    for (const row of page.data) expect(row.payload.id).toBe(row.event_id)
  })

  test("filters deliveries and their total by status and event", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "failed", event: "store.ready" })
    await makeDelivery(id, { status: "delivered", event: "store.ready" })
    await makeDelivery(id, { status: "delivered", event: "app.enabled" })
    const total = async (query: string) => {
      const { body } = await platform("GET", `/webhooks/${id}/deliveries?${query}`, { token })
      return [body.data.length, body.meta.total]
    }
    expect(await total("status=delivered")).toEqual([2, 2])
    expect(await total("event=store.ready")).toEqual([2, 2])
    expect(await total("status=delivered&event=store.ready")).toEqual([1, 1])
    expect(await total("status=exhausted")).toEqual([0, 0])
  })

  test("refuses invalid filters with 422", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const query of ["status=nope", "event=store.*", "event=nope", "include=secret", "per_page=101", "page=0"]) {
      const response = await platform("GET", `/webhooks/${id}/deliveries?${query}`, { token })
      expect([response.status, response.body.error.code], query).toEqual([422, "validation_failed"])
    }
  })

  test("returns 404 for the deliveries of an unknown endpoint", async () => {
    const token = await makeKey()
    expect((await platform("GET", "/webhooks/4711/deliveries", { token })).status).toBe(404)
  })

  test("lists every delivery exactly once over the pages of each filter", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const statuses = ["delivered", "failed", "exhausted", "delivered", "pending"] as const
    const events = ["store.ready", "app.enabled", "store.ready"]
    const created: { id: number; status: string; event: string }[] = []
    for (let index = 0; index < 17; index++) {
      const status = statuses[index % statuses.length] ?? "pending"
      const event = events[index % events.length] ?? ""
      created.unshift({ id: (await makeDelivery(id, { status, event })).id, status, event })
    }
    const filters: Record<string, string>[] = [
      {},
      { status: "delivered" },
      { event: "store.ready" },
      { status: "failed", event: "store.ready" },
    ]
    for (const filter of filters) {
      const matching = created.filter((delivery) =>
        Object.entries(filter).every(([key, value]) => delivery[key as "status"] === value),
      )
      const pages = Math.ceil(matching.length / 2) + 1
      const read: number[][] = []
      for (let page = 1; page <= pages; page++) {
        const query = new URLSearchParams({ ...filter, page: `${page}`, per_page: "2" })
        const { body } = await platform("GET", `/webhooks/${id}/deliveries?${query}`, { token })
        read.push(body.data.map((row: { id: number }) => row.id))
      }
      expect(read.at(-1), JSON.stringify(filter)).toEqual([])
      expect(read.flat(), JSON.stringify(filter)).toEqual(matching.map((delivery) => delivery.id))
    }
  })

  test.for(["", "&status=failed", "&event=store.ready", "&status=failed&event=store.ready", "&status=exhausted"])(
    "reads as many rows of a long list as of a short one (filter: %j)",
    async (filter) => {
      const token = await makeKey()
      const short = await makeEndpoint()
      const long = await makeEndpoint()
      for (const endpoint of [short, long])
        for (const status of ["delivered", "failed"] as const)
          for (const event of ["store.ready", "app.enabled"]) await makeDelivery(endpoint.id, { status, event })
      await env.DB.prepare(
        `insert into webhook_deliveries (endpoint_id, event_id, event, attempt, status, created_at, updated_at, attempts)
        select endpoint_id, event_id, event, 1, status, 1, 1, '[]' from webhook_deliveries d, json_each('[${"1,".repeat(499)}1]') where d.endpoint_id = ${long.id}`,
      ).run()
      const rowsRead = async (endpoint: number) =>
        (await costsOf(() => platform("GET", `/webhooks/${endpoint}/deliveries?per_page=1${filter}`, { token })))
          .rowsRead
      expect(await rowsRead(long.id)).toBeLessThanOrEqual((await rowsRead(short.id)) + 5)
    },
  )
})

test("stores the delivery for the sweep when the queue rejects its message", async () => {
  const clock = freezeClock()
  await makeEndpoint()
  vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mockRejectedValue(new Error("the queue is down"))
  await run((ctx) => commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT, events: [buildEvent()] }] }))
  const [row] = await rows("select status, attempt, next_attempt_at from webhook_deliveries")
  expect(row).toEqual({ status: "pending", attempt: 0, next_attempt_at: clock.now() + QUEUE_GRACE_MS })
})
