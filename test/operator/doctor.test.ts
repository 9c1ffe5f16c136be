// delivery:doctor: which deliveries are late, since when and why.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import { HOUR, MINUTE, SECOND } from "../../src/lib/time"
import type { DoctorReport } from "../../src/platform/system/doctor"
import { DNS_OUTAGE_ERROR } from "../../src/webhooks/dns-outage"
import type { Delivery } from "../../src/webhooks/reserve"
import { signIn } from "../console/support"
import { consume, cron, sendOperatorCommand } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint } from "../support/factories"
import { takeDown } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { makeDelivery } from "../support/webhook-factories"

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-24T10:30:00Z") })
  await cron("* * * * *")
})

const diagnose = async (input: object = {}): Promise<DoctorReport> =>
  (await sendOperatorCommand("delivery:doctor", input)).body.data

const namesOf = (causes: { cause: string }[]) => causes.map(({ cause }) => cause)

const ago = (ms: number) => new Date(Date.now() - ms)

const makeLate = async (overrides: Partial<Delivery> = {}, endpoint: object = {}) => {
  const { id } = await makeEndpoint(endpoint)
  return { id, delivery: await makeDelivery(id, { createdAt: ago(10 * MINUTE), ...overrides }) }
}

test("reports that nothing is late", async () => {
  await makeDelivery((await makeEndpoint()).id, { createdAt: ago(119 * SECOND) })
  expect(await diagnose()).toEqual({
    checked_at: "2026-11-24T10:30:00+00:00",
    late: false,
    causes: [],
    endpoints: [],
  })
})

test("reports a delivery from two minutes on, with its endpoint, age and the runbook", async () => {
  const { id, delivery } = await makeLate({ createdAt: ago(120 * SECOND) })
  const { endpoints, late } = await diagnose()
  expect(late).toBe(true)
  expect(endpoints).toMatchObject([
    {
      endpoint: id,
      since: "2026-11-24T10:28:00+00:00",
      late_seconds: 120,
      deliveries: 1,
      delivery: delivery.id,
      causes: [{ cause: "unknown", runbook: "docs/operations/runbooks/deliveries-late.md" }],
    },
  ])
})

test("finds the receiver that fails, is slow, or gets more than it can take", async () => {
  const failing = await makeLate({ error: "http_500" }, { consecutiveFailures: 4, lastFailureAt: ago(MINUTE) })
  const slow = await makeLate()
  const flooded = await makeLate()
  const latencies = Array.from({ length: 26 }, (_, bucket) => (bucket === 20 ? 9 : 0))
  await env.DB.prepare(
    "insert into webhook_hours (endpoint_id, hour, attempts, delivered, statuses, latencies) values (?, ?, 9, 9, '[9,0,0,0,0]', ?)",
  )
    .bind(slow.id, Math.floor(Date.now() / HOUR), JSON.stringify(latencies))
    .run()
  for (let n = 0; n < 24; n++) await makeDelivery(flooded.id, { createdAt: ago(5 * MINUTE) })
  const { endpoints } = await diagnose()
  const causesOf = (id: number) => namesOf(endpoints.find(({ endpoint }) => endpoint === id)?.causes ?? [])
  expect([failing, slow, flooded].map(({ id }) => causesOf(id))).toEqual([
    ["receiver_fails"],
    ["receiver_slow"],
    ["backlog"],
  ])
})

test("finds that DNS is unavailable, after first attempts and retries that it prevented", async () => {
  mockReceiver().spy.mockRejectedValue(new Error("the resolver is down"))
  const { id } = await makeEndpoint()
  const { id: delivery } = await makeDelivery(id)
  await consume("tenancy-webhooks", [{ delivery, endpoint: id }])
  vi.setSystemTime(Date.now() + 3 * MINUTE)
  await cron("* * * * *")
  const { endpoints } = await diagnose()
  expect(endpoints).toMatchObject([
    {
      endpoint: id,
      error: "dns_unavailable",
      causes: [{ cause: "dns_unavailable", runbook: "docs/operations/runbooks/deliveries-late.md" }],
    },
  ])
  const browser = await signIn()
  expect((await browser.get("/console/system/late-deliveries")).text).toContain("dns_unavailable")
})

test("finds retries that DNS prevents although each minute releases them again", async () => {
  const { id } = await makeEndpoint()
  const attempt = { number: 1, kind: "first" as const, durationMs: 500, responseStatus: 500, error: "http_500" }
  const released = { status: "failed" as const, attempt: 1, error: DNS_OUTAGE_ERROR, nextAttemptAt: ago(0) }
  const lost = await makeDelivery(id, { ...released, createdAt: ago(4 * MINUTE), updatedAt: ago(SECOND) })
  const startedAt = Date.now() - 20 * MINUTE - 500
  const retried = await makeDelivery((await makeEndpoint()).id, {
    ...released,
    createdAt: ago(HOUR),
    updatedAt: ago(SECOND),
    attempts: [{ ...attempt, startedAt }],
  } as Partial<Delivery>)
  const { endpoints } = await diagnose()
  expect(endpoints).toMatchObject([
    { delivery: retried.id, late_seconds: 19 * 60, causes: [{ cause: "dns_unavailable" }] },
    { delivery: lost.id, late_seconds: 3 * 60, causes: [{ cause: "dns_unavailable" }] },
  ])
})

test("reports that the receiver of a requested endpoint fails, also if no delivery is late", async () => {
  const failures = { consecutiveFailures: 4, lastFailureAt: ago(MINUTE) }
  const { id } = await makeEndpoint(failures)
  await makeDelivery(id, { status: "failed", attempt: 1, nextAttemptAt: ago(-HOUR), error: "connection refused" })
  const report = await diagnose({ endpoint: id })
  expect(report).toMatchObject({ late: false, causes: [{ cause: "receiver_fails" }], endpoints: [] })
  expect(report.causes[0]?.since).toBe("2026-11-24T10:29:00+00:00")
  expect((await diagnose()).causes).toEqual([])
  const late = await makeLate({}, failures)
  const { causes, endpoints } = await diagnose({ endpoint: late.id })
  expect([causes, namesOf(endpoints[0]?.causes ?? [])]).toEqual([[], ["receiver_fails"]])
  for (const state of [{ isActive: false }, { disabledAt: ago(HOUR) }]) {
    const stopped = await makeEndpoint({ ...failures, ...state })
    expect(namesOf((await diagnose({ endpoint: stopped.id })).causes)).not.toContain("receiver_fails")
  }
})

test("finds that the cron does not run", async () => {
  await makeLate()
  vi.setSystemTime(Date.now() + 4 * MINUTE)
  const { causes, endpoints } = await diagnose()
  expect(namesOf(causes)).toEqual(["cron_not_running", "sweep_not_running"])
  expect(causes[1]?.since).toBe("2026-11-24T10:30:00+00:00")
  expect(endpoints.map((endpoint) => endpoint.causes)).toEqual([[]])
})

test("finds a sweep that fails, a stuck queue, an unreachable database and transient errors", async () => {
  const down = takeDown(env.SITES_1)
  vi.spyOn(env.RETRY_QUEUE, "metrics").mockResolvedValue({
    backlogCount: 3,
    backlogBytes: 9,
    oldestMessageTimestamp: ago(10 * MINUTE),
  })
  await env.DB.exec(`insert into system_metrics (id, at, faults) values (1, 1, '{}') on conflict do nothing`)
  await cron("* * * * *")
  await env.DB.exec("update system_metrics set data = json_set(data, '$.faults', 11) where id = 0")
  await env.DB.exec(`update cron_runs set runs = json_set(runs, '$."webhook-sweep".error', 'D1 is away')`)
  const { causes } = await diagnose()
  down.restore()
  expect(namesOf(causes)).toEqual(["sweep_not_running", "queue_backlog", "database_errors", "database_down"])
  expect(causes.map(({ detail }) => detail)).toEqual([
    "The last sweep failed: D1 is away",
    "RETRY_QUEUE has 3 messages, the oldest for 600 seconds.",
    "11 transient errors in ten minutes.",
    "SITES_1: unreachable",
  ])
})

test("explains an endpoint that is disabled, inactive, deleted or unknown", async () => {
  const disabled = await makeEndpoint({ disabledAt: ago(HOUR), consecutiveFailures: 25 })
  const inactive = await makeEndpoint({ isActive: false })
  const deleted = await makeEndpoint({ deletedAt: ago(HOUR) })
  const causes = []
  for (const endpoint of [disabled.id, inactive.id, deleted.id, 999]) {
    causes.push(...(await diagnose({ endpoint })).causes)
  }
  expect(namesOf(causes)).toEqual(["endpoint_disabled", "endpoint_inactive", "endpoint_unknown", "endpoint_unknown"])
  expect(causes[0]?.since).toBe("2026-11-24T09:30:00+00:00")
})

test("limits the report to an endpoint or a store, and finds the store's migration", async () => {
  const first = await makeLate({ storeId: "acme" })
  const second = await makeLate({ storeId: "bloom" })
  await env.DB.exec(
    "insert into store_moves (store_id, store_seq, move, source, target, phase, due_at, created_at) values ('acme', 1, 'x', 'SITES_1', 'SITES_2', 'copying', 1, 1)",
  )
  const ids = ({ endpoints }: DoctorReport) => endpoints.map(({ endpoint }) => endpoint)
  expect(ids(await diagnose({ endpoint: second.id }))).toEqual([second.id])
  const ofStore = await diagnose({ store: "acme" })
  expect([ids(ofStore), namesOf(ofStore.causes)]).toEqual([[first.id], ["store_migrating"]])
})

test("reads at most fifty deliveries per endpoint in three round trips, whatever the backlog", async () => {
  const { id } = await makeLate()
  await env.DB.prepare(
    `insert into webhook_deliveries (id, endpoint_id, event_id, event, attempt, status, next_attempt_at, created_at, updated_at, attempts)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
      select 100000 + i, ?, 'e' || i, 'store.ready', i % 2, iif(i % 2, 'failed', 'pending'), 1, 1, 1, '[]' from n`,
  )
    .bind(id)
    .run()
  const costs = await costsOf(() => diagnose())
  expect(costs.rowsRead).toBeLessThan(300)
  expect([costs.roundTrips <= 4, costs.rowsWritten]).toEqual([true, 0])
  expect((await diagnose()).endpoints[0]?.deliveries).toBe(50)
})

test("shows the same on the page of late deliveries", async () => {
  const { id } = await makeLate({}, { consecutiveFailures: 4, lastFailureAt: ago(MINUTE) })
  const browser = await signIn()
  const { text } = await browser.get("/console/system/late-deliveries")
  expect(text).toContain(`Endpoint ${id}`)
  expect(text).toContain('Receiver fails <span class="sub">receiver_fails</span>')
  expect((await browser.get("/console/system/late-deliveries?endpoint=999")).text).toContain("No delivery is late.")
})
