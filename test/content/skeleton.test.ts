// What every request of /api/v1 passes before its route: the order of the checks, case by case.
import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { describe, expect, test, vi } from "vitest"
import { createNotification } from "../../src/content/notifications/create"
import { CreateNotification } from "../../src/content/notifications/schemas"
import { siteById } from "../../src/content/site"
import { domains } from "../../src/db/schema/central/domains"
import { siteTableNames } from "../../src/db/site-tables"
import { sha256 } from "../../src/lib/hash"
import { purgeStore, removeStore } from "../../src/platform/stores/remove"
import { suspendStore } from "../../src/platform/stores/service"
import { run } from "../support/app"
import { content, hostOfStore, makeSettings, makeUser, takeMail } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makePlan, makeReadyStore, makeStore } from "../support/factories"
import { siteRows } from "../support/rows"

const API_KEY = `tna_abcdefgh_${"k".repeat(40)}`

describe("the gate", () => {
  test("an unknown host is 404, on every path", async () => {
    for (const path of ["/nothing", "/me"]) {
      const answer = await content("GET", path, { host: "nobody.localhost", headers: { "X-API-KEY": API_KEY } })
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ error: true, data: null, message: "Not found." })
    }
  })

  test("a store that is not serving is 503: before its database exists, and suspended, whatever its plan and switches", async () => {
    const pending = await makeStore()
    expect((await content("GET", "/me", { host: hostOfStore(pending) })).status).toBe(503)
    const plan = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
    const suspended = await makeReadyStore({ plan: plan.slug })
    await run((ctx) => suspendStore(ctx, suspended))
    const answer = await content("GET", "/posts", { host: hostOfStore(suspended) })
    expect(answer.status).toBe(503)
    expect(answer.body).toEqual({ error: true, data: null, message: "This store is not available at the moment." })
  })

  test("a plan without API access is 403 even while the API is off; without a subscription nothing is restricted", async () => {
    const plan = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
    const poor = await makeReadyStore({ plan: plan.slug })
    await makeSettings(poor, { apiEnabled: false })
    const refused = await content("GET", "/nothing", { host: hostOfStore(poor) })
    expect(refused.status).toBe(403)
    expect(refused.body.error).toBe(true)
    const included = await makeReadyStore({ plan: (await makePlan()).slug })
    const free = await makeReadyStore()
    for (const id of [included, free]) {
      expect((await content("GET", "/nothing", { host: hostOfStore(id) })).status).toBe(404)
    }
  })

  test("an API that is switched off is 503, also with the right key, and only at that site", async () => {
    const store = await makeReadyStore()
    await makeSettings("central", {
      apiEnabled: false,
      keyRequired: true,
      apiKeyPrefix: "tna_abcdefgh",
      apiKeyHash: await sha256(API_KEY),
    })
    const off = await content("GET", "/nothing", { headers: { "X-API-KEY": API_KEY } })
    expect(off.status).toBe(503)
    expect(off.body).toEqual({ error: true, data: null, message: "The API is disabled." })
    expect((await content("GET", "/nothing", { host: hostOfStore(store) })).status).toBe(404)
  })

  test("with key protection a request without the key is 401 in its own form, on every path; with it the route is asked", async () => {
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
  test("a custom domain is the store's once it is verified, and links carry the host that was asked for", async () => {
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

  test("the gate costs one round trip, whatever it finds", async () => {
    const store = await makeReadyStore()
    for (const host of ["localhost", hostOfStore(store), "nobody.localhost"]) {
      expect((await costsOf(() => content("GET", "/nothing", { host }))).roundTrips).toBe(1)
    }
  })
})

describe("envelopes", () => {
  test("an unknown path is 404, a wrong verb 405 with what is allowed, OPTIONS 204; each with its request id", async () => {
    const unknown = await content("GET", "/nothing", { headers: { "Accept-Language": "fr-CH, en;q=0.5" } })
    expect(unknown.status).toBe(404)
    expect(unknown.body).toEqual({ error: true, data: null, message: "Introuvable." })
    const wrong = await content("DELETE", "/login")
    expect(wrong.status).toBe(405)
    expect(wrong.body).toMatchObject({ error: true, data: null })
    expect(wrong.headers.get("Allow")).toBe("POST, OPTIONS")
    expect((await content("OPTIONS", "/login")).status).toBe(204)
    for (const answer of [unknown, wrong]) expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9A-Z]{26}$/)
  })

  test("a fault of ours is 500 with the request id, and says nothing of its cause", async () => {
    const user = await makeUser()
    vi.spyOn(env.SITES_1, "batch").mockRejectedValue(new Error("secret detail"))
    const answer = await content("GET", "/me", { token: user.token })
    expect(answer.status).toBe(500)
    expect(answer.body).toMatchObject({ error: true, data: null })
    expect(answer.body.message).toContain(answer.headers.get("X-Request-Id"))
    expect(answer.text).not.toContain("secret")
  })

  test("a field's message counts the others, one or many", async () => {
    const message = async (json: object) => (await content("POST", "/login", { json })).body.message
    expect(await message({ email: "a@example.com" })).toBe("The password field is required.")
    expect(await message({})).toBe("The email field is required. (and 1 more error)")
  })
})

describe("a deleted store", () => {
  test("leaves no row and no file of its users behind, and touches no other site", async () => {
    takeMail()
    const store = await makeReadyStore()
    for (const [siteId, host] of [
      ["central", "localhost"],
      [store, hostOfStore(store)],
    ] as const) {
      const { token, email } = await makeUser(siteId)
      await content("PUT", "/settings", { token, host, json: { theme: "dark" } })
      await content("POST", "/device-tokens", { token, host, json: { token: "t", platform: "ios" } })
      await content("POST", "/password/forgot", { host, json: { email } })
      const input = CreateNotification.parse({ title: "Hello", message: "There" })
      await run(async (ctx) => createNotification(ctx, await siteById(ctx, siteId), input))
      const avatar = new FormData()
      avatar.set("avatar", new Blob(["GIF89a..........."]))
      await content("POST", "/update/avatar", { token, host, body: avatar })
    }
    const left = async (siteId: string) => {
      const counts = await Promise.all(
        siteTableNames()
          // What is left of a deleted store is that it was deleted.
          .filter((name) => name !== "site_incarnations")
          .map(async (name) => [name, await siteRows(`select 1 from ${name} where site_id = ?`, siteId)]),
      )
      return counts.filter(([, found]) => found?.length).map(([name]) => name)
    }
    const before = await left("central")
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
    expect(await left(store)).toEqual(expect.arrayContaining(before))
    await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" }))
    await run((ctx) => purgeStore(ctx, store))
    expect(await left(store)).toEqual([])
    expect(await left("central")).toEqual(before)
    expect((await env.MEDIA.list()).objects.map((object) => object.key.split("/")[0])).toEqual(["central"])
  })
})
