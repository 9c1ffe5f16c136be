// Access checks, host resolution and envelopes of /api/v1, and the deletion of a store's content.

import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { describe, expect, test, vi } from "vitest"
import { createNotification } from "../../src/content/notifications/create"
import { CreateNotification } from "../../src/content/notifications/schemas"
import { findSite, type SiteRef } from "../../src/content/site"
import { parseInput } from "../../src/core/http/input"
import { domains } from "../../src/db/schema/central/domains"
import { siteTableNames } from "../../src/db/site-tables"
import { sha256 } from "../../src/lib/hash"
import { removeStore } from "../../src/platform/stores/remove"
import { suspendStore } from "../../src/platform/stores/service"
import { run } from "../support/app"
import { captureMails, content, hostOfStore, makeSettings, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makePlan, makeReadyStore, makeStore } from "../support/factories"
import { withJobs } from "../support/jobs"
import { siteRows } from "../support/rows"

const API_KEY = `tna_abcdefgh_${"k".repeat(40)}`

describe("the gate", () => {
  test("returns 404 for an unknown host on every path", async () => {
    for (const path of ["/nothing", "/me"]) {
      const response = await content("GET", path, { host: "unknown.localhost", headers: { "X-API-KEY": API_KEY } })
      expect(response.status).toBe(404)
      expect(response.body).toEqual({ error: true, data: null, message: "Not found." })
    }
  })

  test("returns 503 for a store without a database or suspended, regardless of its plan", async () => {
    const pending = await makeStore()
    expect((await content("GET", "/me", { host: hostOfStore(pending) })).status).toBe(503)
    const plan = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
    const suspended = await makeReadyStore({ plan: plan.slug })
    await run((ctx) => suspendStore(ctx, suspended))
    const response = await content("GET", "/posts", { host: hostOfStore(suspended) })
    expect(response.status).toBe(503)
    expect(response.body).toEqual({ error: true, data: null, message: "This store is not available at the moment." })
  })

  test("returns 403 for a plan without API access, even while the API is disabled", async () => {
    const plan = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
    const restricted = await makeReadyStore({ plan: plan.slug })
    await makeSettings(restricted, { apiEnabled: false })
    const refused = await content("GET", "/nothing", { host: hostOfStore(restricted) })
    expect(refused.status).toBe(403)
    expect(refused.body.error).toBe(true)
  })

  test("grants API access to plans that include it and to stores without a subscription", async () => {
    const included = await makeReadyStore({ plan: (await makePlan()).slug })
    const withoutSubscription = await makeReadyStore()
    for (const id of [included, withoutSubscription]) {
      expect((await content("GET", "/nothing", { host: hostOfStore(id) })).status).toBe(404)
    }
  })

  test("returns 503 while the API is disabled, even with a valid key, at that site only", async () => {
    const store = await makeReadyStore()
    await makeSettings("central", {
      apiEnabled: false,
      keyRequired: true,
      apiKeyPrefix: "tna_abcdefgh",
      apiKeyHash: await sha256(API_KEY),
    })
    const disabled = await content("GET", "/nothing", { headers: { "X-API-KEY": API_KEY } })
    expect(disabled.status).toBe(503)
    expect(disabled.body).toEqual({ error: true, data: null, message: "The API is disabled." })
    expect((await content("GET", "/nothing", { host: hostOfStore(store) })).status).toBe(404)
  })

  test("returns 401 on every path without the required key, and runs the route with it", async () => {
    await makeSettings("central", {
      keyRequired: true,
      apiKeyPrefix: "tna_abcdefgh",
      apiKeyHash: await sha256(API_KEY),
    })
    for (const headers of [{}, { "X-API-KEY": "x" }, { "X-API-KEY": API_KEY.replace("kk", "kj") }] as HeadersInit[]) {
      const refused = await content("GET", "/nothing", { headers: headers as Record<string, string> })
      expect(refused.status).toBe(401)
      expect(refused.body).toEqual({ message: "The API key is missing or invalid.", error: "Unauthorized" })
    }
    expect((await content("GET", "/nothing", { headers: { "X-API-KEY": API_KEY } })).status).toBe(404)
    const media = await content("GET", "/media/files")
    expect([media.status, media.body]).toEqual([
      401,
      { message: "The API key is missing or invalid.", error: "Unauthorized" },
    ])
    await makeSettings("central", { keyRequired: false })
    const open = await content("GET", "/media/files")
    expect([open.status, open.body]).toEqual([401, { message: "The API key is missing or invalid.", errors: {} }])
  })
})

describe("hosts", () => {
  test("serves a custom domain once it is verified, and builds links with the host of the request", async () => {
    const store = await makeReadyStore()
    const add = (domain: string, verifiedAt: Date | null) =>
      drizzle(env.DB).insert(domains).values({
        domain,
        storeId: store,
        isPrimary: false,
        isFallback: false,
        verificationToken: "t",
        verifiedAt,
        createdAt: new Date(),
      })
    await add("shop.example", new Date())
    await add("waiting.example", null)
    const user = await makeUser(store)
    const me = (host: string) => content("GET", "/me", { host, token: user.token })
    expect((await me("shop.example")).body.data.id).toBe(user.id)
    expect((await me("waiting.example")).status).toBe(404)
    const { body } = await content("GET", "/notifications", { host: "shop.example", token: user.token })
    expect(body.links.first).toBe("https://shop.example/api/v1/notifications?page=1")
  })

  test("runs the access checks in one round trip", async () => {
    const store = await makeReadyStore()
    for (const host of ["localhost", hostOfStore(store), "unknown.localhost"]) {
      expect((await costsOf(() => content("GET", "/nothing", { host }))).roundTrips).toBe(1)
    }
  })
})

describe("envelopes", () => {
  test("returns 404 for an unknown path, 405 for a wrong method and 204 for OPTIONS", async () => {
    const unknown = await content("GET", "/nothing", { headers: { "Accept-Language": "fr-CH, en;q=0.5" } })
    expect(unknown.status).toBe(404)
    expect(unknown.body).toEqual({ error: true, data: null, message: "Introuvable." })
    const wrong = await content("DELETE", "/login")
    expect(wrong.status).toBe(405)
    expect(wrong.body).toMatchObject({ error: true, data: null })
    expect(wrong.headers.get("Allow")).toBe("POST, OPTIONS")
    expect((await content("OPTIONS", "/login")).status).toBe(204)
    for (const response of [unknown, wrong]) expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9A-Z]{26}$/)
  })

  test("returns 500 with the request id and without the cause when the database fails", async () => {
    const user = await makeUser()
    vi.spyOn(env.SITES_1, "batch").mockRejectedValue(new Error("secret detail"))
    const response = await content("GET", "/me", { token: user.token })
    expect(response.status).toBe(500)
    expect(response.body).toMatchObject({ error: true, data: null })
    expect(response.body.message).toContain(response.headers.get("X-Request-Id"))
    expect(response.text).not.toContain("secret")
  })

  test("includes the number of further field errors in the message", async () => {
    const message = async (json: object) => (await content("POST", "/login", { json })).body.message
    expect(await message({ email: "a@example.com" })).toBe("The password field is required.")
    expect(await message({})).toBe("The email field is required. (and 1 more error)")
  })
})

describe("a deleted store", () => {
  test("a purge deletes the files and all rows of a store except its tombstone, and nothing of another site", async () => {
    captureMails()
    const store = await makeReadyStore()
    for (const [siteId, host] of [
      ["central", "localhost"],
      [store, hostOfStore(store)],
    ] as const) {
      const { token, email } = await makeUser(siteId)
      await content("PUT", "/settings", { token, host, json: { theme: "dark" } })
      await content("POST", "/device-tokens", { token, host, json: { token: "t", platform: "ios" } })
      await content("POST", "/password/forgot", { host, json: { email } })
      const input = parseInput(CreateNotification, { title: "Hello", message: "There" })
      await run(async (ctx) => createNotification(ctx, (await findSite(ctx, siteId)) as SiteRef, input))
      const avatar = new FormData()
      avatar.set("avatar", new Blob(["GIF89a..........."]))
      await content("POST", "/update/avatar", { token, host, body: avatar })
    }
    const tablesWithRows = async (siteId: string) => {
      const counts = await Promise.all(
        siteTableNames()
          // Tombstones remain.
          .filter((name) => name !== "site_incarnations")
          .map(async (name) => [name, await siteRows(`select 1 from ${name} where site_id = ?`, siteId)]),
      )
      return counts.filter(([, rows]) => rows?.length).map(([name]) => name)
    }
    const before = await tablesWithRows("central")
    expect(before).toEqual(
      expect.arrayContaining([
        "counters",
        "device_tokens",
        "reset_tokens",
        "notification_recipients",
        "notifications",
        "user_settings",
        "user_tokens",
        "users",
      ]),
    )
    expect(await tablesWithRows(store)).toEqual(expect.arrayContaining(before))
    await withJobs(() => run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" })))
    expect(await tablesWithRows(store)).toEqual([])
    expect(await tablesWithRows("central")).toEqual(before)
    expect((await env.MEDIA.list()).objects.map((object) => object.key.split("/")[0])).toEqual(["central"])
  })
})
