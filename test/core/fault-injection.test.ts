// The bindings of `npm start -- --faults=<rate>`: calls of each fail, messages arrive twice, late or never, replicas are
// stale, and a query that takes too long is ended.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import type { Env } from "../../src/bindings"
import { isTransient } from "../../src/db/errors"
import { withFaults } from "../../tools/faults/bindings"
import { runInvocation, withConnection } from "../../tools/faults/connections"
import { type FaultOptions, INTERRUPTIONS, REJECTIONS } from "../../tools/faults/faults"
import { D1_LIMITS, withQueryTimeout } from "../../tools/faults/limits"
import { call } from "../support/app"
import { count } from "../support/rows"

/** The mocked method of the tests' mail service cannot be wrapped. */
const MAIL = { send: async () => ({ messageId: "1" }) }

/** Wraps the bindings of the test; their calls fail as the numbers say. */
const wrap = (options: FaultOptions) => withFaults({ ...env, MAIL } as typeof env, options)

/** Returns numbers in turn, and then a number that is above every rate. */
const inTurn = (...numbers: number[]) => {
  const left = [...numbers]
  return () => left.shift() ?? 0.99
}

const INSERT = "insert into purges (store_id, store_seq, database, created_at) values ('s', 1, 'SITES_1', 1)"

describe("calls", () => {
  const CALLS: Record<string, (bindings: typeof env) => Promise<unknown>> = {
    DB: ({ DB }) => DB.prepare("select 1").first(),
    SITES_1: ({ SITES_1 }) => SITES_1.batch([SITES_1.prepare("select 1")]),
    SITES_2: ({ SITES_2 }) => SITES_2.withSession("first-primary").prepare("select 1").raw(),
    WEBHOOKS_1: ({ WEBHOOKS_1 }) => WEBHOOKS_1.prepare("select ?").bind(1).all(),
    WEBHOOKS_2: ({ WEBHOOKS_2 }) => WEBHOOKS_2.prepare("select 1").run(),
    RATE_LIMIT: ({ RATE_LIMIT }) => RATE_LIMIT.getByName("a").fetch("http://object/"),
    ENDPOINT_FAILURES: ({ ENDPOINT_FAILURES: objects }) => objects.get(objects.idFromName("a")).fetch("http://object/"),
    WEBHOOK_QUEUE: ({ WEBHOOK_QUEUE }) => WEBHOOK_QUEUE.sendBatch([]),
    RETRY_QUEUE: ({ RETRY_QUEUE }) => RETRY_QUEUE.send({} as never),
    PUSH_QUEUE: ({ PUSH_QUEUE }) => PUSH_QUEUE.send({} as never),
    JOB_QUEUE: ({ JOB_QUEUE }) => JOB_QUEUE.send({} as never),
    SLOW_JOB_QUEUE: ({ SLOW_JOB_QUEUE }) => SLOW_JOB_QUEUE.send({} as never),
    MEDIA: ({ MEDIA }) => MEDIA.head("a"),
    UPDATES: ({ UPDATES }) => UPDATES.list(),
    BACKUPS: ({ BACKUPS }) => BACKUPS.put("a", "a"),
    ARCHIVE: ({ ARCHIVE }) => ARCHIVE.createMultipartUpload("a"),
    MAIL: ({ MAIL }) => MAIL.send({} as never),
    ASSETS: ({ ASSETS }) => ASSETS.fetch("http://assets/"),
  }

  test("of every binding fail", async () => {
    const bindings = Object.entries(env).filter(
      ([name, value]) => typeof value === "object" && !/^(TEST_|__)/.test(name),
    )
    expect(bindings.map(([name]) => name).toSorted()).toEqual([...Object.keys(CALLS), "VERSION"].toSorted())
    const faulty = wrap({ rate: 1, random: () => 0 })
    for (const [name, call] of Object.entries(CALLS)) await expect(call(faulty), name).rejects.toSatisfy(isTransient)
  })

  test("fail with messages that the Worker treats as transient", () => {
    const messages = [...Object.values(REJECTIONS), ...Object.values(INTERRUPTIONS)].flat()
    expect(messages.filter((message) => !isTransient(new Error(message)))).toEqual([])
  })

  test("take effect when only their response is lost", async () => {
    const { DB } = wrap({ rate: 0.5, random: inTurn(0.1, 0.6) })
    await expect(DB.prepare(INSERT).run()).rejects.toThrow("D1_ERROR")
    expect(await count("purges")).toBe(1)
  })

  test("do not fail above the rate", async () => {
    const faulty = wrap({ rate: 0.5, random: () => 0.5 })
    await expect(faulty.DB.prepare("select 1 as one").first("one")).resolves.toBe(1)
  })
})

test.each([
  ["twice", 0, [{}, { delaySeconds: 10 }]],
  ["late", 0.4, [{ delaySeconds: 10 }]],
  ["never", 0.8, []],
] as const)("a message arrives %s", async (_, fate, sent) => {
  const { JOB_QUEUE } = wrap({ rate: 0.5, random: inTurn(0.9, 0.1, fate, 0.5) })
  await JOB_QUEUE.send({ job: "mails" } as never)
  expect(vi.mocked(env.JOB_QUEUE.send).mock.calls).toEqual(sent.map((options) => [{ job: "mails" }, options]))
})

describe("a replica", () => {
  const SELECT = "select count(*) as found from purges"
  const READS: Record<string, (database: D1Database) => Promise<unknown>> = {
    "a statement": (database) => database.withSession("first-unconstrained").prepare(SELECT).first("found"),
    "a batch": async (database) => {
      const session = database.withSession("first-unconstrained")
      const [result] = await session.batch<{ found: number }>([session.prepare(SELECT)])
      return result?.results[0]?.found
    },
  }
  /** No call fails, and every read that a replica may answer is stale. */
  const lagging = { rate: 0.1, random: () => 0.5 }

  test.each(Object.keys(READS))("repeats an earlier result of %s", async (name) => {
    const read = READS[name] as (typeof READS)[string]
    const { DB } = wrap(lagging)
    expect(await read(DB)).toBe(0)
    await env.DB.prepare(INSERT).run()
    expect(await read(DB)).toBe(0)
    expect(await DB.withSession("first-primary").prepare(SELECT).first("found")).toBe(1)
    expect(await DB.prepare(SELECT).first("found")).toBe(1)
  })

  test.each(Object.keys(READS))("that is current has every write, in %s", async (name) => {
    const read = READS[name] as (typeof READS)[string]
    const { DB } = wrap({ ...lagging, areReplicasCurrent: true })
    expect(await read(DB)).toBe(0)
    await env.DB.prepare(INSERT).run()
    expect(await read(DB)).toBe(1)
  })
})

test("a query ends after 30 seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const outcome = vi.fn()
  withQueryTimeout(() => new Promise(() => undefined)).catch((error: Error) => outcome(error.message))
  await vi.advanceTimersByTimeAsync(D1_LIMITS.queryMs - 1)
  expect(outcome).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(outcome).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("exceeded timeout"))
})

/** Counts the queries of a database that run at the same moment. */
function countRunning() {
  const seen = { now: 0, most: 0 }
  const query = env.DB.prepare("select 1")
  const run = async () => {
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    return query.all().finally(() => {
      seen.now -= 1
    })
  }
  vi.spyOn(env.DB, "prepare").mockReturnValue({ all: run } as never)
  return seen
}

describe("an invocation", () => {
  const queryTenTimes = (database: D1Database) =>
    Promise.all(Array.from({ length: 10 }, () => database.prepare("select 1").all()))

  test("has six connections, and further calls wait", async () => {
    const running = countRunning()
    const surface = {
      fetch: async (_: Request, { DB }: Env) => Response.json((await queryTenTimes(DB)).length),
    }
    const { body } = await call("GET", "/", { surface })
    expect(body).toBe(10)
    expect(running).toEqual({ now: 0, most: 6 })
  })

  test("does not wait for the connections of another", async () => {
    const running = countRunning()
    const { DB } = withFaults(env, { rate: 0, random: Math.random, connect: withConnection })
    await Promise.all([1, 2].map(() => runInvocation(() => queryTenTimes(DB))))
    expect(running).toEqual({ now: 0, most: 12 })
  })
})
