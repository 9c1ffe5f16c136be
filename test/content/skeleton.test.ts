// What every request of /api/v1 passes before its route: the order of the checks, case by case.
import { describe, expect, test } from "vitest"
import { sha256 } from "../../src/lib/hash"
import { suspendStore } from "../../src/platform/stores/service"
import { run } from "../support/app"
import { content, hostOfStore, makeSettings } from "../support/content-factories"
import { makePlan, makeReadyStore, makeStore } from "../support/factories"

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
    const answer = await content("GET", "/me", { host: hostOfStore(suspended) })
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
  })
})
