// Counts round trips and rows per license manager request, which, unlike timings, do not depend on the machine.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { type Costs, costsOf } from "../support/costs"
import { externalClient, internalClient, makeActive, makeProduct, makeVersion } from "../support/license-factories"
import { makeManyLicenses } from "../support/many-licenses"

/** Measures the requests of client software and the vendor's lists. */
async function measure(): Promise<Record<string, Costs>> {
  const external = await externalClient()
  const { proof, input, product, license } = await makeActive(external)
  const internal = await internalClient()
  // A key's first use is recorded in the background, and then not again for a minute.
  await internal("GET", "/connection-check")
  // The first row creates a counter; later ones only increment it.
  const ended = await makeActive(external)
  await external("POST", "/license/deactivate", { json: ended.proof })
  await makeVersion(product, "1.1.0", { main: "x" })
  const costs: Record<string, Costs> = {}
  const record = async (name: string, request: () => Promise<unknown>) => {
    costs[name] = await costsOf(request)
  }
  const withProof = { json: proof }
  const update = { json: { product_id: product.referenceId, current_version: "1.0.0" } }
  await record("verify by data", () => external("POST", "/license/verify", withProof))
  await record("verify by code", () => external("POST", "/license/verify", { json: input }))
  const fromCopy = { json: proof, headers: { "X-API-URL": "https://copy.example" } }
  await record("refused", () => external("POST", "/license/verify", fromCopy))
  await record("refused again", () => external("POST", "/license/verify", fromCopy))
  await record("check", () => external("POST", "/license/check", { json: input }))
  await record("update check", () => external("POST", "/update/check", update))
  await record("renew", () => external("POST", "/license/activate", { json: input }))
  const elsewhere = { json: input, headers: { "X-API-URL": "https://new.example" } }
  await record("activate", () => external("POST", "/license/activate", elsewhere))
  await record("deactivate", () => external("POST", "/license/deactivate", withProof))
  await record("licenses", () => internal("GET", "/product-licenses"))
  await record("licenses of a product", () => internal("GET", "/product-licenses?product_reference_id=MANY"))
  await record("licenses of a client", () => internal("GET", "/product-licenses?customer_id=client%207"))
  await record("license by code", () => internal("GET", `/product-licenses/${license.code}`))
  await record("activations", () => internal("GET", "/product-activations"))
  await record("search", () => internal("GET", "/product-licenses?search=zephyr"))
  await record("search for two letters", () => internal("GET", "/product-licenses?search=zq"))
  return costs
}

/**
 * Round trips, rows read, rows written. The rate-limit Durable Object call runs in parallel with the first round trip.
 */
const EXPECTED: Record<string, [trips: number, read: number, written: number]> = {
  // The key is cached, and a replica decides.
  "verify by data": [1, 4, 0],
  "verify by code": [1, 4, 0],
  // The primary decides again. The third round trip runs in the background, at most once per minute.
  refused: [3, 9, 2],
  "refused again": [2, 8, 0],
  check: [1, 2, 0],
  "update check": [2, 7, 0],
  // An unchanged installation writes nothing.
  renew: [2, 6, 0],
  activate: [3, 28, 14],
  deactivate: [3, 22, 11],
  licenses: [2, 62, 0],
  "licenses of a product": [2, 64, 0],
  "licenses of a client": [2, 11, 0],
  "license by code": [2, 3, 0],
  activations: [2, 17, 0],
  search: [2, 91, 0],
  "search for two letters": [2, 91, 0],
}

test("a verification takes one round trip, another read two and a write three, with the same rows for any table size", async () => {
  for (const licenses of [100, 2_000]) {
    await makeManyLicenses(env.DB, licenses)
    const costs = Object.entries(await measure()).map(([name, { roundTrips, rowsRead, rowsWritten, objectCalls }]) => {
      expect(objectCalls, name).toBe(1)
      return [name, [roundTrips, rowsRead, rowsWritten]]
    })
    expect(Object.fromEntries(costs), JSON.stringify(licenses)).toEqual(EXPECTED)
  }
})

test("finding the next version reads the same number of rows for any number of versions", async () => {
  const external = await externalClient()
  const product = await makeProduct({ serve_latest_updates: false })
  const json = { product_id: product.referenceId, current_version: "1.0.0" }
  const check = () => external("POST", "/update/check", { json })
  for (const version of ["1.0.0", "1.1.0", "v1.1.0", "1.2.0"]) await makeVersion(product, version)
  await check()
  const few = await costsOf(check)
  for (let minor = 3; minor < 60; minor++) await makeVersion(product, `1.${minor}.0`)
  expect((await costsOf(check)).rowsRead).toBe(few.rowsRead)
  expect((await check()).body.version).toBe("v1.1.0")
})
