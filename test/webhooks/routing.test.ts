// The router: it creates the deliveries of committed events, each once, whatever fails on the way.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import type { Ctx } from "../../src/core/context"
import { commit } from "../../src/core/write/commit"
import { routeEvents } from "../../src/core/write/event-router"
import { consume, cron, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { AUDIT_DRAFT, buildEvent, emitEvent, freezeClock } from "../support/webhook-factories"

/** Commits an event whose Worker dies before the router runs. */
const emitUnrouted = (type = "store.ready") =>
  run((ctx) =>
    commit(
      { ...ctx, routeEvents: () => undefined },
      { auditLog: [{ audit: AUDIT_DRAFT, events: [buildEvent(type)] }] },
    ),
  )

const listDeliveries = () => rows("select endpoint_id as endpoint, event from webhook_deliveries order by id")

/** Runs the jobs that the cron of every minute enqueues. */
async function runMinute() {
  vi.mocked(env.JOB_QUEUE.send).mockClear()
  await cron("* * * * *")
  const bodies = vi.mocked(env.JOB_QUEUE.send).mock.calls.map(([body]) => body)
  await consume("tenancy-jobs", bodies)
}

/** Makes the router's transactions fail, before or after they take effect. */
const failRouting = (position: "before" | "after", times: number) => {
  let failures = 0
  return interceptRoundTrips(async (send, statements) => {
    const isRouting = statements.some((sql) => /^insert into "webhook_deliveries"/i.test(sql))
    if (!isRouting || failures++ >= times) return send()
    if (position === "after") await send()
    throw new Error("D1_ERROR: Network connection lost.")
  })
}

describe("an event whose Worker died before it was routed", () => {
  test("gets its deliveries from the cron of every minute", async () => {
    const { id } = await makeEndpoint()
    await emitUnrouted()
    expect(await listDeliveries()).toEqual([])
    await runMinute()
    expect(await listDeliveries()).toEqual([{ endpoint: id, event: "store.ready" }])
    expect(env.WEBHOOK_QUEUE.sendBatch).toHaveBeenCalledTimes(1)
  })

  test("gets its deliveries a minute later when the run that had the lease died, too", async () => {
    const clock = freezeClock()
    await makeEndpoint()
    await emitUnrouted()
    // The message of this minute is lost, and the last one of a request has no lease.
    await cron("* * * * *")
    await consume("tenancy-jobs", [{ job: "route" }])
    expect(await listDeliveries()).toHaveLength(1)
    await emitUnrouted()
    clock.advance(60)
    await runMinute()
    expect(await listDeliveries()).toHaveLength(2)
  })

  test("gets its deliveries with those of the next event", async () => {
    await makeEndpoint()
    await emitUnrouted("store.created")
    await emitEvent("store.ready")
    expect(await listDeliveries()).toMatchObject([{ event: "store.created" }, { event: "store.ready" }])
  })

  test("is not delivered to an endpoint that was created after it", async () => {
    const token = await makeKey()
    await emitUnrouted()
    mockReceiver()
    const json = { url: "https://receiver.example/hook", events: ["*"] }
    expect((await platform("POST", "/webhooks", { token, json })).status).toBe(201)
    await runMinute()
    expect(await listDeliveries()).toEqual([])
    await emitEvent()
    expect(await listDeliveries()).toHaveLength(1)
  })

  test("is delivered to the endpoints that receive events when it is routed", async () => {
    const [disabled, enabled] = [await makeEndpoint(), await makeEndpoint({ isActive: false })]
    await emitUnrouted()
    await env.DB.prepare("update webhook_endpoints set is_active = (id = ?)").bind(enabled.id).run()
    await runMinute()
    expect((await listDeliveries()).map(({ endpoint }) => endpoint)).toEqual([enabled.id])
    expect(disabled.id).not.toBe(enabled.id)
  })

  test("goes by the store that had the name when it was committed", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    const [{ seq } = { seq: 0 }] = await rows("select seq from stores where id = ?", store)
    const former = await makeEndpoint({ stores: [store], storeSeqs: [Number(seq)] })
    await makeEndpoint({ stores: [store], storeSeqs: [Number(seq) + 1] })
    const faults = failRouting("before", Number.POSITIVE_INFINITY)
    expect((await platform("POST", `/stores/${store}/suspend`, { token })).status).toBe(200)
    faults.mockRestore()
    await env.DB.prepare("update stores set seq = seq + 1 where id = ?").bind(store).run()
    await runMinute()
    expect((await listDeliveries()).map(({ endpoint }) => endpoint)).toEqual([former.id])
  })
})

describe("the router", () => {
  test("creates each delivery once when it runs twice at the same time", async () => {
    for (let index = 0; index < 3; index++) await makeEndpoint()
    for (let index = 0; index < 5; index++) await emitUnrouted()
    await Promise.all([run(routeEvents), run(routeEvents), run(routeEvents)])
    expect(await count("webhook_deliveries")).toBe(15)
    const messages = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.flatMap(([batch]) => [...batch])
    expect(new Set(messages.map(({ body }) => JSON.stringify(body))).size).toBe(15)
    expect(messages).toHaveLength(15)
  })

  test.each(["before", "after"] as const)(
    "creates each delivery once when a transaction fails %s it takes effect",
    async (position) => {
      await makeEndpoint()
      const faults = failRouting(position, 1)
      await emitEvent()
      faults.mockRestore()
      expect(await count("webhook_deliveries")).toBe(1)
    },
  )

  test("leaves the events to a job when its transactions keep failing", async () => {
    await makeEndpoint()
    const faults = failRouting("before", Number.POSITIVE_INFINITY)
    await emitEvent()
    faults.mockRestore()
    expect(await count("webhook_deliveries")).toBe(0)
    expect(env.JOB_QUEUE.send).toHaveBeenCalledWith({ job: "route" })
    await consume("tenancy-jobs", [{ job: "route" }])
    expect(await count("webhook_deliveries")).toBe(1)
  })

  test("reads the endpoints again when one that it knew was deleted", async () => {
    const [gone, other] = [await makeEndpoint(), await makeEndpoint()]
    await emitEvent()
    const deletion = interceptRoundTrips(async (send, statements) => {
      if (statements.some((sql) => /^insert into "webhook_deliveries"/i.test(sql))) {
        deletion.mockRestore()
        await env.DB.prepare("delete from webhook_endpoints where id = ?").bind(gone.id).run()
      }
      return send()
    })
    await emitEvent()
    await consume("tenancy-jobs", [{ job: "route" }])
    expect((await listDeliveries()).map(({ endpoint }) => endpoint)).toEqual([other.id, other.id])
  })

  test("routes an event to 12,000 endpoints in steps, and again after dying in one of them", async () => {
    await makeEndpoint()
    await env.DB.prepare(
      `with recursive n(value) as (select 1 union all select value + 1 from n where value < 11999)
        insert into webhook_endpoints (url, events, secret, is_active, consecutive_failures, failure_seq, created_by_name, created_at, updated_at)
        select url, events, secret, 1, 0, 0, 'test', 1, 1 from webhook_endpoints, n`,
    ).run()
    let transactions = 0
    const death = interceptRoundTrips(async (send, statements) => {
      const isRouting = statements.some((sql) => /^insert into "webhook_deliveries"/i.test(sql))
      if (isRouting && ++transactions > 5) throw new Error("the Worker died")
      return send()
    })
    await emitEvent()
    death.mockRestore()
    expect(await count("webhook_deliveries")).toBe(5_000)
    await consume("tenancy-jobs", [{ job: "route" }])
    expect(await count("webhook_deliveries")).toBe(12_000)
  })

  test("continues in another message after 5,000 deliveries", async () => {
    for (let index = 0; index < 60; index++) await makeEndpoint()
    for (let index = 0; index < 110; index++) await emitUnrouted()
    const next = await run((ctx: Ctx) => routeEvents(ctx))
    expect(next).toEqual({ job: "route" })
    expect(await count("webhook_deliveries")).toBe(6_000)
    expect(await run((ctx: Ctx) => routeEvents(ctx))).toBeNull()
    expect(await count("webhook_deliveries")).toBe(6_600)
  })

  test("reads as many rows with 300 endpoints that do not listen as with none", async () => {
    const measure = async () => {
      await emitEvent()
      const { rowsRead, routing } = await costsOf(() => emitEvent())
      return rowsRead + routing.rowsRead
    }
    const withoutEndpoints = await measure()
    for (let index = 0; index < 300; index++) await makeEndpoint({ events: ["license.*"] })
    expect(await measure()).toBe(withoutEndpoints)
  })

  test("makes one run for the events that are committed while it is busy", async () => {
    await makeEndpoint()
    let transactions = 0
    const counter = interceptRoundTrips(async (send, statements) => {
      if (statements.some((sql) => /^insert into "webhook_deliveries"/i.test(sql))) transactions++
      return send()
    })
    await Promise.all(Array.from({ length: 20 }, () => emitEvent()))
    counter.mockRestore()
    expect(await count("webhook_deliveries")).toBe(20)
    expect(transactions).toBeLessThan(20)
  })
})
