// Leased jobs: at most one message per subject is in flight, however slow its steps and however often the cron runs.

import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { PartialInput } from "../../src/core/http/input"
import { enqueueJob, JOB_LEASE_MS, runJob } from "../../src/core/queue/leased-jobs"
import { startSiteMigration } from "../../src/platform/site-migration/service"
import { listOverduePurges, purgeStore, removeStore } from "../../src/platform/stores/remove"
import { removeEndpoint } from "../../src/webhooks/endpoints/service"
import { recoverEndpoint } from "../../src/webhooks/recovery/service"
import { consume, cron, run } from "../support/app"
import { makeEndpoint, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows, siteRows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { emitEvent, makeDelivery } from "../support/webhook-factories"

const MINUTE = 60_000

/** A job message as sent to the queue. */
type Sent = Record<string, string | number | undefined>

/** Jobs of the cron that have nothing to do with the job under test. */
const isPeriodic = ({ job }: Sent) => ["mails", "media", "due_notifications"].includes(String(job))

const QUEUES = [env.JOB_QUEUE, env.SLOW_JOB_QUEUE]

const messages = () =>
  QUEUES.flatMap(({ send }) => vi.mocked(send).mock.calls.map(([message]) => message as Sent)).filter(
    (message) => !isPeriodic(message),
  )

const finish = async () => null

/** Jobs of many steps: each prepares its work and returns a function that enqueues the first step. */
const JOBS: Record<string, () => Promise<() => Promise<unknown>>> = {
  "purge of a store": async () => {
    const id = await makeReadyStore()
    await env.SITES_1.prepare(
      `insert into pages (site_id, slug, name, name_key, content, status, template, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
        select ?, 'p' || i, 'p', 'p' || i, '', 'published', 'default', 1, 1 from n`,
    )
      .bind(id)
      .run()
    return () => run((ctx) => removeStore(ctx, id, { confirm: id, reason: "api" }))
  },
  "purge of an endpoint": async () => {
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    await env.DB.prepare(
      `insert into webhook_deliveries (endpoint_id, event_id, event, attempt, status, created_at, updated_at, attempts)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 45000)
        select endpoint_id, event_id, event, 1, 'delivered', 1, 1, '[]' from webhook_deliveries, n where id = ${delivery}`,
    ).run()
    return () => run((ctx) => removeEndpoint(ctx, id))
  },
  recovery: async () => {
    mockReceiver()
    const { id } = await makeEndpoint({ isActive: false })
    for (let mark = 0; mark < 30; mark++) await emitEvent("store.ready", { mark })
    await env.DB.exec("update webhook_endpoints set is_active = 1")
    const since = new Date(Date.now() - MINUTE)
    return () => run((ctx) => recoverEndpoint(ctx, id, { mode: "missed", since }))
  },
  move: async () => {
    await makeSecondDatabase()
    const id = await makeReadyStore()
    return () => run((ctx) => startSiteMigration(ctx, id, new PartialInput({ to: "SITES_2" }, {}, ["to"])))
  },
}

test.each(Object.keys(JOBS))(
  "keeps one message in flight through ten minutes of cron runs and slow steps: %s",
  async (name) => {
    const startJob = await JOBS[name]?.()
    const start = Date.now()
    vi.useFakeTimers({ toFake: ["Date"], now: start })
    const queued: Sent[] = []
    let [inProgress, steps, maxInFlight] = [0, 0, 0]
    const enqueue = (async (message: Sent) => {
      if (isPeriodic(message)) return
      queued.push(message)
      // A step ends when it sends the next message.
      maxInFlight = Math.max(maxInFlight, queued.length + (isCron ? inProgress : 0))
    }) as never
    for (const { send } of QUEUES) vi.mocked(send).mockImplementation(enqueue)
    // Each round trip takes three seconds, and the cron runs every minute, even during a step.
    let [minute, isCron] = [0, false]
    const advance = async (ms: number) => {
      if (isCron) return
      vi.setSystemTime(Date.now() + ms)
      if (Math.floor((Date.now() - start) / MINUTE) === minute) return
      minute = Math.floor((Date.now() - start) / MINUTE)
      isCron = true
      await cron("* * * * *").finally(() => {
        isCron = false
      })
    }
    await startJob?.()
    const trips = interceptRoundTrips(async (send) => {
      const response = await send()
      await advance(3_000)
      return response
    })
    while (Date.now() < start + 10 * MINUTE) {
      await advance(10_000)
      const message = queued.shift()
      if (!message) continue
      inProgress = 1
      steps++
      await consume("tenancy-jobs", [message])
      inProgress = 0
    }
    trips.mockRestore()
    expect([maxInFlight, steps > 2]).toEqual([1, true])
  },
  120_000,
)

describe("a leased job", () => {
  test("runs one step of a job when its message is delivered several times", async () => {
    const step = vi.fn(async () => ({ job: "usage" as const, after: 1 }))
    await run((ctx) => runJob(ctx, { job: "usage", after: 0 }, step))
    const [first] = messages()
    const message = { job: "usage" as const, after: 1, lease: String(first?.lease) }
    await Promise.all([1, 2, 3].map(() => run((ctx) => runJob(ctx, message, step))))
    await run((ctx) => runJob(ctx, message, step))
    expect(step).toHaveBeenCalledTimes(2)
    expect(messages()).toHaveLength(2)
  })

  test("does nothing with a late copy of a message after the last step", async () => {
    await run((ctx) => enqueueJob(ctx, { job: "usage", after: 0 }))
    const message = { job: "usage" as const, after: 0, lease: String(messages()[0]?.lease) }
    const step = vi.fn(finish)
    await run((ctx) => runJob(ctx, message, step))
    await run((ctx) => runJob(ctx, message, step))
    expect(step).toHaveBeenCalledTimes(1)
    expect(await rows("select * from locks")).toEqual([])
  })

  test("returns the lease to the message when the step fails, so that only the queue's retry runs it", async () => {
    await run((ctx) => enqueueJob(ctx, { job: "usage", after: 0 }))
    const message = { job: "usage" as const, after: 0, lease: String(messages()[0]?.lease) }
    const fails = async () => Promise.reject(new Error("no"))
    await expect(run((ctx) => runJob(ctx, message, fails))).rejects.toThrow("no")
    const step = vi.fn(finish)
    await run((ctx) => runJob(ctx, { job: "usage", after: 0 }, step))
    expect(step).not.toHaveBeenCalled()
    await run((ctx) => runJob(ctx, message, step))
    expect(step).toHaveBeenCalledTimes(1)
    expect(await rows("select * from locks")).toEqual([])
  })

  test("enqueues a job again after its lease, and only the first of both messages runs the step", async () => {
    await run((ctx) => enqueueJob(ctx, { job: "endpoint", endpoint: 7 }))
    await run((ctx) => enqueueJob(ctx, { job: "endpoint", endpoint: 7 }))
    expect(messages()).toHaveLength(1)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + JOB_LEASE_MS })
    await run((ctx) => enqueueJob(ctx, { job: "endpoint", endpoint: 7 }))
    const [first, second] = messages()
    const secondStep = vi.fn(finish)
    const messageOf = (sent: Sent | undefined) => ({
      job: "endpoint" as const,
      endpoint: 7,
      lease: String(sent?.lease),
    })
    const firstStep = vi.fn(async () => messageOf(first))
    await run((ctx) => runJob(ctx, messageOf(first), firstStep))
    await run((ctx) => runJob(ctx, messageOf(second), secondStep))
    expect([firstStep.mock.calls.length, secondStep.mock.calls.length]).toEqual([1, 0])
  })
})

describe("the purge of a store", () => {
  test("does not enqueue a purge again while its message is in flight", async () => {
    const id = await makeReadyStore()
    await run((ctx) => removeStore(ctx, id, { confirm: id, reason: "api" }))
    const [{ seq } = {}] = await rows("select store_seq as seq from purges")
    for (const { send } of QUEUES) vi.mocked(send).mockClear()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + MINUTE })
    expect(await run((ctx) => listOverduePurges(ctx, 20))).toEqual([{ store: id, seq }])
    for (let minutes = 0; minutes < 3; minutes++) await cron("* * * * *")
    expect(messages()).toEqual([{ job: "purge", store: id, seq, lease: expect.any(String) }])
    expect(await run((ctx) => listOverduePurges(ctx, 20))).toEqual([])
  })

  test("ignores a purge message for another incarnation of the store", async () => {
    const id = await makeReadyStore()
    await run((ctx) => removeStore(ctx, id, { confirm: id, reason: "api" }))
    const [{ seq } = {}] = await rows("select store_seq as seq from purges")
    await run((ctx) => purgeStore(ctx, id, Number(seq) - 1))
    expect([await count("purges"), (await siteRows("select id from users where site_id = ?", id)).length]).toEqual([
      1, 1,
    ])
    await run((ctx) => purgeStore(ctx, id, Number(seq)))
    expect([await count("purges"), (await siteRows("select id from users where site_id = ?", id)).length]).toEqual([
      0, 0,
    ])
  })
})
