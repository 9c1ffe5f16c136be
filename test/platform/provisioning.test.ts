// Provisioning, from the queue message to a ready store, under failures, retries and concurrency.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { JOB_LEASE_MS } from "../../src/core/queue/leased-jobs"
import { QUEUE_GRACE_MS } from "../../src/core/write/events"
import { MINUTE } from "../../src/lib/time"
import { listOverdueStores, provisionStore, retryProvisioning } from "../../src/platform/stores/provision"
import { PROVISIONING_LEASE, PROVISIONING_RETRY_WINDOW } from "../../src/platform/stores/rules"
import { consume, platform, run } from "../support/app"
import { verifyPassword } from "../support/cheap-password"
import { makeKey, makeReadyStore, makeStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { cronWithJobs } from "../support/jobs"
import { rows, siteRows } from "../support/rows"

const listEventTypes = async () =>
  (await rows("select type from webhook_events order by created_at, id")).map((row) => row.type)

describe("provisioning", () => {
  test("enqueues provisioning on creation, and makes the store ready with its admin as the first staff user", async () => {
    const token = await makeKey()
    const json = { subdomain: "acme", name: "Acme", owner_email: "Owner@Example.com", password: "correct-horse" }
    const created = await platform("POST", "/stores", { token, json })
    expect(created.status).toBe(202)
    expect(created.body).toEqual({
      data: { id: "acme", status: "pending", access_state: "preparing" },
      links: { self: "https://localhost/api/platform/v1/stores/acme" },
    })
    expect(env.JOB_QUEUE.send).toHaveBeenCalledWith({ job: "provision", store: "acme", seq: 1 })
    await consume("tenancy-jobs", [{ job: "provision", store: "acme" }])
    const store = (await platform("GET", "/stores/acme", { token })).body.data
    expect([store.status, store.access_state]).toEqual(["ready", "serving"])
    expect(store.provisioned_at).not.toBeNull()
    const [admin] = await siteRows("select site_id, email, is_staff, password_hash from users")
    expect(admin).toMatchObject({ site_id: "acme", email: "Owner@Example.com", is_staff: 1 })
    expect(await verifyPassword("correct-horse", String(admin?.password_hash))).toBe(true)
    expect((await rows("select admin_password_hash, database from stores"))[0]).toEqual({
      admin_password_hash: null,
      database: "SITES_1",
    })
    expect(await listEventTypes()).toEqual(["store.created", "store.ready"])
  })

  test("stores the plaintext password in no table and no queue message", async () => {
    await makeStore({ password: "a-very-secret-password" })
    const tables = await rows("select name from sqlite_master where type = 'table' and name not like '%search%'")
    for (const { name } of tables.filter((table) => !String(table.name).startsWith("_cf"))) {
      expect(JSON.stringify(await rows(`select * from "${name}"`))).not.toContain("a-very-secret-password")
    }
    const sent = (env.JOB_QUEUE.send as unknown as { mock: { calls: unknown[] } }).mock.calls
    expect(JSON.stringify(sent)).not.toContain("a-very-secret-password")
  })

  test("provisions once when a message is delivered twice", async () => {
    const store = await makeStore()
    await consume("tenancy-jobs", [{ job: "provision", store }])
    await consume("tenancy-jobs", [{ job: "provision", store }])
    expect(await listEventTypes()).toEqual(["store.created", "store.ready"])
    expect(await siteRows("select id from users")).toHaveLength(1)
  })

  test("provisions once with two concurrent consumers", async () => {
    const store = await makeStore()
    const message = { job: "provision" as const, store }
    await Promise.all([consume("tenancy-jobs", [message]), consume("tenancy-jobs", [message])])
    expect(await listEventTypes()).toEqual(["store.created", "store.ready"])
  })

  test("ignores a message for a deleted store", async () => {
    await consume("tenancy-jobs", [{ job: "provision", store: "ghost" }])
    expect(await listEventTypes()).toEqual([])
  })

  test("marks the store failed with the reason when a step throws, and provisions it on retry", async () => {
    const token = await makeKey()
    const store = await makeStore({ theme: "bazaar" })
    // Removes a table in the middle of the step.
    await env.SITES_1.exec("alter table products rename to hidden_products")
    await consume("tenancy-jobs", [{ job: "provision", store }])
    const failed = (await platform("GET", `/stores/${store}`, { token })).body.data
    expect([failed.status, failed.access_state, failed.provisioned_at]).toEqual(["failed", "unavailable", null])
    const [event] = await rows("select payload from webhook_events where type = 'store.provisioning_failed'")
    const { error } = JSON.parse(String(event?.payload)).data
    expect(error).toEqual({ message: expect.stringContaining("products"), class: expect.any(String) })
    expect(error.message).not.toContain("scrypt")
    await env.SITES_1.exec("alter table hidden_products rename to products")
    // A repeated message does not change a reported failure.
    expect(await run((ctx) => provisionStore(ctx, store))).toBe(false)
    await run((ctx) => retryProvisioning(ctx, store))
    expect(await run((ctx) => provisionStore(ctx, store))).toBe(true)
    expect((await platform("GET", `/stores/${store}`, { token })).body.data.status).toBe("ready")
    expect(await rows("select apps from stores")).toEqual([{ apps: '["ecommerce"]' }])
    expect(await siteRows("select id from products")).toHaveLength(4)
    expect(await siteRows("select id from users")).toHaveLength(1)
  })

  test("finds lost messages and dead runs in the cron, but not a live run", async () => {
    const lost = await makeStore()
    const dead = await makeStore()
    const live = await makeStore()
    await makeReadyStore()
    const now = new Date()
    const startedAt = (id: string, ms: number) =>
      env.DB.prepare("update stores set status = 'provisioning', provisioning_started_at = ? where id = ?")
        .bind(ms, id)
        .run()
    await startedAt(dead, now.getTime() - PROVISIONING_LEASE)
    await startedAt(live, now.getTime() - PROVISIONING_LEASE + 1)
    expect((await run((ctx) => listOverdueStores(ctx, 10), { now })).map(({ id }) => id)).toEqual([dead])
    const later = new Date(now.getTime() + QUEUE_GRACE_MS + 1000)
    const overdue = await run((ctx) => listOverdueStores(ctx, 10), { now: later })
    expect(overdue.map(({ id }) => id)).toEqual([lost, dead, live])
    expect(await run((ctx) => provisionStore(ctx, live), { now })).toBe(false)
    expect(await run((ctx) => provisionStore(ctx, dead), { now })).toBe(true)
  })

  test("refuses to delete a store whose provisioning is pending", async () => {
    const token = await makeKey()
    const store = await makeStore()
    const refused = await platform("DELETE", `/stores/${store}`, { token, json: { confirm: store } })
    expect([refused.status, refused.body.error.code]).toEqual([409, "still_provisioning"])
  })

  test("retries the queue message when the database fails", async () => {
    const store = await makeStore()
    const spy = vi.spyOn(env.DB, "prepare").mockImplementation(() => {
      throw new Error("D1 is away")
    })
    const result = await consume("tenancy-jobs", [{ job: "provision", store }])
    spy.mockRestore()
    expect(result.explicitAcks).toEqual([])
    expect(result.retryMessages).toHaveLength(1)
    expect((await rows("select status from stores"))[0]?.status).toBe("pending")
  })
})

/** Transient errors as D1, Durable Objects and R2 phrase them. */
const TRANSIENT = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: Internal error; reference = 4u5bq0v2",
  "put: We encountered an internal error. Please try again. (10001)",
  "Durable Object is overloaded. Too many requests queued.",
]

const readStatus = async (id: string) => (await rows("select status from stores where id = ?", id))[0]?.status

/** Delivers a provisioning message like the queue, then runs the cron until the store is ready or failed. */
async function provisionUntilSettled(
  store: string,
  fail: () => "before" | "after" | null,
  message: string,
): Promise<void> {
  const startedAt = Date.now()
  let isProvisioning = true
  const spy = failRoundTrips(() => (isProvisioning ? fail() : null), message)
  for (let attempts = 1; attempts <= 4; attempts++) {
    const { explicitAcks } = await consume("tenancy-jobs", [{ job: "provision", store }], { attempts })
    if (explicitAcks.length) break
  }
  for (let minutes = 1; minutes <= 60; minutes++) {
    isProvisioning = false
    if ((await readStatus(store)) === "ready") break
    isProvisioning = true
    const now = new Date(startedAt + minutes * MINUTE)
    vi.useFakeTimers({ toFake: ["Date"], now })
    const overdue = await run((ctx) => listOverdueStores(ctx, 10)).catch(() => [])
    for (const { id } of overdue) await run((ctx) => provisionStore(ctx, id)).catch(() => undefined)
    vi.useRealTimers()
  }
  spy.mockRestore()
}

describe("transient errors", () => {
  test.each(TRANSIENT)(
    "emits one store.ready and no failure for a transient error at any database call: %s",
    async (message) => {
      for (const position of ["before", "after"] as const) {
        for (let call = 0, calls = 1; call < calls; call++) {
          const store = await makeStore()
          await env.DB.exec("delete from webhook_events")
          calls = 0
          await provisionUntilSettled(store, () => (calls++ === call ? position : null), message)
          expect([await readStatus(store), await listEventTypes()], `${position} ${call}`).toEqual([
            "ready",
            ["store.ready"],
          ])
          expect(await siteRows("select id from users where site_id = ?", store)).toHaveLength(1)
          if (message !== TRANSIENT[0] && call > 3) break
        }
      }
    },
  )

  test("marks the store failed once after 30 minutes of transient errors, and provisions it on retry", async () => {
    const store = await makeStore()
    await env.DB.exec("delete from webhook_events")
    // Only the site database fails, so the central one can record the failure.
    const prepare = vi.spyOn(env.SITES_1, "batch").mockRejectedValue(new Error("D1_ERROR: Network connection lost."))
    const startedAt = Date.now()
    const attempt = async (now: Date) => {
      vi.useFakeTimers({ toFake: ["Date"], now })
      await cronWithJobs("* * * * *")
      vi.useRealTimers()
    }
    await consume("tenancy-jobs", [{ job: "provision", store }])
    await attempt(new Date(startedAt + PROVISIONING_RETRY_WINDOW - MINUTE))
    expect(await readStatus(store)).toBe("provisioning")
    await attempt(new Date(startedAt + PROVISIONING_RETRY_WINDOW + JOB_LEASE_MS))
    expect([await readStatus(store), await listEventTypes()]).toEqual(["failed", ["store.provisioning_failed"]])
    prepare.mockRestore()
    await run((ctx) => retryProvisioning(ctx, store))
    await consume("tenancy-jobs", [{ job: "provision", store }])
    expect([await readStatus(store), await listEventTypes()]).toEqual([
      "ready",
      ["store.ready", "store.provisioning_failed"],
    ])
  })

  test("releases the lease on a transient error, so the queue's retry starts immediately", async () => {
    const store = await makeStore()
    const spy = vi.spyOn(env.SITES_1, "batch").mockRejectedValueOnce(new Error("D1_ERROR: Network connection lost."))
    const first = await consume("tenancy-jobs", [{ job: "provision", store }])
    expect(first.retryMessages).toHaveLength(1)
    expect(await rows("select status, provisioning_started_at from stores")).toEqual([
      { status: "provisioning", provisioning_started_at: null },
    ])
    spy.mockRestore()
    expect((await consume("tenancy-jobs", [{ job: "provision", store }], { attempts: 2 })).explicitAcks).toHaveLength(1)
    expect(await readStatus(store)).toBe("ready")
  })
})

test("does not provision a later store of the same subdomain for an old message", async () => {
  const store = await makeStore()
  const [{ seq } = {}] = await rows("select seq from stores")
  await consume("tenancy-jobs", [{ job: "provision", store, seq: Number(seq) - 1 }])
  expect(await readStatus(store)).toBe("pending")
  await consume("tenancy-jobs", [{ job: "provision", store, seq }])
  expect(await readStatus(store)).toBe("ready")
})

describe("concurrent creation", () => {
  test("creates one store for six concurrent requests with one subdomain", async () => {
    const token = await makeKey()
    const json = { subdomain: "race", name: "Race", owner_email: "a@example.com", password: "correct-horse" }
    const responses = await Promise.all(Array.from({ length: 6 }, () => platform("POST", "/stores", { token, json })))
    expect(responses.map((a) => a.status).sort()).toEqual([202, 409, 409, 409, 409, 409])
    expect(responses.filter((a) => a.status === 409).every((a) => a.body.error.code === "subdomain_taken")).toBe(true)
    expect(await rows("select id from domains")).toHaveLength(1)
    expect(await listEventTypes()).toEqual(["store.created"])
  })
})
