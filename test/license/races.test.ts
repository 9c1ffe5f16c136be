// Requests at the same moment: each keeps what it was answered, however many come at once.
import { describe, expect, test, vi } from "vitest"
import { announceDates } from "../../src/license/notices"
import { run } from "../support/app"
import { externalClient, internalClient, makeLicense, makeProduct } from "../support/license-factories"
import { rows } from "../support/rows"

/** Stops the clock of the code under test: all that it does from now on happens at one moment. */
const stopTheClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 5, 1) })

describe("parallel changes of one license", () => {
  test("all stay, also when the clock stands still", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    stopTheClock()
    for (let round = 0; round < 5; round++) {
      const license = await makeLicense(product)
      const changes = [
        { invoice: "#1" },
        { comments: "note" },
        { email: "a@b.example" },
        { parallel_uses: 3 },
        { customer_id: "Jo" },
      ]
      const answers = await Promise.all(
        changes.map((json) => internal("PUT", `/product-licenses/${license.id}`, { json })),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      const { body } = await internal("GET", `/product-licenses/${license.id}`)
      expect(body.data).toMatchObject(Object.assign({}, ...changes))
    }
  })

  test("a block and a change of another field both stay", async () => {
    const internal = await internalClient()
    const license = await makeLicense(await makeProduct())
    stopTheClock()
    await Promise.all([
      internal("POST", `/blocked-product-licenses/${license.id}`),
      internal("PUT", `/product-licenses/${license.id}`, { json: { invoice: "#2" } }),
      internal("PUT", `/product-licenses/${license.id}`, { json: { comments: "x" } }),
    ])
    const { body } = await internal("GET", `/product-licenses/${license.id}`)
    expect(body.data).toMatchObject({ is_valid: false, invoice: "#2", comments: "x" })
  })
})

test("the end that a first activation sets is kept by a change at the same moment", async () => {
  const internal = await internalClient()
  const external = await externalClient()
  stopTheClock()
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

test("parallel changes of a product and of a version all stay", async () => {
  const internal = await internalClient()
  const product = await makeProduct()
  const version = (await internal("POST", `/products/${product.id}/versions`, { json: { version: "1.0" } })).body.data
  stopTheClock()
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

test("an event that a license's dates bring is told, though the license is changed when it is due", async () => {
  const internal = await internalClient()
  const start = Date.UTC(2026, 5, 1)
  vi.useFakeTimers({ toFake: ["Date"], now: start })
  const license = await makeLicense(await makeProduct(), { expires_at: "2026-06-02" })
  vi.setSystemTime(start + 86_400_000 + 5_000)
  await internal("PUT", `/product-licenses/${license.id}`, { json: { invoice: "#1" } })
  await Promise.all([
    run(announceDates),
    internal("PUT", `/product-licenses/${license.id}`, { json: { comments: "x" } }),
  ])
  expect((await rows("select type from webhook_events")).map(({ type }) => type)).toEqual(["license.expired"])
  const { body } = await internal("GET", `/product-licenses/${license.id}`)
  expect(body.data).toMatchObject({ invoice: "#1", comments: "x" })
})
