// Fails the database before or after each batch of every control-plane write with an Idempotency-Key. The write must
// succeed, and a retry must not apply the change again.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { routeTable } from "../../src/core/http/route"
import { platform as app } from "../../src/platform/app"
import { platform, type TestResponse } from "../support/app"
import { assertAtomicUnderCallFaults } from "../support/external-call-faults"
import { makeEndpoint, makeKey } from "../support/factories"
import { type Fault, failBatches } from "../support/faults"
import { WRITES, type Write } from "../support/platform-writes"
import { mockReceiver } from "../support/receiver"

/** The numbers of audit entries, events and committed idempotency keys, and everything that the writes can change. */
const STATE = [
  `select (select count(*) from audit_entries) as entries, (select count(*) from webhook_events) as events,
    (select count(*) from idempotency_records where committed_at is not null) as marks`,
  "select id, name, status, theme, apps, owner_email from stores order by seq",
  "select * from subscriptions order by store_id",
  "select domain, is_primary, verified_at from domains order by id",
  "select id, url, events, description, secret, is_active, deleted_at, recovery from webhook_endpoints",
  "select id, name, scopes, revoked_at from api_keys where name in ('Created', 'revoked later')",
  "select slug, name from plans",
  "select code, trial_days from coupons",
  "select id, attempt from webhook_deliveries where event = 'ping' or attempt > 6",
]

/** The method that `failBatches` replaces. */
const runBatch: D1Database["batch"] = env.DB.batch.bind(env.DB)

/** Reads the state in one round trip, because that takes most of the time of these tests. */
async function readState() {
  const [counts, ...tables] = await runBatch<Record<string, unknown>>(STATE.map((sql) => env.DB.prepare(sql)))
  const { entries, events, marks } = counts?.results[0] ?? {}
  const text = JSON.stringify(tables.map(({ results }) => results))
  return { auditLog: Number(entries), events: Number(events), marks: Number(marks), text }
}

async function measureChange(work: () => Promise<unknown>) {
  const before = await readState()
  await work()
  const after = await readState()
  return {
    changed: after.text !== before.text,
    auditLog: after.auditLog - before.auditLog,
    events: after.events - before.events,
    marks: after.marks - before.marks,
  }
}

const FAULT_POSITIONS: Exclude<Fault, null>[] = ["before", "after"]

test.each(Object.keys(WRITES))("applies %s completely and once when any batch fails", async (name) => {
  mockReceiver()
  const token = await makeKey()
  const make = WRITES[name] as () => Promise<Write>
  const send = ({ method, path, json }: Write, key: string): Promise<TestResponse> =>
    platform(method, path, { token, json, headers: { "Idempotency-Key": key } })

  const firstWrite = await make()
  // Its batches, including those of its key and its stored response.
  let total = 0
  const counter = failBatches(() => {
    total++
    return null
  })
  const expected = await measureChange(async () => expect((await send(firstWrite, "clean")).status).toBeLessThan(300))
  counter.mockRestore()
  expect(total).toBeGreaterThan(1)
  expect(expected.auditLog).toBeGreaterThan(0)
  expect(expected.changed).toBe(true)
  expect(expected.marks).toBe(1)
  if (name === "stores.create" || name === "webhooks.create" || name === "domains.create") await undoCreate(name)

  for (const position of FAULT_POSITIONS) {
    for (let batch = 1; batch <= total; batch++) {
      const write = await make()
      const key = `${position}-${batch}`
      let batches = 0
      const spy = failBatches(() => (++batches === batch ? position : null))
      let first: TestResponse | undefined
      const change = await measureChange(async () => {
        first = await send(write, key)
      })
      spy.mockRestore()
      const wasReached = batches >= batch
      const label = `${name}, ${position} batch ${batch}`
      expect(first?.status, label).toBeLessThan(300)
      expect(isComplete(change, expected), label).toBe(true)
      // A client repeats a request whose response was lost. After a minute the first request's claim expires.
      if (position === "after") {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
        const repeated = await measureChange(() => send(write, key))
        vi.useRealTimers()
        expect(isUnchanged(repeated), label).toBe(true)
      }
      if (name === "stores.create" || name === "webhooks.create" || name === "domains.create") await undoCreate(name)
      // The first write may take a batch more than later ones.
      if (!wasReached) break
    }
  }
})

/** Outages outside the database, none of which may decide whether the change is applied. */
const OUTAGES: Record<string, () => void> = {
  "a failing queue": () => {
    for (const queue of [env.JOB_QUEUE, env.SLOW_JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE]) {
      vi.mocked(queue.send).mockRejectedValue(new Error("the queue is down"))
      vi.mocked(queue.sendBatch).mockRejectedValue(new Error("the queue is down"))
    }
  },
  "an unreachable Durable Object": () => {
    for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
      vi.spyOn(namespace, "get").mockImplementation(() => {
        throw new Error("Durable Object reset because its code was updated.")
      })
    }
  },
  "a Durable Object whose calls fail": () => {
    const stub = { fetch: async () => Promise.reject(new Error("Network connection lost.")) }
    for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES])
      vi.spyOn(namespace, "get").mockReturnValue(stub as unknown as DurableObjectStub)
  },
  "failing mail": () => {
    vi.mocked(env.MAIL.send).mockRejectedValue(new Error("mail is down"))
  },
  "a failing R2 bucket": () => {
    const down = async () => Promise.reject(new Error("put: We encountered an internal error. (10001)"))
    for (const bucket of [env.MEDIA, env.UPDATES, env.BACKUPS, env.ARCHIVE])
      for (const call of ["put", "delete", "list", "get", "head"] as const)
        vi.spyOn(bucket, call).mockImplementation(down)
  },
}

/** Writes with outbound requests, which report that those failed. */
const OUTBOUND_WRITES = new Set(["webhooks.create", "domains.verify", "deliveries.retry", "webhooks.test"])

test.each(Object.keys(OUTAGES))(
  "applies every write completely with %s",
  async (outage) => {
    const token = await makeKey()
    const failures: string[] = []
    for (const [name, make] of Object.entries(WRITES)) {
      mockReceiver()
      const { method, path, json } = await make()
      OUTAGES[outage]?.()
      let response: TestResponse | undefined
      const change = await measureChange(async () => {
        response = await platform(method, path, { token, json, headers: { "Idempotency-Key": name } })
      })
      vi.restoreAllMocks()
      mockQueues()
      if (!response || response.status >= 500 || !change.changed || change.marks !== 1)
        failures.push(`${name}: ${response?.status} ${JSON.stringify(change)}`)
    }
    expect(failures).toEqual([])
  },
  240_000,
)

test("reports unreachable resolvers and receivers, and applies no write partially", async () => {
  const token = await makeKey()
  const failures: string[] = []
  for (const [name, make] of Object.entries(WRITES)) {
    mockReceiver()
    const { method, path, json } = await make()
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Network connection lost."))
    let response: TestResponse | undefined
    const change = await measureChange(async () => {
      response = await platform(method, path, { token, json, headers: { "Idempotency-Key": name } })
    })
    vi.restoreAllMocks()
    mockQueues()
    const isGood = OUTBOUND_WRITES.has(name) ? response && response.status < 500 : change.changed && change.marks === 1
    if (!isGood) failures.push(`${name}: ${response?.status} ${JSON.stringify(change)}`)
  }
  expect(failures).toEqual([])
}, 240_000)

test("applies every write completely or not at all when any call outside the databases fails", async () => {
  const token = await makeKey()
  await makeEndpoint()
  const repeated = ([name, make]: [string, () => Promise<Write>]) => [
    name,
    async () => {
      await undoCreate(name)
      mockReceiver()
      const { method, path, json } = await make()
      return () => platform(method, path, { token, json })
    },
  ]
  const writes = Object.fromEntries(Object.entries(WRITES).map(repeated))
  const calls = await assertAtomicUnderCallFaults(writes, {
    // The last use of a key is recorded occasionally.
    ignoredTables: () => ["api_keys"],
    isEssential: (name, { target }) => OUTBOUND_WRITES.has(name) && target === "fetch",
  })
  expect(Object.values(calls).flat().length).toBeGreaterThan(8)
}, 240_000)

/** Restores the queue mocks that every test starts with. */
function mockQueues(): void {
  const result = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  for (const queue of [env.JOB_QUEUE, env.SLOW_JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE]) {
    vi.spyOn(queue, "send").mockResolvedValue(result)
    vi.spyOn(queue, "sendBatch").mockResolvedValue(result)
  }
}

type ChangeSummary = Awaited<ReturnType<typeof measureChange>>

const isUnchanged = (actual: ChangeSummary) =>
  !actual.changed && actual.auditLog === 0 && actual.events === 0 && actual.marks === 0
const isComplete = (actual: ChangeSummary, expected: ChangeSummary) =>
  actual.changed &&
  actual.auditLog === expected.auditLog &&
  actual.events === expected.events &&
  actual.marks === expected.marks

/** Deletes what a write created, so it can be created again. */
async function undoCreate(name: string) {
  if (name === "stores.create") {
    for (const table of ["domains", "subscriptions", "usage_snapshots"]) {
      await env.DB.exec(`delete from ${table} where store_id = 'brandnew'`)
    }
    await env.DB.exec("delete from stores where id = 'brandnew'")
  }
  if (name === "domains.create") await env.DB.exec("delete from domains where domain = 'shop.example.org'")
}

test("covers every write route", () => {
  const names = routeTable(app)
    .filter(({ method }) => method !== "GET")
    .map(({ id }) => id)
  expect(Object.keys(WRITES).sort()).toEqual(names.sort())
})
