// The rows that the cron of every minute reads and writes in all databases while nothing happens.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { MINUTE } from "../../src/lib/time"
import { costsOf } from "../support/costs"
import { cronWithJobs } from "../support/jobs"
import { count } from "../support/rows"
import { withoutFaults } from "../support/test-faults"

/** An earlier minute, so that the rows of the metrics exist. It is not a tenth minute, in which cron checks every endpoint. */
const START = new Date("2026-11-24T10:01:00Z")

async function makeIdleEndpoints(endpoints: number): Promise<void> {
  await env.DB.prepare(
    `insert into webhook_endpoints (url, events, secret, is_active, consecutive_failures, failure_seq, created_by_name, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      select 'https://example.com/' || i, '["*"]', 's', 1, 0, 0, 'x', 1, 1 from n limit ?`,
  )
    .bind(Math.max(endpoints, 1), endpoints)
    .run()
}

async function measureIdleMinute() {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
  await withoutFaults(() => cronWithJobs("* * * * *"))
  vi.setSystemTime(START.getTime() + MINUTE)
  const { rowsRead, rowsWritten } = await costsOf(() => cronWithJobs("* * * * *"))
  return { rowsRead, rowsWritten }
}

test.each([0, 300])("reads at most 40 rows and writes at most 6 with %i endpoints", async (endpoints) => {
  await makeIdleEndpoints(endpoints)
  const { rowsRead, rowsWritten } = await measureIdleMinute()
  expect(rowsRead).toBeLessThanOrEqual(40)
  expect(rowsWritten).toBeLessThanOrEqual(6)
  for (const { send } of [env.JOB_QUEUE, env.SLOW_JOB_QUEUE, env.RETRY_QUEUE]) expect(send).not.toHaveBeenCalled()
  expect(await count("locks")).toBe(0)
})
