// A database that fails under a write of the control plane, before or after each of its batches, under an Idempotency-Key: the change, its
// entry in the trail, its events and the mark of the key are all there or none is, and the repetition makes the change once.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { routeTable } from "../../src/core/http/route"
import { platform as app } from "../../src/platform/app"
import { type Answer, platform } from "../support/app"
import { holdBeside } from "../support/concurrent-writes"
import { makeEndpoint, makeKey } from "../support/factories"
import { type Fault, failBatches } from "../support/faults"
import { WRITES, type Write } from "../support/platform-writes"
import { receive } from "../support/receiver"
import { rows } from "../support/rows"

/** What a change leaves beside itself. */
async function left() {
  const [row] = await rows(
    `select (select count(*) from audit_entries) as trail, (select count(*) from webhook_events) as events,
      (select count(*) from idempotency_keys where committed_at is not null) as marks`,
  )
  return { trail: Number(row?.trail), events: Number(row?.events), marks: Number(row?.marks) }
}

/** What the writes are about, as text: it differs when anything of it was changed. */
async function state(): Promise<string> {
  const tables = await Promise.all([
    rows("select id, name, status, theme, apps, owner_email from stores order by seq"),
    rows("select * from subscriptions order by store_id"),
    rows("select domain, is_primary, verified_at from domains order by id"),
    rows("select id, url, events, description, secret, is_active, deleted_at, recovery from webhook_endpoints"),
    rows("select id, attempt from webhook_deliveries where event = 'ping' or attempt > 6"),
  ])
  return JSON.stringify(tables)
}

async function difference(work: () => Promise<unknown>) {
  const [before, was] = [await left(), await state()]
  await work()
  const after = await left()
  return {
    changed: (await state()) !== was,
    trail: after.trail - before.trail,
    events: after.events - before.events,
    marks: after.marks - before.marks,
  }
}

const FAULTS: Exclude<Fault, null>[] = ["before", "after"]
/** Batches that a write makes at most, its key's and its answer's included. */
const BATCHES = 8

test.each(Object.keys(WRITES))("%s is made whole or not at all, and once", async (name) => {
  receive()
  const token = await makeKey()
  const make = WRITES[name] as () => Promise<Write>
  const send = ({ verb, path, json }: Write, key: string): Promise<Answer> =>
    platform(verb, path, { token, json, headers: { "Idempotency-Key": key } })

  const clean = await make()
  const whole = await difference(async () => expect((await send(clean, "clean")).status).toBeLessThan(300))
  expect(whole.trail).toBeGreaterThan(0)
  expect(whole.changed).toBe(true)
  expect(whole.marks).toBe(1)
  if (name === "stores.create" || name === "webhooks.create" || name === "domains.create") await forget(name)

  for (const fault of FAULTS) {
    for (let at = 1; at <= BATCHES; at++) {
      const write = await make()
      const key = `${fault}-${at}`
      let batches = 0
      const spy = failBatches(() => (++batches === at ? fault : null))
      let first: Answer | undefined
      const made = await difference(async () => {
        first = await send(write, key)
      })
      spy.mockRestore()
      const reached = batches >= at
      expect([name, fault, at, made]).toSatisfy(
        ([, , , found]: [string, string, number, typeof whole]) => isWhole(found, whole) || isNothing(found),
      )
      // The first request is taken for dead after a minute; its repetition makes what is not made, unless it was refused for good.
      const isAnswered = isWhole(made, whole) || (first?.status ?? 500) < 500
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
      const again = await difference(() => send(write, key))
      vi.useRealTimers()
      expect([name, fault, at, again]).toSatisfy(([, , , found]: [string, string, number, typeof whole]) =>
        isAnswered ? isNothing(found) : isWhole(found, whole),
      )
      if (name === "stores.create" || name === "webhooks.create" || name === "domains.create") await forget(name)
      if (!reached) break
    }
  }
})

/** What a write may ask beside the database: none of it decides whether the change is made. */
const BESIDE: Record<string, () => void> = {
  "a queue that takes nothing": () => {
    for (const queue of [env.JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE]) {
      vi.mocked(queue.send).mockRejectedValue(new Error("the queue is down"))
      vi.mocked(queue.sendBatch).mockRejectedValue(new Error("the queue is down"))
    }
  },
  "an object that cannot be reached": () => {
    for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
      vi.spyOn(namespace, "get").mockImplementation(() => {
        throw new Error("Durable Object reset because its code was updated.")
      })
    }
  },
  "an object that does not answer a call": () => {
    const stub = { fetch: async () => Promise.reject(new Error("Network connection lost.")) }
    for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES])
      vi.spyOn(namespace, "get").mockReturnValue(stub as unknown as DurableObjectStub)
  },
  "mail that nobody takes": () => {
    vi.mocked(env.MAIL.send).mockRejectedValue(new Error("mail is down"))
  },
  "a bucket that is down": () => {
    const down = async () => Promise.reject(new Error("put: We encountered an internal error. (10001)"))
    for (const bucket of [env.MEDIA, env.UPDATES])
      for (const call of ["put", "delete", "list", "get", "head"] as const)
        vi.spyOn(bucket, call).mockImplementation(down)
  },
}

/** What asks the world outside, and says so where nobody answers. */
const ASKS = new Set(["webhooks.create", "domains.verify", "deliveries.retry", "webhooks.test"])

test.each(Object.keys(BESIDE))(
  "no write is half made beside %s",
  async (what) => {
    const token = await makeKey()
    const wrong: string[] = []
    for (const [name, make] of Object.entries(WRITES)) {
      receive()
      const { verb, path, json } = await make()
      BESIDE[what]?.()
      let answer: Answer | undefined
      const made = await difference(async () => {
        answer = await platform(verb, path, { token, json, headers: { "Idempotency-Key": name } })
      })
      vi.restoreAllMocks()
      calmQueues()
      if (!answer || answer.status >= 500 || !made.changed || made.marks !== 1)
        wrong.push(`${name}: ${answer?.status} ${JSON.stringify(made)}`)
    }
    expect(wrong).toEqual([])
  },
  240_000,
)

test("a resolver and receivers that nobody reaches are said to be so, and nothing is half made", async () => {
  const token = await makeKey()
  const wrong: string[] = []
  for (const [name, make] of Object.entries(WRITES)) {
    receive()
    const { verb, path, json } = await make()
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Network connection lost."))
    let answer: Answer | undefined
    const made = await difference(async () => {
      answer = await platform(verb, path, { token, json, headers: { "Idempotency-Key": name } })
    })
    vi.restoreAllMocks()
    calmQueues()
    const isGood = ASKS.has(name) ? answer && answer.status < 500 : made.changed && made.marks === 1
    if (!isGood) wrong.push(`${name}: ${answer?.status} ${JSON.stringify(made)}`)
  }
  expect(wrong).toEqual([])
}, 240_000)

test("every write is made whole or not at all, whatever fails beside the databases", async () => {
  const token = await makeKey()
  await makeEndpoint()
  const again = ([name, make]: [string, () => Promise<Write>]) => [
    name,
    async () => {
      await forget(name)
      receive()
      const { verb, path, json } = await make()
      return () => platform(verb, path, { token, json })
    },
  ]
  const writes = Object.fromEntries(Object.entries(WRITES).map(again))
  const held = await holdBeside(writes, {
    // The use of a key is noted now and then.
    ignored: () => ["api_keys"],
    isAsked: (name, { of }) => ASKS.has(name) && of === "fetch",
  })
  expect(Object.values(held).flat().length).toBeGreaterThan(8)
}, 240_000)

/** Queues that only remember what they were sent, as every test begins with. */
function calmQueues(): void {
  const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  for (const queue of [env.JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE]) {
    vi.spyOn(queue, "send").mockResolvedValue(sent)
    vi.spyOn(queue, "sendBatch").mockResolvedValue(sent)
  }
}

type Difference = Awaited<ReturnType<typeof difference>>

const isNothing = (found: Difference) => !found.changed && found.trail === 0 && found.events === 0 && found.marks === 0
const isWhole = (found: Difference, whole: Difference) =>
  found.changed && found.trail === whole.trail && found.events === whole.events && found.marks === whole.marks

/** Lets the same thing be created again. */
async function forget(name: string) {
  if (name === "stores.create") {
    for (const table of ["domains", "subscriptions", "usage_snapshots"]) {
      await env.DB.exec(`delete from ${table} where store_id = 'brandnew'`)
    }
    await env.DB.exec("delete from stores where id = 'brandnew'")
  }
  if (name === "domains.create") await env.DB.exec("delete from domains where domain = 'shop.example.org'")
}

test("no write route is left out", () => {
  const names = routeTable(app)
    .filter(({ method }) => method !== "GET")
    .map(({ id }) => id)
  expect(Object.keys(WRITES).sort()).toEqual(names.sort())
})
