// Moving an endpoint's deliveries to another database: what is moved, what waits meanwhile, and that a run may die
// anywhere.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { consume, cron, platform, run, sendOperatorCommand } from "../support/app"
import { makeDeliveryDatabases } from "../support/delivery-databases"
import { makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { pauseFaults } from "../support/test-faults"
import { drainBatches, emitEvent, freezeClock } from "../support/webhook-factories"

type Binding = "DB" | "WEBHOOKS_1" | "WEBHOOKS_2"

let token = ""
let clock: ReturnType<typeof freezeClock>

beforeEach(async () => {
  pauseFaults()
  clock = freezeClock()
  await makeDeliveryDatabases("DB,WEBHOOKS_1,WEBHOOKS_2")
  token = await makeKey()
  mockReceiver()
})

const select = async (database: Binding, sql: string) => (await env[database].prepare(sql).all()).results

/** Creates an endpoint whose deliveries are in a database. */
async function createEndpoint(database: Binding): Promise<number> {
  await makeDeliveryDatabases(database)
  const json = { url: "https://receiver.example/hook", events: ["*"] }
  const { id } = (await platform("POST", "/webhooks", { token, json })).body.data
  await makeDeliveryDatabases("DB,WEBHOOKS_1,WEBHOOKS_2")
  return id
}

const takeFirstAttempts = () =>
  vi
    .mocked(env.WEBHOOK_QUEUE.sendBatch)
    .mock.calls.splice(0)
    .flatMap(([sent]) => [...sent].map(({ body }) => body as DeliveryMessage))

async function attempt(messages = takeFirstAttempts()) {
  expect((await consume("tenancy-webhooks", messages)).retryMessages).toEqual([])
}

/** Makes a delivered, a failed and a pending delivery. */
async function makeDeliveries(): Promise<void> {
  await emitEvent("store.ready", { mark: 1 })
  await attempt()
  mockReceiver(new Response("broken", { status: 500 }))
  await emitEvent("store.ready", { mark: 2 })
  await attempt()
  mockReceiver()
  await emitEvent("store.ready", { mark: 3 })
  takeFirstAttempts()
}

const start = (id: number, to: string) => sendOperatorCommand("endpoints:rehome", { id, to })

/** Runs the job until it is done or waits. */
const continueMove = (id: number) => consume("tenancy-slow-jobs", [{ job: "rehome", endpoint: id }])

/** Runs the job until it is done; isolates learn of the switch after some seconds. */
async function completeMove(id: number) {
  await continueMove(id)
  clock.advance(60)
  await continueMove(id)
}

const COLUMNS = "id, status, attempt, next_attempt_at, response_status, response_excerpt, attempts"

/** Everything of an endpoint in a database. */
const readAll = async (database: Binding) => ({
  deliveries: await select(database, `select ${COLUMNS} from webhook_deliveries order by id`),
  totals: await select(database, "select * from webhook_totals order by event"),
  hours: await select(database, "select * from webhook_hours order by hour"),
})

const NOTHING = { deliveries: [], totals: [], hours: [] }

describe("endpoints:rehome", () => {
  test.each<[Binding, Binding]>([
    ["DB", "WEBHOOKS_1"],
    ["WEBHOOKS_1", "WEBHOOKS_2"],
    ["WEBHOOKS_2", "DB"],
  ])("moves an endpoint's deliveries from %s to %s, where they continue", async (from, to) => {
    const id = await createEndpoint(from)
    await makeDeliveries()
    const before = await readAll(from)
    expect(before.deliveries).toHaveLength(3)
    expect((await start(id, to)).body.data).toEqual({ endpoint: id, from, to, state: "copying", copied: 0 })
    await completeMove(id)
    expect((await start(id, to)).body.data).toMatchObject({ state: "done" })
    expect(await readAll(to)).toEqual(before)
    expect(await readAll(from)).toEqual(NOTHING)
    for (const database of ["DB", from, to] as const)
      expect(await select(database, "select * from endpoint_rehomings")).toEqual([])
    // The pending delivery, the retry and a new event.
    const hook = mockReceiver()
    await emitEvent("store.ready", { mark: 4 })
    await attempt()
    expect(await run((ctx) => runSweep(ctx, { limit: 10 }))).toMatchObject({ queued: 2 })
    await drainBatches()
    expect(
      hook
        .events()
        .map(({ data }) => data.mark)
        .sort(),
    ).toEqual([2, 3, 4])
    const listed = await platform("GET", `/webhooks/${id}/deliveries?status=delivered`, { token })
    expect(listed.body.meta.total).toBe(4)
    expect(await rows("select data ->> '$.to' as target from audit_entries where type = 'endpoint_rehomed'")).toEqual([
      { target: to },
    ])
  })

  test("pauses the endpoint while it is copied, and then sends what was committed meanwhile once", async () => {
    const id = await createEndpoint("WEBHOOKS_1")
    await makeDeliveries()
    await emitEvent("store.ready", { mark: 4 })
    const messages = takeFirstAttempts()
    await start(id, "WEBHOOKS_2")
    const hook = mockReceiver()
    // The router, a first attempt, the sweep, a person, a test and a recovery.
    await emitEvent("store.ready", { mark: 5 })
    expect(takeFirstAttempts()).toEqual([])
    await continueMoveUntil(id, "copying")
    await attempt(messages)
    clock.advance(120)
    expect(await run((ctx) => runSweep(ctx, { limit: 10 }))).toMatchObject({ queued: 0, closed: 0 })
    const [failed] = await select("WEBHOOKS_1", "select id from webhook_deliveries where status = 'failed'")
    const since = new Date(Date.now() - 60_000).toISOString()
    for (const [path, json] of [
      [`/webhooks/deliveries/${failed?.id}/retry`, undefined],
      [`/webhooks/${id}/test`, {}],
      [`/webhooks/${id}/recover`, { since, mode: "all" }],
    ] as const) {
      const { status, headers } = await platform("POST", path, { token, json })
      expect({ path, status, retryAfter: headers.get("Retry-After") }).toEqual({ path, status: 503, retryAfter: "60" })
    }
    expect((await start(id, "DB")).status).toBe(409)
    expect(hook.events()).toEqual([])
    await completeMove(id)
    await attempt()
    await run((ctx) => runSweep(ctx, { limit: 10 }))
    await drainBatches()
    expect(
      hook
        .events()
        .map(({ data }) => data.mark)
        .sort(),
    ).toEqual([2, 3, 4, 5])
    // Both databases have the endpoint's totals right.
    expect(
      await select(
        "WEBHOOKS_2",
        "select pending, delivered, failed from webhook_totals where pending + delivered + failed > 1",
      ),
    ).toEqual([{ pending: 0, delivered: 5, failed: 0 }])
  })

  test("waits for attempts in flight, and the cron continues", async () => {
    const id = await createEndpoint("WEBHOOKS_1")
    await makeDeliveries()
    await env.WEBHOOKS_1.prepare(
      "update webhook_deliveries set attempt = 1, next_attempt_at = ? where status = 'pending'",
    )
      .bind(Date.now() + 30_000)
      .run()
    await start(id, "WEBHOOKS_2")
    await continueMove(id)
    expect(await rows("select phase from endpoint_rehomings")).toEqual([{ phase: "clearing" }])
    clock.advance(60)
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockClear()
    await cron("* * * * *")
    const sent = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([body]) => body)
    expect(sent).toMatchObject([{ job: "rehome", endpoint: id }])
    await consume("tenancy-slow-jobs", sent)
    expect(await select("WEBHOOKS_2", "select id from webhook_deliveries")).toHaveLength(3)
  })

  test("an attempt is not made by a Worker that still looks in the old database", async () => {
    const id = await createEndpoint("WEBHOOKS_1")
    await emitEvent()
    const messages = takeFirstAttempts()
    // This isolate remembers the home.
    await attempt([{ delivery: 1, endpoint: id }])
    await start(id, "WEBHOOKS_2")
    await continueMove(id)
    const hook = mockReceiver()
    await attempt(messages)
    expect(hook.events()).toEqual([])
    clock.advance(60)
    await continueMove(id)
    await run((ctx) => runSweep(ctx, { limit: 10 }))
    await drainBatches()
    expect(hook.events()).toHaveLength(1)
  })

  test("copies again when a late result changed a delivery", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined)
    const id = await createEndpoint("WEBHOOKS_1")
    await makeDeliveries()
    await start(id, "WEBHOOKS_2")
    await continueMoveUntil(id, "comparing")
    await env.WEBHOOKS_1.prepare(
      "update webhook_deliveries set status = 'delivered', updated_at = 1 where status = 'pending'",
    ).run()
    await completeMove(id)
    expect(await select("WEBHOOKS_2", "select status from webhook_deliveries order by id")).toEqual([
      { status: "delivered" },
      { status: "failed" },
      { status: "delivered" },
    ])
  })

  test("ends when the endpoint is deleted, and its purge deletes both copies", async () => {
    const id = await createEndpoint("WEBHOOKS_1")
    await makeDeliveries()
    await start(id, "WEBHOOKS_2")
    await continueMoveUntil(id, "comparing")
    expect((await platform("DELETE", `/webhooks/${id}`, { token })).status).toBe(204)
    await consume("tenancy-slow-jobs", [{ job: "endpoint", endpoint: id }])
    expect(await select("WEBHOOKS_1", "select id from webhook_deliveries")).toHaveLength(3)
    await continueMove(id)
    await consume("tenancy-slow-jobs", [{ job: "endpoint", endpoint: id }])
    for (const database of ["WEBHOOKS_1", "WEBHOOKS_2"] as const)
      expect(
        await select(database, "select id from webhook_endpoints union all select id from webhook_deliveries"),
      ).toEqual([])
    expect(await count("webhook_endpoints")).toBe(0)
  })

  test("refuses an unknown database and an endpoint in a recovery", async () => {
    const id = await createEndpoint("WEBHOOKS_1")
    expect(await start(id, "SITES_1")).toMatchObject({
      status: 422,
      body: { error: { errors: { to: ["The selected to is invalid."] } } },
    })
    expect((await start(99, "WEBHOOKS_2")).status).toBe(404)
    await env.DB.prepare(`update webhook_endpoints set recovery = '{"after":1,"last":2}' where id = ?`).bind(id).run()
    expect((await start(id, "WEBHOOKS_2")).status).toBe(409)
  })

  test("resumes after any database call fails, before or after it takes effect", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    const id = await createEndpoint("WEBHOOKS_1")
    await makeDeliveries()
    const before = await readAll("WEBHOOKS_1")
    let databases: [Binding, Binding] = ["WEBHOOKS_1", "WEBHOOKS_2"]
    let hasFailed = true
    for (let failing = 1; hasFailed; failing++) {
      const [from, to] = databases
      let calls = 0
      hasFailed = false
      const spy = interceptRoundTrips(async (send) => {
        calls += 1
        if (calls !== failing) return send()
        hasFailed = true
        if (failing % 2) await send()
        // Not transient, so nothing repeats the call.
        throw new Error("D1_ERROR: the Worker was killed")
      })
      const { status } = await start(id, to)
      await continueMove(id)
      spy.mockRestore()
      if (status !== 200) expect((await start(id, to)).status).toBe(200)
      clock.advance(600)
      await completeMove(id)
      expect({ failing, ...(await readAll(to)) }).toEqual({ failing, ...before })
      expect(await readAll(from)).toEqual(NOTHING)
      databases = [to, from]
    }
  })
})

/** Runs single calls of the job until it reaches a phase, as if the Worker died there. */
async function continueMoveUntil(id: number, phase: string): Promise<void> {
  let isLooking = false
  const spy = interceptRoundTrips(async (send) => {
    if (isLooking) return send()
    isLooking = true
    const [row] = await rows("select phase from endpoint_rehomings where endpoint_id = ?", id)
    isLooking = false
    if (row?.phase === phase) throw new Error("D1_ERROR: the Worker was killed")
    return send()
  })
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined)
  await continueMove(id)
  logged.mockRestore()
  spy.mockRestore()
  clock.advance(600)
}
