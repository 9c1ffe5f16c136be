// Runs the jobs that the Worker has enqueued, since queues are mocked.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { consume, cron } from "./app"

const QUEUES = { "tenancy-jobs": env.JOB_QUEUE, "tenancy-slow-jobs": env.SLOW_JOB_QUEUE }

/** The job messages that were sent, by queue and call. */
const sentJobs = () =>
  Object.entries(QUEUES).flatMap(([name, queue]) => [
    { key: `${name} send`, name, messages: vi.mocked(queue.send).mock.calls.map(([message]) => message) },
    {
      key: `${name} sendBatch`,
      name,
      messages: vi.mocked(queue.sendBatch).mock.calls.flatMap(([batch]) => [...batch].map(({ body }) => body)),
    },
  ])

/** Runs work, then consumes the job messages that it sent, and those that they send, until no message is left. */
export async function withJobs<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = new Map(sentJobs().map(({ key, messages }) => [key, messages.length]))
  const result = await work()
  for (let sent = true; sent; ) {
    sent = false
    for (const { key, name, messages } of sentJobs()) {
      const fresh = messages.slice(done.get(key))
      done.set(key, messages.length)
      sent ||= fresh.length > 0
      for (const message of fresh) await consume(name, [message])
    }
  }
  return result
}

/** Runs a cron schedule and the jobs that it enqueues. */
export const cronWithJobs = (schedule: string): Promise<void> => withJobs(() => cron(schedule))
