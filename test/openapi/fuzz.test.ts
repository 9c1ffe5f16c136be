// A short run of the fuzzer over the three documents; `npm run fuzz` makes a long one. The tests' call holds every answer to the document.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { APIS, documentOf } from "../../scripts/openapi/documents"
import { type MadeUp, madeUp, probe, type Sent, wrongVerbs } from "../../scripts/openapi/fuzz"
import { call } from "../support/app"
import { makeUser } from "../support/content-factories"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { makeLicense, makeLicenseKey, makeProduct } from "../support/license-factories"

const RUNS = { numRuns: 150, seed: 20_260_902 }

const unlimited = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** Sends made-up requests to a host, with whatever credential they are to carry. */
const sender =
  (base: string, good: (made: MadeUp) => Record<string, string>, host = "localhost") =>
  async (made: MadeUp, extra: Record<string, string>): Promise<Sent> => {
    const credential: Record<string, string> = {
      good: good(made),
      none: {},
      bad: { Authorization: "Bearer nobody", "X-API-KEY": "nobody" },
    }[made.credential]
    const type: Record<string, string> = made.body?.type ? { "Content-Type": made.body.type } : {}
    return call(made.method, base + made.path, {
      host,
      headers: { ...extra, ...credential, ...type },
      ...(made.method !== "GET" && made.body && { body: new TextEncoder().encode(made.body.text) }),
      env: unlimited,
    })
  }

describe("made-up requests", () => {
  test("of the control plane are answered as the document says, and the same twice under one key", async () => {
    const token = await makeKey()
    const plan = await makePlan()
    const store = await makeReadyStore({ plan: plan.slug })
    const endpoint = await makeEndpoint()
    const known = {
      "stores id": [store],
      "webhooks id": [endpoint.id],
      "deliveries id": [1],
      id: [store, endpoint.id],
      slug: [plan.slug, "reviews"],
      plan: [plan.slug],
      theme: ["atelier", "bazaar"],
      domain: [`${store}.localhost`, "shop.example.org"],
      confirm: [store],
      events: ["store.*"],
      event: ["store.ready"],
    }
    const document = documentOf(APIS.platform)
    const send = sender("/api/platform/v1", () => ({ Authorization: `Bearer ${token}` }))
    await fc.assert(
      fc.asyncProperty(madeUp(document, known), async (made) => void (await probe(made, send, () => undefined))),
      RUNS,
    )
    for (const { path, verb, allowed } of wrongVerbs(document)) {
      const answer = await call(verb, `/api/platform/v1${path}`, { token, env: unlimited })
      expect
        .soft([answer.status, answer.headers.get("Allow")?.split(", ").sort()], `${verb} ${path}`)
        .toEqual([405, allowed])
    }
  })

  test("of the content API, on the central host and on a store's", async () => {
    const store = await makeReadyStore()
    const document = documentOf(APIS.content)
    for (const [site, host] of [
      ["central", "localhost"],
      [store, `${store}.localhost`],
    ] as const) {
      const { token } = await makeUser(site, { isStaff: true })
      const key = await makeServerKey(site, "internal")
      const good = () => ({ Authorization: `Bearer ${token}`, "X-API-KEY": key })
      const send = sender("/api/v1", good, host)
      await fc.assert(
        fc.asyncProperty(madeUp(document, { id: [1], folder: [1], file: [1] }), async (made) => {
          await probe(made, send, () => undefined)
        }),
        RUNS,
      )
    }
  })

  test("of the license manager", async () => {
    const product = await makeProduct()
    const license = await makeLicense(product)
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    const known = {
      product: [product.referenceId],
      product_id: [product.referenceId],
      license: [license.id, license.code],
      license_code: [license.code],
      product_reference_id: [product.referenceId],
      id: [license.id],
    }
    const good = ({ operation }: MadeUp) => ({
      "X-API-KEY": keys["vendorKey" in (operation.security[0] ?? {}) ? "internal" : "external"],
      "X-API-URL": "https://shop.example.com",
    })
    const send = sender("/api", good)
    await fc.assert(
      fc.asyncProperty(
        madeUp(documentOf(APIS.license), known),
        async (made) => void (await probe(made, send, () => undefined)),
      ),
      RUNS,
    )
  })
})

describe("what was deleted is gone", () => {
  test("a store, a webhook endpoint and a folder", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    const { id } = await makeEndpoint()
    const at = (path: string) => `/api/platform/v1${path}`
    expect((await call("DELETE", at(`/stores/${store}`), { token, json: { confirm: store } })).status).toBe(204)
    expect((await call("GET", at(`/stores/${store}`), { token })).status).toBe(404)
    expect((await call("DELETE", at(`/webhooks/${id}`), { token })).status).toBe(204)
    expect((await call("GET", at(`/webhooks/${id}`), { token })).status).toBe(404)
    const headers = { "X-API-KEY": await makeServerKey() }
    const made = await call("POST", "/api/v1/media/folders", { headers, json: { name: "Gone" } })
    expect((await call("DELETE", `/api/v1/media/folders/${made.body.id}`, { headers })).status).toBe(200)
    expect((await call("GET", `/api/v1/media/folders/${made.body.id}`, { headers })).status).toBe(404)
  })
})
