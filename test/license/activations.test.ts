// Which activation an installation gets while the vendor changes the license's address list.
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

/** Creates a license with helpers for its vendor and for one domain, whose servers have different addresses. */
async function licenseFor(overrides: Record<string, unknown>) {
  const product = await makeProduct()
  const license = await makeLicense(product, overrides)
  const json = { product_id: product.referenceId, license_code: license.code }
  return {
    allow: (ips: string[]) => internal("PUT", `/product-licenses/${license.id}`, { json: { ips } }),
    activate: (ip: string, client_name?: string) =>
      external("POST", "/license/activate", { json: { ...json, client_name }, headers: { "X-API-IP": ip } }),
    deactivate: (ip: string) => external("POST", "/license/deactivate", { json, headers: { "X-API-IP": ip } }),
    create: (ip: string) =>
      internal("POST", `/activated-product-activations/${license.id}`, { json: { domain: "shop.example", ip } }),
    setActive: (isActive: boolean, activation: unknown) =>
      internal(isActive ? "POST" : "DELETE", `/activated-product-activations/${activation}`),
    activations: () =>
      rows("select id, ip, is_active from license_activations where license_id = ? order by id", license.id),
    active: async () =>
      (
        await rows("select ip from license_activations where license_id = ? and is_active = 1 order by ip", license.id)
      ).map(({ ip }) => ip),
  }
}

describe("a license whose address list is cleared and then restored", () => {
  test("activates from an address that was allowed before the activation moved to another one", async () => {
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

  test("keeps each server's own activation", async () => {
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

  test("takes one use per domain while the address list is empty", async () => {
    const { allow, activate, active } = await licenseFor({ ips: BOTH, parallel_uses: 1 })
    await activate(ONE)
    await allow([])
    for (const ip of [THREE, TWO, ONE, THREE]) {
      expect((await activate(ip)).body.message).toBe("Activated.")
      expect(await active()).toEqual([ip])
    }
  })

  test("moves the domain's activation rather than one that is keyed by address", async () => {
    const { allow, activate, active } = await licenseFor({})
    await activate(THREE)
    await allow(BOTH)
    await activate(ONE)
    await allow([])
    expect((await activate(FOUR)).body.message).toBe("Activated.")
    expect(await active()).toEqual([ONE, FOUR])
  })
})

test("refuses to reactivate an activation while its installation has another active one", async () => {
  const { allow, activate, setActive, deactivate, activations } = await licenseFor({ ips: BOTH })
  await activate(ONE)
  await deactivate(ONE)
  await allow([])
  await activate(ONE)
  const [ended, current] = await activations()
  const refused = { status: 422, body: { message: "Your license has reached the maximum number of parallel uses." } }
  expect(await setActive(true, ended?.id)).toMatchObject(refused)
  await setActive(false, current?.id)
  expect((await setActive(true, ended?.id)).status).toBe(200)
  expect(await setActive(true, current?.id)).toMatchObject(refused)
})

test("an allowed address can always activate, after any sequence of operations on the license", async () => {
  const address = fc.constantFrom(...BOTH)
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ allow: fc.constantFrom([], BOTH) }) },
      { weight: 5, arbitrary: fc.record({ activate: address, name: fc.constantFrom("a", "b") }) },
      { weight: 1, arbitrary: fc.record({ deactivate: address }) },
      { weight: 2, arbitrary: fc.record({ activation: fc.nat(2), isActive: fc.boolean() }) },
    ),
    { minLength: 20, maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      let allowed = BOTH
      const license = await licenseFor({ ips: allowed })
      for (const step of sequence) {
        if ("allow" in step) {
          allowed = step.allow
          expect((await license.allow(allowed)).status).toBe(200)
        } else if ("activate" in step) {
          const { status, body } = await license.activate(step.activate, step.name)
          const isAllowed = allowed.length === 0 || allowed.includes(step.activate)
          expect([status, body.is_active]).toEqual([200, isAllowed])
        } else if ("deactivate" in step) {
          expect((await license.deactivate(step.deactivate)).status).toBe(200)
        } else {
          const activation = (await license.activations())[step.activation]
          if (activation) expect([200, 422]).toContain((await license.setActive(step.isActive, activation.id)).status)
        }
      }
    }),
    { numRuns: 20, seed: 1 },
  )
}, 60_000)
