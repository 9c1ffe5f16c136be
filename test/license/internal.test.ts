// The internal API, with which the vendor manages products, versions, licenses and activations.
import { importJWK, jwtVerify } from "jose"
import { describe, expect, test } from "vitest"
import { makeEndpoint } from "../support/factories"
import {
  externalClient,
  internalClient,
  makeActive,
  makeLicense,
  makeProduct,
  makeVersion,
} from "../support/license-factories"
import { count, rows } from "../support/rows"

describe("products", () => {
  test("rejects . and .. as reference ids and version ids", async () => {
    const internal = await internalClient()
    const createProduct = async (reference_id: string) =>
      (await internal("POST", "/products", { json: { name: "Dots", reference_id } })).status
    const productStatuses = []
    for (const id of [".", "..", "...", ".a"]) productStatuses.push(await createProduct(id))
    expect(productStatuses).toEqual([422, 422, 201, 201])
    const createVersion = async (version_id: string, version: string) =>
      (await internal("POST", "/products/.a/versions", { json: { version, version_id } })).status
    const versionStatuses = [
      await createVersion(".", "1.0"),
      await createVersion("..", "1.1"),
      await createVersion(".b", "1.2"),
    ]
    expect(versionStatuses).toEqual([422, 422, 201])
  })

  test("creates, retrieves, updates and deactivates a product, by reference id and by id", async () => {
    const internal = await internalClient()
    const fields = { name: "Shop", reference_id: "SHOP-1", envato_id: 123, license_update: "0", description: null }
    const created = await internal("POST", "/products", { json: fields })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({
      id: 1,
      name: "Shop",
      reference_id: "SHOP-1",
      envato_id: "123",
      marketplace_id: "123",
      description: null,
      license_update: false,
      serve_latest_updates: true,
      is_active: true,
    })
    expect((await internal("GET", "/products/SHOP-1")).body).toEqual(created.body)
    expect((await internal("GET", "/products/1")).body).toEqual(created.body)
    const put = await internal("PUT", "/products/1", {
      json: { name: "Shop 2", reference_id: "OTHER", marketplace_id: null },
    })
    expect(put.body.data).toMatchObject({
      name: "Shop 2",
      reference_id: "SHOP-1",
      envato_id: null,
      license_update: false,
    })
    expect((await internal("DELETE", "/activated-products/SHOP-1")).body.status).toBe(true)
    expect((await internal("GET", "/products/1")).body.data.is_active).toBe(false)
    const duplicate = await internal("POST", "/products", { json: { name: "x", reference_id: "SHOP-1" } })
    expect([duplicate.status, duplicate.body]).toEqual([
      422,
      {
        status: false,
        message: "The reference id has already been taken.",
        errors: { reference_id: ["The reference id has already been taken."] },
      },
    ])
    expect((await internal("POST", "/products", { json: { name: "x" } })).body.data.reference_id).toMatch(/^\w{8}$/)
    expect((await internal("GET", "/products/NOPE")).body).toEqual({ status: false, message: "Product not found." })
  })

  test("prefers a product's reference id over another product's equal id", async () => {
    const internal = await internalClient()
    await makeProduct()
    const second = await makeProduct({ reference_id: "1" })
    expect((await internal("GET", "/products/1")).body.data.id).toBe(second.id)
  })

  test("paginates products, 15 per page by default, with links and a total", async () => {
    const internal = await internalClient()
    for (let i = 0; i < 17; i++) await makeProduct()
    const { body } = await internal("GET", "/products")
    expect(body.data).toHaveLength(15)
    expect(body.meta).toMatchObject({ current_page: 1, from: 1, to: 15, per_page: 15, last_page: 2, total: 17 })
    expect(body.links).toMatchObject({ prev: null, next: expect.stringMatching(/\/api\/internal\/products\?page=2$/) })
    const second = await internal("GET", "/products?page=2&per_page=16")
    expect(second.body.data).toHaveLength(1)
    expect(second.body.links.first).toMatch(/per_page=16/)
    for (const bad of ["page=0", "page=x", "per_page=101", "per_page=-1", "page=99999999999"]) {
      expect((await internal("GET", `/products?${bad}`)).status, bad).toBe(422)
    }
    expect((await internal("GET", "/products?page=99999")).body.data).toEqual([])
  })
})

describe("versions", () => {
  test("lists versions in version order, and retrieves one under its product only", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    for (const version of ["1.2.0", "1.10.0", "1.2.0-beta"]) await makeVersion(product, version)
    const list = await internal("GET", `/products/${product.referenceId}/versions`)
    expect(list.body.data.map((version: { version: string }) => version.version)).toEqual([
      "1.10.0",
      "1.2.0",
      "1.2.0-beta",
    ])
    const latest = list.body.data[0]
    expect((await internal("GET", `/products/${product.id}/versions/${latest.version_id}`)).body.data).toEqual(latest)
    const other = await makeProduct()
    expect((await internal("GET", `/products/${other.id}/versions/${latest.version_id}`)).status).toBe(404)
  })

  test("creates a version, and validates its number, id and release date", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const other = await makeProduct()
    const json = { version: "2.0", version_id: "v2", released_at: "2026-02-30" }
    expect((await internal("POST", `/products/${other.id}/versions`, { json })).body.errors).toHaveProperty(
      "released_at",
    )
    const valid = await internal("POST", `/products/${other.id}/versions`, {
      json: { ...json, released_at: "2026-02-28" },
    })
    expect(valid.body.data).toMatchObject({ version_id: "v2", main_file: null })
    const duplicate = await internal("POST", `/products/${product.id}/versions`, {
      json: { version: "3.0", version_id: "v2" },
    })
    expect(duplicate.body.errors).toEqual({ version_id: ["The version id has already been taken."] })
    for (const version of ["1", "1.0.0.0", "1.0-", "1.0 beta", "v", "../1.0"]) {
      expect((await internal("POST", `/products/${other.id}/versions`, { json: { version } })).status).toBe(422)
    }
  })
})

describe("licenses", () => {
  test("creates and updates a license with all fields, and retrieves it by id and code", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const fields = {
      product_reference_id: product.referenceId,
      license_code: "AbC-1",
      type: "subscription",
      customer_id: "Jo",
      email: "jo@example.com",
      invoice: "#7",
      comments: "note",
      uses: "5",
      parallel_uses: 2,
      domains: ["*.example.com", "example.com"],
      ips: "10.0.0.1, 10.0.1.*",
      support_until: "2027-01-01",
      updates_until: "2027-01-01 12:30:00",
      expires_at: "2027-01-01T00:00:00+02:00",
      is_envato: true,
    }
    const created = await internal("POST", "/product-licenses", { json: fields })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({
      id: 1,
      ...fields,
      uses: 5,
      ips: ["10.0.0.1", "10.0.1.*"],
      support_until: "2027-01-01T00:00:00+00:00",
      updates_until: "2027-01-01T12:30:00+00:00",
      expires_at: "2026-12-31T22:00:00+00:00",
      is_marketplace: true,
      is_valid: true,
      expiry_days: null,
    })
    expect((await internal("GET", "/product-licenses/1")).body).toEqual(created.body)
    expect((await internal("GET", "/product-licenses/aBc-1")).body).toEqual(created.body)
    const put = await internal("PUT", "/product-licenses/1", {
      json: { license_code: "new", domains: [], email: "", parallel_uses: null },
    })
    expect(put.body.data).toMatchObject({
      license_code: "AbC-1",
      domains: [],
      email: null,
      parallel_uses: null,
      customer_id: "Jo",
    })
  })

  test("generates a license code, and rejects a taken code or an unknown product", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    await makeLicense(product, { license_code: "AbC-1" })
    const duplicate = { product_reference_id: product.referenceId, license_code: "ABC-1" }
    const taken = await internal("POST", "/product-licenses", { json: duplicate })
    expect(taken.body.errors).toEqual({ license_code: ["The license code has already been taken."] })
    const generated = await internal("POST", "/product-licenses", {
      json: { product_reference_id: product.referenceId },
    })
    expect(generated.body.data.license_code).toMatch(/^[0-9a-f-]{36}$/)
    const unknownProduct = await internal("POST", "/product-licenses", { json: { product_reference_id: "NOPE" } })
    expect(unknownProduct.body.errors).toEqual({
      product_reference_id: ["The selected product reference id is invalid."],
    })
  })

  test("returns 422 for an invalid license field", async () => {
    const internal = await internalClient()
    const { id } = await makeLicense(await makeProduct())
    for (const bad of [
      { ips: ["x"] },
      { domains: ["a b"] },
      { parallel_uses: 0 },
      { email: "no" },
      { expires_at: "soon" },
      { is_valid: "perhaps" },
    ]) {
      const response = await internal("PUT", `/product-licenses/${id}`, { json: bad })
      expect([response.status, Object.keys(response.body.errors ?? {})[0]?.split(".")[0]]).toEqual([
        422,
        Object.keys(bad)[0],
      ])
    }
  })

  test("filters licenses by product and customer, and searches parts of their fields", async () => {
    const internal = await internalClient()
    const [a, b] = [await makeProduct(), await makeProduct()]
    await makeLicense(a, { license_code: "AAAA-1111", customer_id: "Ann Lee", email: "ann@example.com" })
    await makeLicense(a, { license_code: "BBBB-2222", customer_id: "Bob" })
    await makeLicense(b, { license_code: "CCCC-3333", customer_id: "ann lee", invoice: 'in"voice %_' })
    const list = async (query: string) => {
      const { body } = await internal("GET", `/product-licenses?${query}`)
      expect(body.meta.total).toBe(body.data.length)
      return body.data.map((license: { license_code: string }) => license.license_code)
    }
    expect(await list("")).toEqual(["CCCC-3333", "BBBB-2222", "AAAA-1111"])
    expect(await list(`product_reference_id=${a.referenceId}`)).toEqual(["BBBB-2222", "AAAA-1111"])
    expect(await list("product_reference_id=NOPE")).toEqual([])
    expect(await list("customer_id=ANN%20LEE")).toEqual(["CCCC-3333", "AAAA-1111"])
    expect(await list(`customer_id=Ann%20Lee&product_reference_id=${b.referenceId}`)).toEqual(["CCCC-3333"])
    expect(await list("search=bbb-22")).toEqual(["BBBB-2222"])
    expect(await list("search=EXAMPLE.com")).toEqual(["AAAA-1111"])
    expect(await list("search=11")).toEqual(["AAAA-1111"])
    expect(await list("search=1111ann")).toEqual([])
    expect(await list(`search=${encodeURIComponent('n"voice %_')}`)).toEqual(["CCCC-3333"])
    await makeLicense(b, { license_code: "DDDD-4444", customer_id: "Großmann ".repeat(12).trim() })
    expect(await list(`search=${encodeURIComponent("GROSSMANN ".repeat(12).trim())}`)).toEqual(["DDDD-4444"])
    expect(await list(`search=lee&product_reference_id=${b.referenceId}`)).toEqual(["CCCC-3333"])
  })

  test("emits one event for a block, and returns 404 for an unknown license", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    await makeEndpoint({ events: ["license.blocked"] })
    const { license } = await makeActive(external)
    for (let i = 0; i < 2; i++) {
      expect((await internal("POST", `/blocked-product-licenses/${license.code}`)).body.status).toBe(true)
    }
    expect((await internal("GET", `/product-licenses/${license.id}`)).body.data.is_valid).toBe(false)
    expect(await rows("select type from webhook_events where type = 'license.blocked'")).toHaveLength(1)
    expect(await count("webhook_deliveries")).toBe(1)
    expect((await internal("DELETE", `/blocked-product-licenses/${license.id}`)).body.status).toBe(true)
    expect((await internal("POST", "/blocked-product-licenses/999")).status).toBe(404)
  })

  test("signs an offline file that verifies with the public key and expires with the license, unless it is blocked", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const { license, product } = await makeActive(external, { expires_at: "2999-01-01", domains: ["shop.example"] })
    const files = await Promise.all([1, 2].map(() => internal("GET", `/product-licenses/${license.id}/file`)))
    expect(await rows("select name from settings where name = 'lm_signing_key'")).toHaveLength(1)
    const { keys, pem } = (await external("GET", "/public-key")).body
    expect(pem).toContain("BEGIN PUBLIC KEY")
    const key = await importJWK(keys[0])
    for (const file of files) {
      expect(file.headers.get("Content-Disposition")).toBe(`attachment; filename="license_${license.code}.jwt"`)
      const { payload, protectedHeader } = await jwtVerify(file.text, key, { audience: product.referenceId })
      expect(payload).toMatchObject({ sub: license.code, domains: ["shop.example"], exp: Date.UTC(2999, 0, 1) / 1000 })
      expect(protectedHeader).toMatchObject({ alg: "EdDSA", kid: keys[0].kid })
      const altered = file.text.replace(/\.[^.]+\./, (claims) => claims.replace(/[A-Za-z](?=.{3}\.$)/, "_"))
      await expect(jwtVerify(altered, key)).rejects.toThrow()
    }
    const short = await internal("GET", `/product-licenses/${license.id}/file?expires_at=2030-01-01`)
    expect((await jwtVerify(short.text, key)).payload.exp).toBe(Date.UTC(2030, 0, 1) / 1000)
    expect((await internal("GET", `/product-licenses/${license.id}/file?expires_at=2020-01-01`)).status).toBe(422)
    await internal("POST", `/blocked-product-licenses/${license.id}`)
    const blocked = await internal("GET", `/product-licenses/${license.id}/file`)
    expect([blocked.status, blocked.body]).toEqual([422, { status: false, message: "Your license is blocked." }])
  })
})

describe("activations", () => {
  test("creates activations under the same rules as for clients, and lists, counts, deactivates and reactivates them", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const license = await makeLicense(product, { parallel_uses: 1, customer_id: "Jo" })
    const create = (json: unknown) => internal("POST", `/activated-product-activations/${license.id}`, { json })
    const created = await create({
      license_code: license.code,
      domain: "https://WWW.Shop.example/x",
      ip: "10.0.0.1",
      client_name: "jo",
    })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({
      license_id: license.id,
      domain: "shop.example",
      ip: "10.0.0.1",
      is_active: true,
    })
    const overLimit = await create({ domain: "b.example" })
    expect([overLimit.status, overLimit.body.message]).toEqual([
      422,
      "Your license has reached the maximum number of parallel uses.",
    ])
    expect((await create({ domain: "b.example", license_code: "other" })).status).toBe(422)
    expect((await create({ domain: "a b" })).body.errors).toHaveProperty("domain")
    expect((await create({ client_name: "jo" })).status).toBe(422)
    const { id } = created.body.data
    const path = `/activated-product-activations/${id}`
    expect((await internal("DELETE", path)).body).toEqual({ status: true, message: "Deactivated." })
    expect((await internal("DELETE", path)).status).toBe(200)
    expect((await create({ domain: "b.example" })).status).toBe(201)
    const reactivation = await internal("POST", path)
    expect([reactivation.status, reactivation.body.message]).toEqual([
      422,
      "Your license has reached the maximum number of parallel uses.",
    ])
    const list = async (query: string) => {
      const { body } = await internal("GET", query)
      expect(body.meta.total).toBe(body.data.length)
      return body.data.map((activation: { domain: string }) => activation.domain)
    }
    expect(await list(`/product-licenses/${license.id}/activations`)).toEqual(["b.example", "shop.example"])
    expect(await list(`/product-licenses/${license.id}/activations?is_active=1`)).toEqual(["b.example"])
    expect(await list("/product-activations?is_active=false")).toEqual(["shop.example"])
    expect(await list("/product-activations")).toEqual(["b.example", "shop.example"])
    for (const path of ["/product-activations", `/product-licenses/${license.id}/activations`])
      for (const query of ["page=0", "per_page=1e9", "is_active=perhaps"])
        expect((await internal("GET", `${path}?${query}`)).status, query).toBe(422)
    expect((await internal("GET", `/product-licenses/${license.id}`)).body.data).toMatchObject({
      active_activations_count: 1,
      activations_count: 2,
    })
    for (const path of ["999", "x", "1e3", "%2F"]) {
      expect((await internal("POST", `/activated-product-activations/${path}`)).status).toBe(404)
    }
  })
})
