// Recovery: an endpoint gets its failed and missed events in order, whatever fails on the way.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { resumeRecoveries } from "../../src/webhooks/recovery/service"
import { seededRandom } from "../../tools/lib/random"
import { consume, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { failBatches, failEveryOther } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const since = () => new Date(Date.now() - 3_600_000).toISOString()

/** Captures the messages of the job queue for `runJobStep`. */
const captureJobs = () => vi.mocked(env.SLOW_JOB_QUEUE.send).mockResolvedValue(undefined as never)

const recover = async (id: number, json: Record<string, unknown>) =>
  platform("POST", `/webhooks/${id}/recover`, { token: await makeKey(), json: { since: since(), ...json } })

/** Delivers the latest message of the job, which contains the token of the job's lease. */
function runJobStep(endpoint: number) {
  const sent = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([message]) => message)
  const latest = sent.findLast((message) => message.job === "recovery" && message.endpoint === endpoint)
  return consume("tenancy-slow-jobs", [latest ?? { job: "recovery", endpoint }])
}

const progress = async (id: number) =>
  (await platform("GET", `/webhooks/${id}`, { token: await makeKey() })).body.data.recovery

const setActive = (id: number, isActive: boolean) =>
  env.DB.prepare("update webhook_endpoints set is_active = ?, disabled_at = null where id = ?")
    .bind(isActive ? 1 : 0, id)
    .run()

const marks = (hook: ReturnType<typeof mockReceiver>) => hook.events().map((event) => event.data.mark)

const emitRange = async (from: number, to: number, type?: string) => {
  for (let mark = from; mark < to; mark++) await emitEvent(type, { mark })
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe("recovery", () => {
  test("recovers 100 missed events in order, in several steps", async () => {
    captureJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await setActive(id, false)
    await emitRange(0, 100)
    await setActive(id, true)
    const response = await recover(id, { mode: "missed" })
    expect([response.status, response.body]).toEqual([202, { data: { queued: 100 } }])
    expect(await progress(id)).toMatchObject({ queued: 100, done: 0, failed: 0 })
    while ((await progress(id)).done < 100) await runJobStep(id)
    expect(marks(hook)).toEqual(range(0, 100))
    expect(await progress(id)).toMatchObject({ queued: 100, done: 100, failed: 0 })
    expect((await recover(id, { mode: "all" })).body.data.queued).toBe(0)
  })

  test.each([
    { mode: "missed", statement: 'insert into "webhook_deliveries"', fault: "before" },
    { mode: "missed", statement: 'insert into "webhook_deliveries"', fault: "after" },
    { mode: "all", statement: 'update "webhook_deliveries"', fault: "before" },
    { mode: "all", statement: 'update "webhook_deliveries"', fault: "after" },
  ] as const)(
    "recovers $mode events in order when $statement fails once $fault taking effect",
    async ({ mode, statement, fault }) => {
      captureJobs()
      const hook = mockReceiver()
      const { id } = await makeEndpoint()
      if (mode === "missed") await setActive(id, false)
      await emitRange(0, 5)
      await setActive(id, true)
      await env.DB.prepare(
        "update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null",
      ).run()
      await recover(id, { mode })
      const faults = failEveryOther(statement, fault)
      await runJobStep(id)
      faults.mockRestore()
      expect(marks(hook)).toEqual(range(0, 5))
      expect(await progress(id)).toMatchObject({ queued: 5, done: 5, failed: 0 })
    },
  )

  test("recovers failed deliveries and never delivered ones", async () => {
    captureJobs()
    const hook = mockReceiver()
    const endpoint = await makeEndpoint()
    await setActive(endpoint.id, true)
    await emitRange(0, 4)
    await env.DB.prepare(
      "update webhook_deliveries set status = case (id >> 20) % 2 when 0 then 'exhausted' else 'delivered' end, attempt = 6, next_attempt_at = null",
    ).run()
    expect((await recover(endpoint.id, { mode: "missed" })).body.data.queued).toBe(0)
    expect((await recover(endpoint.id, { mode: "failed" })).body.data.queued).toBe(2)
    await runJobStep(endpoint.id)
    expect(marks(hook)).toHaveLength(2)
    expect(await rows("select distinct status from webhook_deliveries")).toEqual([{ status: "delivered" }])
    expect(
      await rows("select json_extract(attempts, '$[0].kind') as kind from webhook_deliveries where attempts <> '[]'"),
    ).toEqual([{ kind: "manual" }, { kind: "manual" }])
  })

  test("reconciles the counts of a recovery with deliveries that were attempted otherwise", async () => {
    captureJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await emitRange(0, 3)
    const exhaust = (condition: string) =>
      env.DB.prepare(
        `update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null ${condition}`,
      ).run()
    await exhaust("")
    // Neither belongs to the recovery.
    await makeDelivery(id, { status: "exhausted", createdAt: new Date(Date.now() - 7_200_000) })
    await makeDelivery(id, { status: "exhausted" })
    const deliveries = (await rows("select id from webhook_deliveries order by id")).map((row) => Number(row.id))
    expect((await recover(id, { mode: "failed" })).body.data.queued).toBe(3)
    const retried = await platform("POST", `/webhooks/deliveries/${deliveries[0]}/retry`, { token: await makeKey() })
    expect(retried.status).toBe(200)
    await runJobStep(id)
    expect(hook.requests).toHaveLength(3)
    expect(await progress(id)).toMatchObject({ queued: 3, done: 3, failed: 0 })

    await exhaust(`where id in (${deliveries.slice(0, 3)})`)
    expect((await recover(id, { mode: "failed" })).body.data.queued).toBe(3)
    // The first is in flight in another worker, which dies.
    await env.DB.prepare("update webhook_deliveries set status = 'pending' where id = ?").bind(deliveries[0]).run()
    await runJobStep(id)
    expect(await progress(id)).toMatchObject({ queued: 3, done: 2, failed: 1 })
  })

  test("counts at most the queued events of a recovery even if more fail in the meantime", async () => {
    captureJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await emitRange(0, 3)
    const events = await rows("select id, payload from webhook_events")
    const exhaust = (...marks: number[]) => {
      const ids = events
        .filter(({ payload }) => marks.includes(JSON.parse(String(payload)).data.mark))
        .map(({ id }) => id)
      return env.DB.prepare(
        `update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null
          where event_id in (select value from json_each(?))`,
      )
        .bind(JSON.stringify(ids))
        .run()
    }
    await exhaust(0, 2)
    expect((await recover(id, { mode: "failed" })).body.data.queued).toBe(2)
    await exhaust(1)
    await runJobStep(id)
    expect(marks(hook)).toEqual([0, 1, 2])
    expect(await progress(id)).toMatchObject({ queued: 2, done: 2, failed: 0 })
  })

  test("recovers failed and missed events in one order and counts new failures separately", async () => {
    captureJobs()
    const hook = mockReceiver((_, count) => new Response(null, { status: count === 2 ? 500 : 200 }))
    const { id } = await makeEndpoint()
    await emitRange(0, 2)
    await env.DB.prepare(
      "update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null",
    ).run()
    await setActive(id, false)
    await emitRange(2, 4)
    await setActive(id, true)
    expect((await recover(id, { mode: "all" })).body.data.queued).toBe(4)
    await runJobStep(id)
    expect(marks(hook)).toEqual([0, 1, 2, 3])
    expect(await progress(id)).toMatchObject({ queued: 4, done: 3, failed: 1 })
  })

  test("recovers only events of the period that the endpoint subscribes to", async () => {
    captureJobs()
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint({ events: ["store.*"] })
    await setActive(id, false)
    await emitRange(0, 2)
    clock.advance(3600)
    const from = new Date().toISOString()
    await emitRange(2, 4)
    await emitRange(4, 6, "domain.added")
    await emitRange(6, 8, "store.updated")
    clock.advance(3600)
    const until = new Date().toISOString()
    clock.advance(1)
    await emitRange(8, 9)
    await setActive(id, true)
    const span = { since: from, until, mode: "missed" }
    expect((await recover(id, { ...span, events: ["store.updated", "domain.*"] })).body.data.queued).toBe(2)
    await runJobStep(id)
    expect((await recover(id, span)).body.data.queued).toBe(2)
    await runJobStep(id)
    expect(marks(hook)).toEqual([6, 7, 2, 3])
  })

  test("recovers events by their time even if the billing clock ran for other dates in between", async () => {
    captureJobs()
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await setActive(id, false)
    await emitRange(0, 1)
    for (const days of [30, -30]) {
      clock.advance(days * 86_400)
      await emitRange(100, 102)
      clock.advance(-days * 86_400 + 1)
      await emitRange(1, 2)
    }
    clock.advance(1)
    await setActive(id, true)
    expect((await recover(id, { mode: "missed" })).body.data.queued).toBe(3)
    await runJobStep(id)
    expect(marks(hook)).toEqual([0, 1, 1])
  })

  test("reads nothing of the log before the period of a recovery", async () => {
    captureJobs()
    mockReceiver()
    const clock = freezeClock()
    const { id } = await makeEndpoint()
    const recoverFive = async (mark: number) => {
      await setActive(id, false)
      clock.advance(60)
      const span = { since: new Date().toISOString(), mode: "missed" }
      await emitRange(mark, mark + 5)
      await setActive(id, true)
      expect((await recover(id, span)).body.data.queued).toBe(5)
      return (await costsOf(() => runJobStep(id))).rowsRead
    }
    const first = await recoverFive(0)
    await setActive(id, false)
    await emitRange(100, 300)
    expect(await recoverFive(5)).toBeLessThan(first + 50)
  })

  test("recovers no pings", async () => {
    captureJobs()
    mockReceiver(new Response(null, { status: 500 }))
    const { id } = await makeEndpoint()
    await platform("POST", `/webhooks/${id}/test`, { token: await makeKey() })
    expect((await recover(id, { mode: "all" })).body.data.queued).toBe(0)
  })

  test("refuses a recovery with 409 while another one runs", async () => {
    captureJobs()
    mockReceiver()
    const { id } = await makeEndpoint()
    await setActive(id, false)
    await emitRange(0, 2)
    await setActive(id, true)
    const responses = await Promise.all([recover(id, { mode: "all" }), recover(id, { mode: "all" })])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 409])
    const refused = await recover(id, { mode: "missed" })
    expect([refused.status, refused.body.error.code]).toEqual([409, "recovery_running"])
    await runJobStep(id)
    expect((await recover(id, { mode: "all" })).status).toBe(202)
  })

  test("pauses a recovery while its endpoint does not receive and resumes it by the cron", async () => {
    const jobs = captureJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await setActive(id, false)
    await emitRange(0, 3)
    expect((await recover(id, { mode: "missed" })).body.data.queued).toBe(3)
    await runJobStep(id)
    expect(hook.requests).toHaveLength(0)
    jobs.mockClear()
    await run(resumeRecoveries)
    expect(jobs).not.toHaveBeenCalled()
    await setActive(id, true)
    await run(resumeRecoveries)
    expect(jobs).toHaveBeenCalledWith({ job: "recovery", endpoint: id, lease: expect.any(String) })
    await runJobStep(id)
    expect(marks(hook)).toEqual([0, 1, 2])
  })

  test("completes a recovery in order while the database fails at random", async () => {
    captureJobs()
    const clock = freezeClock()
    const random = seededRandom(7)
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await setActive(id, false)
    await emitRange(0, 60)
    await setActive(id, true)
    const { queued } = (await recover(id, { mode: "missed" })).body.data
    expect(queued).toBe(60)
    let faults = true
    failBatches(() => (faults && random() < 0.04 ? (random() < 0.5 ? "before" : "after") : null))
    for (let round = 0; round < 60; round++) {
      await runJobStep(id)
      clock.advance(61)
    }
    faults = false
    await runJobStep(id)
    const last = await progress(id)
    expect(last.done + last.failed).toBe(last.queued)
    const received = [...new Set(marks(hook))]
    expect(received).toEqual(range(0, 60).filter((mark) => received.includes(mark)))
    expect(received.length).toBeGreaterThanOrEqual(55)
  })

  test.each([
    [{ since: undefined, mode: "all" }, "since"],
    [{ since: "yesterday", mode: "all" }, "since"],
    [{ mode: "some" }, "mode"],
    [{}, "mode"],
    [{ mode: "all", events: [] }, "events"],
    [{ mode: "all", events: ["ping"] }, "events"],
    [{ mode: "all", until: 1 }, "until"],
  ])("refuses the recovery %o", async (json, field) => {
    const { id } = await makeEndpoint()
    const { status, body } = await recover(id, json)
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
  })

  test("returns 404 for a recovery of an unknown endpoint", async () => {
    await makeDelivery((await makeEndpoint()).id)
    expect((await recover(999, { mode: "all" })).status).toBe(404)
  })
})
