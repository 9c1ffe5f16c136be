// Which installation holds an activation, while its vendor changes what the license says of addresses.
import fc from "fast-check"
import { beforeEach, describe, expect, test } from "vitest"
import { externalClient, internalClient, makeLicense, makeProduct } from "../support/license-factories"
import { rows } from "../support/rows"

const [ONE, TWO, THREE, FOUR] = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]
const BOTH = [ONE, TWO]

let external: Awaited<ReturnType<typeof externalClient>>
let internal: Awaited<ReturnType<typeof internalClient>>

beforeEach(async () => {
  external = await externalClient()
  internal = await internalClient()
})

/** A license, and what its vendor and its one domain do with it; addresses are those of the domain's servers. */
async function licenseFor(overrides: Record<string, unknown>) {
  const product = await makeProduct()
  const license = await makeLicense(product, overrides)
  const json = { product_id: product.referenceId, license_code: license.code }
  return {
    allow: (ips: string[]) => internal("PUT", `/product-licenses/${license.id}`, { json: { ips } }),
    activate: (ip: string, client_name?: string) =>
      external("POST", "/license/activate", { json: { ...json, client_name }, headers: { "X-API-IP": ip } }),
    giveBack: (ip: string) => external("POST", "/license/deactivate", { json, headers: { "X-API-IP": ip } }),
    create: (ip: string) =>
      internal("POST", `/activated-product-activations/${license.id}`, { json: { domain: "shop.example", ip } }),
    switchTo: (isActive: boolean, activation: unknown) =>
      internal(isActive ? "POST" : "DELETE", `/activated-product-activations/${activation}`),
    activations: () =>
      rows("select id, ip, is_active from license_activations where license_id = ? order by id", license.id),
    active: async () =>
      (
        await rows("select ip from license_activations where license_id = ? and is_active = 1 order by ip", license.id)
      ).map(({ ip }) => ip),
  }
}

describe("a license that names addresses, then none, and then the same again", () => {
  test("is activated from an address that was there before the activation moved", async () => {
    for (const way of ["activate", "create"] as const) {
      const { allow, activate, create, active } = await licenseFor({ ips: BOTH })
      await activate(ONE)
      await allow([])
      await activate(TWO)
      expect(await active()).toEqual([TWO])
      await allow(BOTH)
      const { status, body } = await { activate, create }[way](ONE)
      expect([status, body.message], way).toEqual([way === "create" ? 201 : 200, "Activated."])
      expect(await active()).toEqual(BOTH)
    }
  })

  test("leaves each of its servers the activation that it had", async () => {
    const { allow, activate, active } = await licenseFor({ ips: BOTH, parallel_uses: 2 })
    await activate(ONE)
    await activate(TWO)
    await allow([])
    await activate(TWO, "renamed")
    await activate(TWO)
    expect(await active()).toEqual(BOTH)
    await allow(BOTH)
    for (const ip of BOTH) expect((await activate(ip)).body.message).toBe("Activated.")
    expect(await active()).toEqual(BOTH)
  })

  test("takes no second use for the domain while it names none", async () => {
    const { allow, activate, active } = await licenseFor({ ips: BOTH, parallel_uses: 1 })
    await activate(ONE)
    await allow([])
    for (const ip of [THREE, TWO, ONE, THREE]) {
      expect((await activate(ip)).body.message).toBe("Activated.")
      expect(await active()).toEqual([ip])
    }
  })

  test("moves the domain's own activation before one that is told by its address", async () => {
    const { allow, activate, active } = await licenseFor({})
    await activate(THREE)
    await allow(BOTH)
    await activate(ONE)
    await allow([])
    expect((await activate(FOUR)).body.message).toBe("Activated.")
    expect(await active()).toEqual([ONE, FOUR])
  })
})

test("an activation is not switched on beside another one for its place", async () => {
  const { allow, activate, switchTo, giveBack, activations } = await licenseFor({ ips: BOTH })
  await activate(ONE)
  await giveBack(ONE)
  await allow([])
  await activate(ONE)
  const [ended, held] = await activations()
  const refused = { status: 422, body: { message: "Your license has reached the maximum number of parallel uses." } }
  expect(await switchTo(true, ended?.id)).toMatchObject(refused)
  await switchTo(false, held?.id)
  expect((await switchTo(true, ended?.id)).status).toBe(200)
  expect(await switchTo(true, held?.id)).toMatchObject(refused)
})

test("whatever is done with a license in whatever order, an address that it allows activates it", async () => {
  const address = fc.constantFrom(...BOTH)
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ allow: fc.constantFrom([], BOTH) }) },
      { weight: 5, arbitrary: fc.record({ activate: address, name: fc.constantFrom("a", "b") }) },
      { weight: 1, arbitrary: fc.record({ giveBack: address }) },
      { weight: 2, arbitrary: fc.record({ activation: fc.nat(2), isActive: fc.boolean() }) },
    ),
    { minLength: 20, maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (done) => {
      let allowed = BOTH
      const license = await licenseFor({ ips: allowed })
      for (const step of done) {
        if ("allow" in step) {
          allowed = step.allow
          expect((await license.allow(allowed)).status).toBe(200)
        } else if ("activate" in step) {
          const { status, body } = await license.activate(step.activate, step.name)
          const isAllowed = allowed.length === 0 || allowed.includes(step.activate)
          expect([status, body.is_active]).toEqual([200, isAllowed])
        } else if ("giveBack" in step) {
          expect((await license.giveBack(step.giveBack)).status).toBe(200)
        } else {
          const activation = (await license.activations())[step.activation]
          if (activation) expect([200, 422]).toContain((await license.switchTo(step.isActive, activation.id)).status)
        }
      }
    }),
    { numRuns: 20, seed: 1 },
  )
}, 60_000)
