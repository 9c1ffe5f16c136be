// A short run of the fuzzer over the three documents; `npm run fuzz` makes a long one. The tests' call holds every answer to the document.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Document } from "../../tools/openapi/document"
import { APIS, buildDocument } from "../../tools/openapi/documents"
import {
  type FuzzResponse,
  type GeneratedRequest,
  generateRequests,
  listUnsupportedMethods,
  probe,
} from "../../tools/openapi/fuzz"
import { ValuePool } from "../../tools/openapi/fuzz-pool"
import { call } from "../support/app"
import { makeUser } from "../support/content-factories"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { makeLicense, makeLicenseKey, makeProduct } from "../support/license-factories"
import { mockReceiver } from "../support/receiver"

/** What is made up depends on what was answered before, so that nothing is made simpler behind a failure. */
const RUNS = { numRuns: 150, seed: 20_260_902, endOnFailure: true }

const unlimited = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** Sends made-up requests to a host, with whatever credential they are to carry. */
const sender =
  (base: string, good: (made: GeneratedRequest) => Record<string, string>, host = "localhost") =>
  async (made: GeneratedRequest, extra: Record<string, string>): Promise<FuzzResponse> => {
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

/** Throws made-up requests at an API, which learns from each answer what the next may ask for; many of them get through. */
async function throwAt(document: Document, known: ValuePool, send: ReturnType<typeof sender>): Promise<void> {
  let through = 0
  const property = fc.asyncProperty(generateRequests(document, known), async (made) => {
    const answer = await probe(made, send, () => undefined)
    if (answer.status >= 300) return
    through += 1
    known.learn(made.template, answer.text)
  })
  await fc.assert(property, RUNS)
  expect(through).toBeGreaterThan(RUNS.numRuns / 10)
}

/** A user's and a server's; whoever logs out is nobody from the start, or would be none for all that follows. */
const credentials =
  (token: string, key: string) =>
  ({ operation }: GeneratedRequest): Record<string, string> => ({
    Authorization: `Bearer ${operation.operationId === "accounts.logOut" ? "nobody" : token}`,
    "X-API-KEY": key,
  })

/** Choices that no document could list. */
const CHOSEN = { timezone: ["UTC", "Europe/Paris"] }

describe("made-up requests", () => {
  test("of the control plane are answered as the document says, and the same twice under one key", async () => {
    const token = await makeKey()
    mockReceiver()
    const plan = await makePlan()
    const store = await makeReadyStore({ plan: plan.slug })
    const endpoint = await makeEndpoint()
    const known = new ValuePool({
      "stores id": [store],
      "webhooks id": [endpoint.id],
      "deliveries id": [1],
      "plans slug": [plan.slug],
      "apps slug": ["reviews", "ecommerce"],
      plan: [plan.slug],
      theme: ["atelier"],
      preset: ["linen"],
      "domains domain": [`${store}.localhost`, "shop.example.org"],
      confirm: [store],
    })
    const document = buildDocument(APIS.platform)
    const send = sender("/api/platform/v1", () => ({ Authorization: `Bearer ${token}` }))
    await throwAt(document, known, send)
    const wrong = listUnsupportedMethods(document)
    expect(wrong.length).toBeGreaterThan(100)
    for (const { path, method, allowed } of wrong) {
      const answer = await call(method, `/api/platform/v1${path}`, { token, env: unlimited })
      expect
        .soft([answer.status, answer.headers.get("Allow")?.split(", ").sort()], `${method} ${path}`)
        .toEqual([405, allowed])
    }
  })

  test("of the content API, on the central host and on a store's", async () => {
    const store = await makeReadyStore()
    const document = buildDocument(APIS.content)
    const key = await makeKey()
    for (const app of ["ecommerce", "reviews", "galleries", "contact"])
      await call("POST", `/api/platform/v1/stores/${store}/apps/${app}/enable`, { token: key })
    for (const [site, host] of [
      ["central", "localhost"],
      [store, `${store}.localhost`],
    ] as const) {
      const { token } = await makeUser(site, { isStaff: true })
      const good = credentials(token, await makeServerKey(site, "internal"))
      const send = sender("/api/v1", good, host)
      await throwAt(document, new ValuePool(CHOSEN), send)
    }
  })

  test("of the license manager", async () => {
    const product = await makeProduct()
    const license = await makeLicense(product)
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    const known = new ValuePool({
      product: [product.referenceId],
      product_id: [product.referenceId],
      license: [license.id, license.code],
      license_code: [license.code],
      product_reference_id: [product.referenceId],
      id: [license.id],
      "download type": ["main", "sql"],
      "download_update type": ["main", "sql"],
    })
    const good = ({ operation }: GeneratedRequest) => ({
      "X-API-KEY": keys["vendorKey" in (operation.security[0] ?? {}) ? "internal" : "external"],
      "X-API-URL": "https://shop.example.com",
    })
    const send = sender("/api", good)
    await throwAt(buildDocument(APIS.license), known, send)
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
