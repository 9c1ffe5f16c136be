// Runs the fuzzer briefly over the three documents; `npm run fuzz` runs it longer. `call` checks every response.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { APP_LOOKUPS } from "../../tools/openapi/apps"
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

/** Requests depend on earlier responses, so a failure cannot be shrunk. */
const RUNS = { numRuns: 150, seed: 20_260_902, endOnFailure: true }

const unlimited = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** Creates a function that sends generated requests to a host with their credentials. */
const sender =
  (base: string, good: (made: GeneratedRequest) => Record<string, string>, host = "localhost") =>
  async (made: GeneratedRequest, extra: Record<string, string>): Promise<FuzzResponse> => {
    const credential: Record<string, string> = {
      good: good(made),
      none: {},
      bad: { Authorization: "Bearer invalid", "X-API-KEY": "invalid" },
    }[made.credential]
    const type: Record<string, string> = made.body?.type ? { "Content-Type": made.body.type } : {}
    return call(made.method, base + made.path, {
      host,
      headers: { ...extra, ...credential, ...type },
      ...(made.method !== "GET" && made.body && { body: new TextEncoder().encode(made.body.text) }),
      env: unlimited,
    })
  }

/** Fuzzes an API. Values from its responses are used in later requests, and many requests have to succeed. */
async function fuzz(document: Document, known: ValuePool, send: ReturnType<typeof sender>): Promise<void> {
  let through = 0
  const property = fc.asyncProperty(generateRequests(document, known), async (made) => {
    const response = await probe(made, send, () => undefined, APP_LOOKUPS)
    if (response.status >= 300) return
    through += 1
    known.learn(made.template, response.text)
  })
  await fc.assert(property, RUNS)
  expect(through).toBeGreaterThan(RUNS.numRuns / 10)
}

/**
 * Credentials of a user and a server. A logout gets an invalid token, or it would end the session of later requests.
 */
const credentials =
  (token: string, key: string) =>
  ({ operation }: GeneratedRequest): Record<string, string> => ({
    Authorization: `Bearer ${operation.operationId === "accounts.logOut" ? "invalid" : token}`,
    "X-API-KEY": key,
  })

/** Choices that the document cannot list. */
const CHOSEN = { timezone: ["UTC", "Europe/Paris"] }

describe("generated requests", () => {
  test("to the control plane get documented responses, and the same one for a repeated Idempotency-Key", async () => {
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
      "apps slug": availableApps.map(({ slug }) => slug),
      plan: [plan.slug],
      theme: ["atelier"],
      preset: ["linen"],
      "domains domain": [`${store}.localhost`, "shop.example.org"],
      confirm: [store],
    })
    const document = buildDocument(APIS.platform)
    // A revocation gets an invalid token, or it could revoke the key of later requests.
    const send = sender("/api/platform/v1", ({ operation }) => ({
      Authorization: `Bearer ${operation.operationId === "keys.revoke" ? "invalid" : token}`,
    }))
    await fuzz(document, known, send)
    const wrong = listUnsupportedMethods(document)
    expect(wrong.length).toBeGreaterThan(100)
    for (const { path, method, allowed } of wrong) {
      const response = await call(method, `/api/platform/v1${path}`, { token, env: unlimited })
      expect
        .soft([response.status, response.headers.get("Allow")?.split(", ").sort()], `${method} ${path}`)
        .toEqual([405, allowed])
    }
  })

  test("to the content API get documented responses on the central host and on a store's host", async () => {
    const store = await makeReadyStore()
    const document = buildDocument(APIS.content)
    const key = await makeKey()
    for (const { slug } of availableApps)
      await call("POST", `/api/platform/v1/stores/${store}/apps/${slug}/enable`, { token: key })
    for (const [site, host] of [
      ["central", "localhost"],
      [store, `${store}.localhost`],
    ] as const) {
      const { token } = await makeUser(site, { isStaff: true })
      const good = credentials(token, await makeServerKey(site, "internal"))
      const send = sender("/api/v1", good, host)
      await fuzz(document, new ValuePool(CHOSEN), send)
    }
  })

  test("to the license manager get documented responses", async () => {
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
    await fuzz(buildDocument(APIS.license), known, send)
  })
})

describe("deleted resources", () => {
  test("return 404: a store, a webhook endpoint and a folder", async () => {
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
