// Concurrent requests: every change that was confirmed must be stored.
import { describe, expect, test, vi } from "vitest"
import { sendLicenseNotices } from "../../src/license/notices"
import { run } from "../support/app"
import { externalClient, internalClient, makeLicense, makeProduct } from "../support/license-factories"
import { rows } from "../support/rows"

/** Freezes the clock of the code under test, so that timestamps cannot order the changes. */
const freezeClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 5, 1) })

describe("concurrent changes of one license", () => {
  test("stores all concurrent changes of a license, even with equal timestamps", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    freezeClock()
    for (let round = 0; round < 5; round++) {
      const license = await makeLicense(product)
      const changes = [
        { invoice: "#1" },
        { comments: "note" },
        { email: "a@b.example" },
        { parallel_uses: 3 },
        { customer_id: "Jo" },
      ]
      const responses = await Promise.all(
        changes.map((json) => internal("PUT", `/product-licenses/${license.id}`, { json })),
      )
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      const { body } = await internal("GET", `/product-licenses/${license.id}`)
      expect(body.data).toMatchObject(Object.assign({}, ...changes))
    }
  })

  test("stores both a block and a concurrent change of another field", async () => {
    const internal = await internalClient()
    const license = await makeLicense(await makeProduct())
    freezeClock()
    await Promise.all([
      internal("POST", `/blocked-product-licenses/${license.id}`),
      internal("PUT", `/product-licenses/${license.id}`, { json: { invoice: "#2" } }),
      internal("PUT", `/product-licenses/${license.id}`, { json: { comments: "x" } }),
    ])
    const { body } = await internal("GET", `/product-licenses/${license.id}`)
    expect(body.data).toMatchObject({ is_valid: false, invoice: "#2", comments: "x" })
  })
})

test("keeps the expiry that a first activation sets during a concurrent update", async () => {
  const internal = await internalClient()
  const external = await externalClient()
  freezeClock()
  for (let round = 0; round < 5; round++) {
    const product = await makeProduct()
    const license = await makeLicense(product, { expiry_days: 10 })
    const json = { product_id: product.referenceId, license_code: license.code }
    const [activated] = await Promise.all([
      external("POST", "/license/activate", { json }),
      internal("PUT", `/product-licenses/${license.id}`, { json: { invoice: "#1" } }),
      internal("PUT", `/product-licenses/${license.id}`, { json: { comments: "x" } }),
    ])
    expect(activated?.body.is_active).toBe(true)
    const { body } = await internal("GET", `/product-licenses/${license.id}`)
    expect(body.data).toMatchObject({ invoice: "#1", comments: "x", expires_at: "2026-06-11T00:00:00+00:00" })
  }
})

test("stores all concurrent changes of a product and of a version", async () => {
  const internal = await internalClient()
  const product = await makeProduct()
  const version = (await internal("POST", `/products/${product.id}/versions`, { json: { version: "1.0" } })).body.data
  freezeClock()
  await Promise.all(
    [{ name: "New" }, { description: "d" }, { marketplace_id: "7" }, { license_update: false }].map((json) =>
      internal("PUT", `/products/${product.id}`, { json }),
    ),
  )
  const after = (await internal("GET", `/products/${product.id}`)).body.data
  expect(after).toMatchObject({ name: "New", description: "d", marketplace_id: "7", license_update: false })
  await Promise.all(
    [{ summary: "s" }, { changelog: "c" }, { version: "1.1" }, { is_active: false }].map((json) =>
      internal("POST", `/products/${product.id}/versions/${version.version_id}`, { json }),
    ),
  )
  const changed = (await internal("GET", `/products/${product.id}/versions/${version.version_id}`)).body.data
  expect(changed).toMatchObject({ summary: "s", changelog: "c", version: "1.1", is_active: false })
})

test("emits a due expiry event although the license is updated concurrently", async () => {
  const internal = await internalClient()
  const start = Date.UTC(2026, 5, 1)
  vi.useFakeTimers({ toFake: ["Date"], now: start })
  const license = await makeLicense(await makeProduct(), { expires_at: "2026-06-02" })
  vi.setSystemTime(start + 86_400_000 + 5_000)
  await internal("PUT", `/product-licenses/${license.id}`, { json: { invoice: "#1" } })
  await Promise.all([
    run(sendLicenseNotices),
    internal("PUT", `/product-licenses/${license.id}`, { json: { comments: "x" } }),
  ])
  expect((await rows("select type from webhook_events")).map(({ type }) => type)).toEqual(["license.expired"])
  const { body } = await internal("GET", `/product-licenses/${license.id}`)
  expect(body.data).toMatchObject({ invoice: "#1", comments: "x" })
})
