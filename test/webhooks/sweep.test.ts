// The sweep: selection and order of due deliveries, lock, endpoint batches, closing, notification and pruning.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { withLock } from "../../src/core/queue/lock"
import type { DeliveryMessage, EndpointBatchMessage } from "../../src/core/queue/messages"
import { writeUnaudited } from "../../src/core/write/commit"
import { deliveryIdOf, seqOf } from "../../src/core/write/event-log"
import { ulid } from "../../src/lib/ulid"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { notifyDisabledEndpoints } from "../../src/webhooks/disabled-mail"
import { DNS_OUTAGE_ERROR } from "../../src/webhooks/dns-outage"
import { buildCountWrite } from "../../src/webhooks/failure-counter"
import type { Delivery } from "../../src/webhooks/reserve"
import { runEndpointBatch } from "../../src/webhooks/sweep/endpoint-batch"
import { prune } from "../../src/webhooks/sweep/prune"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { call, consume, cron, platform, run, withSettings } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { failBatches } from "../support/faults"
import { cronWithJobs } from "../support/jobs"
import { Occurrences } from "../support/occurrences"
import { mockReceiver, type ReceivedRequest } from "../support/receiver"
import { letWorkerProceed } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { pauseFaults, withoutFaults } from "../support/test-faults"
import { controlDeadlines, skipWaits } from "../support/timers"
import { drainBatches, freezeClock, makeDelivery, markRouted } from "../support/webhook-factories"

const respond500 = () => new Response(null, { status: 500 })
const TIMEOUT_ERROR = new DOMException("The operation timed out", "TimeoutError")

/** Runs a sweep and everything that it enqueues. */
async function sweepNow(input: { limit?: number; endpoint?: number } = {}, settings = {}) {
  const environment = withSettings(settings)
  const sweep = () => run((ctx) => runSweep(ctx, { limit: 100, ...input }), { env: environment })
  const report = await withoutFaults(sweep)
  await drainBatches(environment)
  return report
}

const statuses = async (endpoint: number) =>
  (await rows("select status from webhook_deliveries where endpoint_id = ? order by id", endpoint)).map(
    (row) => row.status,
  )

async function makeDue(endpoint: number, total: number, overrides: Parameters<typeof makeDelivery>[1] = {}) {
  const created = []
  for (let delivery = 0; delivery < total; delivery++) created.push(await makeDelivery(endpoint, overrides))
  return created
}

/** Creates many due deliveries of one event, of which only the first can be attempted. */
async function makeDelayed(endpoint: number, total: number, overrides: Partial<Delivery> = {}) {
  const { id } = await makeDelivery(endpoint, overrides)
  await env.DB.prepare(
    `insert into webhook_deliveries (endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total - 1})
      select endpoint_id, event_id, event, 1, 'failed', next_attempt_at, 1, 1, '[]' from webhook_deliveries, n where id = ${id}`,
  ).run()
}

/** Creates many due deliveries, each of a different event. */
async function makeBacklog(endpoint: number, total: number, overrides: Partial<Delivery> = {}) {
  const { id } = await makeDelivery(endpoint, overrides)
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total - 1})`
  await env.DB.batch([
    env.DB.prepare(
      `insert into webhook_events (seq, id, type, is_test, payload, created_at)
        ${numbers} select event.seq + i, event.id || i, type, 1, payload, created_at
        from webhook_events as event, n where event.seq = ${seqOf(id)}`,
    ),
    env.DB.prepare(
      `insert into webhook_deliveries (id, endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
        ${numbers} select id + i * ${deliveryIdOf(1, 0)}, endpoint_id, event_id || i, event, 1, 'failed', next_attempt_at, 1, 1, '[]'
        from webhook_deliveries, n where id = ${id}`,
    ),
  ])
  await markRouted()
}

const makeOperator = (email: string, { disabledAt = null }: { disabledAt?: number | null } = {}) =>
  env.DB.prepare(
    "insert into operators (email, name, password_hash, disabled_at, created_at) values (?, 'Operator', '-', ?, 1)",
  )
    .bind(email, disabledAt)
    .run()

// On a busy machine, a running clock would end a sweep's time budget early.
beforeEach(() => void freezeClock())

describe("a sweep", () => {
  test("enqueues due deliveries, including lost first attempts, and nothing else", async () => {
    const clock = freezeClock()
    mockReceiver()
    const { id } = await makeEndpoint()
    const soon = new Date(clock.now() + 1)
    await makeDelivery(id, { status: "pending", attempt: 0 })
    await makeDelivery(id, { status: "failed", attempt: 2 })
    await makeDelivery(id, { status: "pending", attempt: 1 })
    await makeDelivery(id, { status: "failed", attempt: 1, nextAttemptAt: soon })
    await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null })
    expect(await sweepNow()).toEqual({
      ran: true,
      queued: 3,
      closed: 0,
      pruned_deliveries: 0,
      pruned_events: 0,
    })
    expect(await statuses(id)).toEqual(["delivered", "delivered", "delivered", "failed", "exhausted"])
  })

  test("drives a delivery through all six attempts of the schedule", async () => {
    const clock = freezeClock()
    const hook = mockReceiver(respond500)
    const { id } = await makeEndpoint()
    await makeDelivery(id)
    for (const seconds of [0, 60, 300, 1_800, 7_200, 43_200]) {
      clock.advance(seconds - 1)
      await sweepNow()
      clock.advance(1)
      await sweepNow()
    }
    const [row] = await rows("select status, attempt, error, next_attempt_at from webhook_deliveries")
    expect(row).toEqual({ status: "exhausted", attempt: 6, error: "http_500", next_attempt_at: null })
    expect(hook.requests).toHaveLength(6)
    clock.advance(1_000_000)
    await sweepNow()
    expect(hook.requests).toHaveLength(6)
  })

  test("enqueues at most the sweep's limit, oldest first", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const old = await makeDelivery(id, { nextAttemptAt: new Date(clock.now() - 3_000) })
    await makeDelivery(id, { nextAttemptAt: new Date(clock.now() - 1_000) })
    const older = await makeDelivery(id, { nextAttemptAt: new Date(clock.now() - 4_000) })
    expect(await sweepNow({ limit: 2 })).toMatchObject({ queued: 2 })
    expect(hook.requests.map((request) => request.headers.get("webhook-id"))).toEqual([older.eventId, old.eventId])
  })

  test("enqueues only the deliveries of the requested endpoint", async () => {
    mockReceiver()
    const one = await makeEndpoint()
    const other = await makeEndpoint()
    const disabled = await makeEndpoint({ isActive: false })
    for (const { id } of [one, other, disabled]) await makeDelivery(id)
    expect(await sweepNow({ endpoint: one.id })).toMatchObject({ queued: 1, closed: 0 })
    expect([await statuses(other.id), await statuses(disabled.id)]).toEqual([["pending"], ["pending"]])
    expect(await sweepNow({ endpoint: disabled.id })).toMatchObject({ queued: 0, closed: 1 })
  })

  test("shares a sweep among endpoints despite the backlog of one", async () => {
    mockReceiver()
    const busy = await makeEndpoint()
    await makeBacklog(busy.id, 500)
    const quiet = await makeEndpoint()
    await makeDue(quiet.id, 3)
    expect(await sweepNow({ limit: 10 })).toMatchObject({ queued: 10 })
    expect(await statuses(quiet.id)).toEqual(["delivered", "delivered", "delivered"])
  })

  test("reads no more of a long backlog than it enqueues", async () => {
    mockReceiver()
    const busy = await makeEndpoint()
    await makeDelayed(busy.id, 5_000)
    const { rowsRead } = await costsOf(() => run((ctx) => runSweep({ ...ctx }, { limit: 1 })))
    expect(rowsRead).toBeLessThan(100)
  })

  test("lets failing endpoints take turns after healthy ones", async () => {
    const clock = freezeClock()
    const requested: (string | undefined)[] = []
    mockReceiver((request) => {
      requested.push(new URL(request.url).hostname.split(".")[0])
      return respond500()
    })
    for (const name of ["a", "b", "c"]) {
      const { id } = await makeEndpoint({ url: `https://${name}.example/` })
      await makeBacklog(id, 20)
    }
    for (let minute = 0; minute < 4; minute++) {
      await sweepNow({ limit: 1 })
      clock.advance(1)
    }
    expect(requested).toEqual(["a", "b", "c", "a"])
  })
})

describe("the sweep's lock", () => {
  test("lets a concurrent sweep exit at once and report it", async () => {
    const { id } = await makeEndpoint()
    await makeDue(id, 2)
    mockReceiver()
    const overlapping: unknown[] = []
    vi.mocked(env.RETRY_QUEUE.sendBatch).mockImplementationOnce(async () => {
      overlapping.push(await run((ctx) => runSweep(ctx, { limit: 100 })))
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
    })
    expect(await sweepNow({ limit: 1 })).toMatchObject({ ran: true, queued: 1 })
    expect(overlapping).toEqual([{ ran: false, message: "Another sweep is already running." }])
    expect(await statuses(id)).toEqual(["delivered", "pending"])
  })

  test("frees the sweep's lock 40 seconds after its run died", async () => {
    const clock = freezeClock()
    await env.DB.prepare("insert into locks (name, holder, expires_at) values ('webhook sweep', 'dead', ?)")
      .bind(clock.now() + 40_000)
      .run()
    expect(await sweepNow()).toMatchObject({ ran: false })
    clock.advance(39)
    expect(await sweepNow()).toMatchObject({ ran: false })
    clock.advance(1)
    expect(await sweepNow()).toMatchObject({ ran: true })
  })

  test("releases a lock after an error", async () => {
    await run(async (ctx) => {
      await expect(withLock(ctx, "x", 1_000, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
      expect(await withLock(ctx, "x", 1_000, async () => "free")).toBe("free")
    })
    expect(await count("locks")).toBe(0)
  })

  test("releases a lock only if the run still has it", async () => {
    const clock = freezeClock()
    await run(async (ctx) => {
      await withLock(ctx, "x", 1_000, async () => {
        clock.advance(2)
        await env.DB.prepare("update locks set holder = 'next', expires_at = ?")
          .bind(clock.now() + 60_000)
          .run()
      })
      expect(await withLock(ctx, "x", 1_000, async () => "mine")).toBeNull()
    })
    expect(await rows("select holder from locks")).toEqual([{ holder: "next" }])
  })
})

describe("endpoint batches", () => {
  test("sends a hanging endpoint one request and all others their deliveries", async () => {
    const hanging = new Set<string>()
    const requested: ReceivedRequest[] = []
    mockReceiver((request) => {
      requested.push(request)
      if (hanging.has(request.url)) throw TIMEOUT_ERROR
      return new Response()
    })
    const healthy: number[] = []
    for (let endpoint = 0; endpoint < 20; endpoint++) {
      const url = `https://receiver-${endpoint}.example/`
      const { id } = await makeEndpoint({ url })
      if (endpoint % 4 === 0) hanging.add(url)
      else healthy.push(id)
      await makeBacklog(id, 10)
    }
    expect(await sweepNow({ limit: 200 })).toMatchObject({ queued: 200 })
    expect(requested.filter((request) => hanging.has(request.url))).toHaveLength(5)
    for (const id of healthy) expect(await statuses(id)).toEqual(Array(10).fill("delivered"))
    const [remaining] = await rows(
      "select count(*) as n from webhook_deliveries where status <> 'delivered' and attempt = 1",
    )
    expect(remaining?.n).toBe(50)
  })

  test("continues a slow endpoint's batch in the background after its response", async () => {
    const respond: (() => void)[] = []
    const hook = mockReceiver(() => new Promise<Response>((resolve) => respond.push(() => resolve(new Response()))))
    const { id } = await makeEndpoint()
    await makeBacklog(id, 5)
    await run((ctx) => runSweep(ctx, { limit: 100 }))
    const [batchCall] = vi.mocked(env.RETRY_QUEUE.sendBatch).mock.calls.splice(0)
    const [{ body }] = [...(batchCall?.[0] ?? [])] as { body: EndpointBatchMessage }[] as [
      { body: EndpointBatchMessage },
    ]
    const background: Promise<unknown>[] = []
    skipWaits()
    await run((ctx) =>
      runEndpointBatch({ ...ctx, inBackground: (work) => void background.push(Promise.resolve(work)) }, body.lane),
    )
    expect([hook.requests.length, background.length, vi.mocked(env.RETRY_QUEUE.send).mock.calls.length]).toEqual([
      1, 1, 0,
    ])
    respond[0]?.()
    await Promise.all(background)
    const [[rest]] = vi.mocked(env.RETRY_QUEUE.send).mock.calls.splice(0) as [[EndpointBatchMessage]]
    expect(rest.lane).toEqual({ ...body.lane, deliveries: body.lane.deliveries.slice(1) })
  })

  test("sends an endpoint one request until it responds, then up to three in parallel", async () => {
    let open = 0
    const concurrency: number[] = []
    mockReceiver(async () => {
      concurrency.push(++open)
      await letWorkerProceed()
      open -= 1
      return new Response()
    })
    const { id } = await makeEndpoint()
    await makeBacklog(id, 21)
    await sweepNow()
    expect(concurrency).toHaveLength(21)
    expect(concurrency.slice(0, 2)).toEqual([1, 1])
    expect(Math.max(...concurrency)).toBe(3)
  })

  test("opens at most six connections per invocation, including DNS queries", async () => {
    let open = 0
    let maxOpen = 0
    const hook = mockReceiver()
    const fetched = hook.spy.getMockImplementation() as typeof fetch
    hook.spy.mockImplementation(async (...args) => {
      maxOpen = Math.max(maxOpen, ++open)
      await letWorkerProceed()
      try {
        return await fetched(...args)
      } finally {
        open -= 1
      }
    })
    const deliveries: number[] = []
    for (let endpoint = 0; endpoint < 8; endpoint++) {
      const { id } = await makeEndpoint({ url: `https://receiver-${endpoint}.example/` })
      deliveries.push((await makeDelivery(id)).id)
    }
    await consume(
      "tenancy-webhooks",
      deliveries.map((delivery) => ({ delivery })),
    )
    expect(maxOpen).toBeGreaterThan(2)
    expect(maxOpen).toBeLessThanOrEqual(6)
    expect(hook.requests).toHaveLength(8)
  })

  test("starts the timeout with the request, not while it waits for a connection", async () => {
    const deadlines = controlDeadlines()
    const hook = mockReceiver(
      (_request, _count, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    )
    const ids: number[] = []
    for (let endpoint = 0; endpoint < 4; endpoint++) {
      const { id } = await makeEndpoint({ url: `https://receiver-${endpoint}.example/` })
      ids.push((await makeDelivery(id)).id)
    }
    const requestDeadlines = () => deadlines.filter(({ ms }) => ms === 10_000)
    const consumed = consume(
      "tenancy-webhooks",
      ids.map((delivery) => ({ delivery })),
    )
    await hook.received(3)
    await letWorkerProceed()
    // Only the first three requests have started; the fourth waits for a connection.
    expect([hook.requests.length, requestDeadlines().length]).toEqual([3, 3])
    requestDeadlines()[0]?.expire()
    await hook.received(4)
    expect(requestDeadlines()).toHaveLength(4)
    for (const { expire } of requestDeadlines()) expire()
    await consumed
    const results = await rows("select distinct status, error, attempt from webhook_deliveries")
    expect(results).toEqual([{ status: "failed", error: "timeout", attempt: 1 }])
  })

  test("reschedules an attempt without counting it while DNS is down", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    hook.spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "failed", attempt: 2 })
    await sweepNow()
    const [row] = await rows("select status, attempt, error, next_attempt_at from webhook_deliveries")
    expect(row).toEqual({
      status: "failed",
      attempt: 2,
      error: DNS_OUTAGE_ERROR,
      next_attempt_at: clock.now() + 60_000,
    })
    expect(await rows("select consecutive_failures, last_failure_at from webhook_endpoints")).toEqual([
      { consecutive_failures: 0, last_failure_at: null },
    ])
  })

  test("logs a DNS outage once per minute, without data of the events", async () => {
    const clock = freezeClock()
    const logged = vi.spyOn(console, "warn").mockReturnValue()
    mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "failed", attempt: 2 })
    await makeDelivery(id, { status: "failed", attempt: 3 })
    for (const seconds of [0, 60, 60]) {
      clock.advance(seconds)
      await sweepNow()
    }
    const lines = logged.mock.calls.map(([line]) => JSON.parse(line))
    const { request_id: _, ...line } = lines[0]
    expect(line).toEqual({
      level: "warn",
      message: "webhook attempts were released because the DNS resolver did not respond",
      cause: "dns_unavailable",
      deliveries: 1,
    })
    expect(lines).toHaveLength(3)
  })

  test("counts attempts as failed once DNS has been down for a day", async () => {
    const clock = freezeClock()
    mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    await makeDelivery(id, { createdAt: new Date(clock.now() - 86_400_000 + 60_000) })
    const delivery = async () =>
      (await rows("select status, attempt, error, next_attempt_at from webhook_deliveries"))[0]
    const soon = () => clock.now() + 60_000
    await sweepNow()
    expect(await delivery()).toEqual({
      status: "pending",
      attempt: 0,
      error: DNS_OUTAGE_ERROR,
      next_attempt_at: soon(),
    })
    clock.advance(60)
    await sweepNow()
    expect(await delivery()).toEqual({
      status: "failed",
      attempt: 1,
      error: DNS_OUTAGE_ERROR,
      next_attempt_at: soon(),
    })
    expect(await rows("select consecutive_failures from webhook_endpoints")).toEqual([{ consecutive_failures: 1 }])
  })

  test("does not count a manual attempt while DNS is down, however old the delivery is", async () => {
    const clock = freezeClock()
    mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    const createdAt = new Date(clock.now() - 2 * 86_400_000)
    const delivery = await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null, createdAt })
    await platform("POST", `/webhooks/deliveries/${delivery.id}/retry`, { token: await makeKey() })
    expect(await rows("select status, attempt, error from webhook_deliveries")).toEqual([
      { status: "exhausted", attempt: 6, error: null },
    ])
    expect(await rows("select consecutive_failures from webhook_endpoints")).toEqual([{ consecutive_failures: 0 }])
  })

  test("leases each delivery to one batch until the lease expires", async () => {
    const clock = freezeClock()
    mockReceiver()
    const { id } = await makeEndpoint()
    await makeDue(id, 2)
    const sent = vi.mocked(env.RETRY_QUEUE.sendBatch)
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ queued: 2 })
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ queued: 0 })
    const late = [...(sent.mock.calls[0]?.[0] ?? [])].map(({ body }) => body as EndpointBatchMessage)
    clock.advance(90)
    expect(await sweepNow()).toMatchObject({ queued: 2 })
    expect(await statuses(id)).toEqual(["delivered", "delivered"])
    // The first message arrives late and twice; its leases have expired.
    await consume("tenancy-retries", [...late, ...late])
    expect(await rows("select distinct attempt from webhook_deliveries")).toEqual([{ attempt: 1 }])
  })

  test("continues a long batch in further invocations", async () => {
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await makeBacklog(id, 120)
    expect(await sweepNow({ limit: 500 })).toMatchObject({ queued: 120 })
    expect(hook.requests).toHaveLength(120)
  })

  test("limits the size of a batch", async () => {
    mockReceiver()
    const { id } = await makeEndpoint()
    await makeBacklog(id, 300)
    expect(await sweepNow({ limit: 1_000 })).toMatchObject({ queued: 200 })
    expect(await sweepNow({ limit: 1_000 })).toMatchObject({ queued: 100 })
  })

  test("enqueues one batch per endpoint, which continues with deliveries that become due", async () => {
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await makeDue(id, 1)
    await cron("* * * * *")
    await makeDue(id, 2, { status: "failed" })
    await cron("* * * * *")
    expect(vi.mocked(env.RETRY_QUEUE.sendBatch)).toHaveBeenCalledTimes(1)
    await drainBatches()
    expect(hook.requests).toHaveLength(3)
    expect(await rows("select lane_until from webhook_endpoints")).toEqual([{ lane_until: null }])
  })

  test("unlocks the endpoint of a lost batch after its lease, and not by a late batch", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await makeDue(id, 1)
    await cron("* * * * *")
    const [late] = [...(vi.mocked(env.RETRY_QUEUE.sendBatch).mock.calls.splice(0)[0]?.[0] ?? [])]
    clock.advance(89)
    await cron("* * * * *")
    expect(env.RETRY_QUEUE.sendBatch).not.toHaveBeenCalled()
    clock.advance(1)
    await cron("* * * * *")
    const locked = await rows("select lane_until from webhook_endpoints")
    expect(locked).toEqual([{ lane_until: clock.now() + 90_000 }])
    await consume("tenancy-retries", [late?.body as EndpointBatchMessage])
    expect([hook.requests.length, await rows("select lane_until from webhook_endpoints")]).toEqual([0, locked])
    await drainBatches()
    expect(hook.requests).toHaveLength(1)
  })

  test("makes deliveries due again when the queue rejects their batch", async () => {
    const clock = freezeClock()
    mockReceiver()
    const { id } = await makeEndpoint()
    await makeDue(id, 1)
    vi.mocked(env.RETRY_QUEUE.sendBatch).mockRejectedValueOnce(new Error("the queue is down"))
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ ran: true, queued: 1 })
    clock.advance(90)
    expect(await sweepNow()).toMatchObject({ queued: 1 })
    expect(await statuses(id)).toEqual(["delivered"])
  })

  test("enqueues all due deliveries in several rounds when run by the cron", async () => {
    mockReceiver()
    for (let endpoint = 0; endpoint < 6; endpoint++) {
      const { id } = await makeEndpoint()
      await makeBacklog(id, 180)
    }
    await cron("* * * * *")
    await drainBatches()
    expect(await rows("select status, count(*) as n from webhook_deliveries group by 1")).toEqual([
      { status: "delivered", n: 1_080 },
    ])
  })
})

describe("first attempts", () => {
  test("limits first attempts to ten per endpoint and defers further messages", async () => {
    const { id } = await makeEndpoint()
    const deliveries = await makeDue(id, 12)
    let respond: () => void = () => undefined
    const responded = new Promise<void>((resolve) => {
      respond = resolve
    })
    const hook = mockReceiver(async () => {
      await responded
      return new Response()
    })
    const deferrals = new Occurrences()
    vi.mocked(env.WEBHOOK_QUEUE.send).mockImplementation(async () => {
      deferrals.record()
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
    })
    const messages = deliveries.map((delivery) => ({ delivery: delivery.id, endpoint: id }))
    const consumed = Promise.all(messages.map((message) => consume("tenancy-webhooks", [message])))
    await Promise.all([hook.received(10), deferrals.reached(2)])
    const [[deferred, options] = []] = vi.mocked(env.WEBHOOK_QUEUE.send).mock.calls
    expect([deferred, options]).toEqual([{ delivery: expect.any(Number), endpoint: id, busy: 1 }, { delaySeconds: 1 }])
    respond()
    await consumed
    await consume("tenancy-webhooks", [deferred as never])
    expect(hook.requests).toHaveLength(11)
  })

  const UNUSED_SLOTS = {
    "attempts whose messages arrive twice": async (messages: DeliveryMessage[]) => {
      mockReceiver()
      await consume("tenancy-webhooks", messages)
      await consume("tenancy-webhooks", messages)
    },
    "attempts that cannot be reserved": async (messages: DeliveryMessage[]) => {
      const faults = failBatches(() => "before")
      await consume("tenancy-webhooks", messages)
      faults.mockRestore()
    },
    "attempts at a disabled endpoint": async (messages: DeliveryMessage[]) => {
      await env.DB.prepare("update webhook_endpoints set is_active = 0").run()
      await consume("tenancy-webhooks", messages)
      await env.DB.prepare("update webhook_endpoints set is_active = 1").run()
    },
    "attempts that are released while DNS is down": async (messages: DeliveryMessage[]) => {
      mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
      await consume("tenancy-webhooks", messages)
    },
  }

  test.each(Object.entries(UNUSED_SLOTS))("release the slots of ten %s", async (_, release) => {
    const { id } = await makeEndpoint()
    const firsts = (await makeDue(id, 11)).map((delivery) => ({ delivery: delivery.id, endpoint: id }))
    await release(firsts.slice(0, 10))
    vi.mocked(globalThis.fetch).mockRestore?.()
    const hook = mockReceiver()
    await consume("tenancy-webhooks", firsts.slice(10))
    expect(hook.requests).toHaveLength(1)
  })

  test("retains the slots of first attempts when an endpoint batch sends deliveries", async () => {
    const { id } = await makeEndpoint()
    let respond: () => void = () => undefined
    const responded = new Promise<void>((resolve) => {
      respond = resolve
    })
    let isWaiting = true
    const hook = mockReceiver(async () => {
      if (isWaiting) await responded
      return new Response()
    })
    const firsts = (await makeDue(id, 11)).map((delivery) => ({ delivery: delivery.id, endpoint: id }))
    const consumed = Promise.all(firsts.slice(0, 10).map((message) => consume("tenancy-webhooks", [message])))
    await hook.received(10)
    isWaiting = false
    for (const delivery of await makeDue(id, 5, { status: "failed", attempt: 1 })) {
      await run((ctx) => attemptDelivery(ctx, delivery.id, delivery.nextAttemptAt as Date))
    }
    await consume("tenancy-webhooks", firsts.slice(10))
    expect(hook.requests).toHaveLength(15)
    respond()
    await consumed
  })
})

describe("endpoints that do not receive", () => {
  test("closes due deliveries of disabled endpoints, retains later ones and replays nothing", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const token = await makeKey()
    const disabled = await makeEndpoint({ disabledAt: new Date(), noticedAt: new Date() })
    await makeBacklog(disabled.id, 300)
    await makeDelivery(disabled.id, { status: "failed", attempt: 1, nextAttemptAt: new Date(clock.now() + 300_000) })
    expect(await sweepNow({ limit: 10 })).toMatchObject({ closed: 300, queued: 0 })
    const closed = await rows(
      "select distinct status, error, next_attempt_at from webhook_deliveries where error is not null",
    )
    expect(closed).toEqual([{ status: "exhausted", error: "endpoint_disabled", next_attempt_at: null }])
    await platform("PATCH", `/webhooks/${disabled.id}`, { token, json: { is_active: true } })
    clock.advance(300)
    expect(await sweepNow()).toMatchObject({ closed: 0, queued: 1 })
    expect(hook.requests).toHaveLength(1)
  })
})

describe("disabling an endpoint", () => {
  const settings = { TENANCY_WEBHOOK_DISABLE_AFTER: "25" }
  const fail = (id: number) => run((ctx) => attemptDelivery(ctx, id, "first"), { env: withSettings(settings) })
  const endpointRow = async () => (await rows("select * from webhook_endpoints"))[0]
  const mails = () => vi.mocked(env.MAIL.send).mock.calls.map(([mail]) => mail as unknown as Record<string, string>)

  test("disables the endpoint once under concurrency and notifies every active operator once", async () => {
    // An attempt that is reserved late finds the endpoint disabled, and is not counted.
    pauseFaults()
    mockReceiver(respond500)
    vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    await makeOperator("ada@example.com")
    await makeOperator("bob@example.com")
    await makeOperator("gone@example.com", { disabledAt: 2 })
    const { id } = await makeEndpoint()
    const deliveries = await makeDue(id, 24)
    await Promise.all(deliveries.map((delivery) => fail(delivery.id)))
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 24, disabled_at: null })
    expect(mails()).toEqual([])

    const last = await makeDue(id, 6, { event: "app.enabled" })
    await Promise.all(last.map((delivery) => fail(delivery.id)))
    expect(await endpointRow()).toMatchObject({
      consecutive_failures: 30,
      disabled_at: expect.any(Number),
      is_active: 1,
    })
    await consume("tenancy-jobs", [{ job: "mails" }])
    expect(mails().map((mail) => mail.to)).toEqual(["ada@example.com", "bob@example.com"])
    expect(mails()[0]?.subject).toBe(`Tenancy: webhook endpoint ${id} was disabled`)
    expect(mails()[0]?.text).toContain("https://receiver.example/hook")
    await sweepNow()
    await cron("* * * * *")
    expect(mails()).toHaveLength(2)
  })

  test("notifies of a disabled endpoint even if the Worker dies before the mail is sent", async () => {
    const clock = freezeClock()
    mockReceiver(respond500)
    const send = vi.mocked(env.MAIL.send).mockReturnValue(new Promise(() => undefined) as never)
    await makeOperator("ada@example.com")
    const { id } = await makeEndpoint()
    for (const delivery of await makeDue(id, 25)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ noticed_at: clock.now() })
    send.mockReset().mockResolvedValue({ messageId: "1" } as never)
    clock.advance(60)
    await cronWithJobs("* * * * *")
    expect(mails().map((mail) => mail.to)).toEqual(["ada@example.com"])
  })

  test("notifies of a disabled endpoint in the next sweep when the mails could not be written", async () => {
    mockReceiver(respond500)
    await makeOperator("ada@example.com")
    const { id } = await makeEndpoint()
    await env.DB.prepare("update webhook_endpoints set disabled_at = 1 where id = ?").bind(id).run()
    let batches = 0
    failBatches(() => (++batches > 2 ? null : "before"))
    await expect(run(notifyDisabledEndpoints)).rejects.toThrow("network connection lost")
    expect([(await endpointRow())?.noticed_at, await count("mails")]).toEqual([null, 0])
    await sweepNow()
    expect([(await endpointRow())?.noticed_at, await count("mails")]).toEqual([1, 1])
  })

  test("notifies once of a disabled endpoint under concurrency, and again when it is disabled again", async () => {
    const token = await makeKey()
    mockReceiver(respond500)
    await makeOperator("ada@example.com")
    const { id } = await makeEndpoint()
    await env.DB.prepare("update webhook_endpoints set disabled_at = 1 where id = ?").bind(id).run()
    await Promise.all([run(notifyDisabledEndpoints), run(notifyDisabledEndpoints)])
    expect(await count("mails")).toBe(1)
    await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: true } })
    await sweepNow()
    expect(await count("mails")).toBe(1)
    for (const delivery of await makeDue(id, 25)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 25, disabled_at: expect.any(Number) })
    expect(await count("mails")).toBe(2)
  })

  test("disables an endpoint only after consecutive failures", async () => {
    let status = 500
    mockReceiver(() => new Response(null, { status }))
    const { id } = await makeEndpoint()
    for (const delivery of await makeDue(id, 24)) await fail(delivery.id)
    status = 200
    for (const delivery of await makeDue(id, 1)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 0 })
    status = 500
    for (const delivery of await makeDue(id, 24)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 24, disabled_at: null })
  })

  test("ignores a failure count that is older than the stored one", async () => {
    const { id } = await makeEndpoint()
    const count = { seq: 7, failures: 0, disabledAt: null, disabledReason: null, disabledNow: false }
    await run((ctx) =>
      writeUnaudited(ctx, "statistics", [
        buildCountWrite(id, count),
        buildCountWrite(id, { ...count, seq: 6, failures: 25, disabledAt: 1 }),
      ]),
    )
    expect(await endpointRow()).toMatchObject({ failure_seq: 7, consecutive_failures: 0, disabled_at: null })
  })

  test("settles deliveries when the failure counter cannot be reached", async () => {
    mockReceiver()
    vi.spyOn(env.ENDPOINT_FAILURES, "get").mockImplementation(() => {
      throw new Error("the object is overloaded")
    })
    const { id } = await makeEndpoint()
    for (const delivery of await makeDue(id, 1)) await fail(delivery.id)
    expect(await statuses(id)).toEqual(["delivered"])
    expect((await endpointRow())?.last_failure_at).toBeNull()
  })
})

describe("pruning", () => {
  const DAY = 86_400_000
  const old = new Date(Date.now() - 31 * DAY)
  const recent = new Date(Date.now() - 29 * DAY)
  const HOUR = 3_600_000

  const WITHOUT_PAYLOAD_RETENTION = { TENANCY_WEBHOOKS_PAYLOAD_DAYS: "0" }

  /** Inserts events without deliveries. */
  const insertEvents = async (...moments: Date[]) => {
    for (const moment of moments)
      await env.DB.prepare(
        `insert into webhook_events (seq, id, type, is_test, payload, created_at)
          select max(seq) + 1, ?1, 'store.ready', 0, '{}', ?2 from webhook_events`,
      )
        .bind(ulid(moment), moment.getTime())
        .run()
    await markRouted()
  }

  /** Creates expired events, each with an unfinished delivery. */
  const makeUnfinished = async (endpoint: number, total: number) => {
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total})`
    await env.DB.batch([
      env.DB.prepare(
        `insert into webhook_events (seq, id, type, is_test, payload, created_at)
          ${numbers} select i, ? || printf('%06d', i), 'store.ready', 0, '{}', 1 from n`,
      ).bind(ulid(old).slice(0, 20)),
      env.DB.prepare(
        `insert into webhook_deliveries (id, endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
          select seq * 1048576 + ?1, ?1, id, type, 1, 'failed', ?2, 1, 1, '[]' from webhook_events`,
      ).bind(endpoint, Date.now() + DAY),
    ])
    await markRouted()
  }

  const assertTotals = async () =>
    expect(
      await rows("select endpoint_id, event, pending + delivered + failed + exhausted as total from webhook_totals"),
    ).toEqual(await rows("select endpoint_id, event, count(*) as total from webhook_deliveries group by 1, 2"))

  test("prunes finished deliveries past their retention and events without deliveries", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    const later = new Date(Date.now() + DAY)
    const before = [
      await makeDelivery(id, { status: "delivered", nextAttemptAt: null, createdAt: old }),
      await makeDelivery(id, { status: "failed", nextAttemptAt: later, createdAt: old }),
      await makeDelivery(id, { status: "pending", nextAttemptAt: later, createdAt: old }),
      await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: old }),
      await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: recent }),
      await makeDelivery(id, { status: "delivered", nextAttemptAt: null, createdAt: recent }),
    ]
    await insertEvents(old, recent)
    const retained = [1, 2, 4, 5].map((index) => before[index])
    expect(await sweepNow({}, WITHOUT_PAYLOAD_RETENTION)).toMatchObject({ pruned_deliveries: 2, pruned_events: 3 })
    expect((await rows("select id from webhook_deliveries order by id")).map((row) => row.id)).toEqual(
      retained.map((row) => row?.id),
    )
    const remaining = (await rows("select id from webhook_events order by seq")).map((row) => row.id)
    expect(remaining).toEqual([...retained.map((row) => row?.eventId), expect.any(String)])
    await assertTotals()
  })

  test("prunes delivered events after the payload retention and retains their deliveries", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    const week = new Date(Date.now() - 8 * DAY)
    const arrived = await makeDelivery(id, { status: "delivered", nextAttemptAt: null, createdAt: week })
    const exhausted = await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: week })
    await insertEvents(week, new Date(Date.now() - 6 * DAY))
    expect(await sweepNow()).toMatchObject({ pruned_deliveries: 0, pruned_events: 2 })
    expect(await count("webhook_deliveries")).toBe(2)
    const remaining = (await rows("select id from webhook_events order by seq")).map((row) => row.id)
    expect(remaining).toEqual([exhausted.eventId, expect.any(String)])
    // Scanned events are not read again, and sequence numbers are not reused.
    expect((await costsOf(() => run(prune))).rowsRead).toBeLessThan(25)
    const next = await makeDelivery(id)
    expect(next.id).toBeGreaterThan(arrived.id)
  })

  test("skips unfinished deliveries when pruning and returns to them in a later pass", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    await makeUnfinished(id, 1_500)
    const later = await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: old })
    await insertEvents(old)
    await makeDelivery(id, { status: "delivered", nextAttemptAt: null, createdAt: recent })
    expect(await sweepNow({}, WITHOUT_PAYLOAD_RETENTION)).toMatchObject({ pruned_deliveries: 1, pruned_events: 2 })
    expect(await count(`webhook_deliveries where id = ${later.id}`)).toBe(0)
    const { rowsRead } = await costsOf(() => run(prune, { env: withSettings(WITHOUT_PAYLOAD_RETENTION) }))
    expect(rowsRead).toBeLessThan(25_000)
    await env.DB.prepare(
      "update webhook_deliveries set status = 'exhausted', next_attempt_at = null where status = 'failed'",
    ).run()
    expect(await sweepNow({}, WITHOUT_PAYLOAD_RETENTION)).toMatchObject({
      pruned_deliveries: 1_500,
      pruned_events: 1_500,
    })
    expect(await count("webhook_events")).toBe(1)
    await assertTotals()
  })

  test("prunes a bounded number of rows per run and continues in the next run", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    await makeUnfinished(id, 5_500)
    await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: old })
    const options = { env: withSettings(WITHOUT_PAYLOAD_RETENTION) }
    expect(await run(prune, options)).toEqual({ deliveries: 0, events: 0 })
    expect(await run(prune, options)).toEqual({ deliveries: 1, events: 1 })
  })

  test("prunes nothing when the retention is 0", async () => {
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "delivered", nextAttemptAt: null, updatedAt: old, createdAt: old })
    const settings = { TENANCY_WEBHOOKS_RETENTION_DAYS: "0", TENANCY_WEBHOOKS_PAYLOAD_DAYS: "0" }
    expect(await sweepNow({}, settings)).toMatchObject({ pruned_deliveries: 0, pruned_events: 0 })
    expect(await count("webhook_deliveries")).toBe(1)
  })

  test("prunes in bounded chunks with an index", async () => {
    const { id } = await makeEndpoint()
    await makeDelayed(id, 11_000, { createdAt: old })
    await env.DB.prepare(
      "update webhook_deliveries set status = 'delivered', next_attempt_at = null, updated_at = 1",
    ).run()
    const { roundTrips } = await costsOf(() => run(prune))
    expect(roundTrips).toBe(23)
    expect(await count("webhook_deliveries")).toBe(1_000)
    expect(await run(prune)).toEqual({ deliveries: 1_000, events: 0 })
    const idle = await costsOf(() => run(prune))
    expect(idle.roundTrips).toBe(3)
    expect(idle.rowsRead).toBeLessThan(20)
    expect(idle.rowsWritten).toBe(0)
  })

  test("prunes hourly statistics that the API no longer returns", async () => {
    const { id } = await makeEndpoint()
    const hour = Math.floor(Date.now() / HOUR)
    const hours = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      insert into webhook_hours select ${id}, ${hour} + 5 - i, 1, 1, '[1,0,0,0,0]', '[]', '[]' from n`
    await env.DB.prepare(hours).run()
    await run(prune)
    expect(await rows("select min(hour) as first, max(hour) as last from webhook_hours")).toEqual([
      { first: hour - 721, last: hour + 4 },
    ])
    expect((await costsOf(() => run(prune))).rowsRead).toBeLessThan(20)
  })
})

describe("tenancy:webhooks-deliver", () => {
  const operator = (json: unknown) =>
    call("POST", "/api/operator/v1/tenancy:webhooks-deliver", { token: env.OPERATOR_TOKEN, json })

  test("runs a sweep by command with a limit and an endpoint and reports the result", async () => {
    mockReceiver()
    const first = await makeEndpoint()
    const second = await makeEndpoint()
    await makeDue(first.id, 3)
    await makeDue(second.id, 3)
    const response = await operator({ limit: "2", endpoint: String(first.id) })
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ ran: true, queued: 2 })
    expect((await operator({})).body.data).toMatchObject({ queued: 4 })
  })

  test("reports a sweep that is already running", async () => {
    await run((ctx) =>
      withLock(ctx, "webhook sweep", 40_000, async () => {
        expect((await operator({})).body.data).toEqual({ ran: false, message: "Another sweep is already running." })
      }),
    )
  })

  test("refuses a sweep by command with invalid numbers", async () => {
    for (const json of [{ limit: "0" }, { limit: "many" }, { limit: "1001" }, { endpoint: "-1" }]) {
      expect((await operator(json)).status, JSON.stringify(json)).toBe(422)
    }
  })
})
