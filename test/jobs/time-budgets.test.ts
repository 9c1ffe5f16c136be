// Time budgets: a run that is out of time stops between two items, reports it, and is continued in the next minute.
import { env } from "cloudflare:workers"
import { sql } from "drizzle-orm"
import { describe, expect, test, vi } from "vitest"
import type { Ctx } from "../../src/core/context"
import { JobRun } from "../../src/core/job-run"
import { deleteExpired } from "../../src/core/queue/delete-expired"
import { forEachItem } from "../../src/core/queue/for-each-item"
import { runJob } from "../../src/core/queue/leased-jobs"
import { idempotencyKeys } from "../../src/db/schema/central/idempotency"
import { MINUTE, SECOND } from "../../src/lib/time"
import { listRuns } from "../../src/platform/cron/service"
import { cron, run } from "../support/app"
import { makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { withoutFaults } from "../support/test-faults"
import { skipTimeouts } from "../support/timers"

const START = new Date("2026-11-24T10:07:00Z")

const startClock = () => vi.useFakeTimers({ toFake: ["Date"], now: START })

const advance = (ms: number) => vi.setSystemTime(Date.now() + ms)

const findRun = async (name: string) => (await run(listRuns)).find(({ job }) => job === name)

/** Runs work with a time budget and returns what the run counted. */
async function runWithBudget(budgetMs: number, work: (ctx: Ctx) => Promise<unknown>): Promise<JobRun> {
  const jobRun = new JobRun(budgetMs)
  await run((ctx) => work({ ...ctx, run: jobRun }))
  return jobRun
}

/** Captures the log lines of a level. */
function captureLog(level: "warn" | "error" | "info") {
  const spy = vi.spyOn(console, level === "info" ? "log" : level).mockReturnValue()
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)))
}

describe("forEachItem", () => {
  test("starts no item after the end of the time budget, and counts those before", async () => {
    startClock()
    const warnings = captureLog("warn")
    const done: number[] = []
    const { items, failedItems, stoppedAt } = await runWithBudget(10 * SECOND, (ctx) =>
      forEachItem(ctx, "test", [1, 2, 3, 4], async (item) => {
        done.push(item)
        advance(5 * SECOND)
      }),
    )
    expect(done).toEqual([1, 2])
    expect({ items, failedItems, stoppedAt }).toEqual({
      items: 2,
      failedItems: 0,
      stoppedAt: new Date(START.getTime() + 10 * SECOND),
    })
    expect(warnings()).toMatchObject([{ message: "items are left to the next run", job: "test", left: 2 }])
  })

  test("does not stop when the last item ends after the time budget", async () => {
    startClock()
    const { items, stoppedAt } = await runWithBudget(SECOND, (ctx) =>
      forEachItem(ctx, "test", [1], async () => advance(MINUTE)),
    )
    expect([items, stoppedAt]).toEqual([1, null])
  })
})

test("deletes expired rows until the time budget ends, and the rest in the next run", async () => {
  startClock()
  await env.DB.exec(
    "insert into idempotency_keys (caller, key, fingerprint, locked_until, created_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200) select 'x', 'k' || i, 'f', 1, 1 from n",
  )
  const remove = (ctx: Ctx) =>
    deleteExpired(ctx, idempotencyKeys, (limit) => sql`select rowid from ${idempotencyKeys} limit ${limit}`)
  const trips = interceptRoundTrips(async (send) => {
    const result = await send()
    advance(10 * SECOND)
    return result
  })
  const first = await runWithBudget(15 * SECOND, remove)
  expect(first.stoppedAt).toEqual(new Date(START.getTime() + 20 * SECOND))
  trips.mockRestore()
  expect(await count("idempotency_keys")).toBe(200)
  const second = await runWithBudget(15 * SECOND, remove)
  expect([await count("idempotency_keys"), second.stoppedAt]).toEqual([0, null])
})

describe("a scheduled job", () => {
  /** Lets the DNS lookup of each pending domain take some time. */
  function mockSlowResolver(ms: number) {
    const lookups: string[] = []
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      lookups.push(new URL(input instanceof Request ? input.url : input).searchParams.get("name") ?? "")
      advance(ms)
      return Response.json({ Status: 3 })
    })
    return lookups
  }

  async function makePendingDomains(domains: number): Promise<void> {
    const store = await makeReadyStore()
    await env.DB.prepare(
      `insert into domains (store_id, domain, is_fallback, is_primary, verification_token, created_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        select ?, 'shop' || i || '.example', 0, 0, 't' || i, ? from n`,
    )
      .bind(domains, store, Date.now())
      .run()
  }

  test("stops at its time budget, reports it, and continues in the next minute until it is done", async () => {
    startClock()
    await makePendingDomains(12)
    const warnings = captureLog("warn")
    const lookups = mockSlowResolver(12 * SECOND)
    await cron("7 * * * *")
    expect(lookups).toHaveLength(4)
    const stopped = await findRun("domain-maintenance")
    expect(stopped?.stoppedAt?.getTime()).toBeGreaterThanOrEqual(START.getTime() + 40 * SECOND)
    expect(warnings()).toContainEqual(
      expect.objectContaining({
        message: "scheduled job ran out of time",
        job: "domain-maintenance",
        budget_ms: 40_000,
      }),
    )
    vi.setSystemTime(START.getTime() + MINUTE)
    await cron("* * * * *")
    vi.setSystemTime(START.getTime() + 2 * MINUTE)
    await cron("* * * * *")
    expect(new Set(lookups).size).toBe(12)
    expect(lookups).toHaveLength(12)
    expect(await findRun("domain-maintenance")).toMatchObject({ stoppedAt: null, error: null })
    vi.setSystemTime(START.getTime() + 3 * MINUTE)
    await cron("* * * * *")
    expect(lookups).toHaveLength(12)
  })

  test("fails when it does not end, and the runs of the others are recorded", async () => {
    await env.DB.exec("insert into purges (store_id, store_seq, database, created_at) values ('s', 1, 'SITES_1', 1)")
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockImplementation(() => new Promise(() => undefined))
    // The time budget of that job and its grace period.
    skipTimeouts((ms) => ms === 30 * SECOND)
    // A second run would find the lease of the first.
    await withoutFaults(() => cron("* * * * *"))
    expect(await findRun("store-purges")).toMatchObject({ error: "No answer within 30000 ms" })
    expect(await findRun("webhook-sweep")).toMatchObject({ error: null })
  })
})

describe("failed items", () => {
  /** Makes purges whose message was lost, some of which cannot be enqueued. */
  async function makeLostPurges(stores: number, failing: number): Promise<void> {
    for (let store = 0; store < stores; store++) {
      await env.DB.prepare("insert into purges (store_id, store_seq, database, created_at) values (?, ?, 'SITES_1', 1)")
        .bind(`s${store}`, store + 1)
        .run()
    }
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockImplementation((async ({ seq }: { seq: number }) => {
      if (seq <= failing) throw new Error("the queue is down")
    }) as never)
  }

  test("are counted with the run, which is successful while one item is", async () => {
    await makeLostPurges(3, 2)
    await cron("* * * * *")
    expect(await findRun("store-purges")).toMatchObject({ items: 3, failedItems: 2, error: null })
  })

  test("fail the run when all of its items fail", async () => {
    await makeLostPurges(2, 2)
    // A second run would find the leases of the first.
    await withoutFaults(() => cron("* * * * *"))
    expect(await findRun("store-purges")).toMatchObject({
      items: 2,
      failedItems: 2,
      error: "Every item failed: 2. The log names them.",
    })
  })

  test("are forgotten with the next run", async () => {
    await makeLostPurges(2, 2)
    await cron("* * * * *")
    await env.DB.exec("delete from purges")
    await cron("* * * * *")
    expect(await findRun("store-purges")).toMatchObject({ items: 0, failedItems: 0, error: null })
  })
})

test("a step of a queued job that is out of time is logged, and the next step continues", async () => {
  startClock()
  const lines = captureLog("info")
  await run((ctx) =>
    runJob(ctx, { job: "usage", after: 0 }, async (timed) => {
      advance(25 * SECOND)
      expect(timed.run.isOutOfTime()).toBe(true)
      return { job: "usage", after: 7 }
    }),
  )
  expect(lines()).toContainEqual(
    expect.objectContaining({
      message: "a step of a job ran out of time",
      job: "usage",
      budget_ms: 20_000,
      duration_ms: 25_000,
      continues: true,
    }),
  )
  expect(vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls).toEqual([
    [{ job: "usage", after: 7, lease: expect.any(String) }],
  ])
})

test("the runs of concurrent invocations do not overwrite each other", async () => {
  await Promise.all([cron("* * * * *"), cron("7 * * * *")])
  const recorded = (await run(listRuns)).map(({ job }) => job)
  expect(recorded).toEqual(expect.arrayContaining(["webhook-sweep", "billing-clock"]))
  expect(await rows("select part from cron_runs")).toEqual([{ part: "*" }])
})

test("a daily job that met a transient error runs again in the next minute", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-24T02:30:00Z") })
  const outage = interceptRoundTrips(async (send, statements) => {
    if (statements.some((statement) => /from "?dead_letters"?/i.test(statement)))
      throw new Error("D1_ERROR: Network connection lost.")
    return send()
  })
  await cron("30 2 * * *")
  outage.mockRestore()
  expect(await findRun("dead-letter-retention")).toMatchObject({ stoppedAt: expect.any(Date) })
  advance(MINUTE)
  await cron("* * * * *")
  expect(await findRun("dead-letter-retention")).toMatchObject({ stoppedAt: null, error: null })
})
