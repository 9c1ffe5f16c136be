// Runs the jobs that the Worker has enqueued, since queues are mocked.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { consume, cron } from "./app"

const QUEUES = { "tenancy-jobs": env.JOB_QUEUE, "tenancy-slow-jobs": env.SLOW_JOB_QUEUE }

/** The job messages that were sent, by queue. */
const sentJobs = () =>
  Object.entries(QUEUES).map(([name, queue]) => ({
    name,
    messages: vi.mocked(queue.send).mock.calls.map(([message]) => message as Record<string, unknown>),
  }))

/** Runs work, then consumes the job messages that it sent, and those that they send, until no message is left. */
export async function withJobs<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = new Map(sentJobs().map(({ name, messages }) => [name, messages.length]))
  const result = await work()
  for (let sent = true; sent; ) {
    sent = false
    for (const { name, messages } of sentJobs()) {
      const fresh = messages.slice(done.get(name))
      done.set(name, messages.length)
      sent ||= fresh.length > 0
      for (const message of fresh) await consume(name, [message])
    }
  }
  return result
}

/** Runs a cron schedule and the jobs that it enqueues. */
export const cronWithJobs = (schedule: string): Promise<void> => withJobs(() => cron(schedule))
