// What a request costs: counted, so that it does not depend on the machine.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { type Costs, costsOf } from "../support/costs"
import { externalClient, internalClient, makeActive, makeVersion } from "../support/license-factories"
import { makeManyLicenses } from "../support/many-licenses"

/** What installed copies and the vendor's lists ask for. */
async function measure(): Promise<Record<string, Costs>> {
  const external = await externalClient()
  const { proof, input, product, license } = await makeActive(external)
  const internal = await internalClient()
  // A key's first use is noted behind the answer, and then not again for a minute.
  await internal("GET", "/connection-check")
  await makeVersion(product, "1.1.0", { main: "x" })
  const costs: Record<string, Costs> = {}
  const ask = async (name: string, work: () => Promise<unknown>) => {
    costs[name] = await costsOf(work)
  }
  const proven = { json: proof }
  const update = { json: { product_id: product.referenceId, current_version: "1.0.0" } }
  await ask("verify by data", () => external("POST", "/license/verify", proven))
  await ask("verify by code", () => external("POST", "/license/verify", { json: input }))
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

const WRITES = ["renew", "activate", "deactivate"]

describe("costs", () => {
  test("two round trips for a read and three for a write, and as many rows whatever the tables hold", async () => {
    await makeManyLicenses(env.DB, 100)
    const small = await measure()
    await makeManyLicenses(env.DB, 2_000)
    const large = await measure()
    for (const [name, costs] of Object.entries(small)) {
      expect([name, costs.roundTrips]).toEqual([name, Math.min(costs.roundTrips, WRITES.includes(name) ? 3 : 2)])
      // A counter that is there already is read before it is raised: a row more, once.
      const more = (large[name]?.rowsRead ?? Number.NaN) - costs.rowsRead
      expect([name, more]).toEqual([name, WRITES.includes(name) ? Math.min(more, 1) : 0])
      expect([name, costs.objectCalls]).toEqual([name, 1])
    }
    expect(small["verify by data"]?.rowsRead).toBe(4)
  })
})
