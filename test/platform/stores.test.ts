// The store endpoints: creating, reading, updating, suspending and deleting stores.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import type { StoreStatus } from "../../src/db/schema/central/stores"
import { purgeStore } from "../../src/platform/stores/remove"
import { platform, run, type TestResponse } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows, siteRows } from "../support/rows"
import { clearHistory, listEventPayloads } from "../support/subscription-factories"

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const validStore = { subdomain: "acme", name: "Acme", owner_email: "owner@acme.example", password: "correct-horse" }
const create = (json: unknown) => platform("POST", "/stores", { token, json })
const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const post = (id: string, action: string, json?: unknown) =>
  platform("POST", `/stores/${id}/${action}`, { token, json })
const patch = (id: string, json: unknown) => platform("PATCH", `/stores/${id}`, { token, json })
const remove = (id: string, json?: unknown) => platform("DELETE", `/stores/${id}`, { token, json })
const setStatus = (id: string, status: StoreStatus) =>
  env.DB.prepare("update stores set status = ? where id = ?").bind(status, id).run()

const expectRefused = (response: TestResponse, status: number, code: string) =>
  expect([response.status, response.body.error?.code]).toEqual([status, code])

const ACTOR = { actorType: "user", actorId: "1", actorName: "Ann", interface: "api" }

const SUBDOMAIN_RULE =
  "The subdomain field may only contain lowercase letters, digits and hyphens. It must begin and end with a letter or digit, and must not look like an encoded name (xn--…)."
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

describe("POST /stores", () => {
  test("returns 202 with the pending store and its link, and emits store.created without a subscription", async () => {
    const response = await create(validStore)
    expect(response.status).toBe(202)
    expect(response.body).toEqual({
      data: { id: "acme", status: "pending", access_state: "preparing" },
      links: { self: "https://localhost/api/platform/v1/stores/acme" },
    })
    expect(env.JOB_QUEUE.send).toHaveBeenCalledWith({ job: "provision", store: "acme", seq: expect.any(Number) })
    const [payload, ...others] = await listEventPayloads("acme")
    expect([payload.type, others.length]).toEqual(["store.created", 0])
    expect(payload.data.store).toMatchObject({ id: "acme", status: "pending", billing_provider: "none" })
    expect(payload.meta).toMatchObject({ source: "api", actor: { type: "api_key" } })
    expect(await rows("select type, to_status from audit_entries")).toEqual([
      { type: "store_created", to_status: "pending" },
    ])
    expect(await rows("select domain, is_primary, is_fallback from domains")).toEqual([
      { domain: "acme.localhost", is_primary: 1, is_fallback: 1 },
    ])
  })

  test("creates the subscription with a plan, and emits subscription.assigned after store.created", async () => {
    await makePlan({ slug: "pro", trial_days: 14 })
    await create({ ...validStore, plan: "pro", trial_days: 30 })
    const [created, assigned] = await listEventPayloads("acme")
    expect(created.type).toBe("store.created")
    expect(created.data).not.toHaveProperty("subscription")
    expect(created.data.store).not.toHaveProperty("subscription")
    expect(assigned.type).toBe("subscription.assigned")
    expect(assigned.data.subscription).toMatchObject({ status: "trialing", plan: { slug: "pro" } })
    expect(assigned.meta.log.data).toEqual({ plan: "pro", trial_days: 30 })
    expect((await read("acme")).subscription.status).toBe("trialing")
    await create({ ...validStore, subdomain: "plain", trial_days: 30 })
    expect((await read("plain")).subscription).toBeNull()
  })

  test("validates every field of the body at its bounds and beyond", async () => {
    await makePlan({ slug: "retired", is_active: false })
    await makePlan({ slug: "pro" })
    const invalid: [overrides: Record<string, unknown>, field: string, message?: string][] = [
      [{ subdomain: undefined }, "subdomain", "The subdomain field is required."],
      [{ subdomain: "" }, "subdomain", "The subdomain field is required."],
      [{ subdomain: "-acme" }, "subdomain", SUBDOMAIN_RULE],
      [{ subdomain: "acme-" }, "subdomain", SUBDOMAIN_RULE],
      [{ subdomain: "xn--lcalhost-54a" }, "subdomain", SUBDOMAIN_RULE],
      [{ subdomain: "Acme" }, "subdomain"],
      [{ subdomain: "ac.me" }, "subdomain"],
      [{ subdomain: "ac_me" }, "subdomain"],
      [{ subdomain: "café" }, "subdomain"],
      [{ subdomain: "acme\n" }, "subdomain"],
      [{ subdomain: "a".repeat(64) }, "subdomain", "The subdomain field must not be greater than 63 characters."],
      [{ subdomain: 7 }, "subdomain", "The subdomain field must be a string."],
      [{ name: undefined }, "name"],
      [{ name: "   " }, "name", "The name field is required."],
      [{ name: "n".repeat(121) }, "name", "The name field must not be greater than 120 characters."],
      [{ name: "a\0b" }, "name"],
      [{ name: ["a"] }, "name"],
      [{ owner_email: undefined }, "owner_email"],
      [{ owner_email: "nobody" }, "owner_email", "The owner email field must be a valid email address."],
      [{ owner_email: `${"e".repeat(180)}@example.com` }, "owner_email"],
      [{ password: undefined }, "password"],
      [{ password: "1234567" }, "password", "The password field must be at least 8 characters."],
      [{ password: 12345678 }, "password"],
      [{ theme: "nope" }, "theme", "The selected theme is invalid."],
      [{ theme: 1 }, "theme"],
      [{ preset: "nope" }, "preset", "The selected preset is invalid."],
      [{ theme: "bazaar", preset: "porcelain" }, "preset"],
      [{ plan: "nope" }, "plan", "The selected plan is invalid."],
      [{ plan: "retired" }, "plan"],
      [{ plan: "pro", trial_days: -1 }, "trial_days"],
      [{ plan: "pro", trial_days: 366 }, "trial_days"],
      [{ plan: "pro", trial_days: "7" }, "trial_days"],
      [{ plan: "pro", trial_days: 0.5 }, "trial_days"],
    ]
    for (const [overrides, field, message] of invalid) {
      const response = await create({ ...validStore, ...overrides })
      expect([response.status, response.body.error?.code], JSON.stringify(overrides)).toEqual([
        422,
        "validation_failed",
      ])
      expect(Object.keys(response.body.errors)).toEqual([field])
      expect(response.body.error.errors).toEqual(response.body.errors)
      if (message) expect(response.body.error.message).toBe(message)
    }
    expect(Object.keys((await create({})).body.errors)).toEqual(["subdomain", "name", "owner_email", "password"])
    expect([
      await count("stores"),
      await count("webhook_events"),
      await count("audit_entries where store_id <> ''"),
    ]).toEqual([0, 0, 0])
    const accepted: Record<string, unknown>[] = [
      { subdomain: "a".repeat(63), name: "🎉".repeat(120), password: "12345678" },
      { subdomain: "0-9", owner_email: `${"e".repeat(64)}@${"d".repeat(60)}.${"x".repeat(56)}.example` },
      { subdomain: "look", theme: "bazaar", preset: "fiesta" },
      { subdomain: "nulls", theme: null, preset: null, plan: null, trial_days: null },
      { subdomain: "trial", plan: "pro", trial_days: 365 },
    ]
    for (const overrides of accepted) expect((await create({ ...validStore, ...overrides })).status).toBe(202)
    expect((await read("a".repeat(63))).name).toBe("🎉".repeat(120))
    expect(await read("look")).toMatchObject({ theme: "bazaar", preset: "fiesta" })
  })

  test("returns 400, 413, 415 or 422 for a body that is not a JSON object, and creates nothing", async () => {
    const send = (body: string, type = "application/json") =>
      platform("POST", "/stores", { token, body, headers: { "Content-Type": type } })
    expectRefused(await send("{"), 400, "http_error")
    expectRefused(await send("[]"), 422, "validation_failed")
    expectRefused(await send('"text"'), 422, "validation_failed")
    expectRefused(await send("null"), 422, "validation_failed")
    expectRefused(await send("name=Acme", "application/x-www-form-urlencoded"), 415, "http_error")
    expectRefused(await send(JSON.stringify({ ...validStore, name: "n".repeat(1_000_001) })), 413, "http_error")
    expect(await count("stores")).toBe(0)
  })

  test("returns subdomain_reserved for the platform's own subdomains", async () => {
    for (const subdomain of ["www", "api", "admin", "console", "localhost", "status"]) {
      expectRefused(await create({ ...validStore, subdomain }), 409, "subdomain_reserved")
    }
  })

  test("returns subdomain_taken for a store, another store's domain or a pending purge", async () => {
    expect((await create(validStore)).status).toBe(202)
    expectRefused(await create({ ...validStore, name: "Again" }), 409, "subdomain_taken")
    await env.DB.exec(
      "insert into domains (domain, store_id, is_primary, is_fallback, created_at) values ('held.localhost', 'acme', 0, 0, 0)",
    )
    expectRefused(await create({ ...validStore, subdomain: "held" }), 409, "subdomain_taken")
    const gone = await makeReadyStore({ subdomain: "gone" })
    await remove(gone, { confirm: gone })
    expectRefused(await create({ ...validStore, subdomain: "gone" }), 409, "subdomain_taken")
    await run((ctx) => purgeStore(ctx, gone))
    expect((await create({ ...validStore, subdomain: "gone" })).status).toBe(202)
  })

  test("creates one store for two concurrent requests and returns subdomain_taken to the other", async () => {
    const responses = await Promise.all([create(validStore), create({ ...validStore, name: "Rival" })])
    expect(responses.map((response) => response.status).sort()).toEqual([202, 409])
    expect([await count("stores"), await count("webhook_events"), await count("audit_entries")]).toEqual([1, 1, 1])
  })
})

describe("GET /stores/{id}", () => {
  test("returns every documented field, with cached usage and the subscription or null", async () => {
    const plan = await makePlan()
    const id = await makeReadyStore({ subdomain: "acme", name: "Acme", plan: plan.slug })
    const store = await read(id)
    expect(store).toEqual({
      id: "acme",
      name: "Acme",
      status: "ready",
      access_state: "serving",
      theme: "atelier",
      preset: expect.any(String),
      owner_email: "owner@example.com",
      root_url: "https://acme.localhost",
      provisioned_at: expect.stringMatching(TIMESTAMP),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      billing_provider: "local",
      usage: expect.objectContaining({ staff_users: 1 }),
      subscription: expect.objectContaining({ status: "active" }),
    })
    const unsubscribed = await read(await makeStore())
    expect(unsubscribed).toMatchObject({ provisioned_at: null, billing_provider: "none", subscription: null })
    expect(unsubscribed.usage).toMatchObject({ products: 0, staff_users: 0 })
  })

  test("derives access_state from the status", async () => {
    const id = await makeReadyStore()
    const states: [StoreStatus, string][] = [
      ["pending", "preparing"],
      ["provisioning", "preparing"],
      ["ready", "serving"],
      ["failed", "unavailable"],
      ["suspended", "suspended"],
      ["cancelled", "suspended"],
    ]
    for (const [status, access_state] of states) {
      await setStatus(id, status)
      expect(await read(id)).toMatchObject({ status, access_state })
    }
  })

  test("returns 404 for unknown and malformed ids", async () => {
    await makeStore({ subdomain: "acme" })
    for (const id of [
      "nobody",
      "ACME",
      "acme%2F",
      "..%2Facme",
      "%00",
      "%F0%9F%8E%89",
      "acme%20",
      "'%20or%201=1",
      "%E0%A4%A",
    ]) {
      expectRefused(await platform("GET", `/stores/${id}`, { token }), 404, "not_found")
    }
  })
})

describe("PATCH /stores/{id}", () => {
  test("changes name and owner with one event and one audit entry per field", async () => {
    const id = await makeReadyStore()
    await clearHistory()
    const response = await patch(id, { name: "  Renamed ", owner_email: "new@owner.example" })
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual(await read(id))
    expect(response.body.data).toMatchObject({ name: "Renamed", owner_email: "new@owner.example" })
    const [payload, ...others] = await listEventPayloads(id)
    expect([payload.type, others.length]).toEqual(["store.updated", 0])
    expect(payload.data.changes).toEqual({
      name: { from: "A store", to: "Renamed" },
      owner_email: { from: "owner@example.com", to: "new@owner.example" },
    })
    expect(payload.data.store.name).toBe("Renamed")
    expect(await count("audit_entries")).toBe(2)
  })

  test("returns the store and writes nothing for an empty body or unchanged values", async () => {
    const id = await makeReadyStore()
    await clearHistory()
    const before = await rows("select * from stores")
    const bodies = [{}, { name: "A store" }, { name: " A store ", theme: "atelier" }, { unknown: 1, status: "ready" }]
    for (const body of bodies) {
      const response = await patch(id, body)
      expect([response.status, response.body.data]).toEqual([200, await read(id)])
    }
    expect((await platform("PATCH", `/stores/${id}`, { token })).status).toBe(200)
    expect([await count("webhook_events"), await count("audit_entries")]).toEqual([0, 0])
    expect(await rows("select * from stores")).toEqual(before)
  })

  test("validates updates like creation, and rejects null", async () => {
    const id = await makeReadyStore()
    const invalid: [unknown, string][] = [
      [{ name: null }, "name"],
      [{ name: "" }, "name"],
      [{ name: "n".repeat(121) }, "name"],
      [{ name: "a\u0007" }, "name"],
      [{ owner_email: null }, "owner_email"],
      [{ owner_email: "x" }, "owner_email"],
      [{ theme: null }, "theme"],
      [{ theme: "" }, "theme"],
      [{ theme: 3 }, "theme"],
      [{ name: "Fine", owner_email: "x" }, "owner_email"],
      [[], "body"],
    ]
    for (const [body, field] of invalid) {
      const response = await patch(id, body)
      expect([response.status, Object.keys(response.body.errors ?? {})], JSON.stringify(body)).toEqual([422, [field]])
    }
    expect((await read(id)).name).toBe("A store")
    expectRefused(await patch("nobody", { name: "x" }), 404, "not_found")
  })

  test("writes nothing when the theme is refused, and emits store.theme_changed before store.updated", async () => {
    const id = await makeReadyStore()
    await clearHistory()
    const before = await rows("select * from stores")
    expectRefused(await patch(id, { name: "Renamed", theme: "nope" }), 409, "theme_unavailable")
    expect(await rows("select * from stores")).toEqual(before)
    expect([await count("webhook_events"), await count("audit_entries")]).toEqual([0, 0])
    expect((await patch(id, { name: "Renamed", theme: "nocturne" })).status).toBe(200)
    const [themeChanged, updated] = await listEventPayloads(id)
    expect([themeChanged.type, updated.type]).toEqual(["store.theme_changed", "store.updated"])
    expect(themeChanged.data.theme).toEqual({ from: "atelier", to: "nocturne" })
    expect(updated.data.store).toMatchObject({ name: "Renamed", theme: "nocturne" })
  })
})

describe("POST /stores/{id}/theme", () => {
  test("changes the theme to its default preset and enables the apps it requires", async () => {
    const id = await makeReadyStore()
    await env.DB.exec("update stores set apps = '[]'")
    await clearHistory()
    const response = await post(id, "theme", { theme: "bazaar" })
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual(await read(id))
    expect(response.body.data.theme).toBe("bazaar")
    expect(response.body.data.preset).not.toBe("porcelain")
    expect(await rows("select apps from stores")).toEqual([{ apps: '["ecommerce"]' }])
    const [changed, enabled, ...others] = await listEventPayloads(id)
    expect([changed.type, enabled.type, others.length]).toEqual(["store.theme_changed", "app.enabled", 0])
    expect(changed.data.theme).toEqual({ from: "atelier", to: "bazaar" })
    expect(enabled.data.app).toEqual({ slug: "ecommerce" })
    const types = (await platform("GET", `/stores/${id}/events`, { token })).body.data.map(
      (e: { type: string }) => e.type,
    )
    expect(types).toEqual(["app_enabled", "theme_changed"])
    expect((await post(id, "theme", { theme: "bazaar" })).status).toBe(200)
    expect((await listEventPayloads(id)).length).toBe(2)
  })

  test.each(["POST", "PATCH"])(
    "refuses a theme change by %s in order: unavailable, not entitled, requirement not entitled, no database",
    async (method) => {
      const changeTheme = (id: string, theme: string) =>
        platform(method, method === "POST" ? `/stores/${id}/theme` : `/stores/${id}`, { token, json: { theme } })
      const limitedPlan = await makePlan({ themes: ["atelier", "bazaar"], apps: ["contact"] })
      const id = await makeReadyStore({ plan: limitedPlan.slug })
      expectRefused(await changeTheme(id, "nope"), 409, "theme_unavailable")
      // Installed, but not published.
      expectRefused(await changeTheme(id, "blueprint"), 409, "theme_unavailable")
      expectRefused(await changeTheme(id, "nocturne"), 409, "theme_not_entitled")
      expectRefused(await changeTheme(id, "bazaar"), 409, "theme_requirement_not_entitled")
      expect((await read(id)).theme).toBe("atelier")
      await env.DB.exec("update stores set theme = 'nocturne'")
      expect((await changeTheme(id, "nocturne")).status).toBe(200)
      const pending = await makeStore()
      expectRefused(await changeTheme(pending, "nocturne"), 409, "store_unavailable")
      expectRefused(await changeTheme("nobody", "nocturne"), 404, "not_found")
    },
  )

  test("returns 422 for a missing or empty theme", async () => {
    const id = await makeReadyStore()
    for (const body of [{}, { theme: "" }, { theme: null }, { theme: 7 }]) {
      expect((await post(id, "theme", body)).body.errors).toHaveProperty("theme")
    }
  })
})

describe("suspend and resume", () => {
  test("suspends and resumes a provisioned store, with status, access state and events", async () => {
    const plan = await makePlan()
    const id = await makeReadyStore({ plan: plan.slug })
    await clearHistory()
    const suspended = await post(id, "suspend")
    expect([suspended.status, suspended.body.data]).toEqual([200, await read(id)])
    expect(suspended.body.data).toMatchObject({ status: "suspended", access_state: "suspended" })
    const resumed = await post(id, "resume")
    expect(resumed.body.data).toMatchObject({ status: "ready", access_state: "serving" })
    const [first, second] = await listEventPayloads(id)
    expect([first.type, second.type]).toEqual(["store.suspended", "store.resumed"])
    expect(first.data.subscription.status).toBe("active")
    expect(first.meta.log).toMatchObject({ type: "suspended", from_status: "ready", to_status: "suspended" })
    expect(second.meta.log).toMatchObject({ type: "resumed", from_status: "suspended", to_status: "ready" })
    const unsubscribed = await makeReadyStore()
    await post(unsubscribed, "suspend")
    expect((await listEventPayloads(unsubscribed)).at(-1).data).not.toHaveProperty("subscription")
  })

  test("refuses suspend and resume from every other status", async () => {
    const cases: [StoreStatus, suspend: string, resume: string][] = [
      ["pending", "not_provisioned", "not_provisioned"],
      ["provisioning", "not_provisioned", "not_provisioned"],
      ["failed", "not_provisioned", "not_provisioned"],
      ["ready", "", "illegal_transition"],
      ["suspended", "illegal_transition", ""],
      ["cancelled", "illegal_transition", "illegal_transition"],
    ]
    const id = await makeReadyStore()
    for (const [status, suspend, resume] of cases) {
      for (const [action, code] of [
        ["suspend", suspend],
        ["resume", resume],
      ] as const) {
        await setStatus(id, status)
        const response = await post(id, action)
        expect([response.status, response.body.error?.code ?? ""], `${status} ${action}`).toEqual([
          code ? 409 : 200,
          code,
        ])
      }
    }
    for (const action of ["suspend", "resume"]) expectRefused(await post("nobody", action), 404, "not_found")
  })

  test("suspends once under concurrent requests, without losing a concurrent PATCH", async () => {
    const id = await makeReadyStore()
    await clearHistory()
    const [patched, ...suspended] = await Promise.all([
      patch(id, { name: "Renamed" }),
      post(id, "suspend"),
      post(id, "suspend"),
    ])
    expect(patched.status).toBe(200)
    expect(suspended.map((response) => response.status).sort()).toEqual([200, 409])
    expect(await read(id)).toMatchObject({ name: "Renamed", status: "suspended" })
    expect((await listEventPayloads(id)).map((payload) => payload.type).sort()).toEqual([
      "store.suspended",
      "store.updated",
    ])
  })
})

describe("DELETE /stores/{id}", () => {
  test("returns 422 for an invalid confirm and confirm_mismatch for another text, and deletes nothing", async () => {
    const id = await makeReadyStore()
    for (const body of [{}, { confirm: null }, { confirm: 7 }, { confirm: [id] }, undefined]) {
      const response = await remove(id, body)
      expectRefused(response, 422, "validation_failed")
      expect(response.body.errors).toHaveProperty("confirm")
    }
    for (const confirm of ["", "other", id.toUpperCase(), ` ${id}`]) {
      expectRefused(await remove(id, { confirm }), 409, "confirm_mismatch")
    }
    expectRefused(await remove("nobody", { confirm: "nobody" }), 404, "not_found")
    expect(await count("stores")).toBe(1)
  })

  test("returns still_provisioning until the run is over, even after the subscription was cancelled", async () => {
    const plan = await makePlan()
    const id = await makeStore({ plan: plan.slug })
    for (const status of ["pending", "provisioning"] as const) {
      await setStatus(id, status)
      expectRefused(await remove(id, { confirm: id }), 409, "still_provisioning")
      expectRefused(await remove(id, { confirm: "other" }), 409, "confirm_mismatch")
    }
    await env.DB.prepare("update stores set provisioning_started_at = ?").bind(Date.now()).run()
    await post(id, "cancel")
    expectRefused(await remove(id, { confirm: id }), 409, "still_provisioning")
    await env.DB.prepare("update stores set provisioning_started_at = ?")
      .bind(Date.now() - 5 * 60_000)
      .run()
    expect((await remove(id, { confirm: id })).status).toBe(204)
  })

  test.each(["ready", "failed", "suspended", "cancelled"] as const)(
    "deletes a %s store with all its data and retains its audit log",
    async (status) => {
      const plan = await makePlan()
      const id = await makeReadyStore({ plan: plan.slug })
      await setStatus(id, status)
      await clearHistory()
      const response = await remove(id, { confirm: id })
      expect([response.status, response.text]).toEqual([204, ""])
      expectRefused(await platform("GET", `/stores/${id}`, { token }), 404, "not_found")
      for (const cases of ["stores", "subscriptions", "domains", "usage_snapshots"]) expect(await count(cases)).toBe(0)
      const [payload] = await listEventPayloads(id)
      expect(payload.type).toBe("store.deleted")
      expect(payload.data.store).toMatchObject({ id, status })
      expect(payload.data.subscription.status).toBe("active")
      expect(payload.meta).toMatchObject({ reason: "api", actor: { type: "api_key" } })
      expect(await rows("select type from audit_entries")).toEqual([{ type: "store_deleted" }])
      expect(env.SLOW_JOB_QUEUE.send).toHaveBeenCalledWith({ job: "purge", store: id, seq: expect.any(Number) })
    },
  )

  test("purges only the deleted store's rows and files", async () => {
    const [id, neighbour] = [await makeReadyStore(), await makeReadyStore()]
    await env.MEDIA.put(`${id}/a.png`, "a")
    await env.MEDIA.put(`${neighbour}/a.png`, "b")
    await remove(id, { confirm: id })
    await run((ctx) => purgeStore(ctx, id))
    expect(await siteRows("select distinct site_id from users")).toEqual([{ site_id: neighbour }])
    expect((await env.MEDIA.list()).objects.map((object) => object.key)).toEqual([`${neighbour}/a.png`])
    expect(await count("purges")).toBe(0)
  })

  test("forwards what a slow request commits while the purge runs", async () => {
    const id = await makeReadyStore()
    await remove(id, { confirm: id })
    const entry = JSON.stringify({
      type: "post_deleted",
      subjectType: "post",
      subjectId: "1",
      storeId: id,
      storeSeq: 0,
      data: {},
      ...ACTOR,
    })
    let isCommitted = false
    const purging = interceptRoundTrips(async (send, statements) => {
      if (!isCommitted && statements.some((sql) => sql.includes('delete from "held_sites"'))) {
        isCommitted = true
        await env.SITES_1.prepare("insert into site_trail (id, site_id, entry, created_at) values ('01A', ?, ?, 1)")
          .bind(id, entry)
          .run()
      }
      return send()
    })
    await run((ctx) => purgeStore(ctx, id))
    purging.mockRestore()
    expect(isCommitted).toBe(true)
    expect(await rows("select subject_id from audit_entries where type = 'post_deleted'")).toEqual([
      { subject_id: "1" },
    ])
  })

  test("deletes once under concurrent requests and returns not_found to the other", async () => {
    const id = await makeReadyStore()
    await clearHistory()
    const responses = await Promise.all([remove(id, { confirm: id }), remove(id, { confirm: id })])
    expect(responses.map((response) => response.status).sort()).toEqual([204, 404])
    expect((await listEventPayloads(id)).map((payload) => payload.type)).toEqual(["store.deleted"])
  })
})

test("costs two round trips to read a store and three to write, including authentication", async () => {
  await platform("GET", "/me", { token })
  const roundTripsOf = async (method: string, path: string, json?: unknown) =>
    (await costsOf(() => platform(method, `/stores${path}`, { token, json }))).roundTrips
  expect(await roundTripsOf("POST", "", validStore)).toBe(3)
  const id = await makeReadyStore()
  expect(await roundTripsOf("GET", `/${id}`)).toBe(2)
  expect(await roundTripsOf("PATCH", `/${id}`, { name: "Renamed", theme: "bazaar" })).toBe(3)
  expect(await roundTripsOf("POST", `/${id}/theme`, { theme: "vitrine" })).toBe(3)
  expect(await roundTripsOf("POST", `/${id}/suspend`)).toBe(3)
  expect(await roundTripsOf("POST", `/${id}/resume`)).toBe(3)
  expect(await roundTripsOf("DELETE", `/${id}`, { confirm: id })).toBe(3)
})
