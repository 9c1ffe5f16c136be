// Sends five hundred events while commits, queue, database, counters, sweeps and receivers fail at random. In the end
// every delivery is delivered or exhausted, none is lost, no two workers made the same attempt, and no attempt came too
// early.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { commit } from "../../src/core/write/commit"
import { getNextAttemptAt, MAX_ATTEMPTS } from "../../src/webhooks/schedule"
import { runSweep } from "../../src/webhooks/sweep/sweep"
import { seededRandom } from "../../tools/lib/random"
import { consume, run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { failBatches } from "../support/faults"
import { mockReceiver, type ReceivedRequest } from "../support/receiver"
import { letWorkerProceed } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { AUDIT_DRAFT, buildEvent, drainBatches, freezeClock } from "../support/webhook-factories"

const EVENTS = 500
const SEED = 20_260_902
/** The shortest time in which an attempt can follow another whose worker died. */
const LEASE_SECONDS = 40

/** Probability of a 2xx response by receiver. */
const RECEIVERS: Record<string, number> = { steady: 0.97, flaky: 0.6, poor: 0.35, dead: 0 }

/** One request that a receiver got. */
interface ReceivedAttempt {
  at: number
  ok: boolean
}

function startChaos(seed: number) {
  const random = seededRandom(seed)
  const occurs = (chance: number) => random() < chance
  const clock = freezeClock()
  const received = new Map<string, ReceivedAttempt[]>()
  const open = new Set<string>()
  const overlaps: string[] = []
  let faults = true

  const reply = async (request: ReceivedRequest) => {
    const name = new URL(request.url).hostname.split(".")[0] ?? ""
    const delivery = `${name} ${request.headers.get("webhook-id")}`
    if (open.has(delivery)) overlaps.push(delivery)
    open.add(delivery)
    if (occurs(0.1)) await letWorkerProceed(1)
    const ok = occurs(RECEIVERS[name] ?? 0)
    received.set(delivery, [...(received.get(delivery) ?? []), { at: clock.now(), ok }])
    open.delete(delivery)
    if (ok) return new Response("ok")
    if (occurs(0.3)) throw new Error("Network connection lost.")
    if (occurs(0.3)) throw new DOMException("The operation timed out", "TimeoutError")
    return new Response("no", { status: occurs(0.5) ? 500 : 302 })
  }

  mockReceiver(reply)
  failBatches(() => (faults && occurs(0.06) ? (occurs(0.5) ? "before" : "after") : null))
  const getObject = env.ENDPOINT_FAILURES.get.bind(env.ENDPOINT_FAILURES)
  vi.spyOn(env.ENDPOINT_FAILURES, "get").mockImplementation((...args) => {
    if (faults && occurs(0.03)) throw new Error("the object is overloaded")
    return getObject(...args)
  })
  const messages: DeliveryMessage[] = []
  vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mockImplementation(async (sent) => {
    if (occurs(0.1)) throw new Error("the queue is down")
    for (const { body } of sent) if (!occurs(0.1)) messages.push(body as DeliveryMessage)
    for (const { body } of sent) if (occurs(0.1)) messages.push(body as DeliveryMessage)
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  })
  return { random, occurs, clock, received, overlaps, messages, stopFaults: () => (faults = false) }
}

/** Commits events until there are five hundred; some commits fail. */
async function makeEvents(occurs: (chance: number) => boolean): Promise<void> {
  const types = ["store.ready", "app.enabled", "subscription.activated"]
  while ((await count("webhook_events")) < EVENTS) {
    const type = occurs(0.1) ? "order.paid" : (types[occurs(0.5) ? 0 : occurs(0.5) ? 1 : 2] ?? "")
    const events = Array.from({ length: 5 }, (_, n) => buildEvent(type, { n }))
    await run((ctx) => commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT, events }] })).catch(() => undefined)
  }
}

/** Delivers the queue's messages in batches of five, and redelivers failed ones. */
async function drainQueue(messages: DeliveryMessage[]): Promise<void> {
  for (let round = 0; messages.length && round < 400; round++) {
    const batch = messages.splice(0, 5)
    const { retryMessages } = await consume("tenancy-webhooks", batch)
    for (const { msgId } of retryMessages) messages.push(...batch.slice(Number(msgId), Number(msgId) + 1))
  }
}

/** Advances the clock to each due time and sweeps, sometimes twice concurrently, until nothing is open. */
async function sweepUntilDone({
  clock,
  occurs,
}: Pick<ReturnType<typeof startChaos>, "clock" | "occurs">): Promise<void> {
  const next = "select min(next_attempt_at) as due from webhook_deliveries where status in ('pending', 'failed')"
  for (let minute = 0; minute < 1_000; minute++) {
    const [row] = await rows(next)
    if (typeof row?.due !== "number") return
    clock.advance(Math.max(240, (row.due - clock.now()) / 1000))
    const sweeps = Array.from({ length: occurs(0.2) ? 2 : 1 }, () =>
      run((ctx) => runSweep(ctx, { limit: 200 })).catch(() => undefined),
    )
    await Promise.all(sweeps)
    await drainBatches()
  }
}

describe("chaos", () => {
  test("settles every delivery as delivered or exhausted", { timeout: 120_000 }, async () => {
    const chaosRun = startChaos(SEED)
    const names = new Map<number, string>()
    const subscriptions = { steady: "store.*", flaky: "app.enabled", poor: "subscription.*", dead: "order.*" }
    for (const [name, events] of Object.entries(subscriptions)) {
      const { id } = await makeEndpoint({ url: `https://${name}.example/`, events: [events] })
      names.set(id, name)
    }
    await makeEvents(chaosRun.occurs)
    await drainQueue(chaosRun.messages)
    await sweepUntilDone(chaosRun)
    chaosRun.stopFaults()

    const deliveries = await rows("select * from webhook_deliveries")
    // Nobody subscribes to the events about endpoints and their deliveries.
    const subscribed = "webhook_events where type not like 'endpoint.%' and type not like 'delivery.%'"
    expect(deliveries).toHaveLength(await count(subscribed))
    expect(chaosRun.overlaps).toEqual([])
    const outcomes: Record<string, number> = {}
    for (const row of deliveries) {
      const requests = chaosRun.received.get(`${names.get(Number(row.endpoint_id))} ${row.event_id}`) ?? []
      const attempts = Number(row.attempt)
      const outcome = row.status === "delivered" ? "delivered" : `${row.status} ${String(row.error).split(":")[0]}`
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      expect(row.status, JSON.stringify(row)).toMatch(/^(delivered|exhausted)$/)
      if (row.status === "delivered") expect(requests.some(({ ok }) => ok)).toBe(true)
      else if (row.error !== "endpoint_disabled") expect(attempts).toBe(MAX_ATTEMPTS)
      expect(attempts).toBeLessThanOrEqual(MAX_ATTEMPTS)
      expect(requests.length).toBeLessThanOrEqual(attempts)
      assertInTime(requests)
    }
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(["delivered", "exhausted endpoint_disabled"]))
    await assertCountersAgree()
  })
})

/**
 * Asserts that each request follows the previous one after its retry delay, or after the lease of a worker that died.
 */
function assertInTime(requests: ReceivedAttempt[]): void {
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1]
    if (!before) continue
    const slot = getNextAttemptAt(index, new Date(0))?.getTime() ?? 0
    expect(request.at - before.at).toBeGreaterThanOrEqual(Math.min(slot, LEASE_SECONDS * 1000))
  }
}

/** Asserts that the totals maintained by triggers equal the actual counts. */
async function assertCountersAgree(): Promise<void> {
  const counted = await rows(
    `select endpoint_id, event, sum(status = 'pending') as pending, sum(status = 'delivered') as delivered,
        sum(status = 'failed') as failed, sum(status = 'exhausted') as exhausted
      from webhook_deliveries group by 1, 2 order by 1, 2`,
  )
  const stored = await rows(
    "select endpoint_id, event, pending, delivered, failed, exhausted from webhook_totals order by 1, 2",
  )
  expect(stored).toEqual(counted)
}
