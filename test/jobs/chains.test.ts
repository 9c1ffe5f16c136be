// Chains of messages: however often the cron runs, and however often a queue delivers a message twice, late or never,
// at most one chain per subject makes progress, and every chain finishes.

import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { enqueueJob, resumeStalledJobs, runJob } from "../../src/core/queue/leased-jobs"
import { type Job, JobMessage } from "../../src/core/queue/messages"
import { MINUTE, SECOND } from "../../src/lib/time"
import { seededRandom } from "../../tools/lib/random"
import { run } from "../support/app"
import { rows } from "../support/rows"

const STEPS = 12

/** A job with a cursor in its messages, one whose rows have its state, and one whose runs may overlap. */
const JOBS: Record<string, { first: Job; next: (job: Job) => Job }> = {
  usage: {
    first: { job: "usage", after: 0 },
    next: (job) => ({ job: "usage", after: job.job === "usage" ? job.after + 1 : 0 }),
  },
  purge: { first: { job: "purge", store: "acme", seq: 1 }, next: (job) => job },
  mails: { first: { job: "mails" }, next: (job) => job },
}

const CASES = Object.keys(JOBS).flatMap((name) => [1, 2, 3, 9, 14, 39].map((seed) => ({ name, seed })))

test.each(CASES)(
  "finishes one chain of $name despite lost, late and duplicate messages, seed $seed",
  async ({ name, seed }) => {
    const job = JOBS[name]
    if (!job) throw new Error("unknown job")
    const random = seededRandom(seed)
    const start = Date.now()
    vi.useFakeTimers({ toFake: ["Date"], now: start })

    const queue: { at: number; message: JobMessage; attempt: number }[] = []
    const send = (async (body: unknown) => {
      const message = JobMessage.parse(body)
      const fate = random()
      if (fate < 0.15) throw new Error("the queue is down")
      // Accepted, then lost; or delivered once or twice, up to eight minutes later.
      const copies = fate < 0.3 ? 0 : fate < 0.7 ? 1 : 2
      for (let copy = 0; copy < copies; copy++)
        queue.push({ at: Date.now() + random() * 8 * MINUTE, message, attempt: 1 })
    }) as never
    for (const { send: original } of [env.JOB_QUEUE, env.SLOW_JOB_QUEUE]) vi.mocked(original).mockImplementation(send)

    let [running, maxRunning, maxQueued, done] = [0, 0, 0, 0]
    const deliverDue = async () => {
      const due = queue.filter(({ at }) => at <= Date.now())
      for (const entry of due) queue.splice(queue.indexOf(entry), 1)
      for (const { message, attempt } of due) {
        await run((ctx) => runJob(ctx, message, () => step(message))).catch(() => {
          // A message that fails is retried three times, then it is a dead letter.
          if (attempt <= 3) queue.push({ at: Date.now() + 20 * SECOND, message, attempt: attempt + 1 })
        })
      }
    }
    const runCron = () => run((ctx) => resumeStalledJobs(ctx))
    const step = async (message: Job): Promise<Job | null> => {
      running++
      maxRunning = Math.max(maxRunning, running)
      // Other messages and the cron go on during the step, which ends before its lease.
      for (let minute = 0; minute < random() * 4; minute++) {
        vi.setSystemTime(Date.now() + MINUTE)
        await deliverDue()
        await runCron()
      }
      running--
      if (random() < 0.2) throw new Error("the step failed")
      done++
      return done < STEPS ? job.next(message) : null
    }

    await run((ctx) => enqueueJob(ctx, job.first)).catch(() => undefined)
    while (done < STEPS && Date.now() < start + 48 * 60 * MINUTE) {
      vi.setSystemTime(Date.now() + MINUTE)
      await deliverDue()
      await runCron()
      maxQueued = Math.max(maxQueued, queue.length)
    }
    expect([done, maxRunning]).toEqual([STEPS, 1])
    // The messages in flight do not multiply: the cron's, a late one, and their duplicates.
    expect(maxQueued).toBeLessThanOrEqual(6)
    // Late copies that are left end without further messages.
    for (let rest = 0; queue.length && rest < 50; rest++) {
      vi.setSystemTime(Date.now() + 10 * MINUTE)
      await deliverDue()
    }
    expect(queue).toEqual([])
    expect(await rows("select name from locks")).toEqual([])
  },
)

test("resumes a lost step of the nightly usage count where it stopped", async () => {
  const messages = () => vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([message]) => message)
  await run((ctx) => enqueueJob(ctx, { job: "usage", after: 0 }))
  const [first] = messages()
  await run((ctx) => runJob(ctx, JobMessage.parse(first), async () => ({ job: "usage", after: 50 })))
  const lost = JobMessage.parse(messages()[1])
  await run((ctx) => runJob(ctx, lost, () => Promise.reject(new Error("the Worker died")))).catch(() => undefined)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 4 * MINUTE })
  await run(resumeStalledJobs)
  expect(messages()).toHaveLength(2)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * MINUTE })
  await run(resumeStalledJobs)
  expect(messages()[2]).toEqual({ job: "usage", after: 50, lease: expect.any(String) })
})

test("leaves a stalled job of a kind that this version does not know to the version that does", async () => {
  await env.DB.prepare("insert into locks (name, holder, expires_at, job) values ('new', 'x', 1, ?)")
    .bind(JSON.stringify({ job: "new" }))
    .run()
  await run(resumeStalledJobs)
  expect(env.JOB_QUEUE.send).not.toHaveBeenCalled()
  expect(await rows("select expires_at from locks")).toEqual([{ expires_at: 1 }])
})
