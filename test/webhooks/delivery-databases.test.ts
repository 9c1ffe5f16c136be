// Delivery databases: the life of a delivery outside of the central database, lists across databases, and what happens
// when one of them does not respond.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { routeEvents } from "../../src/core/write/event-router"
import { settingsOf } from "../../src/env"
import { SearchDeliveries, searchDeliveries } from "../../src/webhooks/deliveries/search"
import { tailDeliveries } from "../../src/webhooks/deliveries/service"
import { readEvent } from "../../src/webhooks/events/service"
import { prune } from "../../src/webhooks/sweep/prune"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { consume, isolate, platform, run, withSettings } from "../support/app"
import { DELIVERY_DATABASES, makeDeliveryDatabases } from "../support/delivery-databases"
import { makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { pauseFaults } from "../support/test-faults"
import { drainBatches, emitEvent, freezeClock } from "../support/webhook-factories"

const { WEBHOOKS_1, WEBHOOKS_2 } = DELIVERY_DATABASES

let token = ""

beforeEach(async () => {
  pauseFaults()
  await makeDeliveryDatabases()
  token = await makeKey()
  mockReceiver()
})

const select = async (database: D1Database, sql: string) => (await database.prepare(sql).all()).results

/** Creates an endpoint as an API client does. */
async function createEndpoint(name = "receiver"): Promise<number> {
  const json = { url: `https://${name}.example/hook`, events: ["*"] }
  return (await platform("POST", "/webhooks", { token, json })).body.data.id
}

const get = async (path: string) => (await platform("GET", path, { token })).body

/** Makes the first attempts that the router enqueued. */
async function attemptAll() {
  const calls = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
  const messages = calls.flatMap(([sent]) => [...sent].map(({ body }) => body as DeliveryMessage))
  const { retryMessages } = await consume("tenancy-webhooks", messages)
  expect(retryMessages).toEqual([])
}

/** Makes every call of a database fail. */
function breakDatabase(name: keyof typeof DELIVERY_DATABASES) {
  const fail = () => {
    throw new Error("D1_ERROR: no such table: broken")
  }
  const broken = { prepare: (sql: string) => env[name].prepare(sql), batch: async () => fail(), withSession: fail }
  const working = isolate.env
  isolate.env = {
    ...working,
    [name]: { ...broken, prepare: () => ({ bind: () => ({ all: fail, raw: fail }) }) },
  } as never
  return () => {
    isolate.env = working
  }
}

const hasError = () => vi.spyOn(console, "error").mockImplementation(() => undefined)

describe("delivery databases", () => {
  test("each new endpoint goes to the database with the fewest", async () => {
    for (let endpoint = 0; endpoint < 4; endpoint++) await createEndpoint()
    expect(await rows("select database, count(*) as n from webhook_endpoints group by 1")).toEqual([
      { database: "WEBHOOKS_1", n: 2 },
      { database: "WEBHOOKS_2", n: 2 },
    ])
    // Secrets and subscriptions stay in the central database.
    expect(await select(WEBHOOKS_1, "select secret, events, is_active from webhook_endpoints limit 1")).toEqual([
      { secret: "", events: "[]", is_active: 1 },
    ])
  })

  test("deliver an event to endpoints of both, and the API shows it", async () => {
    const hook = mockReceiver()
    const ids = [await createEndpoint("a"), await createEndpoint("b")]
    await emitEvent("store.ready", { mark: 1 })
    await attemptAll()
    expect(hook.events()).toHaveLength(2)
    expect(await count("webhook_deliveries")).toBe(0)
    for (const database of [WEBHOOKS_1, WEBHOOKS_2])
      expect(await select(database, "select status, attempt from webhook_deliveries")).toEqual([
        { status: "delivered", attempt: 1 },
      ])
    for (const id of ids) {
      const listed = await get(`/webhooks/${id}/deliveries?include=payload`)
      expect(listed).toMatchObject({
        data: [{ endpoint_id: id, status: "delivered", payload: { data: { mark: 1 } } }],
        meta: { total: 1 },
      })
      const [delivery] = listed.data
      expect(await get(`/webhooks/deliveries/${delivery.id}`)).toMatchObject({ data: { event: "store.ready" } })
      expect(await get(`/webhooks/deliveries/${delivery.id}/attempts`)).toMatchObject({ meta: { total: 1 } })
      expect(await get(`/webhooks/${id}/stats`)).toMatchObject({ data: { attempts: 1, delivered: 1 } })
      expect((await get(`/webhooks/${id}`)).data.last_success_at).not.toBeNull()
    }
    const [event] = await rows("select id from webhook_events where type = 'store.ready'")
    expect((await get(`/events/${event?.id}`)).meta.deliveries).toHaveLength(2)
  })

  test("retry failed deliveries by the sweep, and close those of a paused endpoint", async () => {
    const clock = freezeClock()
    const hook = mockReceiver(new Response(null, { status: 500 }))
    const id = await createEndpoint()
    await emitEvent()
    await attemptAll()
    expect(await get(`/webhooks/${id}`)).toMatchObject({ data: { consecutive_failures: 1 } })
    clock.advance(61)
    expect(await run((ctx) => runSweep(ctx, { limit: 10 }))).toMatchObject({ queued: 1 })
    await drainBatches()
    expect(hook.events()).toHaveLength(2)
    await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: false } })
    clock.advance(301)
    expect(await run((ctx) => runSweep(ctx, { limit: 10 }))).toMatchObject({ queued: 0, closed: 1 })
    expect(await get(`/webhooks/${id}/deliveries`)).toMatchObject({
      data: [{ status: "exhausted", error: "endpoint_disabled", attempt: 2 }],
    })
  })

  test("make no attempt for an endpoint whose replica is out of date", async () => {
    const hook = mockReceiver()
    const id = await createEndpoint()
    await emitEvent()
    // The Worker died between the change of the endpoint and its replication.
    await env.DB.prepare("update webhook_endpoints set is_active = 0 where id = ?").bind(id).run()
    await attemptAll()
    expect(hook.events()).toEqual([])
    expect(await select(WEBHOOKS_1, "select attempt, status from webhook_deliveries")).toEqual([
      { attempt: 0, status: "pending" },
    ])
    expect(await run((ctx) => runSweep(ctx, { limit: 10 }))).toMatchObject({ closed: 1 })
  })

  test("retry a delivery on request, with an audit entry, and refuse to retry a delivered one", async () => {
    mockReceiver(new Response(null, { status: 500 }))
    const id = await createEndpoint()
    await emitEvent()
    await attemptAll()
    mockReceiver()
    const [{ id: delivery }] = (await get(`/webhooks/${id}/deliveries`)).data
    const path = `/webhooks/deliveries/${delivery}/retry`
    expect(await platform("POST", path, { token })).toMatchObject({
      status: 200,
      body: { data: { status: "delivered" } },
    })
    expect((await platform("POST", path, { token })).status).toBe(409)
    expect(await rows("select subject_id from audit_entries where type = 'delivery_retried'")).toEqual([
      { subject_id: String(delivery) },
    ])
  })

  test("send a test event, and recover missed and failed events in order", async () => {
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockResolvedValue(undefined as never)
    const hook = mockReceiver()
    const id = await createEndpoint()
    expect((await platform("POST", `/webhooks/${id}/test`, { token, json: {} })).body.data.status).toBe("delivered")
    await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: false } })
    for (let mark = 0; mark < 25; mark++) await emitEvent("store.ready", { mark })
    await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: true } })
    const json = { since: new Date(Date.now() - 3_600_000).toISOString(), mode: "all", events: ["store.ready"] }
    expect((await platform("POST", `/webhooks/${id}/recover`, { token, json })).body).toEqual({ data: { queued: 25 } })
    await consume("tenancy-slow-jobs", [{ job: "recovery", endpoint: id }])
    expect(
      hook
        .events()
        .slice(1)
        .map(({ data }) => data.mark),
    ).toEqual(Array.from({ length: 25 }, (_, mark) => mark))
    expect((await get(`/webhooks/${id}`)).data.recovery).toMatchObject({ queued: 25, done: 25, failed: 0 })
  })

  test("purge the deliveries of a deleted endpoint and its replica", async () => {
    mockReceiver()
    const id = await createEndpoint()
    await emitEvent()
    await attemptAll()
    expect((await platform("DELETE", `/webhooks/${id}`, { token })).status).toBe(204)
    expect((await platform("GET", `/webhooks/${id}/deliveries`, { token })).status).toBe(404)
    await consume("tenancy-slow-jobs", [{ job: "endpoint", endpoint: id }])
    expect(
      await select(WEBHOOKS_1, "select id from webhook_endpoints union all select id from webhook_deliveries"),
    ).toEqual([])
    expect(await count("webhook_endpoints")).toBe(0)
  })

  test("retain an event until no database has an unfinished delivery of it", async () => {
    const clock = freezeClock()
    mockReceiver(({ url }) => new Response(null, { status: new URL(url).hostname.startsWith("a") ? 200 : 500 }))
    await createEndpoint("a")
    await createEndpoint("b")
    await emitEvent()
    await attemptAll()
    clock.advance(200 * 86_400)
    await run(prune)
    expect(await count("webhook_events where type = 'store.ready'")).toBe(1)
    expect(await select(WEBHOOKS_1, "select id from webhook_deliveries")).toEqual([])
    await WEBHOOKS_2.prepare("update webhook_deliveries set status = 'exhausted'").run()
    await run(prune)
    expect(await count("webhook_events where type = 'store.ready'")).toBe(0)
    expect(await select(WEBHOOKS_2, "select id from webhook_deliveries")).toEqual([])
  })
})

describe("a delivery database that does not respond", () => {
  test("delays only its own endpoints, and gets each event once when it is back", async () => {
    hasError()
    mockReceiver()
    await createEndpoint("a")
    await createEndpoint("b")
    const repair = breakDatabase("WEBHOOKS_2")
    await emitEvent("store.ready", { mark: 1 })
    await emitEvent("store.ready", { mark: 2 })
    expect(await select(WEBHOOKS_1, "select id from webhook_deliveries")).toHaveLength(2)
    repair()
    await Promise.all([run(routeEvents), run(routeEvents)])
    expect(await select(WEBHOOKS_1, "select id from webhook_deliveries")).toHaveLength(2)
    expect(await select(WEBHOOKS_2, "select id from webhook_deliveries")).toHaveLength(2)
  })

  test("is named by searches and events, which show the deliveries of the others", async () => {
    hasError()
    await createEndpoint("a")
    await createEndpoint("b")
    await emitEvent()
    const [event] = await rows("select id from webhook_events where type = 'store.ready'")
    breakDatabase("WEBHOOKS_2")
    const search = await run((ctx) => searchDeliveries(ctx, SearchDeliveries.parse({})))
    expect(search).toMatchObject({ rows: [{ url: "https://a.example/hook" }], unavailable: ["WEBHOOKS_2"] })
    expect(await run((ctx) => readEvent(ctx, String(event?.id)))).toMatchObject({
      deliveries: [{ endpointId: 1 }],
      unavailable: ["WEBHOOKS_2"],
    })
  })
})

test("a tail lists the deliveries of a database that receives its events later than another one", async () => {
  await createEndpoint("a")
  await createEndpoint("b")
  const tail = async (after: readonly number[]) => run((ctx) => tailDeliveries(ctx, { after, open: [] }))
  const start = await run((ctx) => tailDeliveries(ctx, { open: [] }))
  hasError()
  const repair = breakDatabase("WEBHOOKS_2")
  await emitEvent()
  repair()
  const early = await tail(start.last)
  expect(early.deliveries.map(({ endpointId }) => endpointId)).toEqual([1])
  await run(routeEvents)
  const late = await tail(early.last)
  expect(late.deliveries.map(({ endpointId }) => endpointId)).toEqual([2])
  expect((await tail(late.last)).deliveries).toEqual([])
})

test("a search merges the pages of all databases, newest first", async () => {
  await createEndpoint("a")
  await createEndpoint("b")
  for (let event = 0; event < 30; event++) await emitEvent()
  const search = (page: number) => run((ctx) => searchDeliveries(ctx, SearchDeliveries.parse({ page: String(page) })))
  const [first, second] = [await search(1), await search(2)]
  expect([first.rows.length, first.hasMore, second.rows.length, second.hasMore]).toEqual([50, true, 10, false])
  const ids = [...first.rows, ...second.rows].map(({ delivery }) => delivery.id)
  expect(ids).toEqual(ids.toSorted((a, b) => b - a))
  expect(new Set(ids).size).toBe(60)
})

test("a database that is added later receives the events after the creation of its endpoints only", async () => {
  await makeDeliveryDatabases("WEBHOOKS_1")
  await createEndpoint("a")
  await emitEvent("store.ready", { mark: 1 })
  await makeDeliveryDatabases("WEBHOOKS_1,WEBHOOKS_2")
  await createEndpoint("b")
  await emitEvent("store.ready", { mark: 2 })
  expect(await select(WEBHOOKS_1, "select id from webhook_deliveries")).toHaveLength(2)
  expect(await select(WEBHOOKS_2, "select id from webhook_deliveries")).toHaveLength(1)
})

test("WEBHOOK_DATABASES names bindings that exist", () => {
  expect(() => settingsOf(withSettings({ WEBHOOK_DATABASES: "WEBHOOKS_9" }))).toThrow("WEBHOOKS_9 is not a binding")
})
