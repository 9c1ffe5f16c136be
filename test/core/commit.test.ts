// Commit: atomicity, optimistic concurrency, and the events of a change.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { applyChange, commit, WriteConflict } from "../../src/core/write/commit"
import { QUEUE_GRACE_MS } from "../../src/core/write/events"
import { plans } from "../../src/db/schema/central/plans"
import { insert } from "../../src/db/write"
import { loadStore } from "../../src/platform/stores/queries"
import { guardedUpdate } from "../../src/platform/stores/service"
import { platform, run } from "../support/app"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { count, rows } from "../support/rows"

const WITHOUT_AUDIT = { auditSkipped: "no_change" } as const

const input = { subdomain: "acme", name: "Acme", owner_email: "a@example.com", password: "correct-horse" }

describe("commit", () => {
  test("rolls back the store, host, event and delivery when the audit insert fails", async () => {
    const token = await makeKey()
    await makeEndpoint()
    await env.DB.exec("drop table audit_entries")
    expect((await platform("POST", "/stores", { token, json: input })).status).toBe(500)
    for (const table of ["stores", "domains", "usage_snapshots", "webhook_events", "webhook_deliveries"]) {
      expect(await count(table), table).toBe(0)
    }
    expect(await rows("select * from counters where list = 'stores'")).toEqual([])
    expect(env.JOB_QUEUE.send).not.toHaveBeenCalled()
  })

  test("rolls back the change when the guard touches no row", async () => {
    const id = await makeReadyStore()
    await makeEndpoint()
    const stale = await run((ctx) => loadStore(ctx, id))
    await run((ctx) => commit(ctx, { guard: guardedUpdate(stale, { name: "First" }), auditLog: WITHOUT_AUDIT }))
    const lateUpdate = run((ctx) =>
      commit(ctx, {
        guard: guardedUpdate(stale, { name: "Late" }),
        writes: [insert(plans).values(samplePlan)],
        auditLog: [
          {
            audit: { storeId: id, type: "suspended" },
            events: [{ type: "store.deleted", data: { store: { id } }, meta: { reason: "api" } }],
          },
        ],
      }),
    )
    await expect(lateUpdate).rejects.toBeInstanceOf(WriteConflict)
    expect((await rows("select name from stores"))[0]?.name).toBe("First")
    expect(await count("plans")).toBe(0)
    expect(await rows("select id from audit_entries where type = 'suspended'")).toEqual([])
    expect(await rows("select id from webhook_events where type = 'store.deleted'")).toEqual([])
  })

  test("decides again on the new state after a write conflict", async () => {
    const id = await makeReadyStore()
    const names: string[] = []
    await run((ctx) =>
      applyChange(
        ctx,
        () => loadStore(ctx, id),
        async (current) => {
          names.push(current.store.name)
          // A concurrent change wins the first time.
          if (names.length === 1)
            await commit(ctx, { guard: guardedUpdate(current, { name: "Theirs" }), auditLog: WITHOUT_AUDIT })
          return { result: null, change: { guard: guardedUpdate(current, { name: "Ours" }), auditLog: WITHOUT_AUDIT } }
        },
      ),
    )
    expect(names).toEqual(["A store", "Theirs"])
    expect((await rows("select name from stores"))[0]?.name).toBe("Ours")
  })

  test("throws after twelve write conflicts", async () => {
    const id = await makeReadyStore()
    let decisions = 0
    const conflicting = run((ctx) =>
      applyChange(
        ctx,
        () => loadStore(ctx, id),
        async (current) => {
          decisions += 1
          await commit(ctx, { guard: guardedUpdate(current, {}), auditLog: WITHOUT_AUDIT })
          return { result: null, change: { guard: guardedUpdate(current, {}), auditLog: WITHOUT_AUDIT } }
        },
      ),
    )
    await expect(conflicting).rejects.toBeInstanceOf(WriteConflict)
    expect(decisions).toBe(12)
  })
})

describe("events", () => {
  test("creates deliveries for active, enabled endpoints subscribed by type, by wildcard or by *", async () => {
    const subscribed = [
      await makeEndpoint({ events: ["*"] }),
      await makeEndpoint({ events: ["store.*"] }),
      await makeEndpoint({ events: ["domain.added", "store.created"] }),
    ]
    await makeEndpoint({ events: ["store.ready"] })
    await makeEndpoint({ events: ["subscription.*"] })
    await makeEndpoint({ isActive: false })
    await makeEndpoint({ disabledAt: new Date() })
    const token = await makeKey()
    await platform("POST", "/stores", { token, json: input })
    const deliveries = await rows(
      "select endpoint_id, status, attempt, event, store_id from webhook_deliveries order by id",
    )
    expect(deliveries).toEqual(
      subscribed.map(({ id }) => ({
        endpoint_id: id,
        status: "pending",
        attempt: 0,
        event: "store.created",
        store_id: "acme",
      })),
    )
    const sent = (env.WEBHOOK_QUEUE.sendBatch as unknown as { mock: { calls: unknown[][] } }).mock.calls[0]?.[0]
    expect(sent).toEqual(
      (await rows("select id, endpoint_id from webhook_deliveries")).map(({ id, endpoint_id }) => ({
        body: { delivery: id, endpoint: endpoint_id },
      })),
    )
  })

  test("stores the payload with the documented keys, the store as the API shows it, and no nulls", async () => {
    const token = await makeKey({ name: "importer" })
    await platform("POST", "/stores", { token, json: input })
    const store = (await platform("GET", "/stores/acme", { token })).body.data
    const [event] = await rows("select id, payload from webhook_events")
    const payload = JSON.parse(String(event?.payload))
    expect(Object.keys(payload)).toEqual(["id", "type", "created_at", "api_version", "data", "meta"])
    expect(payload.id).toBe(event?.id)
    const withoutNulls = Object.fromEntries(Object.entries(store).filter(([, value]) => value !== null))
    expect(payload.data.store).toEqual(withoutNulls)
    expect(payload.meta).toEqual({ actor: { type: "api_key", id: 1, name: "importer" }, source: "api" })
    expect(String(event?.payload)).not.toContain(":null")
  })

  test("includes the audit entry with its id in meta.log", async () => {
    const token = await makeKey()
    const id = await makeReadyStore()
    await makeReadyStore()
    await platform("POST", `/stores/${id}/suspend`, { token })
    const [entry] = await rows("select id from audit_entries where type = 'suspended'")
    const [event] = await rows("select payload from webhook_events where type = 'store.suspended'")
    expect(JSON.parse(String(event?.payload)).meta.log).toEqual({
      id: entry?.id,
      type: "suspended",
      from_status: "ready",
      to_status: "suspended",
      data: {},
      actor: { type: "api_key", id: expect.any(Number), name: expect.any(String) },
      created_at: expect.any(String),
    })
  })

  test("leaves the delivery to the sweep when the queue rejects it", async () => {
    await makeEndpoint()
    const token = await makeKey()
    ;(env.WEBHOOK_QUEUE.sendBatch as unknown as { mockRejectedValue(cause: Error): void }).mockRejectedValue(
      new Error("down"),
    )
    expect((await platform("POST", "/stores", { token, json: input })).status).toBe(202)
    const [delivery] = await rows("select status, next_attempt_at, created_at from webhook_deliveries")
    expect(delivery?.status).toBe("pending")
    expect(Number(delivery?.next_attempt_at) - Number(delivery?.created_at)).toBeGreaterThanOrEqual(QUEUE_GRACE_MS)
  })

  test("creates deliveries for a thousand endpoints in one batch", async () => {
    await seedEndpoints(1000)
    const token = await makeKey()
    await platform("POST", "/stores", { token, json: input })
    expect(await count("webhook_deliveries")).toBe(1000)
  })
})

/** Inserts endpoints in one statement. */
const seedEndpoints = (endpoints: number) =>
  env.DB.prepare(
    `with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
     insert into webhook_endpoints (url, events, secret, is_active, consecutive_failures, failure_seq, created_by_name, created_at, updated_at)
     select 'https://r.example/' || value, '["*"]', 'x', 1, 0, 0, 'test', ?2, ?2 from n`,
  )
    .bind(endpoints, Date.now())
    .run()

const samplePlan = {
  slug: "sample",
  name: "Sample",
  description: "",
  priceCents: 0,
  currency: "EUR",
  interval: "month" as const,
  trialDays: 0,
  limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0 },
  allowsCustomDomain: false,
  allowsApiAccess: false,
  removeBranding: false,
  isActive: true,
  sortOrder: 0,
  createdAt: new Date(),
  updatedAt: new Date(),
}
