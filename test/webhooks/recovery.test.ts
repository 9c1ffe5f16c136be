// Recovery: an endpoint gets what it has not got, in the order of the events, whatever dies on the way.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { resumeRecoveries } from "../../src/webhooks/recovery/service"
import { consume, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { failBatches, seededRandom } from "../support/faults"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const since = () => new Date(Date.now() - 3_600_000).toISOString()

/** Keeps the messages of the job queue for `work`. */
const holdJobs = () => vi.mocked(env.JOB_QUEUE.send).mockResolvedValue(undefined as never)

const recover = async (id: number, json: Record<string, unknown>) =>
  platform("POST", `/webhooks/${id}/recover`, { token: await makeKey(), json: { since: since(), ...json } })

/** Delivers the latest message of the job: it carries the token of the job's lease. */
function work(endpoint: number) {
  const sent = vi.mocked(env.JOB_QUEUE.send).mock.calls.map(([message]) => message)
  const latest = sent.findLast((message) => message.job === "recovery" && message.endpoint === endpoint)
  return consume("tenancy-jobs", [latest ?? { job: "recovery", endpoint }])
}

const progress = async (id: number) =>
  (await platform("GET", `/webhooks/${id}`, { token: await makeKey() })).body.data.recovery

const switchTo = (id: number, isActive: boolean) =>
  env.DB.prepare("update webhook_endpoints set is_active = ?, disabled_at = null where id = ?")
    .bind(isActive ? 1 : 0, id)
    .run()

const marks = (hook: ReturnType<typeof mockReceiver>) => hook.events().map((event) => event.data.mark)

const emitMany = async (from: number, to: number, type?: string) => {
  for (let mark = from; mark < to; mark++) await emitEvent(type, { mark })
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe("recovery", () => {
  test("an endpoint that was off during 500 events gets the 500 in their order", async () => {
    holdJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await switchTo(id, false)
    await emitMany(0, 500)
    await switchTo(id, true)
    const answer = await recover(id, { mode: "missed" })
    expect([answer.status, answer.body]).toEqual([202, { data: { queued: 500 } }])
    expect(await progress(id)).toMatchObject({ queued: 500, done: 0, failed: 0 })
    while ((await progress(id)).done < 500) await work(id)
    expect(marks(hook)).toEqual(numbered(0, 500))
    expect(await progress(id)).toMatchObject({ queued: 500, done: 500, failed: 0 })
    expect((await recover(id, { mode: "all" })).body.data.queued).toBe(0)
  })

  test("sends again what failed, and never what was delivered", async () => {
    holdJobs()
    const hook = mockReceiver()
    const endpoint = await makeEndpoint()
    await switchTo(endpoint.id, true)
    await emitMany(0, 4)
    await env.DB.prepare(
      "update webhook_deliveries set status = case (id >> 20) % 2 when 0 then 'exhausted' else 'delivered' end, attempt = 6, next_attempt_at = null",
    ).run()
    expect((await recover(endpoint.id, { mode: "missed" })).body.data.queued).toBe(0)
    expect((await recover(endpoint.id, { mode: "failed" })).body.data.queued).toBe(2)
    await work(endpoint.id)
    expect(marks(hook)).toHaveLength(2)
    expect(await rows("select distinct status from webhook_deliveries")).toEqual([{ status: "delivered" }])
    expect(
      await rows("select json_extract(attempts, '$[0].kind') as kind from webhook_deliveries where attempts <> '[]'"),
    ).toEqual([{ kind: "manual" }, { kind: "manual" }])
  })

  test("what somebody else delivered meanwhile has not failed; what is not delivered has", async () => {
    holdJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await emitMany(0, 3)
    const exhaust = (which: string) =>
      env.DB.prepare(
        `update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null ${which}`,
      ).run()
    await exhaust("")
    // Neither of them is of the recovery.
    await makeDelivery(id, { status: "exhausted", createdAt: new Date(Date.now() - 7_200_000) })
    await makeDelivery(id, { status: "exhausted" })
    const deliveries = (await rows("select id from webhook_deliveries order by id")).map((row) => Number(row.id))
    expect((await recover(id, { mode: "failed" })).body.data.queued).toBe(3)
    const retried = await platform("POST", `/webhooks/deliveries/${deliveries[0]}/retry`, { token: await makeKey() })
    expect(retried.status).toBe(200)
    await work(id)
    expect(hook.requests).toHaveLength(3)
    expect(await progress(id)).toMatchObject({ queued: 3, done: 3, failed: 0 })

    await exhaust(`where id in (${deliveries.slice(0, 3)})`)
    expect((await recover(id, { mode: "failed" })).body.data.queued).toBe(3)
    // The first is under way in another worker, which is not heard of again.
    await env.DB.prepare("update webhook_deliveries set status = 'pending' where id = ?").bind(deliveries[0]).run()
    await work(id)
    expect(await progress(id)).toMatchObject({ queued: 3, done: 2, failed: 1 })
  })

  test("counts no more than was queued, though more has failed since", async () => {
    holdJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await emitMany(0, 3)
    const exhaust = (marks: string) =>
      env.DB.prepare(
        `update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null
          where event_id in (select id from webhook_events where json_extract(payload, '$.data.mark') in (${marks}))`,
      ).run()
    await exhaust("0, 2")
    expect((await recover(id, { mode: "failed" })).body.data.queued).toBe(2)
    await exhaust("1")
    await work(id)
    expect(marks(hook)).toEqual([0, 1, 2])
    expect(await progress(id)).toMatchObject({ queued: 2, done: 2, failed: 0 })
  })

  test("all is both, in one order; what fails again is counted apart", async () => {
    holdJobs()
    const hook = mockReceiver((_, count) => new Response(null, { status: count === 2 ? 500 : 200 }))
    const { id } = await makeEndpoint()
    await emitMany(0, 2)
    await env.DB.prepare(
      "update webhook_deliveries set status = 'exhausted', attempt = 6, next_attempt_at = null",
    ).run()
    await switchTo(id, false)
    await emitMany(2, 4)
    await switchTo(id, true)
    expect((await recover(id, { mode: "all" })).body.data.queued).toBe(4)
    await work(id)
    expect(marks(hook)).toEqual([0, 1, 2, 3])
    expect(await progress(id)).toMatchObject({ queued: 4, done: 3, failed: 1 })
  })

  test("is about the events of its span that the endpoint listens to", async () => {
    holdJobs()
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint({ events: ["store.*"] })
    await switchTo(id, false)
    await emitMany(0, 2)
    clock.advance(3600)
    const from = new Date().toISOString()
    await emitMany(2, 4)
    await emitMany(4, 6, "domain.added")
    await emitMany(6, 8, "store.updated")
    clock.advance(3600)
    const until = new Date().toISOString()
    clock.advance(1)
    await emitMany(8, 9)
    await switchTo(id, true)
    const span = { since: from, until, mode: "missed" }
    expect((await recover(id, { ...span, events: ["store.updated", "domain.*"] })).body.data.queued).toBe(2)
    await work(id)
    expect((await recover(id, span)).body.data.queued).toBe(2)
    await work(id)
    expect(marks(hook)).toEqual([6, 7, 2, 3])
  })

  test("is about the moments of events, whatever the clock was run for in between", async () => {
    holdJobs()
    const clock = freezeClock()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await switchTo(id, false)
    await emitMany(0, 1)
    for (const days of [30, -30]) {
      clock.advance(days * 86_400)
      await emitMany(100, 102)
      clock.advance(-days * 86_400 + 1)
      await emitMany(1, 2)
    }
    clock.advance(1)
    await switchTo(id, true)
    expect((await recover(id, { mode: "missed" })).body.data.queued).toBe(3)
    await work(id)
    expect(marks(hook)).toEqual([0, 1, 1])
  })

  test("begins at its first event: what the log holds before its span is not read", async () => {
    holdJobs()
    mockReceiver()
    const clock = freezeClock()
    const { id } = await makeEndpoint()
    const costOfFive = async (mark: number) => {
      await switchTo(id, false)
      clock.advance(60)
      const span = { since: new Date().toISOString(), mode: "missed" }
      await emitMany(mark, mark + 5)
      await switchTo(id, true)
      expect((await recover(id, span)).body.data.queued).toBe(5)
      return (await costsOf(() => work(id))).rowsRead
    }
    const first = await costOfFive(0)
    await switchTo(id, false)
    await emitMany(100, 300)
    expect(await costOfFive(5)).toBeLessThan(first + 50)
  })

  test("holds no pings", async () => {
    holdJobs()
    mockReceiver(new Response(null, { status: 500 }))
    const { id } = await makeEndpoint()
    await platform("POST", `/webhooks/${id}/test`, { token: await makeKey() })
    expect((await recover(id, { mode: "all" })).body.data.queued).toBe(0)
  })

  test("is refused while another one runs", async () => {
    holdJobs()
    mockReceiver()
    const { id } = await makeEndpoint()
    await switchTo(id, false)
    await emitMany(0, 2)
    await switchTo(id, true)
    const answers = await Promise.all([recover(id, { mode: "all" }), recover(id, { mode: "all" })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409])
    const refused = await recover(id, { mode: "missed" })
    expect([refused.status, refused.body.error.code]).toEqual([409, "recovery_running"])
    await work(id)
    expect((await recover(id, { mode: "all" })).status).toBe(202)
  })

  test("waits while its endpoint does not receive, and is taken up again by the cron", async () => {
    const jobs = holdJobs()
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await switchTo(id, false)
    await emitMany(0, 3)
    expect((await recover(id, { mode: "missed" })).body.data.queued).toBe(3)
    await work(id)
    expect(hook.requests).toHaveLength(0)
    jobs.mockClear()
    await run(resumeRecoveries)
    expect(jobs).not.toHaveBeenCalled()
    await switchTo(id, true)
    await run(resumeRecoveries)
    expect(jobs).toHaveBeenCalledWith({ job: "recovery", endpoint: id, lease: expect.any(String) })
    await work(id)
    expect(marks(hook)).toEqual([0, 1, 2])
  })

  test("comes to its end in order although the database fails at random", async () => {
    holdJobs()
    const clock = freezeClock()
    const random = seededRandom(7)
    const hook = mockReceiver()
    const { id } = await makeEndpoint()
    await switchTo(id, false)
    await emitMany(0, 60)
    await switchTo(id, true)
    const { queued } = (await recover(id, { mode: "missed" })).body.data
    expect(queued).toBe(60)
    let faults = true
    failBatches(() => (faults && random() < 0.04 ? (random() < 0.5 ? "before" : "after") : null))
    for (let round = 0; round < 60; round++) {
      await work(id)
      clock.advance(61)
    }
    faults = false
    await work(id)
    const last = await progress(id)
    expect(last.done + last.failed).toBe(last.queued)
    const firsts = [...new Set(marks(hook))]
    expect(firsts).toEqual(numbered(0, 60).filter((mark) => firsts.includes(mark)))
    expect(firsts.length).toBeGreaterThanOrEqual(55)
  })

  test.each([
    [{ since: undefined, mode: "all" }, "since"],
    [{ since: "yesterday", mode: "all" }, "since"],
    [{ mode: "some" }, "mode"],
    [{}, "mode"],
    [{ mode: "all", events: [] }, "events"],
    [{ mode: "all", events: ["ping"] }, "events"],
    [{ mode: "all", until: 1 }, "until"],
  ])("refuses %o", async (json, field) => {
    const { id } = await makeEndpoint()
    const { status, body } = await recover(id, json)
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
  })

  test("is 404 for no endpoint", async () => {
    await makeDelivery((await makeEndpoint()).id)
    expect((await recover(999, { mode: "all" })).status).toBe(404)
  })
})
