// Backoff: a job whose step keeps failing is sent again less and less often, and shows on the system page.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { Refusal } from "../../src/core/http/refusal"
import { enqueueJob, getBackoff, resumeStalledJobs, runJob } from "../../src/core/queue/leased-jobs"
import { type Job, JobMessage } from "../../src/core/queue/messages"
import { HOUR, MINUTE, SECOND } from "../../src/lib/time"
import { readSystemPage } from "../../src/platform/metrics/system"
import { run } from "../support/app"
import { rows } from "../support/rows"

const START = new Date("2026-11-24T10:00:00Z")

const USAGE: Job = { job: "usage", after: 0 }

const sent = () => vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([message]) => JobMessage.parse(message))

const fail = (cause: unknown) => async () => Promise.reject(cause)

/** Runs a message as the queue does: it fails at once, and after 5, 20 and 80 seconds. */
async function failMessage(message: JobMessage, cause: unknown = new Error("ada@example.com is gone")): Promise<void> {
  for (const delay of [0, 5, 20, 80]) {
    vi.setSystemTime(Date.now() + delay * SECOND)
    await expect(run((ctx) => runJob(ctx, message, fail(cause)))).rejects.toBe(cause)
  }
}

/** Lets minutes pass until the cron sends another message, and returns them. */
async function waitForMessage(): Promise<number> {
  const before = sent().length
  for (let minute = 1; minute <= 120; minute++) {
    vi.setSystemTime(Date.now() + MINUTE)
    await run(resumeStalledJobs)
    if (sent().length > before) return minute
  }
  throw new Error("no message was sent")
}

test("sends a job that keeps failing again after 5, 10, 20 and 40 minutes, and then every hour", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
  await run((ctx) => enqueueJob(ctx, USAGE))
  const minutes: number[] = []
  for (let message = 0; message < 6; message++) {
    await failMessage(sent().at(-1) as JobMessage)
    minutes.push(await waitForMessage())
  }
  expect(minutes).toEqual([5, 10, 20, 40, 60, 60])
})

test("sends a job that blocks writes to its store again after ten minutes at the latest", () => {
  expect([1, 4, 5, 9, 13, 400].map((attempts) => getBackoff("move", attempts) / MINUTE)).toEqual([2, 2, 4, 8, 10, 10])
  expect([1, 4, 5, 400].map((attempts) => getBackoff("purge", attempts))).toEqual([
    5 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    HOUR,
  ])
})

test("stores the number of attempts and the class of the error, but not its message", async () => {
  await run((ctx) => enqueueJob(ctx, USAGE))
  const [message] = sent()
  const cause = new TypeError("ada@example.com is gone")
  await failMessage(message as JobMessage, cause)
  expect(await rows("select attempts, last_error from locks")).toEqual([{ attempts: 4, last_error: "TypeError" }])
  const { failingJobs } = await run((ctx) => readSystemPage(ctx, "day"))
  expect(failingJobs).toEqual([
    { subject: "usage", kind: "usage", attempts: 4, lastError: "TypeError", nextAt: expect.any(Date) },
  ])
  expect(JSON.stringify(await rows("select * from locks"))).not.toContain("ada@example.com")
})

test.each([
  [new Refusal("not_found"), "Refusal: not_found"],
  [new Error("D1_ERROR: Network connection lost."), "transient database error"],
])("stores the class of %s as %s", async (cause, lastError) => {
  await expect(run((ctx) => runJob(ctx, USAGE, fail(cause)))).rejects.toBe(cause)
  expect(await rows("select last_error from locks")).toEqual([{ last_error: lastError }])
})

test("starts again without failures after a successful step", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
  await run((ctx) => enqueueJob(ctx, USAGE))
  await failMessage(sent()[0] as JobMessage)
  await waitForMessage()
  await run((ctx) => runJob(ctx, sent()[1] as JobMessage, async () => ({ job: "usage", after: 50 })))
  expect(await rows("select attempts, last_error from locks")).toEqual([{ attempts: 0, last_error: null }])
  await failMessage(sent()[2] as JobMessage)
  expect(await waitForMessage()).toBe(5)
  expect(sent().at(-1)).toMatchObject({ after: 50 })
})

describe("a message without a token that fails", () => {
  const PURGE: Job = { job: "purge", store: "acme", seq: 1 }
  const first = JobMessage.parse(PURGE)

  test("is retried by the queue, and then sent again with backoff", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START })
    await failMessage(first)
    expect(await waitForMessage()).toBe(5)
    await failMessage(sent().at(-1) as JobMessage)
    expect(await waitForMessage()).toBe(10)
  })

  test("gives way to another job of its subject, which starts without failures", async () => {
    await expect(run((ctx) => runJob(ctx, first, fail(new Error("no"))))).rejects.toThrow("no")
    const step = vi.fn(async () => null)
    await run((ctx) => runJob(ctx, JobMessage.parse({ job: "move", store: "acme", seq: 1 }), step))
    expect(step).toHaveBeenCalledTimes(1)
    expect(await rows("select * from locks")).toEqual([])
  })
})

test("does not count a step that was skipped because its store is locked", async () => {
  await run((ctx) => enqueueJob(ctx, USAGE))
  const locked = new Refusal("store_unavailable", { retryAfter: 30 })
  await expect(run((ctx) => runJob(ctx, sent()[0] as JobMessage, fail(locked)))).rejects.toBe(locked)
  expect(await rows("select attempts from locks")).toEqual([{ attempts: 0 }])
})
