// Provisioning: from the queue's message to an open store, whatever happens on the way.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { QUEUE_GRACE } from "../../src/core/write/events"
import { verifyPassword } from "../../src/lib/password"
import { MINUTE } from "../../src/lib/time"
import { overdueStores, provisionStore, retryProvisioning } from "../../src/platform/stores/provision"
import { PROVISIONING_LEASE, PROVISIONING_PATIENCE } from "../../src/platform/stores/rules"
import { consume, cron, platform, run } from "../support/app"
import { makeKey, makeReadyStore, makeStore } from "../support/factories"
import { failTrips } from "../support/faults"
import { rows, siteRows } from "../support/rows"

const events = async () =>
  (await rows("select type from webhook_events order by created_at, id")).map((row) => row.type)

describe("provisioning", () => {
  test("creation queues it; the message makes the store ready, with its admin as the first staff user", async () => {
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
    expect(await events()).toEqual(["store.created", "store.ready"])
  })

  test("the plaintext password is nowhere: no table, no message", async () => {
    await makeStore({ password: "a-very-secret-password" })
    const tables = await rows("select name from sqlite_master where type = 'table' and name not like '%search%'")
    for (const { name } of tables.filter((table) => !String(table.name).startsWith("_cf"))) {
      expect(JSON.stringify(await rows(`select * from "${name}"`))).not.toContain("a-very-secret-password")
    }
    const sent = (env.JOB_QUEUE.send as unknown as { mock: { calls: unknown[] } }).mock.calls
    expect(JSON.stringify(sent)).not.toContain("a-very-secret-password")
  })

  test("a message delivered twice provisions once", async () => {
    const store = await makeStore()
    await consume("tenancy-jobs", [{ job: "provision", store }])
    await consume("tenancy-jobs", [{ job: "provision", store }])
    expect(await events()).toEqual(["store.created", "store.ready"])
    expect(await siteRows("select id from users")).toHaveLength(1)
  })

  test("two consumers at once provision once", async () => {
    const store = await makeStore()
    const message = { job: "provision" as const, store }
    await Promise.all([consume("tenancy-jobs", [message]), consume("tenancy-jobs", [message])])
    expect(await events()).toEqual(["store.created", "store.ready"])
  })

  test("a message for a store that is gone does nothing", async () => {
    await consume("tenancy-jobs", [{ job: "provision", store: "ghost" }])
    expect(await events()).toEqual([])
  })

  test("a step that throws halfway marks the store failed, tells why, and can be run again", async () => {
    const token = await makeKey()
    const store = await makeStore({ theme: "bazaar" })
    // The first half of the step is written by hand, then its table is missing.
    await env.SITES_1.exec("alter table products rename to hidden_products")
    await consume("tenancy-jobs", [{ job: "provision", store }])
    const failed = (await platform("GET", `/stores/${store}`, { token })).body.data
    expect([failed.status, failed.access_state, failed.provisioned_at]).toEqual(["failed", "unavailable", null])
    const [event] = await rows("select payload from webhook_events where type = 'store.provisioning_failed'")
    const { error } = JSON.parse(String(event?.payload)).data
    expect(error).toEqual({ message: expect.stringContaining("products"), class: expect.any(String) })
    expect(error.message).not.toContain("scrypt")
    await env.SITES_1.exec("alter table hidden_products rename to products")
    // A message that comes again does not undo what a person was told of.
    expect(await run((ctx) => provisionStore(ctx, store))).toBe(false)
    await run((ctx) => retryProvisioning(ctx, store))
    expect(await run((ctx) => provisionStore(ctx, store))).toBe(true)
    expect((await platform("GET", `/stores/${store}`, { token })).body.data.status).toBe("ready")
    expect(await rows("select apps from stores")).toEqual([{ apps: '["ecommerce"]' }])
    expect(await siteRows("select id from products")).toHaveLength(4)
    expect(await siteRows("select id from users")).toHaveLength(1)
  })

  test("a message that was lost, and a run that died, are found by the cron; a live run is left alone", async () => {
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
    expect(await run((ctx) => overdueStores(ctx, 10), { now })).toEqual([dead])
    expect(await run((ctx) => overdueStores(ctx, 10), { now: new Date(now.getTime() + QUEUE_GRACE + 1000) })).toEqual([
      lost,
      dead,
      live,
    ])
    expect(await run((ctx) => provisionStore(ctx, live), { now })).toBe(false)
    expect(await run((ctx) => provisionStore(ctx, dead), { now })).toBe(true)
  })

  test("a store that is deleted while its message waits is not brought back", async () => {
    const token = await makeKey()
    const store = await makeStore()
    const refused = await platform("DELETE", `/stores/${store}`, { token, json: { confirm: store } })
    expect([refused.status, refused.body.error.code]).toEqual([409, "still_provisioning"])
  })

  test("a database that fails is retried by the queue", async () => {
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

/** Errors that pass by themselves, as D1, Durable Objects and R2 word them. */
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

const statusOf = async (id: string) => (await rows("select status from stores where id = ?", id))[0]?.status

/** Delivers a provisioning message as the queue does, then lets the cron do what is left, until the store is ready or failed. */
async function provisionToTheEnd(store: string, fail: () => "before" | "after" | null, text: string): Promise<void> {
  const began = Date.now()
  let isProvisioning = true
  const spy = failTrips(() => (isProvisioning ? fail() : null), text)
  for (let attempts = 1; attempts <= 4; attempts++) {
    const { explicitAcks } = await consume("tenancy-jobs", [{ job: "provision", store }], { attempts })
    if (explicitAcks.length) break
  }
  for (let minutes = 1; minutes <= 60; minutes++) {
    isProvisioning = false
    if ((await statusOf(store)) === "ready") break
    isProvisioning = true
    const now = new Date(began + minutes * MINUTE)
    vi.useFakeTimers({ toFake: ["Date"], now })
    const overdue = await run((ctx) => overdueStores(ctx, 10)).catch(() => [])
    for (const id of overdue) await run((ctx) => provisionStore(ctx, id)).catch(() => undefined)
    vi.useRealTimers()
  }
  spy.mockRestore()
}

describe("a transient error", () => {
  test.each(TRANSIENT)("at any database call leads to one store.ready and to no failure: %s", async (text) => {
    for (const fault of ["before", "after"] as const) {
      for (let at = 0, made = 1; at < made; at++) {
        const store = await makeStore()
        await env.DB.exec("delete from webhook_events")
        made = 0
        await provisionToTheEnd(store, () => (made++ === at ? fault : null), text)
        expect([await statusOf(store), await events()], `${fault} ${at}`).toEqual(["ready", ["store.ready"]])
        expect(await siteRows("select id from users where site_id = ?", store)).toHaveLength(1)
        if (text !== TRANSIENT[0] && at > 3) break
      }
    }
  })

  test("that goes on for half an hour marks the store failed once, and it can be provisioned again", async () => {
    const store = await makeStore()
    await env.DB.exec("delete from webhook_events")
    // Only the site database is away: the central one takes the failure.
    const prepare = vi.spyOn(env.SITES_1, "batch").mockRejectedValue(new Error("D1_ERROR: Network connection lost."))
    const began = Date.now()
    const attempt = async (now: Date) => {
      vi.useFakeTimers({ toFake: ["Date"], now })
      await cron("* * * * *")
      vi.useRealTimers()
    }
    await consume("tenancy-jobs", [{ job: "provision", store }])
    await attempt(new Date(began + PROVISIONING_PATIENCE - MINUTE))
    expect(await statusOf(store)).toBe("provisioning")
    await attempt(new Date(began + PROVISIONING_PATIENCE + MINUTE))
    expect([await statusOf(store), await events()]).toEqual(["failed", ["store.provisioning_failed"]])
    prepare.mockRestore()
    await run((ctx) => retryProvisioning(ctx, store))
    await consume("tenancy-jobs", [{ job: "provision", store }])
    expect([await statusOf(store), await events()]).toEqual(["ready", ["store.ready", "store.provisioning_failed"]])
  })

  test("releases the store, so that the queue's retry begins at once", async () => {
    const store = await makeStore()
    const spy = vi.spyOn(env.SITES_1, "batch").mockRejectedValueOnce(new Error("D1_ERROR: Network connection lost."))
    const first = await consume("tenancy-jobs", [{ job: "provision", store }])
    expect(first.retryMessages).toHaveLength(1)
    expect(await rows("select status, provisioning_started_at from stores")).toEqual([
      { status: "provisioning", provisioning_started_at: null },
    ])
    spy.mockRestore()
    expect((await consume("tenancy-jobs", [{ job: "provision", store }], { attempts: 2 })).explicitAcks).toHaveLength(1)
    expect(await statusOf(store)).toBe("ready")
  })
})

test("a message of a deleted store provisions no later store of its subdomain", async () => {
  const store = await makeStore()
  const [{ seq } = {}] = await rows("select seq from stores")
  await consume("tenancy-jobs", [{ job: "provision", store, seq: Number(seq) - 1 }])
  expect(await statusOf(store)).toBe("pending")
  await consume("tenancy-jobs", [{ job: "provision", store, seq }])
  expect(await statusOf(store)).toBe("ready")
})

describe("creation", () => {
  test("six requests for one subdomain make one store", async () => {
    const token = await makeKey()
    const json = { subdomain: "race", name: "Race", owner_email: "a@example.com", password: "correct-horse" }
    const answers = await Promise.all(Array.from({ length: 6 }, () => platform("POST", "/stores", { token, json })))
    expect(answers.map((a) => a.status).sort()).toEqual([202, 409, 409, 409, 409, 409])
    expect(answers.filter((a) => a.status === 409).every((a) => a.body.error.code === "subdomain_taken")).toBe(true)
    expect(await rows("select id from domains")).toHaveLength(1)
    expect(await events()).toEqual(["store.created"])
  })
})
