// The sweep: what it takes and in which order, its lock, its lanes, what it closes, tells and prunes.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { withLock } from "../../src/core/queue/lock"
import type { DeliveryMessage, EndpointBatchMessage } from "../../src/core/queue/messages"
import { writeUnaudited } from "../../src/core/write/commit"
import { ulid } from "../../src/lib/ulid"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { notifyDisabledEndpoints } from "../../src/webhooks/disabled-mail"
import { buildCountWrite } from "../../src/webhooks/failure-counter"
import type { Delivery } from "../../src/webhooks/reserve"
import { runEndpointBatch } from "../../src/webhooks/sweep/endpoint-batch"
import { prune } from "../../src/webhooks/sweep/prune"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { call, consume, cron, platform, run, withSettings } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { failBatches } from "../support/faults"
import { mockReceiver, type ReceivedRequest } from "../support/receiver"
import { count, rows } from "../support/rows"
import { drainBatches, freezeClock, makeDelivery } from "../support/webhook-factories"

const OFF = () => new Response(null, { status: 500 })
const HANGS = new DOMException("The operation timed out", "TimeoutError")

/** A sweep, and all that it handed on. */
async function sweepNow(input: { limit?: number; endpoint?: number } = {}, settings = {}) {
  const environment = withSettings(settings)
  const report = await run((ctx) => runSweep(ctx, { limit: 100, ...input }), { env: environment })
  await drainBatches(environment)
  return report
}

const statuses = async (endpoint: number) =>
  (await rows("select status from webhook_deliveries where endpoint_id = ? order by id", endpoint)).map(
    (row) => row.status,
  )

async function makeDue(endpoint: number, many: number, given: Parameters<typeof makeDelivery>[1] = {}) {
  const made = []
  for (let delivery = 0; delivery < many; delivery++) made.push(await makeDelivery(endpoint, given))
  return made
}

/** Many due deliveries at once, of one event. */
async function backlog(endpoint: number, many: number, overrides: Partial<Delivery> = {}) {
  const { id } = await makeDelivery(endpoint, overrides)
  await env.DB.prepare(
    `insert into webhook_deliveries (endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many - 1})
      select endpoint_id, event_id, event, 1, 'failed', next_attempt_at, 1, 1, '[]' from webhook_deliveries, n where id = ${id}`,
  ).run()
}

const makeOperator = (email: string, { disabledAt = null }: { disabledAt?: number | null } = {}) =>
  env.DB.prepare(
    "insert into operators (email, name, password_hash, disabled_at, created_at) values (?, 'Operator', '-', ?, 1)",
  )
    .bind(email, disabledAt)
    .run()

// A run stops starting attempts after two seconds: on a busy machine a moving clock would end it early.
beforeEach(() => void freezeClock())

describe("a run", () => {
  test("attempts what is due, lost first attempts among it, and nothing else", async () => {
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

  test("drives a delivery through the whole schedule, six attempts in all", async () => {
    const clock = freezeClock()
    const hook = mockReceiver(OFF)
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

  test("takes no more than its limit, the oldest first", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    const old = await makeDelivery(id, { nextAttemptAt: new Date(clock.now() - 3_000) })
    await makeDelivery(id, { nextAttemptAt: new Date(clock.now() - 1_000) })
    const older = await makeDelivery(id, { nextAttemptAt: new Date(clock.now() - 4_000) })
    expect(await sweepNow({ limit: 2 })).toMatchObject({ queued: 2 })
    expect(hook.requests.map((request) => request.headers.get("webhook-id"))).toEqual([older.eventId, old.eventId])
  })

  test("takes only the endpoint's deliveries that it is told to", async () => {
    mockReceiver()
    const one = await makeEndpoint()
    const other = await makeEndpoint()
    const off = await makeEndpoint({ isActive: false })
    for (const { id } of [one, other, off]) await makeDelivery(id)
    expect(await sweepNow({ endpoint: one.id })).toMatchObject({ queued: 1, closed: 0 })
    expect([await statuses(other.id), await statuses(off.id)]).toEqual([["pending"], ["pending"]])
    expect(await sweepNow({ endpoint: off.id })).toMatchObject({ queued: 0, closed: 1 })
  })

  test("shares itself among the endpoints: one's backlog does not fill it", async () => {
    mockReceiver()
    const busy = await makeEndpoint()
    await backlog(busy.id, 500)
    const quiet = await makeEndpoint()
    await makeDue(quiet.id, 3)
    expect(await sweepNow({ limit: 10 })).toMatchObject({ queued: 10 })
    expect(await statuses(quiet.id)).toEqual(["delivered", "delivered", "delivered"])
  })

  test("reads no more of a long backlog than of what it takes", async () => {
    mockReceiver()
    const busy = await makeEndpoint()
    await backlog(busy.id, 5_000)
    const { rowsRead } = await costsOf(() => run((ctx) => runSweep({ ...ctx }, { limit: 1 })))
    expect(rowsRead).toBeLessThan(100)
  })

  test("lets failing endpoints take turns, after those that do not fail", async () => {
    const clock = freezeClock()
    const asked: (string | undefined)[] = []
    mockReceiver((request) => {
      asked.push(new URL(request.url).hostname.split(".")[0])
      return OFF()
    })
    for (const name of ["a", "b", "c"]) {
      const { id } = await makeEndpoint({ url: `https://${name}.example/` })
      await backlog(id, 20)
    }
    for (let minute = 0; minute < 4; minute++) {
      await sweepNow({ limit: 1 })
      clock.advance(1)
    }
    expect(asked).toEqual(["a", "b", "c", "a"])
  })
})

describe("the lock", () => {
  test("an overlapping run exits at once, says so, and hands on nothing", async () => {
    const { id } = await makeEndpoint()
    await makeDue(id, 2)
    mockReceiver()
    const overlapping: unknown[] = []
    vi.mocked(env.RETRY_QUEUE.sendBatch).mockImplementationOnce(async () => {
      overlapping.push(await run((ctx) => runSweep(ctx, { limit: 100 })))
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
    })
    expect(await sweepNow({ limit: 1 })).toMatchObject({ ran: true, queued: 1 })
    expect(overlapping).toEqual([{ ran: false, message: "Another run is at work." }])
    expect(await statuses(id)).toEqual(["delivered", "pending"])
  })

  test("of a run that died frees itself before the next minute but one", async () => {
    const clock = freezeClock()
    await env.DB.prepare("insert into locks values ('webhook sweep', 'dead', ?)")
      .bind(clock.now() + 40_000)
      .run()
    expect(await sweepNow()).toMatchObject({ ran: false })
    clock.advance(39)
    expect(await sweepNow()).toMatchObject({ ran: false })
    clock.advance(1)
    expect(await sweepNow()).toMatchObject({ ran: true })
  })

  test("is given back after a fault", async () => {
    await run(async (ctx) => {
      await expect(withLock(ctx, "x", 1_000, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
      expect(await withLock(ctx, "x", 1_000, async () => "free")).toBe("free")
    })
    expect(await count("locks")).toBe(0)
  })

  test("is given back by its holder only, not by one that it was taken from", async () => {
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

describe("lanes", () => {
  test("an endpoint that hangs is asked once, the rest stays due; every other delivery is made", async () => {
    const hung = new Set<string>()
    const asked: ReceivedRequest[] = []
    mockReceiver((request) => {
      asked.push(request)
      if (hung.has(request.url)) throw HANGS
      return new Response()
    })
    const healthy: number[] = []
    for (let endpoint = 0; endpoint < 20; endpoint++) {
      const url = `https://receiver-${endpoint}.example/`
      const { id } = await makeEndpoint({ url })
      if (endpoint % 4 === 0) hung.add(url)
      else healthy.push(id)
      await backlog(id, 10)
    }
    expect(await sweepNow({ limit: 200 })).toMatchObject({ queued: 200 })
    expect(asked.filter((request) => hung.has(request.url))).toHaveLength(5)
    for (const id of healthy) expect(await statuses(id)).toEqual(Array(10).fill("delivered"))
    const [left] = await rows(
      "select count(*) as n from webhook_deliveries where status <> 'delivered' and attempt = 1",
    )
    expect(left?.n).toBe(50)
  })

  test("a slow endpoint does not hold the queue: its invocation ends, and the rest follows its answer", async () => {
    const answers: (() => void)[] = []
    const hook = mockReceiver(() => new Promise<Response>((resolve) => answers.push(() => resolve(new Response()))))
    const { id } = await makeEndpoint()
    await backlog(id, 5)
    await run((ctx) => runSweep(ctx, { limit: 100 }))
    const [handed] = vi.mocked(env.RETRY_QUEUE.sendBatch).mock.calls.splice(0)
    const [{ body }] = [...(handed?.[0] ?? [])] as { body: EndpointBatchMessage }[] as [{ body: EndpointBatchMessage }]
    const behind: Promise<unknown>[] = []
    await run((ctx) =>
      runEndpointBatch({ ...ctx, inBackground: (work) => void behind.push(Promise.resolve(work)) }, body.lane),
    )
    expect([hook.requests.length, behind.length, vi.mocked(env.RETRY_QUEUE.send).mock.calls.length]).toEqual([1, 1, 0])
    answers[0]?.()
    await Promise.all(behind)
    const [[rest]] = vi.mocked(env.RETRY_QUEUE.send).mock.calls.splice(0) as [[EndpointBatchMessage]]
    expect(rest.lane).toEqual({ ...body.lane, deliveries: body.lane.deliveries.slice(1) })
  })

  test("an endpoint gets one request until it answered, then three at a time", async () => {
    let open = 0
    const widths: number[] = []
    mockReceiver(async () => {
      widths.push(++open)
      await scheduler.wait(5)
      open -= 1
      return new Response()
    })
    const { id } = await makeEndpoint()
    await backlog(id, 21)
    await sweepNow()
    expect(widths).toHaveLength(21)
    expect(widths.slice(0, 2)).toEqual([1, 1])
    expect(Math.max(...widths)).toBe(3)
  })

  test("an invocation never has more than six connections open, its look-ups among them", async () => {
    let open = 0
    let widest = 0
    const world = mockReceiver()
    const fetched = world.spy.getMockImplementation() as typeof fetch
    world.spy.mockImplementation(async (...args) => {
      widest = Math.max(widest, ++open)
      await scheduler.wait(2)
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
    expect(widest).toBeGreaterThan(2)
    expect(widest).toBeLessThanOrEqual(6)
    expect(world.requests).toHaveLength(8)
  })

  test("a hung receiver's time begins with its request, not while it waits for a connection", async () => {
    const began: number[] = []
    mockReceiver(async (_request, _count, signal) => {
      began.push(performance.now())
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    })
    const ids: number[] = []
    for (let endpoint = 0; endpoint < 4; endpoint++) {
      const { id } = await makeEndpoint({ url: `https://receiver-${endpoint}.example/` })
      ids.push((await makeDelivery(id)).id)
    }
    vi.useRealTimers()
    const environment = withSettings({ TENANCY_WEBHOOK_TIMEOUT: "1" })
    await consume(
      "tenancy-webhooks",
      ids.map((delivery) => ({ delivery })),
      { env: environment },
    )
    expect(began).toHaveLength(4)
    // The fourth waited for one of the first three to be given up, and then had its own second.
    expect((began[3] ?? 0) - (began[0] ?? 0)).toBeGreaterThan(900)
    const ends = await rows("select distinct status, error, attempt from webhook_deliveries")
    expect(ends).toEqual([{ status: "failed", error: "timeout", attempt: 1 }])
  })

  test("a resolver that does not answer is nobody's failure: the attempt is given back", async () => {
    const clock = freezeClock()
    const world = mockReceiver()
    world.spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "failed", attempt: 2 })
    await sweepNow()
    const [row] = await rows("select status, attempt, error, next_attempt_at from webhook_deliveries")
    expect(row).toEqual({ status: "failed", attempt: 2, error: null, next_attempt_at: clock.now() + 60_000 })
    expect(await rows("select consecutive_failures, last_failure_at from webhook_endpoints")).toEqual([
      { consecutive_failures: 0, last_failure_at: null },
    ])
  })

  test("a name that the resolver says nothing of for a day has failed, and goes by the schedule from then on", async () => {
    const clock = freezeClock()
    mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    await makeDelivery(id, { createdAt: new Date(clock.now() - 86_400_000 + 60_000) })
    const delivery = async () =>
      (await rows("select status, attempt, error, next_attempt_at from webhook_deliveries"))[0]
    const soon = () => clock.now() + 60_000
    await sweepNow()
    expect(await delivery()).toEqual({ status: "pending", attempt: 0, error: null, next_attempt_at: soon() })
    clock.advance(60)
    await sweepNow()
    expect(await delivery()).toEqual({
      status: "failed",
      attempt: 1,
      error: "NameUnanswered: the resolver has said nothing of the endpoint's name for a day",
      next_attempt_at: soon(),
    })
    expect(await rows("select consecutive_failures from webhook_endpoints")).toEqual([{ consecutive_failures: 1 }])
  })

  test("an attempt that a person asks for is given back however old its delivery is", async () => {
    const clock = freezeClock()
    mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
    const { id } = await makeEndpoint()
    const createdAt = new Date(clock.now() - 2 * 86_400_000)
    const made = await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null, createdAt })
    await platform("POST", `/webhooks/deliveries/${made.id}/retry`, { token: await makeKey() })
    expect(await rows("select status, attempt, error from webhook_deliveries")).toEqual([
      { status: "exhausted", attempt: 6, error: null },
    ])
    expect(await rows("select consecutive_failures from webhook_endpoints")).toEqual([{ consecutive_failures: 0 }])
  })

  test("are handed on once: what a lane holds is nobody else's until its lease is over", async () => {
    const clock = freezeClock()
    mockReceiver()
    const { id } = await makeEndpoint()
    await makeDue(id, 2)
    const sent = vi.mocked(env.RETRY_QUEUE.sendBatch)
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ queued: 2 })
    expect(await run((ctx) => runSweep(ctx, { limit: 100 }))).toMatchObject({ queued: 0 })
    const lost = [...(sent.mock.calls[0]?.[0] ?? [])].map(({ body }) => body as EndpointBatchMessage)
    clock.advance(90)
    expect(await sweepNow()).toMatchObject({ queued: 2 })
    expect(await statuses(id)).toEqual(["delivered", "delivered"])
    // The first message comes after all, and twice: what it holds is not its own any more.
    await consume("tenancy-retries", [...lost, ...lost])
    expect(await rows("select distinct attempt from webhook_deliveries")).toEqual([{ attempt: 1 }])
  })

  test("longer than an invocation may work off are handed on in their order", async () => {
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await backlog(id, 120)
    expect(await sweepNow({ limit: 500 })).toMatchObject({ queued: 120 })
    expect(hook.requests).toHaveLength(120)
  })

  test("an endpoint's lane is bounded, whatever it has due", async () => {
    mockReceiver()
    const { id } = await makeEndpoint()
    await backlog(id, 300)
    expect(await sweepNow({ limit: 1_000 })).toMatchObject({ queued: 200 })
    expect(await sweepNow({ limit: 1_000 })).toMatchObject({ queued: 100 })
  })

  test("the cron gives an endpoint one at a time, which goes on with what comes due meanwhile", async () => {
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

  test("one that is lost holds its endpoint no longer than its lease; one that comes after that lets nobody else's go", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await makeDue(id, 1)
    await cron("* * * * *")
    const [lost] = [...(vi.mocked(env.RETRY_QUEUE.sendBatch).mock.calls.splice(0)[0]?.[0] ?? [])]
    clock.advance(89)
    await cron("* * * * *")
    expect(env.RETRY_QUEUE.sendBatch).not.toHaveBeenCalled()
    clock.advance(1)
    await cron("* * * * *")
    const held = await rows("select lane_until from webhook_endpoints")
    expect(held).toEqual([{ lane_until: clock.now() + 90_000 }])
    await consume("tenancy-retries", [lost?.body as EndpointBatchMessage])
    expect([hook.requests.length, await rows("select lane_until from webhook_endpoints")]).toEqual([0, held])
    await drainBatches()
    expect(hook.requests).toHaveLength(1)
  })

  test("that the queue does not take come due again", async () => {
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

  test("the cron hands on all that is due, round after round", async () => {
    mockReceiver()
    for (let endpoint = 0; endpoint < 8; endpoint++) {
      const { id } = await makeEndpoint()
      await backlog(id, 200)
    }
    await cron("* * * * *")
    await drainBatches()
    expect(await rows("select status, count(*) as n from webhook_deliveries group by 1")).toEqual([
      { status: "delivered", n: 1_600 },
    ])
  })
})

describe("first attempts", () => {
  test("an endpoint gets ten at a time; those beyond wait at the queue and then for the sweep", async () => {
    const { id } = await makeEndpoint()
    const made = await makeDue(id, 12)
    let answer: () => void = () => undefined
    const hold = new Promise<void>((resolve) => {
      answer = resolve
    })
    const hook = mockReceiver(async () => {
      await hold
      return new Response()
    })
    const messages = made.map((delivery) => ({ delivery: delivery.id, endpoint: id }))
    const consumed = Promise.all(messages.map((message) => consume("tenancy-webhooks", [message])))
    await vi.waitFor(() => expect(hook.requests).toHaveLength(10))
    await vi.waitFor(() => expect(vi.mocked(env.WEBHOOK_QUEUE.send)).toHaveBeenCalledTimes(2))
    const [[waiting, options] = []] = vi.mocked(env.WEBHOOK_QUEUE.send).mock.calls
    expect([waiting, options]).toEqual([{ delivery: expect.any(Number), endpoint: id, busy: 1 }, { delaySeconds: 1 }])
    answer()
    await consumed
    await consume("tenancy-webhooks", [waiting as never])
    expect(hook.requests).toHaveLength(11)
  })

  const noAttempts = {
    "whose messages came twice": async (messages: DeliveryMessage[]) => {
      mockReceiver()
      await consume("tenancy-webhooks", messages)
      await consume("tenancy-webhooks", messages)
    },
    "that could not be reserved": async (messages: DeliveryMessage[]) => {
      const faults = failBatches(() => "before")
      await consume("tenancy-webhooks", messages)
      faults.mockRestore()
    },
    "whose endpoint was off": async (messages: DeliveryMessage[]) => {
      await env.DB.prepare("update webhook_endpoints set is_active = 0").run()
      await consume("tenancy-webhooks", messages)
      await env.DB.prepare("update webhook_endpoints set is_active = 1").run()
    },
    "that were given back": async (messages: DeliveryMessage[]) => {
      mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
      await consume("tenancy-webhooks", messages)
    },
  }

  test.each(Object.entries(noAttempts))("ten %s leave no place behind that is taken", async (_, happen) => {
    const { id } = await makeEndpoint()
    const firsts = (await makeDue(id, 11)).map((delivery) => ({ delivery: delivery.id, endpoint: id }))
    await happen(firsts.slice(0, 10))
    vi.mocked(globalThis.fetch).mockRestore?.()
    const hook = mockReceiver()
    await consume("tenancy-webhooks", firsts.slice(10))
    expect(hook.requests).toHaveLength(1)
  })

  test("what a lane sends ends nobody's place", async () => {
    const { id } = await makeEndpoint()
    let answer: () => void = () => undefined
    const hold = new Promise<void>((resolve) => {
      answer = resolve
    })
    let isSiteLocked = true
    const hook = mockReceiver(async () => {
      if (isSiteLocked) await hold
      return new Response()
    })
    const firsts = (await makeDue(id, 11)).map((delivery) => ({ delivery: delivery.id, endpoint: id }))
    const consumed = Promise.all(firsts.slice(0, 10).map((message) => consume("tenancy-webhooks", [message])))
    await vi.waitFor(() => expect(hook.requests).toHaveLength(10))
    isSiteLocked = false
    for (const delivery of await makeDue(id, 5, { status: "failed", attempt: 1 })) {
      await run((ctx) => attemptDelivery(ctx, delivery.id, delivery.nextAttemptAt as Date))
    }
    await consume("tenancy-webhooks", firsts.slice(10))
    expect(hook.requests).toHaveLength(15)
    answer()
    await consumed
  })
})

describe("endpoints that do not receive", () => {
  test("what they have due is closed, what is due later stays, and nothing is replayed", async () => {
    const clock = freezeClock()
    const hook = mockReceiver()
    const token = await makeKey()
    const off = await makeEndpoint({ disabledAt: new Date(), noticedAt: new Date() })
    await backlog(off.id, 300)
    await makeDelivery(off.id, { status: "failed", attempt: 1, nextAttemptAt: new Date(clock.now() + 300_000) })
    expect(await sweepNow({ limit: 10 })).toMatchObject({ closed: 300, queued: 0 })
    const closed = await rows(
      "select distinct status, error, next_attempt_at from webhook_deliveries where error is not null",
    )
    expect(closed).toEqual([{ status: "exhausted", error: "endpoint_disabled", next_attempt_at: null }])
    await platform("PATCH", `/webhooks/${off.id}`, { token, json: { is_active: true } })
    clock.advance(300)
    expect(await sweepNow()).toMatchObject({ closed: 0, queued: 1 })
    expect(hook.requests).toHaveLength(1)
  })
})

describe("the failure that is one too many", () => {
  const settings = { TENANCY_WEBHOOK_DISABLE_AFTER: "25" }
  const fail = (id: number) => run((ctx) => attemptDelivery(ctx, id, "first"), { env: withSettings(settings) })
  const endpointRow = async () => (await rows("select * from webhook_endpoints"))[0]
  const mails = () => vi.mocked(env.MAIL.send).mock.calls.map(([mail]) => mail as unknown as Record<string, string>)

  test("switches the endpoint off once under concurrency, across events, and tells every operator who may sign in once", async () => {
    mockReceiver(OFF)
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
    expect(mails()[0]?.subject).toBe(`Tenancy: webhook endpoint ${id} was switched off`)
    expect(mails()[0]?.text).toContain("https://receiver.example/hook")
    await sweepNow()
    await cron("* * * * *")
    expect(mails()).toHaveLength(2)
  })

  test("is told of although the Worker that finds it dies before a mail is out", async () => {
    const clock = freezeClock()
    mockReceiver(OFF)
    const send = vi.mocked(env.MAIL.send).mockReturnValue(new Promise(() => undefined) as never)
    await makeOperator("ada@example.com")
    const { id } = await makeEndpoint()
    for (const delivery of await makeDue(id, 25)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ noticed_at: clock.now() })
    send.mockReset().mockResolvedValue({ messageId: "1" } as never)
    clock.advance(60)
    await cron("* * * * *")
    expect(mails().map((mail) => mail.to)).toEqual(["ada@example.com"])
  })

  test("is not said to be told where the mails of it could not be written, and told by the next sweep", async () => {
    mockReceiver(OFF)
    await makeOperator("ada@example.com")
    const { id } = await makeEndpoint()
    await env.DB.prepare("update webhook_endpoints set disabled_at = 1 where id = ?").bind(id).run()
    let batches = 0
    failBatches(() => (++batches > 1 ? null : "before"))
    await expect(run(notifyDisabledEndpoints)).rejects.toThrow("network connection lost")
    expect([(await endpointRow())?.noticed_at, await count("mails")]).toEqual([null, 0])
    await sweepNow()
    expect([(await endpointRow())?.noticed_at, await count("mails")]).toEqual([1, 1])
  })

  test("is told once where two find it at once, and again when it happens again", async () => {
    const token = await makeKey()
    mockReceiver(OFF)
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

  test("needs an unbroken run", async () => {
    let answer = 500
    mockReceiver(() => new Response(null, { status: answer }))
    const { id } = await makeEndpoint()
    for (const delivery of await makeDue(id, 24)) await fail(delivery.id)
    answer = 200
    for (const delivery of await makeDue(id, 1)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 0 })
    answer = 500
    for (const delivery of await makeDue(id, 24)) await fail(delivery.id)
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 24, disabled_at: null })
  })

  test("a count that arrives after a newer one does not overwrite it", async () => {
    const { id } = await makeEndpoint()
    const count = { seq: 7, failures: 0, disabledAt: null, disabledNow: false }
    await run((ctx) =>
      writeUnaudited(ctx, "two counts", [
        buildCountWrite(id, count),
        buildCountWrite(id, { ...count, seq: 6, failures: 25, disabledAt: 1 }),
      ]),
    )
    expect(await endpointRow()).toMatchObject({ failure_seq: 7, consecutive_failures: 0, disabled_at: null })
  })

  test("a counter that cannot be reached does not keep a delivery from being settled", async () => {
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

  const KEEPS_PAYLOADS = { TENANCY_WEBHOOKS_PAYLOAD_DAYS: "0" }

  /** Events that nobody listened to. */
  const logEvents = async (...moments: Date[]) => {
    for (const moment of moments)
      await env.DB.prepare(
        `insert into webhook_events (seq, id, type, is_test, payload, created_at)
          select max(seq) + 1, ?1, 'store.ready', 0, '{}', ?2 from webhook_events`,
      )
        .bind(ulid(moment), moment.getTime())
        .run()
  }

  /** Old events, each with a delivery that is not finished. */
  const stuck = async (endpoint: number, many: number) => {
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})`
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
  }

  const assertTotals = async () =>
    expect(
      await rows("select endpoint_id, event, pending + delivered + failed + exhausted as total from webhook_totals"),
    ).toEqual(await rows("select endpoint_id, event, count(*) as total from webhook_deliveries group by 1, 2"))

  test("deletes finished deliveries whose events are past their retention, and events that nobody refers to any more", async () => {
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
    await logEvents(old, recent)
    const kept = [1, 2, 4, 5].map((index) => before[index])
    expect(await sweepNow({}, KEEPS_PAYLOADS)).toMatchObject({ pruned_deliveries: 2, pruned_events: 3 })
    expect((await rows("select id from webhook_deliveries order by id")).map((row) => row.id)).toEqual(
      kept.map((row) => row?.id),
    )
    const left = (await rows("select id from webhook_events order by seq")).map((row) => row.id)
    expect(left).toEqual([...kept.map((row) => row?.eventId), expect.any(String)])
    await assertTotals()
  })

  test("deletes what arrived wherever it was sent sooner, and keeps its deliveries", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    const week = new Date(Date.now() - 8 * DAY)
    const arrived = await makeDelivery(id, { status: "delivered", nextAttemptAt: null, createdAt: week })
    const lost = await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: week })
    await logEvents(week, new Date(Date.now() - 6 * DAY))
    expect(await sweepNow()).toMatchObject({ pruned_deliveries: 0, pruned_events: 2 })
    expect(await count("webhook_deliveries")).toBe(2)
    const left = (await rows("select id from webhook_events order by seq")).map((row) => row.id)
    expect(left).toEqual([lost.eventId, expect.any(String)])
    // What was looked at is not looked at again, and a number that is gone is not given again.
    expect((await costsOf(() => run(prune))).rowsRead).toBeLessThan(25)
    const next = await makeDelivery(id)
    expect(next.id).toBeGreaterThan(arrived.id)
  })

  test("goes on behind what is not finished, however much stands in front, and comes back to it", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    await stuck(id, 1_500)
    const behind = await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: old })
    await logEvents(old)
    await makeDelivery(id, { status: "delivered", nextAttemptAt: null, createdAt: recent })
    expect(await sweepNow({}, KEEPS_PAYLOADS)).toMatchObject({ pruned_deliveries: 1, pruned_events: 2 })
    expect(await count(`webhook_deliveries where id = ${behind.id}`)).toBe(0)
    const { rowsRead } = await costsOf(() => run(prune, { env: withSettings(KEEPS_PAYLOADS) }))
    expect(rowsRead).toBeLessThan(25_000)
    await env.DB.prepare(
      "update webhook_deliveries set status = 'exhausted', next_attempt_at = null where status = 'failed'",
    ).run()
    expect(await sweepNow({}, KEEPS_PAYLOADS)).toMatchObject({ pruned_deliveries: 1_500, pruned_events: 1_500 })
    expect(await count("webhook_events")).toBe(1)
    await assertTotals()
  })

  test("looks at a bounded number a run, and the next run goes on where it stopped", async () => {
    const { id } = await makeEndpoint({ isActive: false })
    await stuck(id, 5_500)
    await makeDelivery(id, { status: "exhausted", nextAttemptAt: null, createdAt: old })
    const given = { env: withSettings(KEEPS_PAYLOADS) }
    expect(await run(prune, given)).toEqual({ deliveries: 0, events: 0 })
    expect(await run(prune, given)).toEqual({ deliveries: 1, events: 1 })
  })

  test("keeps everything for ever where the retention is 0", async () => {
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "delivered", nextAttemptAt: null, updatedAt: old, createdAt: old })
    const settings = { TENANCY_WEBHOOKS_RETENTION_DAYS: "0", TENANCY_WEBHOOKS_PAYLOAD_DAYS: "0" }
    expect(await sweepNow({}, settings)).toMatchObject({ pruned_deliveries: 0, pruned_events: 0 })
    expect(await count("webhook_deliveries")).toBe(1)
  })

  test("goes in bounded chunks, found by an index", async () => {
    const { id } = await makeEndpoint()
    await backlog(id, 11_000, { createdAt: old })
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

  test("deletes the numbers of hours that nobody can ask for any more, however many endpoints there are", async () => {
    const { id } = await makeEndpoint()
    const hour = Math.floor(Date.now() / HOUR)
    const hours = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      insert into webhook_hours select ${id}, ${hour} + 5 - i, 1, 1, '[1,0,0,0,0]', '[]' from n`
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

  test("runs the sweep with its limit and its endpoint, and says what it did", async () => {
    mockReceiver()
    const one = await makeEndpoint()
    const other = await makeEndpoint()
    await makeDue(one.id, 3)
    await makeDue(other.id, 3)
    const answer = await operator({ limit: "2", endpoint: String(one.id) })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({ ran: true, queued: 2 })
    expect((await operator({})).body.data).toMatchObject({ queued: 4 })
  })

  test("says when another run is at work, and refuses what is no number", async () => {
    await run((ctx) =>
      withLock(ctx, "webhook sweep", 40_000, async () => {
        expect((await operator({})).body.data).toEqual({ ran: false, message: "Another run is at work." })
      }),
    )
    for (const json of [{ limit: "0" }, { limit: "many" }, { limit: "1001" }, { endpoint: "-1" }]) {
      expect((await operator(json)).status, JSON.stringify(json)).toBe(422)
    }
  })
})
