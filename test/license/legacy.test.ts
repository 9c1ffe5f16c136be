// The legacy APIs: paths, headers, fields and response formats of older clients.
import { describe, expect, test } from "vitest"
import { internalClient, legacyClient, makeLicense, makeProduct, makeVersion } from "../support/license-factories"
import { rows } from "../support/rows"

const form = (fields: Record<string, string>) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return body
}

describe("external", () => {
  test("serves a legacy client's full life cycle, with JSON and forms", async () => {
    const legacy = await legacyClient()
    const product = await makeProduct()
    const license = await makeLicense(product, { customer_id: "john" })
    const product_id = product.referenceId
    const version = await makeVersion(product, "1.1.0", { main: "zip", sql: "sql" })
    expect((await legacy("POST", "/check_connection_ext", { json: [] })).body).toMatchObject({
      status: true,
      message: "Connection successful.",
    })
    const fields = { product_id, license_code: license.code, client_name: "john", verify_type: "non_envato" }
    const active = (await legacy("POST", "/activate_license", { json: fields })).body
    expect(active).toMatchObject({ status: true, message: "Activated.", data: null, lic_response: expect.any(String) })
    const file = active.lic_response
    const proofs = [
      { json: { product_id, license_file: file, license_code: null, client_name: null } },
      { json: { product_id, license_file: null, license_code: license.code, client_name: "john" } },
      { body: new URLSearchParams({ product_id, license_file: file }) },
    ]
    for (const proof of proofs) {
      expect((await legacy("POST", "/verify_license", proof)).body).toMatchObject({ status: true, data: null })
    }
    const numeric = await makeProduct({ reference_id: "4711" })
    await makeVersion(numeric, "1.0.0", { main: "zip" })
    const latest = await legacy("POST", "/latest_version", { json: { product_id: 4711 } })
    expect(latest.body).toMatchObject({ status: true, product_name: numeric.name })
    const check = async (current_version: string) =>
      (await legacy("POST", "/check_update", { json: { product_id, current_version } })).body
    expect(await check("v1.0.0")).toMatchObject({
      status: true,
      version: "1.1.0",
      release_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      summary: null,
      changelog: null,
      update_id: version.versionId,
      has_sql: true,
    })
    expect(await check("1.1.0")).toMatchObject({ status: false, message: "You have the latest version." })
    expect((await legacy("POST", "/latest_version", { json: { product_id } })).body).toMatchObject({
      status: true,
      product_name: "Product",
      latest_version: "1.1.0",
      summary: null,
    })
    const empty = { license_code: "", client_name: "" }
    const main = await legacy("POST", `/download_update/main/${version.versionId}`, {
      body: form({ license_file: file, ...empty }),
    })
    expect([main.status, main.text]).toEqual([200, "zip"])
    for (const path of [`/download_update/${version.versionId}`, `/download_update/main/${version.versionId}`]) {
      const part = await legacy("POST", path, { json: { license_file: file }, headers: { Range: "bytes=1-" } })
      expect([part.status, part.text]).toEqual([206, "ip"])
    }
    expect((await legacy("POST", `/download_update/${version.versionId}`, { json: { license_file: file } })).text).toBe(
      "zip",
    )
    expect(
      (await legacy("POST", `/download_update/sql/${version.versionId}`, { json: { license_file: file } })).text,
    ).toBe("sql")
    expect((await legacy("POST", `/download_update/main/${version.versionId}`, { body: form(empty) })).status).toBe(401)
    expect((await legacy("POST", "/deactivate_license", proofs[0])).body).toMatchObject({
      status: true,
      message: "Deactivated.",
    })
    expect((await legacy("POST", "/deactivate_license", proofs[0])).body.status).toBe(false)
  })

  test("the legacy external API returns errors with status 200", async () => {
    const legacy = await legacyClient()
    for (const [path, json] of [
      ["/activate_license", { product_id: "NOPE", license_code: "x" }],
      ["/activate_license", {}],
      ["/verify_license", { product_id: "NOPE", license_file: "x" }],
      ["/check_update", { product_id: "NOPE", current_version: "1" }],
      ["/latest_version", { product_id: "NOPE" }],
    ] as const) {
      const response = await legacy("POST", path, { json })
      expect([response.status, response.body.status], path).toEqual([200, false])
      expect(response.body.message).toEqual(expect.any(String))
      if (path === "/activate_license") expect(response.body).toMatchObject({ data: null, lic_response: null })
      if (path !== "/latest_version") expect(response.body).toMatchObject({ is_active: false })
    }
  })

  test("returns a null version when there is no update", async () => {
    const legacy = await legacyClient()
    const product = await makeProduct()
    await makeVersion(product, "1.1.0")
    const { body } = await legacy("POST", "/check_update", {
      json: { product_id: product.referenceId, current_version: "1.1.0" },
    })
    expect(body).toEqual({
      status: false,
      is_active: false,
      message: "You have the latest version.",
      update_available: false,
      version: null,
    })
  })
})

test("returns 405 with Allow for methods other than POST, and 404 for an unknown path", async () => {
  for (const [type, path] of [
    ["external", "/activate_license"],
    ["internal", "/add_product"],
  ] as const) {
    const legacy = await legacyClient(type)
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { status, headers } = await legacy(method, path)
      expect([status, headers.get("Allow")], `${method} ${path}`).toEqual([405, "POST, OPTIONS"])
    }
    expect((await legacy("OPTIONS", path)).status).toBe(204)
    expect((await legacy("POST", `${path}/more`)).status).toBe(404)
  }
})

describe("internal", () => {
  test("reports validation errors under the legacy field names", async () => {
    const legacy = await legacyClient("internal")
    const { referenceId: product_id } = await makeProduct()
    for (const [path, json, field, sentence] of [
      ["/add_product", {}, "product_name", "The product name field is required."],
      ["/add_product", { product_name: "x", product_id }, "product_id", "The product id has already been taken."],
      ["/create_license", { product_id: "NOPE" }, "product_id", "The selected product id is invalid."],
      [
        "/create_license",
        { product_id, licensed_ips: ["x"] },
        "licensed_ips.0",
        "The licensed ips.0 field format is invalid.",
      ],
      ["/edit_license", { license_code: 7 }, "license_code", "The license code field must be a string."],
    ] as const) {
      const { body } = await legacy("POST", path, { json })
      expect(body).toEqual({ status: false, message: sentence, errors: { [field]: [sentence] } })
    }
  })

  test("lists a product with two equal versions once, with the version that was added last", async () => {
    const legacy = await legacyClient("internal")
    const product = await makeProduct()
    await makeVersion(product, "1.1.0")
    await makeVersion(product, "v1.1.0")
    await makeVersion(product, "1.0.0")
    const { products } = (await legacy("POST", "/get_products", { json: {} })).body
    expect(products).toHaveLength(1)
    expect(products[0].latest_version).toBe("v1.1.0")
    const client = await legacyClient()
    const latest = await client("POST", "/latest_version", { json: { product_id: product.referenceId } })
    expect(latest.body.latest_version).toBe("v1.1.0")
  })

  test("manages products and licenses with legacy field names", async () => {
    const legacy = await legacyClient("internal")
    const post = async (path: string, json: unknown = {}) => {
      const response = await legacy("POST", path, { json })
      expect(response.status, path).toBe(200)
      return response.body
    }
    expect((await post("/check_connection_int", [])).status).toBe(true)
    expect(await post("/add_product", { product_name: "ABC", product_id: "ABC1", envato_item_id: 9 })).toMatchObject({
      status: true,
      product_id: "ABC1",
    })
    expect(await post("/add_product", { product_name: "ABC", product_id: "ABC1" })).toMatchObject({ status: false })
    expect((await post("/add_product", { product_name: "Auto", product_id: null })).product_id).toEqual(
      expect.any(String),
    )
    expect(await post("/add_product", {})).toMatchObject({ status: false, errors: expect.any(Object) })
    expect(await post("/mark_product_inactive", { product_id: "ABC1" })).toMatchObject({ status: true })
    expect(await post("/get_product", { product_id: "ABC1" })).toMatchObject({
      status: true,
      product_name: "ABC",
      envato_item_id: "9",
      is_product_active: false,
      latest_version: null,
    })
    expect(await post("/mark_product_active", { product_id: "ABC1" })).toMatchObject({ status: true })
    expect((await post("/get_products")).products).toHaveLength(2)
    expect(await post("/get_product", { product_id: "NOPE" })).toMatchObject({ status: false })

    const created = await post("/create_license", {
      product_id: "ABC1",
      license_code: null,
      client_name: "john",
      client_email: "john@example.com",
      licensed_domains: "shop.example,test.example",
      licensed_ips: "203.0.113.7",
      expiry_date: "2999-01-01 12:00:00",
      license_uses: 10,
      license_parallel_uses: 2,
    })
    const { license_code } = created
    expect(
      await post("/edit_license", {
        license_code,
        client_name: null,
        client_email: "new@example.com",
        licensed_ips: "",
      }),
    ).toMatchObject({ status: true, license_code })
    expect(await post("/get_license", { license_code })).toMatchObject({
      status: true,
      product_id: "ABC1",
      client_name: "john",
      client_email: "new@example.com",
      licensed_ips: null,
      licensed_domains: "shop.example,test.example",
      parallel_uses: 2,
      parallel_uses_left: 2,
      uses: 10,
      license_expiry: "2999-01-01 12:00:00",
      is_blocked: false,
      is_valid_for_future_activations: true,
    })
    expect(await post("/search_license", { keyword: license_code.slice(0, 8) })).toMatchObject({
      results_count: 1,
      results: [{ license_code }],
    })
    expect((await post("/search_license", { keyword: "%_nothing" })).results).toEqual(expect.any(String))
    const external = await legacyClient()
    for (const url of ["https://shop.example", "https://test.example"]) {
      const json = { product_id: "ABC1", license_code, client_name: "john" }
      expect((await external("POST", "/activate_license", { json, headers: { "LB-URL": url } })).body.status).toBe(true)
    }
    expect(await post("/block_license", { license_code })).toMatchObject({ status: true })
    expect((await post("/get_license", { license_code })).is_blocked).toBe(true)
    expect(await post("/unblock_license", { license_code })).toMatchObject({ status: true })
    expect(await post("/deactivate_license_activations", { license_code })).toMatchObject({ status: true })
    expect(await rows("select active_uses, made_uses from licenses")).toEqual([{ active_uses: 0, made_uses: 2 }])
    expect(await post("/delete_license", { license_code })).toMatchObject({ status: true })
    expect(await rows("select count(*) n from license_activations")).toEqual([{ n: 0 }])
    expect(await post("/get_license", { license_code })).toMatchObject({ status: false, message: "License not found." })
  })

  test("resolves licenses by code and products by reference id, never by row id", async () => {
    const legacy = await legacyClient("internal")
    const internal = await internalClient()
    const product = await makeProduct()
    const other = await makeProduct()
    const victim = await makeLicense(product, { customer_id: "victim" })
    const numeric = await makeLicense(product, { license_code: String(victim.id), customer_id: "meant" })
    const unknown = String(numeric.id)
    const post = async (path: string, json: object) => (await legacy("POST", path, { json })).body
    expect((await post("/get_license", { license_code: numeric.code })).client_name).toBe("meant")
    for (const path of [
      "/get_license",
      "/edit_license",
      "/block_license",
      "/unblock_license",
      "/deactivate_license_activations",
      "/delete_license",
    ]) {
      expect((await post(path, { license_code: unknown, comments: "x" })).status, path).toBe(false)
    }
    await post("/edit_license", { license_code: numeric.code, comments: "edited" })
    await post("/block_license", { license_code: numeric.code })
    const readLicenses = () => rows("select customer_id, comments, is_valid from licenses order by id")
    const untouched = { customer_id: "victim", comments: null, is_valid: 1 }
    expect(await readLicenses()).toEqual([untouched, { customer_id: "meant", comments: "edited", is_valid: 0 }])
    // A path accepts both, and the code wins, for reads and for writes.
    expect((await internal("GET", `/product-licenses/${victim.id}`)).body.data.customer_id).toBe("meant")
    await internal("DELETE", `/blocked-product-licenses/${victim.id}`)
    await internal("PUT", `/product-licenses/${victim.id}`, { json: { comments: "again" } })
    expect(await readLicenses()).toEqual([untouched, { customer_id: "meant", comments: "again", is_valid: 1 }])
    await post("/delete_license", { license_code: numeric.code })
    expect(await readLicenses()).toEqual([untouched])
    for (const path of ["/mark_product_inactive", "/mark_product_active", "/get_product"]) {
      expect((await post(path, { product_id: String(other.id) })).status, path).toBe(false)
    }
  })
})
