// The event feed: exact, in commit order, and with a cost that does not depend on the log's length.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { DAY } from "../../src/lib/time"
import { ulid } from "../../src/lib/ulid"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** Reads the feed. */
async function read(query: Record<string, string | number | undefined> = {}, token?: string) {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
  return platform("GET", `/events?${search}`, {
    token: token ?? (await makeKey({ scopes: ["read"] })),
    env: { TENANCY_API_RATE_LIMIT: "100000", TENANCY_API_RATE_LIMIT_PER_IP: "0" },
  })
}

const marks = (body: { data: { data: { mark: number } }[] }) => body.data.map((event) => event.data.mark)

/** Reads all events page by page. */
async function readAll(token: string, query: Record<string, string | number>, isDone: (marksRead: number) => boolean) {
  const marksRead: number[] = []
  let after: string | undefined
  while (!isDone(marksRead.length)) {
    const { body } = await read(after === undefined ? query : { ...query, after }, token)
    marksRead.push(...marks(body))
    after = body.meta.next_cursor
  }
  return marksRead
}

/** Deletes the events of `insertEvents`, which are too incomplete to be sent. */
const deleteEvents = () => env.DB.prepare("delete from webhook_events").run()

/** Inserts events without deliveries. */
const insertEvents = (count: number, type = "store.ready", store = "acme") =>
  env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into webhook_events (id, seq, type, store_id, is_test, payload, created_at)
     select printf('01M%023d', base.head + i), base.head + i, ?2, ?3, 0, '{"id":"x","type":"x","created_at":"2026-09-02T10:15:00+00:00","api_version":"2026-09-02","data":{},"meta":{"actor":{"type":"system","name":"system"}}}', ?4
     from n, (select coalesce(max(seq), 0) as head from webhook_events) as base`,
  )
    .bind(count, type, store, Date.now())
    .run()

describe("the event feed", () => {
  test("lists every event in commit order, exactly as its webhook sends it", async () => {
    const hook = mockReceiver()
    await makeEndpoint()
    await makeReadyStore()
    await run((ctx) => runSweep({ ...ctx, now: new Date() }, { limit: 100 }))
    const response = await read()
    expect(response.status).toBe(200)
    expect(response.body.data.map((event: { type: string }) => event.type)).toEqual(["store.created", "store.ready"])
    expect(response.body.meta).toEqual({ next_cursor: expect.any(String), has_more: false })
    const sent = await rows("select payload from webhook_events order by seq")
    expect(response.text).toContain(sent.map(({ payload }) => payload).join(","))
    for (const { body } of hook.requests) expect(response.text).toContain(body)
  })

  test("returns every event exactly once for any page size while many commits run", async () => {
    const EVENTS = 120
    const token = await makeKey({ scopes: ["read"] })
    const readers = [1, 3, 7, 30].map((limit) => readAll(token, { limit }, (marksRead) => marksRead >= EVENTS))
    const writers = range(0, 6).map(async (writer) => {
      for (const event of range(0, EVENTS / 6)) await emitEvent("store.ready", { mark: writer * 1000 + event })
    })
    await Promise.all(writers)
    const [first, ...otherReads] = await Promise.all(readers)
    expect(new Set(first).size).toBe(EVENTS)
    expect(first).toHaveLength(EVENTS)
    for (const other of otherReads) expect(other).toEqual(first)
  })

  test("continues the feed after any cursor and after any event id", async () => {
    for (const mark of range(0, 5)) await emitEvent("store.ready", { mark })
    const { body } = await read({ limit: 2 })
    expect([marks(body), body.meta.has_more]).toEqual([[0, 1], true])
    expect(marks((await read({ after: body.meta.next_cursor })).body)).toEqual([2, 3, 4])
    expect(marks((await read({ after: body.data[0].id })).body)).toEqual([1, 2, 3, 4])
  })

  test("starts the feed after the newest event with `after=now`", async () => {
    await emitEvent("store.ready", { mark: 1 })
    const { body } = await read({ after: "now" })
    expect([body.data, body.meta.has_more]).toEqual([[], false])
    await emitEvent("store.ready", { mark: 2 })
    expect(marks((await read({ after: body.meta.next_cursor })).body)).toEqual([2])
  })

  test("filters events by type exactly", async () => {
    const types = ["store.ready", "domain.added", "app.enabled", "store.updated"]
    for (const mark of range(0, 24)) await emitEvent(types[mark % 4], { mark })
    const token = await makeKey({ scopes: ["read"] })
    for (const limit of [1, 2, 5, 100]) {
      const marksRead = await readAll(token, { types: "store.*, app.enabled", limit }, (count) => count >= 18)
      expect(marksRead).toEqual(range(0, 24).filter((mark) => mark % 4 !== 1))
    }
    expect(marks((await read({ types: "*" })).body)).toHaveLength(24)
  })

  test("lists the events of a store, including a deleted one", async () => {
    const id = await makeReadyStore()
    await makeReadyStore()
    const token = await makeKey()
    await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })
    const { body } = await read({ store: id })
    expect(body.data.map((event: { type: string }) => event.type)).toEqual([
      "store.created",
      "store.ready",
      "store.deleted",
    ])
    expect((await read({ store: id, types: "store.deleted,app.*" })).body.data).toHaveLength(1)
    expect((await read({ store: "unknown" })).body.data).toEqual([])
  })

  test("pages through a store with more events than one scan covers", async () => {
    await insertEvents(450)
    await insertEvents(1, "domain.added")
    const query = { store: "acme", types: "domain.*" }
    const first = (await read(query)).body
    const second = (await read({ ...query, after: first.meta.next_cursor })).body
    const third = (await read({ ...query, after: second.meta.next_cursor })).body
    const pages = [first, second, third].map(({ data, meta }) => [data.length, meta.has_more])
    expect(pages).toEqual([
      [0, true],
      [0, true],
      [1, false],
    ])
    await deleteEvents()
  })

  test("lists no pings in the event feed", async () => {
    mockReceiver()
    const endpoint = await makeEndpoint()
    const token = await makeKey()
    const { body } = await platform("POST", `/webhooks/${endpoint.id}/test`, { token })
    expect((await read()).body.data).toEqual([])
    expect((await platform("GET", `/events/${body.data.event_id}`, { token })).status).toBe(404)
    expect((await read({ after: body.data.event_id })).body.error.code).toBe("validation_failed")
  })

  test.each([
    { after: "nonsense" },
    { after: "" },
    { after: "ev1_zzz" },
    { after: "ev1_-1" },
    { after: "ev1_01" },
    { after: ulid(new Date()) },
    { types: "ping" },
    { types: "store.nothing" },
    { types: "" },
    { types: "store.ready,".repeat(500) },
    { limit: 0 },
    { limit: 101 },
    { limit: "1e1" },
    { wait: 26 },
    { wait: "-1" },
    { store: "x".repeat(64) },
  ])("refuses the feed query %o", async (query) => {
    await emitEvent()
    const { status, body } = await read(query)
    expect([status, body.error.code, Object.keys(body.errors)]).toEqual([422, "validation_failed", Object.keys(query)])
  })

  test("says what a cursor may be", async () => {
    const expected =
      "The after field must be now, a cursor that the event feed returned, or the id of an event in the feed."
    for (const after of ["nonsense", "ev1_zzz"])
      expect((await read({ after })).body.errors).toEqual({ after: [expected] })
  })
})

describe("order=desc", () => {
  test("pages from the newest event to the oldest, with any filter, and skips or repeats none", async () => {
    for (const mark of range(0, 12)) await emitEvent(mark % 3 ? "store.ready" : "domain.added", { mark })
    const token = await makeKey({ scopes: ["read"] })
    for (const limit of [1, 5, 12, 100]) {
      const marksRead = await readAll(token, { order: "desc", limit }, (count) => count >= 12)
      expect(marksRead).toEqual(range(0, 12).reverse())
    }
    expect(marks((await read({ order: "desc", types: "domain.*" }, token)).body)).toEqual([9, 6, 3, 0])
    const { body } = await read({ order: "desc", limit: 100 }, token)
    expect(body.meta.has_more).toBe(false)
    const beyond = (await read({ order: "desc", after: body.meta.next_cursor }, token)).body
    expect([beyond.data, beyond.meta.has_more]).toEqual([[], false])
    expect(marks((await read({ order: "desc", after: body.data[10].id }, token)).body)).toEqual([0])
    expect(marks((await read({ order: "desc", after: "now", limit: 2 }, token)).body)).toEqual([11, 10])
  })

  test("reports more events while a scan has not reached the oldest", async () => {
    await insertEvents(1, "domain.added")
    await insertEvents(1_100)
    for (const query of [{ types: "domain.*" }, { types: "domain.*", store: "acme" }]) {
      const pages: number[] = []
      for (let after: string | undefined, hasMore = true; hasMore; ) {
        const { body } = await read({ ...query, order: "desc", after })
        pages.push(body.data.length)
        after = body.meta.next_cursor
        hasMore = body.meta.has_more
      }
      expect(pages.at(-1)).toBe(1)
      expect(pages.slice(0, -1).every((length) => length === 0)).toBe(true)
    }
    await deleteEvents()
  })

  test("does not wait for events, and refuses an unknown order", async () => {
    expect((await read({ order: "newest" })).body.errors).toHaveProperty("order")
    const spent = await costsOf(() => read({ order: "desc", wait: 25 }))
    expect(spent.roundTrips).toBeLessThan(10)
  })
})

describe("pruned events", () => {
  test("returns 410 for cursors of pruned events and never reuses sequence numbers", async () => {
    const clock = freezeClock()
    for (const mark of range(0, 3)) await emitEvent("store.ready", { mark })
    const { body } = await read({ limit: 1 })
    const [old, cursor] = [body.data[0].id, body.meta.next_cursor]
    clock.advance((31 * DAY) / 1000)
    const newest = (await read()).body.meta.next_cursor
    await run((ctx) => runSweep(ctx, { limit: 100 }))
    for (const after of [cursor, old]) {
      const refused = await read({ after })
      expect([refused.status, refused.body.error.code]).toEqual([410, "cursor_expired"])
    }
    await emitEvent("store.ready", { mark: 9 })
    expect(marks((await read({ after: newest })).body)).toEqual([9])
    expect(marks((await read()).body)).toEqual([9])
  })

  test("hides older events that are still stored before a gap", async () => {
    const clock = freezeClock()
    mockReceiver(new Response(null, { status: 500 }))
    await emitEvent("store.ready", { mark: 1 })
    const { body } = await read()
    const endpoint = await makeEndpoint()
    await emitEvent("store.ready", { mark: 2 })
    await env.DB.prepare("update webhook_endpoints set is_active = 0 where id = ?").bind(endpoint.id).run()
    await emitEvent("store.ready", { mark: 3 })
    await env.DB.prepare("update webhook_deliveries set next_attempt_at = ?")
      .bind(Date.now() + 99 * DAY)
      .run()
    clock.advance((31 * DAY) / 1000)
    await run((ctx) => runSweep(ctx, { limit: 100 }))
    expect((await read({ after: body.meta.next_cursor })).status).toBe(410)
    await emitEvent("store.ready", { mark: 4 })
    expect(marks((await read()).body)).toEqual([4])
    expect(marks((await read({ order: "desc" })).body)).toEqual([4])
  })
})

describe("long polling", () => {
  test("returns from a long poll as soon as an event arrives, polling once a second", async () => {
    const token = await makeKey({ scopes: ["read"] })
    let seconds = 0
    const wait = vi.spyOn(scheduler, "wait").mockImplementation(async (milliseconds) => {
      if (milliseconds !== 1000) return
      seconds += 1
      if (seconds === 7) await emitEvent("domain.added", { mark: 1 })
      if (seconds === 9) await emitEvent("store.ready", { mark: 2 })
    })
    const { body } = await read({ after: "now", types: "store.*", wait: 25 }, token)
    expect(marks(body)).toEqual([2])
    expect(seconds).toBe(9)
    wait.mockRestore()
  })

  test("returns nothing when a long poll ends, at one round trip per second", async () => {
    const token = await makeKey({ scopes: ["read"] })
    await insertEvents(50)
    vi.spyOn(scheduler, "wait").mockResolvedValue()
    const at = async (wait: number) =>
      costsOf(async () => expect((await read({ after: "now", wait }, token)).body.data).toEqual([]))
    const [none, ten] = [await at(0), await at(10)]
    expect(ten.roundTrips - none.roundTrips).toBe(10)
    await deleteEvents()
  })
})

test("reads as many rows for a page of a long log as of a short one", async () => {
  const token = await makeKey({ scopes: ["read"] })
  const queries = [
    {},
    { types: "domain.*" },
    { store: "acme" },
    { store: "acme", types: "store.ready" },
    { limit: 100 },
    { order: "desc" },
    { order: "desc", types: "domain.*" },
    { order: "desc", store: "acme", types: "store.ready" },
  ]
  const costs = async () => {
    const { body } = await read({ limit: 100 }, token)
    const rows: number[] = []
    for (const query of queries) {
      const spent = await costsOf(() => read({ ...query, after: body.meta.next_cursor }, token))
      rows.push(spent.rowsRead)
    }
    return rows
  }
  for (const [type, store] of [
    ["store.ready", "acme"],
    ["domain.added", "other"],
    ["store.ready", "acme"],
  ] as const)
    await insertEvents(250, type, store)
  const short = await costs()
  await insertEvents(5000)
  await insertEvents(5000, "domain.added", "other")
  const long = await costs()
  expect(long).toEqual(short)
  // Thirty events, each found by its sequence number, then read.
  expect(short[0]).toBeLessThanOrEqual(100)
  await deleteEvents()
})

test("reads an event by its id with its deliveries", async () => {
  const endpoint = await makeEndpoint()
  await emitEvent("store.ready", { mark: 1 })
  const token = await makeKey({ scopes: ["read"] })
  const [event] = (await read({}, token)).body.data
  const { body } = await platform("GET", `/events/${event.id}`, { token })
  expect(body.data).toEqual(event)
  expect(body.meta.deliveries).toMatchObject([{ endpoint_id: endpoint.id, event_id: event.id, status: "pending" }])
  await makeDelivery(endpoint.id)
  for (const id of ["nothing", ulid(new Date())])
    expect((await platform("GET", `/events/${id}`, { token })).status).toBe(404)
})
