// Receivers that report with `webhook-cursor` what they have stored: a receiver that was restored from a backup is
// announced as behind, and gets what it lost again.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { routeEvents } from "../../src/core/write/event-router"
import { resumeRecoveries } from "../../src/webhooks/recovery/service"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { seededRandom } from "../../tools/lib/random"
import { consume, isolate, platform, run } from "../support/app"
import { checkedEnv } from "../support/checked-database"
import { costsOf } from "../support/costs"
import { makeDeliveryDatabases } from "../support/delivery-databases"
import { makeEndpoint, makeKey } from "../support/factories"
import { failBatches } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { recreateSchema } from "../support/schema"
import { drainBatches, emitEvent, freezeClock } from "../support/webhook-factories"

const HOUR = 3_600

let token = ""

beforeEach(async () => {
  token = await makeKey()
  vi.mocked(env.SLOW_JOB_QUEUE.send).mockResolvedValue(undefined as never)
})

/** Makes the first attempts that were enqueued, each message alone or all in one batch. */
async function attemptAll({ isGrouped = false } = {}) {
  for (;;) {
    const calls = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
    const singles = vi.mocked(env.WEBHOOK_QUEUE.send).mock.calls.splice(0)
    const messages = [...calls.flatMap(([sent]) => [...sent].map(({ body }) => body)), ...singles.map(([body]) => body)]
    if (!messages.length) return
    if (isGrouped) await consume("tenancy-webhooks", messages)
    else for (const message of messages as DeliveryMessage[]) await consume("tenancy-webhooks", [message])
  }
}

/** Runs the recoveries that were enqueued. @returns how many steps ran */
async function runJobs(): Promise<number> {
  const jobs = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.splice(0)
  for (const [job] of jobs) await consume("tenancy-slow-jobs", [job])
  return jobs.length
}

/**
 * A receiver that stores events, and reports the newest one that it had before the present one.
 * @param fixed reported instead, if it returns one
 */
function makeReceiver(fixed: (stored: readonly string[], id: string) => string | undefined = () => undefined) {
  let stored: string[] = []
  const hook = mockReceiver(({ headers }) => {
    const id = headers.get("webhook-id") ?? ""
    const cursor = fixed(stored, id) ?? stored.toSorted().at(-1)
    if (!stored.includes(id)) stored.push(id)
    return new Response(null, { status: 200, ...(cursor && { headers: { "webhook-cursor": cursor } }) })
  })
  return {
    requests: hook.requests,
    ids: () => stored,
    /** Restores a backup with the oldest events. */
    restore: (events: number) => {
      stored = stored.toSorted().slice(0, events)
    },
  }
}

const get = async (id: number) => (await platform("GET", `/webhooks/${id}`, { token })).body.data

const createEndpoint = async (fields: object = {}): Promise<number> => {
  const json = { url: "https://receiver.example/hook", events: ["*"], ...fields }
  return (await platform("POST", "/webhooks", { token, json })).body.data.id
}

const emitMany = async (events: number) => {
  for (let event = 0; event < events; event++) await emitEvent()
  // The cron starts the job of events whose routing failed.
  await run(routeEvents)
  await attemptAll()
}

const listIds = async () =>
  (await rows("select id from webhook_events where is_test = 0 and type = 'store.ready' order by seq")).map(
    ({ id }) => id,
  )

const countBehind = () => count("webhook_events where type = 'endpoint.behind'")

describe("webhook-cursor", () => {
  test.each(["the central database", "delivery databases"])(
    "a restored receiver is announced once and gets the gap again, in order, from %s",
    async (databases) => {
      if (databases === "delivery databases") await makeDeliveryDatabases()
      const clock = freezeClock()
      const receiver = makeReceiver()
      const id = await createEndpoint({ reconcile: true })
      const watcher = await createEndpoint({ url: "https://watcher.example/hook", events: ["endpoint.*"] })
      await emitMany(5)
      expect(await get(id)).toMatchObject({ reconcile: true, receiver_cursor: receiver.ids()[3], behind_since: null })
      clock.advance(HOUR)
      receiver.restore(2)
      const [, second] = receiver.ids()
      receiver.requests.splice(0)
      await emitEvent()
      await attemptAll({ isGrouped: true })
      expect(await get(id)).toMatchObject({ receiver_cursor: second, behind_since: expect.any(String) })
      const [raised] = (await platform("GET", "/events?types=endpoint.*", { token })).body.data
      expect(raised).toMatchObject({
        type: "endpoint.behind",
        data: { endpoint: { id, receiver_cursor: second, behind_since: expect.any(String) }, after: "ev1_2" },
        meta: { actor: { type: "system" } },
      })
      const missed = (await platform("GET", "/events?after=ev1_2&types=store.*", { token })).body.data
      expect(missed).toHaveLength(4)

      await runJobs()
      await attemptAll()
      const expected = await listIds()
      const sent = receiver.requests
        .filter(({ url }) => url.includes("receiver"))
        .map(({ headers }) => headers.get("webhook-id"))
      expect(sent).toEqual([expected[5], ...expected.slice(2)])
      expect(
        receiver
          .ids()
          .filter((stored) => expected.includes(stored))
          .toSorted(),
      ).toEqual(expected.toSorted())
      expect(await get(id)).toMatchObject({ behind_since: null, recovery: { queued: 4, done: 4, failed: 0 } })
      expect([await countBehind(), (await get(watcher)).behind_since]).toEqual([1, null])
      const { data } = (await platform("GET", `/webhooks/${id}/deliveries`, { token })).body
      expect(data.map(({ status, attempt }: { status: string; attempt: number }) => [status, attempt])).toEqual(
        [2, 2, 2, 2, 1, 1].map((attempt) => ["delivered", attempt]),
      )
    },
  )

  test("a cursor that is lower than before is checked, however recent its event is", async () => {
    const receiver = makeReceiver()
    const id = await createEndpoint()
    await emitMany(4)
    receiver.restore(2)
    await emitMany(1)
    expect(await get(id)).toMatchObject({ receiver_cursor: receiver.ids()[1], behind_since: null })
    await emitMany(1)
    await env.DB.exec("update webhook_deliveries set delivered_at = delivered_at - 600000 where id < 5000000")
    receiver.restore(1)
    await emitMany(1)
    expect((await get(id)).behind_since).not.toBeNull()
  })

  test("sends a gap again at most once an hour, and remembers one until then, also after higher cursors", async () => {
    const clock = freezeClock()
    const receiver = makeReceiver()
    const id = await createEndpoint({ reconcile: true })
    await emitMany(4)
    clock.advance(HOUR)
    receiver.restore(1)
    await emitMany(1)
    await runJobs()
    expect(receiver.ids()).toHaveLength(5)
    clock.advance(HOUR / 2)
    receiver.restore(2)
    // The second response is up to date again.
    await emitMany(2)
    expect(await get(id)).toMatchObject({ behind_since: expect.any(String) })
    await run(resumeRecoveries)
    expect([await runJobs(), receiver.ids().length]).toEqual([0, 4])
    clock.advance(HOUR / 2)
    await Promise.all([run(resumeRecoveries), run(resumeRecoveries)])
    await runJobs()
    expect(receiver.ids()).toHaveLength(7)
    expect(await get(id)).toMatchObject({ behind_since: null, recovery: { queued: 5, done: 5 } })
    expect(await count("audit_entries where type = 'endpoint_reconciled'")).toBe(2)
  })

  test("a test event makes a restored receiver report at once", async () => {
    const clock = freezeClock()
    const receiver = makeReceiver()
    const id = await createEndpoint({ reconcile: true })
    await emitMany(4)
    clock.advance(HOUR)
    receiver.restore(1)
    expect((await platform("POST", `/webhooks/${id}/test`, { token })).status).toBe(202)
    await runJobs()
    expect(receiver.ids()).toEqual(expect.arrayContaining(await listIds()))
    expect(await get(id)).toMatchObject({ behind_since: null, recovery: { queued: 3, done: 3 } })
  })

  test("is only announced without `reconcile`, until the receiver reports that it has everything", async () => {
    const clock = freezeClock()
    let cursor: string | undefined
    const receiver = makeReceiver(() => cursor)
    const id = await createEndpoint()
    await emitMany(3)
    clock.advance(HOUR)
    cursor = "ev1_0"
    await emitMany(3)
    expect(await get(id)).toMatchObject({ receiver_cursor: "ev1_0", behind_since: expect.any(String), recovery: null })
    cursor = undefined
    await emitMany(1)
    expect(await get(id)).toMatchObject({ behind_since: null, receiver_cursor: receiver.ids()[5] })
    // Reports that alternate, as those of two replicas, are announced once an hour.
    cursor = "ev1_0"
    await emitMany(1)
    expect((await get(id)).behind_since).not.toBeNull()
    expect(await countBehind()).toBe(1)

    await platform("PATCH", `/webhooks/${id}`, { token, json: { reconcile: true } })
    const before = receiver.requests.length
    cursor = undefined
    await run(resumeRecoveries)
    await runJobs()
    expect(receiver.requests.length - before).toBe(8)
    expect(await get(id)).toMatchObject({ behind_since: null })
    const reset = await platform("PATCH", `/webhooks/${id}`, { token, json: { reconcile: null } })
    expect(reset.body.data.reconcile).toBe(false)
  })

  test("ignores cursors that are malformed or unknown, and those of failed attempts", async () => {
    const clock = freezeClock()
    const cursors = ["", "ev1_zz", "ev1_-1", "ev1_0a", "now", "1", "01K4YQZ0M8T3V6N9R2B5C7D1EF", "x".repeat(9_000)]
    let status = 200
    mockReceiver(
      (_, number) => new Response(null, { status, headers: { "webhook-cursor": cursors[number - 2] ?? "ev1_1" } }),
    )
    const id = await createEndpoint({ reconcile: true })
    await emitMany(1)
    clock.advance(HOUR)
    for (const cursor of cursors) {
      await emitMany(1)
      expect(await get(id), cursor).toMatchObject({ receiver_cursor: "ev1_1", behind_since: null })
    }
    // The event of a test is not in the feed.
    const ping = (await platform("POST", `/webhooks/${id}/test`, { token })).body.data
    cursors[cursors.length] = ping.event_id
    status = 500
    await emitMany(2)
    expect(await get(id)).toMatchObject({ receiver_cursor: "ev1_1" })
    expect(await count("webhook_endpoints where gap_seq is not null")).toBe(0)
  })

  test("a receiver that reports the event of each request is not behind after a retry or a recovery", async () => {
    const clock = freezeClock()
    let isDown = true
    const hook = mockReceiver(({ headers }) =>
      isDown
        ? new Response(null, { status: 500 })
        : new Response(null, { headers: { "webhook-cursor": headers.get("webhook-id") ?? "" } }),
    )
    const id = await createEndpoint({ reconcile: true })
    await emitMany(1)
    isDown = false
    await emitMany(3)
    const newest = hook.requests.at(-1)?.headers.get("webhook-id")
    clock.advance(HOUR)
    await run((ctx) => runSweep(ctx, { limit: 10 }))
    await drainBatches()
    const { data } = (await platform("GET", `/webhooks/${id}/deliveries`, { token })).body
    for (const { status } of data) expect(status).toBe("delivered")
    expect(await get(id)).toMatchObject({ receiver_cursor: newest, behind_since: null })
    expect(await countBehind()).toBe(0)
  })

  test("costs one row written when it changes, and nothing more when it does not", async () => {
    freezeClock()
    let cursor: string | undefined
    makeReceiver(() => cursor)
    await makeEndpoint()
    await emitMany(2)
    const measure = async (report: string | undefined) => {
      cursor = report
      await emitEvent()
      const { roundTrips, rowsWritten } = await costsOf(attemptAll)
      return { roundTrips, rowsWritten }
    }
    const known = await measure((await rows("select receiver_cursor as c from webhook_endpoints"))[0]?.c as string)
    const own = await measure((await listIds()).at(-1) as string)
    expect(own).toEqual({ ...known, rowsWritten: known.rowsWritten + 1 })
  })

  test("a receiver that loses an hour under faults has everything in the end, in four databases", {
    timeout: 60_000,
  }, async () => {
    const random = seededRandom(20_261_127)
    const occurs = (chance: number) => random() < chance
    const clock = freezeClock()
    await makeDeliveryDatabases()
    await recreateSchema(env.SITES_2, env.TEST_MIGRATIONS_CENTRAL)
    const names = ["DB", "WEBHOOKS_1", "WEBHOOKS_2", "WEBHOOKS_3"]
    isolate.env = checkedEnv({
      WEBHOOK_DATABASES: names.join(),
      WEBHOOKS_3: env.SITES_2,
      TENANCY_WEBHOOK_DISABLE_AFTER: "100000",
    })
    for (const [index, database] of names.entries())
      await makeEndpoint({
        url: `https://e${index}.example/`,
        database,
        events: ["store.*"],
        reconcile: true,
        ordered: index % 2 === 1,
      })
    const stored = new Map<string, Set<string>>()
    let faults = true
    mockReceiver(({ url, headers }) => {
      const own = stored.get(url) ?? new Set()
      stored.set(url, own)
      if (faults && occurs(0.2)) return new Response(null, { status: 500 })
      const cursor = [...own].sort().at(-1) ?? "ev1_0"
      own.add(headers.get("webhook-id") ?? "")
      return new Response(null, { headers: { "webhook-cursor": cursor } })
    })
    failBatches(() => (faults && occurs(0.05) ? (occurs(0.5) ? "before" : "after") : null))
    const work = async () => {
      // The cron starts the job of events whose routing failed.
      await run(routeEvents).catch(() => undefined)
      await attemptAll({ isGrouped: true })
      await run((ctx) => runSweep(ctx, { limit: 100 })).catch(() => undefined)
      await drainBatches(isolate.env)
      await run(resumeRecoveries).catch(() => undefined)
      await runJobs()
    }
    const emitSome = async () => {
      for (let event = 0; event < 2; event++) await emitEvent().catch(() => undefined)
      await work()
      clock.advance(600)
    }
    for (let round = 0; round < 4; round++) await emitSome()
    // Each receiver is restored from a backup of an hour ago.
    for (const own of stored.values()) for (const id of [...own].sort().slice(2)) own.delete(id)
    for (let round = 0; round < 2; round++) await emitSome()
    faults = false
    for (let round = 0; round < 12; round++) {
      await work()
      clock.advance(7_500)
    }
    const all = await listIds()
    expect(all.length).toBeGreaterThan(8)
    for (const [url, own] of stored) expect([...own].sort(), url).toEqual(all.toSorted())
    expect(await count("webhook_endpoints where behind_since is not null or gap_seq is not null")).toBe(0)
    expect(await countBehind()).toBeGreaterThanOrEqual(4)
  })
})
