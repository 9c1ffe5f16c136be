// Ordered endpoints: the events of a store are delivered one after another, in commit order, whatever fails on the way.
import { env } from "cloudflare:workers"
import { afterEach, describe, expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { commit } from "../../src/core/write/commit"
import { routeEvents } from "../../src/core/write/event-router"
import { resumeRecoveries } from "../../src/webhooks/recovery/service"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { seededRandom } from "../../tools/lib/random"
import { consume, isolate, platform, run } from "../support/app"
import { checkedEnv } from "../support/checked-database"
import { makeDeliveryDatabases } from "../support/delivery-databases"
import { makeEndpoint, makeKey } from "../support/factories"
import { failBatches } from "../support/faults"
import { mockReceiver, type ReceivedRequest } from "../support/receiver"
import { rows } from "../support/rows"
import { recreateSchema } from "../support/schema"
import { AUDIT_DRAFT, buildEvent, drainBatches, freezeClock } from "../support/webhook-factories"

// Its invented events are not validated against the schema of their type.
afterEach(() => env.DB.prepare("update webhook_events set store_id = null").run())

/** Commits events of a store, marked with their numbers. */
const emit = (store: string, marks: number[]) =>
  run((ctx) =>
    commit(ctx, {
      auditLog: [
        {
          audit: AUDIT_DRAFT,
          events: marks.map((mark) => buildEvent("store.updated", { store: { id: store }, mark })),
        },
      ],
    }),
  )

/** Takes the messages of first attempts that were sent since the last call. */
function takeMessages(): DeliveryMessage[] {
  const batches = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
  const singles = vi.mocked(env.WEBHOOK_QUEUE.send).mock.calls.splice(0)
  return [
    ...batches.flatMap(([sent]) => [...sent].map(({ body }) => body as DeliveryMessage)),
    ...singles.map(([body]) => body as DeliveryMessage),
  ]
}

/**
 * Makes first attempts until the queue is empty.
 * @param afterRound runs after each round, e.g. to advance the clock for messages that were deferred
 */
async function drainQueue(afterRound: () => void = () => undefined) {
  for (let messages = takeMessages(); messages.length; messages = takeMessages()) {
    await consume("tenancy-webhooks", messages)
    afterRound()
  }
}

const sweep = async (afterRound?: () => void) => {
  await run((ctx) => runSweep(ctx, { limit: 1_000 }))
  await drainBatches(undefined, afterRound)
  await drainQueue(afterRound)
}

/** The store and the number of an event. */
const nameOf = ({ data }: { data: { store: { id: string }; mark: number } }) => `${data.store.id}${data.mark}`

const createOrdered = async (token: string): Promise<number> => {
  const json = { url: "https://receiver.example/hook", events: ["*"], ordered: true }
  return (await platform("POST", "/webhooks", { token, json })).body.data.id
}

describe("an ordered endpoint", () => {
  test("delivers the events of a store one after another, while those of other stores do not wait", async () => {
    const clock = freezeClock()
    const token = await makeKey()
    const failing = new Set(["a1"])
    const hook = mockReceiver(
      ({ body }) => new Response(null, { status: failing.has(nameOf(JSON.parse(body))) ? 500 : 204 }),
    )
    const id = await createOrdered(token)
    await emit("a", [1, 2, 3])
    await emit("b", [1, 2])
    await drainQueue()
    expect(hook.events().map(nameOf)).toEqual(["a1", "b1", "b2"])

    const { data } = (await platform("GET", `/webhooks/${id}/deliveries`, { token })).body
    const [, , third, second, first] = data
    expect(first).toMatchObject({ status: "failed", attempt: 1, waiting_for: null })
    expect(second).toMatchObject({ status: "pending", attempt: 0, waiting_for: first.id, next_attempt_at: null })
    expect(third).toMatchObject({ status: "pending", attempt: 0, waiting_for: second.id })
    const shown = await platform("GET", `/webhooks/deliveries/${third.id}`, { token })
    expect(shown.body.data.waiting_for).toBe(second.id)
    for (const { id: waiting } of [second, third]) {
      const { status, body } = await platform("POST", `/webhooks/deliveries/${waiting}/retry`, { token })
      expect([status, body.error.code]).toEqual([409, "delivery_not_retryable"])
    }
    // Neither a duplicate message nor a sweep sends one that waits.
    clock.advance(30)
    await consume("tenancy-webhooks", [
      { delivery: second.id, endpoint: id },
      { delivery: third.id, endpoint: id },
    ])
    await sweep()
    expect(hook.requests).toHaveLength(3)
    failing.clear()
    clock.advance(40)
    await sweep()
    expect(hook.events().slice(3).map(nameOf)).toEqual(["a1", "a2", "a3"])
  })

  test("continues after an exhausted event, and after a manual retry", async () => {
    freezeClock()
    const token = await makeKey()
    const hook = mockReceiver(new Response(null, { status: 500 }))
    const id = await createOrdered(token)
    await emit("a", [1, 2])
    await drainQueue()
    await env.DB.prepare("update webhook_deliveries set attempt = 5 where status = 'failed'").run()
    const [{ id: first }] = (await rows("select id from webhook_deliveries where status = 'failed'")) as [
      { id: number },
    ]
    expect((await platform("POST", `/webhooks/deliveries/${first}/retry`, { token })).body.data.status).toBe(
      "exhausted",
    )
    await drainQueue()
    expect(hook.events().map(nameOf)).toEqual(["a1", "a1", "a2"])
    const { data } = (await platform("GET", `/webhooks/${id}/deliveries?status=failed`, { token })).body
    mockReceiver()
    await platform("POST", `/webhooks/deliveries/${data[0].id}/retry`, { token })
    await emit("a", [3])
    await drainQueue()
    expect(await rows("select status from webhook_deliveries order by id")).toEqual([
      { status: "exhausted" },
      { status: "delivered" },
      { status: "delivered" },
    ])
  })

  test("closes the queue when it is switched off, and releases it when the order is given up", async () => {
    const clock = freezeClock()
    const token = await makeKey()
    mockReceiver(new Response(null, { status: 500 }))
    const [off, unordered] = [await createOrdered(token), await createOrdered(token)]
    await emit("a", [1, 2, 3])
    await drainQueue()
    const hook = mockReceiver()
    await platform("PATCH", `/webhooks/${off}`, { token, json: { is_active: false } })
    const patched = await platform("PATCH", `/webhooks/${unordered}`, { token, json: { ordered: null } })
    expect(patched.body.data.ordered).toBe(false)
    clock.advance(30)
    await sweep()
    expect(hook.events().map(nameOf)).toEqual(["a2", "a3"])
    const closed = await rows(`select attempt, error from webhook_deliveries where endpoint_id = ${off} order by id`)
    expect(closed.slice(1)).toEqual([
      { attempt: 0, error: "endpoint_disabled" },
      { attempt: 0, error: "endpoint_disabled" },
    ])
    const { data } = (await platform("GET", `/webhooks/${unordered}/deliveries`, { token })).body
    expect(data.map((delivery: { waiting_for: unknown }) => delivery.waiting_for)).toEqual([null, null, null])
  })

  test("recovers missed events in order, and holds new ones back until then", async () => {
    const clock = freezeClock()
    const token = await makeKey()
    await emit("a", [1, 2])
    await emit("b", [1])
    const failing = new Set(["a1"])
    const hook = mockReceiver(
      ({ body }) => new Response(null, { status: failing.has(nameOf(JSON.parse(body))) ? 500 : 204 }),
    )
    const id = await createOrdered(token)
    const json = { since: new Date(clock.now() - 60_000).toISOString(), mode: "missed" }
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockResolvedValue(undefined as never)
    await platform("POST", `/webhooks/${id}/recover`, { token, json })
    await emit("a", [3])
    await drainQueue()
    expect(hook.requests).toEqual([])
    await consume("tenancy-slow-jobs", [{ job: "recovery", endpoint: id }])
    expect(hook.events().map(nameOf)).toEqual(["a1"])
    failing.clear()
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockClear()
    for (let minute = 0; minute < 6; minute++) {
      clock.advance(95)
      await sweep()
      await run((ctx) => resumeRecoveries(ctx))
      const jobs = vi
        .mocked(env.SLOW_JOB_QUEUE.send)
        .mock.calls.splice(0)
        .map(([message]) => message)
      for (const job of jobs) await consume("tenancy-slow-jobs", [job])
    }
    expect(
      hook
        .events()
        .map(nameOf)
        .filter((name) => name.startsWith("a")),
    ).toEqual(["a1", "a1", "a2", "a3"])
    const { recovery } = (await platform("GET", `/webhooks/${id}`, { token })).body.data
    expect(recovery).toMatchObject({ queued: 3, done: 2, failed: 1 })
  })

  test("keeps the order and the rate limit while calls of four databases, queues and receivers fail at random", {
    timeout: 120_000,
  }, async () => {
    const random = seededRandom(20_260_902)
    const occurs = (chance: number) => random() < chance
    const clock = freezeClock()
    await makeDeliveryDatabases()
    await recreateSchema(env.SITES_2, env.TEST_MIGRATIONS_CENTRAL)
    const names = ["DB", "WEBHOOKS_1", "WEBHOOKS_2", "WEBHOOKS_3"]
    isolate.env = checkedEnv({
      WEBHOOK_DATABASES: names.join(),
      WEBHOOKS_3: env.SITES_2,
      TENANCY_WEBHOOK_DISABLE_AFTER: "100000",
    })
    for (const [index, database] of names.entries())
      await makeEndpoint({
        url: `https://e${index}.example/`,
        database,
        ordered: true,
        createdAtSeq: 0,
        maxPerSecond: index % 2 ? 1 : null,
      })
    /** The requests of each endpoint and second; the clock only advances by whole seconds. */
    const rates = new Map<string, number>()
    const nextSecond = () => void clock.advance(1)
    const requests = new Map<string, { mark: number; ok: boolean }[]>()
    mockReceiver(({ url, body }: ReceivedRequest) => {
      const { data } = JSON.parse(body)
      const { hostname } = new URL(url)
      const second = `${hostname} ${clock.now()}`
      rates.set(second, (rates.get(second) ?? 0) + 1)
      const key = `${hostname} ${data.store.id}`
      const ok = occurs(0.7)
      requests.set(key, [...(requests.get(key) ?? []), { mark: data.mark, ok }])
      return new Response(null, { status: ok ? 204 : 500 })
    })
    let faults = true
    failBatches(() => (faults && occurs(0.05) ? (occurs(0.5) ? "before" : "after") : null))
    const marks: Record<string, number> = { a: 0, b: 0 }
    for (let round = 0; round < 12; round++) {
      for (const store of ["a", "b"]) {
        const next = [marks[store] ?? 0, (marks[store] ?? 0) + 1]
        const isCommitted = await emit(store, next).then(
          () => true,
          () => false,
        )
        if (isCommitted) marks[store] = (marks[store] ?? 0) + 2
      }
      for (let messages = takeMessages(); messages.length; messages = takeMessages()) {
        await consume(
          "tenancy-webhooks",
          messages.flatMap((message) => (occurs(0.1) ? [] : occurs(0.1) ? [message, message] : [message])),
        )
        nextSecond()
      }
      clock.advance(100)
      await run((ctx) => runSweep(ctx, { limit: 100 })).catch(() => undefined)
      await drainBatches(isolate.env, nextSecond)
    }
    faults = false
    // Cron resumes the routing of events whose run failed.
    await run((ctx) => routeEvents(ctx))
    const countOpen = async () => {
      const databases = [env.DB, env.WEBHOOKS_1, env.WEBHOOKS_2, env.SITES_2]
      const open = "select count(*) as n from webhook_deliveries where status in ('pending', 'failed')"
      const counts = await Promise.all(databases.map((database) => database.prepare(open).first<number>("n")))
      return counts.reduce<number>((sum, n) => sum + (n ?? 0), 0)
    }
    for (let round = 0; round < 80 && (await countOpen()); round++) {
      clock.advance(15_000)
      await sweep(nextSecond)
    }
    expect([...requests.keys()].sort()).toEqual(
      ["e0", "e1", "e2", "e3"].flatMap((e) => [`${e}.example a`, `${e}.example b`]),
    )
    for (const [second, made] of rates) if (/^e[13]/.test(second)) expect(made, second).toBe(1)
    for (const [key, made] of requests) {
      const order = made.map(({ mark }) => mark)
      expect(order, key).toEqual(order.toSorted((a, b) => a - b))
      expect(new Set(order).size, key).toBe(marks[key.at(-1) ?? ""])
      // The next event follows a success, or the last of six attempts.
      for (const [index, { mark, ok }] of made.entries()) {
        const next = made[index + 1]
        if (next && next.mark > mark) expect(ok || order.filter((other) => other === mark).length >= 5, key).toBe(true)
      }
    }
  })
})
