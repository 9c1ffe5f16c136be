// Makes runs of scheduled jobs.
import type { CronRun } from "../../src/platform/cron/service"

/** A run that was successful and complete, now. */
export const makeRun = (job: string, values: Partial<CronRun> = {}): CronRun => ({
  job,
  startedAt: new Date(),
  durationMs: 1,
  error: null,
  stoppedAt: null,
  items: 0,
  failedItems: 0,
  ...values,
})
