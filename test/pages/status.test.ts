// The public status page, and the incidents that operators write for it.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import type { MeasuredParts } from "../../src/platform/status/assess"
import { assess, getOverallStatus } from "../../src/platform/status/assess"
import { signIn } from "../console/support"
import { call, cron, sendOperatorCommand } from "../support/app"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"

const NOW = new Date("2026-03-01T12:00:00Z")

const measured = (metrics: Partial<MeasuredParts["metrics"]> = {}, pushSeconds: number | null = 0): MeasuredParts => ({
  at: NOW,
  metrics: { latencyP50Ms: 80, latencyP95Ms: 900, oldestDueSeconds: 0, databasesDown: 0, ...metrics },
  detail: { queues: [{ name: "PUSH_QUEUE", oldestSeconds: pushSeconds }] },
})

const statusesOf = (parts: MeasuredParts | null, now = NOW, isReachable = true) => {
  const status = assess(parts, now, isReachable)
  return [status.api.status, status.deliveries.status, status.push.status, getOverallStatus(status, false)]
}

test("judges each component by its own measurements, and knows nothing of old ones", () => {
  expect(statusesOf(measured())).toEqual(Array(4).fill("operational"))
  expect(statusesOf(measured({ oldestDueSeconds: 300 }))[1]).toBe("operational")
  expect(statusesOf(measured({ oldestDueSeconds: 301 }))).toEqual([
    "operational",
    "degraded",
    "operational",
    "degraded",
  ])
  expect(statusesOf(measured({ oldestDueSeconds: 3_601 }))[3]).toBe("outage")
  expect(statusesOf(measured({ databasesDown: 1 }))[0]).toBe("degraded")
  expect(statusesOf(measured({}, 901))).toEqual(["operational", "operational", "degraded", "degraded"])
  expect(statusesOf(measured({}, null))[2]).toBe("operational")
  const old = new Date(NOW.getTime() + 181_000)
  expect(statusesOf(measured({ oldestDueSeconds: 900 }), old)).toEqual(["operational", "unknown", "unknown", "unknown"])
  expect(statusesOf(null, NOW, false)[0]).toBe("outage")
  expect(getOverallStatus(assess(measured(), NOW, true), true)).toBe("degraded")
})

test("shows the latest measurements to anyone, in four languages, cacheable, in one round trip", async () => {
  await makeReadyStore({ subdomain: "secretshop", name: "Secret Shop" })
  await cron("* * * * *")
  const json = await call("GET", "/status.json")
  expect(json.headers.get("Cache-Control")).toBe("public, max-age=30")
  expect(json.body).toEqual({
    status: "operational",
    updated_at: expect.any(String),
    components: {
      api: { status: "operational" },
      webhooks: {
        status: "operational",
        latency_p50_ms: null,
        latency_p95_ms: null,
        oldest_due_seconds: expect.any(Number),
      },
      push: { status: "operational" },
    },
    incidents: [],
  })
  for (const [language, text] of [
    ["en", "All systems are operational"],
    ["es", "Todos los sistemas funcionan"],
    ["fr", "Tous les systèmes fonctionnent"],
    ["vi", "Tất cả hệ thống đang hoạt động"],
  ] as const) {
    const page = await call("GET", "/status", { headers: { "Accept-Language": language } })
    expect([page.status, page.text.includes(text)], language).toEqual([200, true])
    expect([page.headers.get("Cache-Control"), page.headers.get("Vary")]).toEqual([
      "public, max-age=30",
      "Accept-Language",
    ])
    expect(page.text).not.toMatch(/secret ?shop/i)
  }
  expect((await call("GET", "/status", { host: "secretshop.localhost" })).status).toBe(404)
})

test.each([
  [90, "90 sec"],
  [1_153, "19 min"],
  [10_800, "3 hr"],
])("shows a delay of %i seconds as %s", async (seconds, text) => {
  await cron("* * * * *")
  await env.DB.prepare("update system_metrics set data = json_set(data, '$.oldestDueSeconds', ?)").bind(seconds).run()
  expect((await call("GET", "/status")).text).toContain(`<dd>${text}</dd>`)
})

test("reads the databases once in 15 seconds, however many visitors there are", async () => {
  const first = await costsOf(() => call("GET", "/status"))
  expect([first.roundTrips, first.rowsWritten, first.objectCalls]).toEqual([1, 0, 0])
  const later = await costsOf(() => Promise.all([call("GET", "/status"), call("GET", "/status.json")]))
  expect(later.roundTrips).toBe(0)
})

test("reports an outage while the central database does not respond", async () => {
  const spy = vi.spyOn(env.DB, "batch").mockRejectedValue(new Error("D1_ERROR: Network connection lost."))
  const { status, body } = await call("GET", "/status.json")
  spy.mockRestore()
  expect([status, body.status, body.components.api.status]).toEqual([200, "outage", "outage"])
})

test("publishes, changes, ends and reopens an incident, escaped and audited", async () => {
  const support = await signIn({ role: "support" })
  const created = await support.post("/console/incidents", { title: "Slow <webhooks>", body: "We are\nlooking." })
  expect(created.headers.get("Location")).toBe("/console/incidents?done=incident_published")
  const page = await call("GET", "/status")
  expect(page.text).toContain("Slow &lt;webhooks&gt;")
  expect(page.text).toContain("Ongoing")
  expect((await call("GET", "/status.json")).body).toMatchObject({
    status: expect.stringMatching(/degraded/),
    incidents: [{ title: "Slow <webhooks>", body: "We are\nlooking.", ended_at: null }],
  })
  const edit = (fields: Record<string, string>) =>
    support.post("/console/incidents/1/edit", { title: "Slow webhooks", body: "Fixed.", ...fields })
  expect((await edit({ ended: "true" })).status).toBe(303)
  expect(await rows("select title, body, ended_at is not null as ended from incidents")).toEqual([
    { title: "Slow webhooks", body: "Fixed.", ended: 1 },
  ])
  expect((await edit({ ended: "false" })).status).toBe(303)
  expect(await rows("select ended_at from incidents")).toEqual([{ ended_at: null }])
  expect((await edit({ title: "" })).status).toBe(422)
  const log = await rows("select type from audit_entries where subject_type = 'incident' order by id")
  expect(log.map(({ type }) => type)).toEqual(["incident_created", "incident_changed", "incident_changed"])
  for (const role of ["finance", "viewer"] as const) {
    const other = await signIn({ role })
    expect((await other.get("/console/incidents")).status).toBe(200)
    expect((await other.post("/console/incidents", { title: "x", body: "y" })).status).toBe(403)
  }
  expect((await support.get("/console/incidents/99")).status).toBe(404)
})

test("creates, lists and ends incidents by commands, and lists ended ones for 90 days", async () => {
  const { body } = await sendOperatorCommand("incidents:create", { title: "Late", body: "Deliveries are late." })
  expect(body.data).toMatchObject({ id: 1, title: "Late", ended_at: null })
  const ended = await sendOperatorCommand("incidents:update", { id: 1, ended: true })
  expect(ended.body.data.ended_at).not.toBeNull()
  expect((await sendOperatorCommand("incidents:list")).body.data).toEqual([ended.body.data])
  await env.DB.exec(`update incidents set ended_at = ${Date.now() - 91 * 86_400_000}`)
  expect((await call("GET", "/status.json")).body.incidents).toEqual([])
  expect((await sendOperatorCommand("incidents:update", { id: 2, ended: true })).status).toBe(404)
})
