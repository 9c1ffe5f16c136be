// What a request costs: counted, so that it does not depend on the machine.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { type Costs, costsOf } from "../support/costs"
import { externalClient, internalClient, makeActive, makeProduct, makeVersion } from "../support/license-factories"
import { makeManyLicenses } from "../support/many-licenses"

/** What installed copies and the vendor's lists ask for. */
async function measure(): Promise<Record<string, Costs>> {
  const external = await externalClient()
  const { proof, input, product, license } = await makeActive(external)
  const internal = await internalClient()
  // A key's first use is noted behind the answer, and then not again for a minute.
  await internal("GET", "/connection-check")
  // A counter is made by the first that it counts, and raised by all after it.
  const ended = await makeActive(external)
  await external("POST", "/license/deactivate", { json: ended.proof })
  await makeVersion(product, "1.1.0", { main: "x" })
  const costs: Record<string, Costs> = {}
  const ask = async (name: string, work: () => Promise<unknown>) => {
    costs[name] = await costsOf(work)
  }
  const proven = { json: proof }
  const update = { json: { product_id: product.referenceId, current_version: "1.0.0" } }
  await ask("verify by data", () => external("POST", "/license/verify", proven))
  await ask("verify by code", () => external("POST", "/license/verify", { json: input }))
  const copied = { json: proof, headers: { "X-API-URL": "https://copy.example" } }
  await ask("refused", () => external("POST", "/license/verify", copied))
  await ask("refused again", () => external("POST", "/license/verify", copied))
  await ask("check", () => external("POST", "/license/check", { json: input }))
  await ask("update check", () => external("POST", "/update/check", update))
  await ask("renew", () => external("POST", "/license/activate", { json: input }))
  const elsewhere = { json: input, headers: { "X-API-URL": "https://new.example" } }
  await ask("activate", () => external("POST", "/license/activate", elsewhere))
  await ask("deactivate", () => external("POST", "/license/deactivate", proven))
  await ask("licenses", () => internal("GET", "/product-licenses"))
  await ask("licenses of a product", () => internal("GET", "/product-licenses?product_reference_id=MANY"))
  await ask("licenses of a client", () => internal("GET", "/product-licenses?customer_id=client%207"))
  await ask("license by code", () => internal("GET", `/product-licenses/${license.code}`))
  await ask("activations", () => internal("GET", "/product-activations"))
  await ask("search", () => internal("GET", "/product-licenses?search=zephyr"))
  await ask("search for two letters", () => internal("GET", "/product-licenses?search=zq"))
  return costs
}

/** Round trips, rows read, rows written. An object, the rate limit, is asked beside the first trip. */
const EXPECTED: Record<string, [trips: number, read: number, written: number]> = {
  "verify by data": [2, 5, 0],
  "verify by code": [2, 5, 0],
  // The third is behind the answer, and not made again for a minute.
  refused: [3, 6, 2],
  "refused again": [2, 5, 0],
  check: [2, 3, 0],
  "update check": [2, 7, 0],
  // Nothing about the installation changed, so that nothing is written.
  renew: [2, 6, 0],
  activate: [3, 29, 17],
  deactivate: [3, 23, 14],
  licenses: [2, 62, 0],
  "licenses of a product": [2, 64, 0],
  "licenses of a client": [2, 11, 0],
  "license by code": [2, 3, 0],
  activations: [2, 17, 0],
  search: [2, 91, 0],
  "search for two letters": [2, 91, 0],
}

test("two round trips for a read, three for a write, and the same rows whatever the tables hold", async () => {
  for (const licenses of [100, 2_000]) {
    await makeManyLicenses(env.DB, licenses)
    const costs = Object.entries(await measure()).map(([name, { roundTrips, rowsRead, rowsWritten, objectCalls }]) => {
      expect(objectCalls, name).toBe(1)
      return [name, [roundTrips, rowsRead, rowsWritten]]
    })
    expect(Object.fromEntries(costs), JSON.stringify(licenses)).toEqual(EXPECTED)
  }
})

test("the next version is found in the same rows however many there are", async () => {
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
