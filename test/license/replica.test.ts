// Verifications and checks read the nearest replica, and the primary before they reject a license.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { costsOf } from "../support/costs"
import { externalClient, legacyClient, makeActive } from "../support/license-factories"
import { rows } from "../support/rows"

/** Makes every session read from a replica that has no rows yet. */
function useEmptyReplica() {
  const withSession = env.DB.withSession.bind(env.DB)
  const batch = vi.fn(async (statements: unknown[]) => statements.map(() => ({ success: true, results: [], meta: {} })))
  vi.spyOn(env.DB, "withSession").mockImplementation((constraint) => {
    const session = withSession(constraint)
    return { prepare: (sql: string) => session.prepare(sql), batch, getBookmark: () => null } as never
  })
  return batch
}

test("verifies a license that the replica does not have yet, and records no rejection", async () => {
  const external = await externalClient()
  const { proof, input } = await makeActive(external)
  const replica = useEmptyReplica()
  for (const json of [proof, input]) {
    const { body } = await external("POST", "/license/verify", { json })
    expect(body).toMatchObject({ status: true, is_active: true })
  }
  expect(replica).toHaveBeenCalledTimes(2)
  expect(await rows("select 1 from license_refused_tries")).toEqual([])
})

test("rejects a license only after the primary has", async () => {
  const external = await externalClient()
  const { proof } = await makeActive(external)
  await env.DB.prepare("update licenses set is_valid = 0").run()
  const sessions = vi.spyOn(env.DB, "withSession")
  await external("POST", "/license/verify", { json: proof })
  const { roundTrips } = await costsOf(async () => {
    const { body } = await external("POST", "/license/verify", { json: proof })
    expect(body.status).toBe(false)
  })
  expect(sessions).toHaveBeenCalledTimes(2)
  expect(roundTrips, "the replica and the primary; the key is cached").toBe(2)
})

test("checks a license at the replica, and at the primary before it rejects one", async () => {
  const external = await externalClient()
  const { input } = await makeActive(external)
  const check = async () => (await external("POST", "/license/check", { json: input })).body
  await check()
  const { roundTrips } = await costsOf(check)
  expect(roundTrips, "the replica; the key is cached").toBe(1)
  const replica = useEmptyReplica()
  expect(await check()).toMatchObject({ status: true, data: { activations: 1 } })
  expect(replica).toHaveBeenCalledTimes(1)
  await env.DB.prepare("update licenses set is_valid = 0").run()
  expect((await check()).status).toBe(false)
  expect(replica).toHaveBeenCalledTimes(2)
})

test("activates, deactivates and serves updates from the primary", async () => {
  const external = await externalClient()
  const { proof, input, product } = await makeActive(external)
  const sessions = vi.spyOn(env.DB, "withSession")
  await external("POST", "/license/activate", { json: input })
  await external("POST", "/update/check", { json: { product_id: product.referenceId, current_version: "1" } })
  await external("POST", "/license/deactivate", { json: proof })
  expect(sessions).not.toHaveBeenCalled()
  expect((await external("POST", "/license/verify", { json: proof })).body.status).toBe(false)
})

test("verifies over the legacy API in one round trip as well", async () => {
  const external = await externalClient()
  const { proof } = await makeActive(external)
  const legacy = await legacyClient()
  const verify = () => legacy("POST", "/verify_license", { json: proof })
  expect((await verify()).body.status).toBe(true)
  expect((await costsOf(verify)).roundTrips).toBe(1)
})
