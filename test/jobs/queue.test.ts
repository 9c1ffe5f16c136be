// The queue consumer: unknown messages are neither lost nor block others.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { listDeadLetters, rerunDeadLetter } from "../../src/core/queue/dead-letters"
import { JobMessage } from "../../src/core/queue/messages"
import { resendMessage } from "../../src/core/queue/send"
import { handleQueue } from "../../src/jobs/queue"
import { consume, isolate, run } from "../support/app"
import { rows } from "../support/rows"
import { despiteFaults } from "../support/test-faults"

const UNKNOWN: unknown[] = [
  null,
  "text",
  7,
  [],
  {},
  { job: "unknown" },
  { job: "purge" },
  { job: "purge", store: 5 },
  { delivery: "one" },
  { lane: null },
  { push: { database: "SITES_1" } },
]

/** Consumes one message and returns its acknowledgements and retries. */
async function consumeOne(queue: string, body: unknown, attempts = 1) {
  const consumed = async () => {
    const [ack, retry] = [vi.fn(), vi.fn()]
    const message = { id: "m", timestamp: new Date(), attempts, body, ack, retry }
    const execution = createExecutionContext()
    await handleQueue({ queue, messages: [message] } as unknown as MessageBatch, isolate.env, execution)
    await waitOnExecutionContext(execution)
    return { acks: ack.mock.calls.length, retries: retry.mock.calls.flat() }
  }
  return despiteFaults(consumed, ({ acks }) => acks === 0)
}

describe("a message of unknown shape or job", () => {
  test.each(UNKNOWN.map((body) => [body]))(
    "retries %j after ten minutes, so that a rollout can complete",
    async (body) => {
      expect(await consumeOne("tenancy-jobs", body)).toEqual({ acks: 0, retries: [{ delaySeconds: 600 }] })
    },
  )

  test("processes the other messages of a batch despite unknown ones", async () => {
    const { explicitAcks, retryMessages } = await consume("tenancy-jobs", [
      null,
      { job: "mails" },
      "text",
      { job: "new" },
    ])
    expect(explicitAcks).toEqual(["1"])
    expect(retryMessages.map(({ msgId }) => msgId)).toEqual(["0", "2", "3"])
  })

  test.each(UNKNOWN.map((body) => [body]))("stores %j as a dead letter once and can send it again", async (body) => {
    for (let twice = 0; twice < 2; twice++) expect((await consume("tenancy-dead", [body])).explicitAcks).toEqual(["0"])
    const letters = await run(listDeadLetters)
    expect(letters.map((letter) => letter.body)).toEqual([body])
    await run((ctx) => rerunDeadLetter(ctx, letters[0]?.id ?? 0))
    const sent = [env.JOB_QUEUE, env.SLOW_JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE, env.PUSH_QUEUE].flatMap(
      (queue) => vi.mocked(queue.send).mock.calls as unknown[][],
    )
    expect(sent).toEqual([[body]])
  })

  test("logs an unknown message without its values", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue()
    await consumeOne("tenancy-jobs", { job: "new", password: "hunter2" })
    expect(error.mock.calls.join()).toContain('"unknown":"job,password"')
    expect(error.mock.calls.join()).not.toContain("hunter2")
  })
})

test("names the scheduled job that resumes a message that is skipped while its store is being migrated", async () => {
  const info = vi.spyOn(console, "log").mockReturnValue()
  // The trigger of a locked site rejects the write.
  vi.spyOn(env.DB, "batch").mockRejectedValue(new Error("D1_ERROR: SITE_HELD: SQLITE_CONSTRAINT"))
  const message = { job: "purge", store: "acme" }
  expect(await consumeOne("tenancy-jobs", message)).toEqual({ acks: 1, retries: [] })
  expect(info.mock.calls.join()).toContain('"resumed_by":"store-purges"')
})

test("gives each message of a batch its own request id", async () => {
  const error = vi.spyOn(console, "error").mockReturnValue()
  await consume("tenancy-jobs", [null, null, null])
  const ids = error.mock.calls.map(([line]) => JSON.parse(line).request_id)
  expect(ids).toHaveLength(3)
  expect(new Set(ids).size).toBe(3)
})

test("retries a failed message after 5, 20, 80 and 320 seconds, and 600 at most", async () => {
  vi.spyOn(env.DB, "prepare").mockImplementation(() => {
    throw new Error("D1 is away")
  })
  const delays = []
  for (const attempts of [1, 2, 3, 4, 9]) {
    delays.push(...(await consumeOne("tenancy-jobs", { job: "purge", store: "acme" }, attempts)).retries)
  }
  expect(delays).toEqual([5, 20, 80, 320, 600].map((delaySeconds) => ({ delaySeconds })))
})

test("retries a dead letter that cannot be stored after ten minutes", async () => {
  const spy = vi.spyOn(env.DB, "batch").mockRejectedValue(new Error("D1_ERROR: Network connection lost."))
  expect(await consumeOne("tenancy-dead", { job: "mails" })).toEqual({ acks: 0, retries: [{ delaySeconds: 600 }] })
  spy.mockRestore()
  expect(await rows("select id from dead_letters")).toEqual([])
})

test("processes messages of the previous version without an incarnation or a lease", async () => {
  for (const body of [
    { job: "provision", store: "acme" },
    { job: "purge", store: "acme" },
    { job: "move", store: "acme" },
    { job: "endpoint", endpoint: 1 },
    { job: "recovery", endpoint: 1 },
    { job: "media", database: "SITES_1" },
    { job: "notify", database: "SITES_1", notification: 1 },
    { job: "billing", after: 0, at: Date.now() },
    { job: "usage", after: 0 },
    { job: "mails" },
    { delivery: 1 },
    { delivery: 1, endpoint: 1, busy: 2 },
    { lane: { endpoint: 1, until: null, deliveries: [1], lease: 1 } },
    { push: { database: "SITES_1", notification: 1 } },
  ]) {
    expect(await consumeOne("tenancy-jobs", body), JSON.stringify(body)).toEqual({ acks: 1, retries: [] })
  }
  expect(await rows("select name from locks")).toEqual([])
})

test("sends slow jobs to a separate queue, so that no new store or mail waits for them", async () => {
  const kinds = JobMessage.options.map((option) => option.shape.job.value)
  const sent = new Map<string, string>()
  for (const [name, queue] of Object.entries({ JOB_QUEUE: env.JOB_QUEUE, SLOW_JOB_QUEUE: env.SLOW_JOB_QUEUE }))
    vi.mocked(queue.send).mockImplementation(
      (async (message: { job: string }) => void sent.set(message.job, name)) as never,
    )
  for (const job of kinds) await run((ctx) => resendMessage(ctx, { job }))
  expect(sent.size).toBe(kinds.length)
  for (const job of ["provision", "mails", "billing"]) expect(sent.get(job), job).toBe("JOB_QUEUE")
  for (const job of ["purge", "recovery", "move", "backup"]) expect(sent.get(job), job).toBe("SLOW_JOB_QUEUE")
})
