// The operating metrics: what the cron measures every minute, and the slots in which it stores the worst minutes.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { createLog } from "../../src/core/log"
import { flushTransientErrors } from "../../src/core/metrics/transient-errors"
import { storeDeadLetter } from "../../src/core/queue/dead-letters"
import { getScheduleState } from "../../src/jobs/cron"
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/time"
import { countTransientError } from "../../src/lib/transient-errors"
import { type MetricsSpan, readSystemPage, recordSystemMetrics } from "../../src/platform/metrics/system"
import { cron, isolate, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeRun } from "../support/cron-runs"
import { makeEndpoint } from "../support/factories"
import { failRoundTrips, takeDown } from "../support/faults"
import { captureStatements } from "../support/round-trips"
import { rows } from "../support/rows"
import { emitEvent, makeDelivery } from "../support/webhook-factories"

const ON_TIME = async () => ({ lateSeconds: 0, failing: 0 })

const record = () => run((ctx) => recordSystemMetrics(ctx, ON_TIME))

const listSlots = async (span: MetricsSpan) => (await run((ctx) => readSystemPage(ctx, span))).slots

const readLatest = async () => (await run((ctx) => readSystemPage(ctx, "day"))).latest

const ago = (ms: number) => new Date(Date.now() - ms)

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-24T10:00:30Z") }))

describe("recordSystemMetrics", () => {
  test("measures an idle platform with zeros, and without latency", async () => {
    const { metrics, detail } = await record()
    expect(metrics).toEqual({
      latencyP50Ms: null,
      latencyP95Ms: null,
      oldestDueSeconds: 0,
      dueDeliveries: 0,
      queueBacklog: 0,
      queueOldestSeconds: 0,
      cronLateSeconds: 0,
      jobsFailing: 0,
      deadLetters: 0,
      databaseBytes: expect.any(Number),
      databasesDown: 0,
      mailsRefused: 0,
      faults: 0,
      backupAgeSeconds: null,
      backupsFailed: 0,
    })
    expect(detail.databases.map(({ name, status }) => [name, status])).toEqual([
      ["DB", "ok"],
      ["SITES_1", "ok"],
    ])
  })

  test("measures the latency of deliveries whose events are one to two minutes old and that needed no retry", async () => {
    const { id: endpoint } = await makeEndpoint()
    const delivered = (createdAt: Date, ms: number) =>
      makeDelivery(endpoint, {
        status: "delivered",
        attempt: 1,
        createdAt,
        deliveredAt: new Date(createdAt.getTime() + ms),
      })
    for (const ms of [100, 200, 300]) await delivered(ago(90 * SECOND), ms)
    await delivered(ago(30 * SECOND), 9_000)
    await delivered(ago(10 * MINUTE), 9_000)
    await makeDelivery(endpoint, { status: "failed", attempt: 1, createdAt: ago(80 * SECOND) })
    expect((await record()).metrics).toMatchObject({ latencyP50Ms: 200, latencyP95Ms: 300 })
  })

  test("counts a delivery that was not attempted yet with its age", async () => {
    await makeDelivery((await makeEndpoint()).id, { createdAt: ago(110 * SECOND) })
    expect((await record()).metrics).toMatchObject({ latencyP95Ms: 110_000, oldestDueSeconds: 110, dueDeliveries: 1 })
  })

  test("measures the lateness of a retry from its scheduled time, even while a sweep leases it", async () => {
    const failed = { status: "failed", attempt: 1, updatedAt: ago(10 * MINUTE) } as const
    await makeDelivery((await makeEndpoint()).id, { ...failed, nextAttemptAt: new Date(Date.now() + 80 * SECOND) })
    expect((await record()).metrics.oldestDueSeconds).toBe(540)
  })

  test("does not count a delivery that waits for its next attempt, runs, or has ended", async () => {
    const { id: endpoint } = await makeEndpoint()
    await makeDelivery(endpoint, {
      status: "failed",
      attempt: 2,
      updatedAt: ago(MINUTE),
      nextAttemptAt: new Date(Date.now() + 4 * MINUTE),
    })
    await makeDelivery(endpoint, {
      status: "pending",
      attempt: 1,
      updatedAt: ago(SECOND),
      nextAttemptAt: new Date(Date.now() + 39 * SECOND),
    })
    await makeDelivery(endpoint, { status: "exhausted", attempt: 6, updatedAt: ago(HOUR), nextAttemptAt: null })
    expect((await record()).metrics).toMatchObject({ oldestDueSeconds: 0, dueDeliveries: 0 })
  })

  test("leaves endpoints out whose receiver fails now, and those that are disabled", async () => {
    const [failing, disabled] = [(await makeEndpoint()).id, (await makeEndpoint()).id]
    await env.DB.batch([
      env.DB.prepare("update webhook_endpoints set consecutive_failures = 3, last_failure_at = ? where id = ?").bind(
        Date.now() - MINUTE,
        failing,
      ),
      env.DB.prepare("update webhook_endpoints set disabled_at = 1 where id = ?").bind(disabled),
    ])
    for (const endpoint of [failing, disabled]) await makeDelivery(endpoint, { createdAt: ago(HOUR) })
    expect((await record()).metrics).toMatchObject({ oldestDueSeconds: 0, dueDeliveries: 1 })
    vi.setSystemTime(Date.now() + 5 * MINUTE)
    expect((await record()).metrics.oldestDueSeconds).toBe(3_900)
  })

  test("measures the backlog and age of the queues, and null for one without metrics", async () => {
    const queue = (metrics: () => Promise<unknown>) => ({ metrics })
    const replaced = Object.assign(Object.create(isolate.env), {
      WEBHOOK_QUEUE: queue(async () => ({ backlogCount: 7, backlogBytes: 1, oldestMessageTimestamp: ago(3 * MINUTE) })),
      RETRY_QUEUE: queue(() => Promise.reject(new Error("no metrics"))),
      PUSH_QUEUE: queue(async () => ({ backlogCount: 0, backlogBytes: 0, oldestMessageTimestamp: new Date(0) })),
      JOB_QUEUE: queue(async () => ({ backlogCount: 2, backlogBytes: 1 })),
      SLOW_JOB_QUEUE: queue(async () => ({ backlogCount: 3, backlogBytes: 1 })),
    })
    const { metrics, detail } = await run((ctx) => recordSystemMetrics({ ...ctx, env: replaced }, ON_TIME))
    expect(metrics).toMatchObject({ queueBacklog: 12, queueOldestSeconds: 180 })
    expect(detail.queues).toContainEqual({ name: "RETRY_QUEUE", backlog: null, oldestSeconds: null })
  })

  test("counts the dead letters of the last hour and the mails that were refused", async () => {
    await run((ctx) => storeDeadLetter(ctx, { id: "1", body: {} }), { now: ago(59 * MINUTE) })
    await run((ctx) => storeDeadLetter(ctx, { id: "2", body: {} }), { now: ago(61 * MINUTE) })
    const mail = (key: string, attempts: number, dueAt: number | null) =>
      env.DB.prepare(
        "insert into mails (key, kind, recipient, data, due_at, attempts, created_at) values (?, 'receipt', 'a@example.com', '{}', ?, ?, 1)",
      ).bind(key, dueAt, attempts)
    await env.DB.batch([mail("sending", 1, 1), mail("refused", 2, 1), mail("sent", 3, null)])
    expect((await record()).metrics).toMatchObject({ deadLetters: 1, mailsRefused: 1 })
  })

  test.each([
    ["D1_ERROR: Exceeded maximum DB size", "full"],
    ["D1_ERROR: no such table: counters", "refuses_writes"],
  ])("reports a site database that answers a write with %s as %s", async (message, status) => {
    vi.spyOn(env.SITES_1, "batch").mockRejectedValue(new Error(message))
    const { metrics, detail } = await record()
    expect(metrics.databasesDown).toBe(1)
    expect(detail.databases).toContainEqual({ name: "SITES_1", bytes: expect.any(Number), status })
  })

  test("reports an unreachable site database, and measures the rest", async () => {
    const down = takeDown(env.SITES_1)
    const { metrics, detail } = await record()
    down.restore()
    expect(detail.databases).toContainEqual({ name: "SITES_1", bytes: null, status: "unreachable" })
    expect(metrics).toMatchObject({ databasesDown: 1, oldestDueSeconds: 0 })
  })

  test("writes to two of three site databases per minute, and to one that refused a write in every minute", async () => {
    const three = Object.assign(Object.create(isolate.env), { SITES_2: env.SITES_1, SITES_3: env.SITES_1 })
    const SITE_DATABASES = ["SITES_1", "SITES_2", "SITES_3"]
    /** The number of written databases in each of three minutes. */
    const countWrites = async (refusing: string) => {
      const counts: number[] = []
      for (let minute = 0; minute < 3; minute++) {
        vi.setSystemTime(Date.now() + MINUTE)
        const statements = await captureStatements(() =>
          run((ctx) =>
            recordSystemMetrics({ ...ctx, env: three, settings: { ...ctx.settings, SITE_DATABASES } }, ON_TIME),
          ),
        )
        counts.push(statements.flat().filter((statement) => statement.startsWith('insert into "counters"')).length)
        await env.DB.prepare(
          `update system_metrics set detail = json_set(detail, '$.databases', (select json_group_array(
            iif(value ->> 'name' = ?, json_set(value, '$.status', 'refuses_writes'), json(value))) from json_each(detail, '$.databases'))) where id = 0`,
        )
          .bind(refusing)
          .run()
      }
      return counts.toSorted()
    }
    expect(await countWrites("none")).toEqual([2, 2, 2])
    await countWrites("SITES_3")
    expect(await countWrites("SITES_3")).toEqual([2, 2, 3])
  })

  test("stores the worst minute of five and of an hour, and starts again in the next slot", async () => {
    const { id: endpoint } = await makeEndpoint()
    await makeDelivery(endpoint, { createdAt: ago(10 * MINUTE) })
    await record()
    await env.DB.prepare("delete from webhook_deliveries").run()
    vi.setSystemTime(Date.now() + MINUTE)
    await record()
    const lateness = async (span: MetricsSpan) => (await listSlots(span)).map(({ metrics }) => metrics.oldestDueSeconds)
    expect(await lateness("day")).toEqual([600])
    vi.setSystemTime(Date.now() + 5 * MINUTE)
    await record()
    expect([await lateness("day"), await lateness("month")]).toEqual([[600, 0], [600]])
    expect((await readLatest())?.metrics.oldestDueSeconds).toBe(0)
  })

  test("overwrites the slots of a day and of 30 days ago, so the table does not grow", async () => {
    await record()
    vi.setSystemTime(Date.now() + DAY)
    await record()
    expect(await rows("select id from system_metrics")).toHaveLength(1 + 1 + 2)
    vi.setSystemTime(Date.now() + 29 * DAY)
    await record()
    expect(await rows("select id from system_metrics")).toHaveLength(1 + 1 + 2)
    expect(await listSlots("month")).toHaveLength(2)
    expect(await listSlots("week")).toHaveLength(1)
  })

  test("writes two rows and reads few in an idle minute", async () => {
    await record()
    const costs = await costsOf(record)
    expect(costs.rowsWritten).toBe(2)
    expect(costs.rowsRead).toBeLessThan(22)
  })

  test("sends a data point to Analytics Engine if METRICS is bound", async () => {
    const writeDataPoint = vi.fn()
    const bound = Object.assign(Object.create(isolate.env), { METRICS: { writeDataPoint } })
    await run((ctx) => recordSystemMetrics({ ...ctx, env: bound }, ON_TIME))
    expect(writeDataPoint).toHaveBeenCalledExactlyOnceWith({ indexes: ["platform"], doubles: expect.any(Array) })
    expect(writeDataPoint.mock.calls[0]?.[0].doubles.slice(0, 3)).toEqual([-1, -1, 0])
  })
})

test("the cron records the metrics of a delivery that an event just created", async () => {
  await makeEndpoint()
  await emitEvent()
  await cron("* * * * *")
  expect((await readLatest())?.metrics.dueDeliveries).toBe(1)
})

describe("flushTransientErrors", () => {
  const flush = () => run(async (ctx) => flushTransientErrors(ctx.env, createLog({}), ctx.inBackground))
  const stored = async () =>
    (await rows("select faults from system_metrics order by id")).map(({ faults }) => JSON.parse(String(faults)))

  test("adds the errors of this isolate to both slots, at most every ten seconds", async () => {
    countTransientError("database")
    await flush()
    expect(await stored()).toEqual([])
    vi.setSystemTime(Date.now() + 10 * SECOND)
    await flush()
    countTransientError("database")
    countTransientError("queue")
    await flush()
    expect(await stored()).toEqual([{ database: 1 }, { database: 1 }])
    vi.setSystemTime(Date.now() + 10 * SECOND)
    await flush()
    expect(await stored()).toEqual([
      { database: 2, queue: 1 },
      { database: 2, queue: 1 },
    ])
  })

  test("keeps the errors that it cannot store", async () => {
    countTransientError("database")
    await flush()
    vi.setSystemTime(Date.now() + 10 * SECOND)
    const spy = failRoundTrips(() => "before")
    await flush()
    spy.mockRestore()
    vi.setSystemTime(Date.now() + 10 * SECOND)
    await flush()
    expect(await stored()).toEqual([{ database: 1 }, { database: 1 }])
  })

  test("survives the metrics of the same slot", async () => {
    countTransientError("database")
    await flush()
    vi.setSystemTime(Date.now() + 10 * SECOND)
    await flush()
    await record()
    expect(await listSlots("day")).toMatchObject([{ faults: { database: 1 } }])
  })
})

describe("getScheduleState", () => {
  const now = new Date("2026-11-24T10:00:00Z")
  const runs = (minutes: number, error: string | null = null) => [
    makeRun("webhook-sweep", { startedAt: new Date(now.getTime() - minutes * MINUTE), error }),
    makeRun("billing-clock", { startedAt: new Date(now.getTime() - 30 * MINUTE) }),
    makeRun("no longer listed", { startedAt: new Date(0), error: "gone" }),
  ]

  test.each([
    [1, 0],
    [4, 180],
  ])("finds a job of every minute that ran %i minutes ago %i seconds late", (minutes, lateSeconds) => {
    expect(getScheduleState(runs(minutes), now, null)).toEqual({ lateSeconds, failing: 0 })
  })

  test("finds no job of the running schedule late, however long ago it ran", () => {
    expect(getScheduleState(runs(90), now, "* * * * *")).toEqual({ lateSeconds: 0, failing: 0 })
    expect(getScheduleState(runs(90), now, "7 * * * *")).toEqual({ lateSeconds: 89 * 60, failing: 0 })
  })

  test("counts jobs whose last run failed", () => {
    expect(getScheduleState(runs(1, "D1 is away"), now, null)).toEqual({ lateSeconds: 0, failing: 1 })
  })
})
