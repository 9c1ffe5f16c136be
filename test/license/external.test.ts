// The external API, which client software calls: activation, verification, deactivation, updates and the
// marketplace.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { settingsOf } from "../../src/env"
import { deactivateAll } from "../../src/license/activations/service"
import { call, run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import {
  externalClient,
  internalClient,
  makeActive,
  makeLicense,
  makeLicenseKey,
  makeProduct,
  makeVersion,
  setLicenseSettings,
} from "../support/license-factories"
import { mockReceiver } from "../support/receiver"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows } from "../support/rows"
import vectors from "./vectors.json"

describe("activation", () => {
  test("activates for the calling domain, returns the license data, and emits an event", async () => {
    const external = await externalClient()
    await makeEndpoint({ events: ["license.*"] })
    const product = await makeProduct()
    const license = await makeLicense(product, { license_code: "Abc-123" })
    const json = { product_id: product.referenceId, license_code: " aBC-123 ", client_name: "Jo" }
    const { status, body } = await external("POST", "/license/activate", { json })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: true,
      is_active: true,
      message: "Activated.",
      lic_response: body.data.license_data,
      data: { license_data: expect.any(String) },
    })
    const container = JSON.parse(atob(body.lic_response))
    expect(Object.keys(container)).toEqual(["iv", "value", "mac", "tag"])
    expect(await rows("select license_id, place, domain, ip, client_name, is_active from license_activations")).toEqual(
      [
        {
          license_id: license.id,
          place: "shop.example",
          domain: "shop.example",
          ip: "203.0.113.7",
          client_name: "Jo",
          is_active: 1,
        },
      ],
    )
    const [event] = await rows("select type, store_id, payload from webhook_events")
    expect(event).toMatchObject({ type: "license.activated", store_id: null })
    expect(JSON.parse(String(event?.payload)).data).toMatchObject({
      license: { license_code: "Abc-123", active_activations_count: 1 },
      activation: { domain: "shop.example", ip: "203.0.113.7", client_name: "Jo" },
    })
    expect(await count("webhook_deliveries")).toBe(1)
  })

  test("refuses in the documented order, with the documented messages, and writes nothing", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const product = await makeProduct()
    const other = await makeProduct()
    const restrictions = {
      customer_id: "Jo Doe",
      parallel_uses: 1,
      domains: ["shop.example"],
      ips: ["10.0.0.*"],
      expires_at: "2020-01-01",
      is_valid: false,
    }
    const license = await makeLicense(product, restrictions)
    const activate = async (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
      const json = { product_id: product.referenceId, license_code: license.code, ...fields }
      const { status, body } = await external("POST", "/license/activate", { json, headers })
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: false, is_active: false, lic_response: null, data: null })
      return body
    }
    const change = (json: unknown) => internal("PUT", `/product-licenses/${license.id}`, { json })
    const invalid = "Your license code is invalid."
    expect((await activate({ license_code: "no-such-code" })).message).toBe(invalid)
    expect((await activate({ product_id: other.referenceId })).message).toBe(invalid)
    expect((await activate({ client_name: "Somebody" })).message).toBe(invalid)
    expect((await activate({ client_name: "JO DOE" })).message).toBe("Your license is blocked.")
    await change({ is_valid: true })
    expect((await activate()).message).toBe("Your license has expired.")
    await change({ expires_at: null })
    const otherInstallation = { domain: "elsewhere.example", ip: "10.0.0.9" }
    await change({ domains: [] })
    expect(
      (await internal("POST", `/activated-product-activations/${license.id}`, { json: otherInstallation })).status,
    ).toBe(201)
    await change({ domains: ["shop.example"] })
    expect(await activate()).toMatchObject({
      message: "Your license has reached the maximum number of parallel uses.",
      status_code: "ACTIVATED_MAXIMUM_ALLOWED_PRODUCT_INSTANCES",
    })
    await change({ parallel_uses: null })
    expect((await activate({}, { "X-API-URL": "https://elsewhere2.example" })).message).toBe(
      "This license can only be used for the following domain(s): shop.example",
    )
    expect((await activate()).message).toBe("Your license is not valid for this IP.")
    expect(await count("license_activations")).toBe(1)
  })

  test("returns 404 for an unknown product and 422 for a missing field", async () => {
    const external = await externalClient()
    const unknown = await external("POST", "/license/activate", { json: { product_id: "NO", license_code: "x" } })
    expect([unknown.status, unknown.body]).toEqual([404, { status: false, message: "Product not found." }])
    const withoutProof = await external("POST", "/license/verify", { json: {} })
    expect([withoutProof.status, Object.keys(withoutProof.body.errors)]).toEqual([422, ["product_id", "license_data"]])
    const empty = await external("POST", "/license/activate", { json: {} })
    expect(empty.status).toBe(422)
    expect(empty.body).toEqual({
      status: false,
      message: "The product id field is required.",
      errors: {
        product_id: ["The product id field is required."],
        license_code: ["The license code field is required."],
      },
    })
  })

  test("grants a single remaining use to exactly one of many concurrent requests", async () => {
    const external = await externalClient()
    const product = await makeProduct()
    const license = await makeLicense(product, { parallel_uses: 1 })
    const json = { product_id: product.referenceId, license_code: license.code }
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        external("POST", "/license/activate", { json, headers: { "X-API-URL": `https://s${i}.example` } }),
      ),
    )
    expect(responses.map((response) => response.status)).toEqual(responses.map(() => 200))
    expect(responses.filter((response) => response.body.is_active)).toHaveLength(1)
    expect(await rows("select active_uses, made_uses from licenses")).toEqual([{ active_uses: 1, made_uses: 1 }])
    expect(await count("license_activations")).toBe(1)
  })

  test("counts concurrent activations and deactivations one by one in their events", async () => {
    const external = await externalClient()
    const product = await makeProduct()
    const license = await makeLicense(product)
    const json = { product_id: product.referenceId, license_code: license.code }
    const send = (action: string) =>
      Promise.all(
        [1, 2, 3].map((i) =>
          external("POST", `/license/${action}`, { json, headers: { "X-API-URL": `https://s${i}.example` } }),
        ),
      )
    await send("activate")
    await send("deactivate")
    const counts = (await rows("select payload from webhook_events order by seq")).map(({ payload }) => {
      const { license: sent } = JSON.parse(String(payload)).data
      return [sent.active_activations_count, sent.activations_count]
    })
    expect(counts).toEqual([...[1, 2, 3].map((made) => [made, made]), ...[2, 1, 0].map((active) => [active, 3])])
  })

  test("serves concurrent requests from one installation with one activation", async () => {
    const external = await externalClient()
    const product = await makeProduct()
    const license = await makeLicense(product, { parallel_uses: 1 })
    const json = { product_id: product.referenceId, license_code: license.code }
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => external("POST", "/license/activate", { json })),
    )
    expect(responses.every((response) => response.body.is_active)).toBe(true)
    expect(await rows("select active_uses, made_uses from licenses")).toEqual([{ active_uses: 1, made_uses: 1 }])
  })

  test("renews an activation after an address change, unless the license restricts addresses", async () => {
    const external = await externalClient()
    const unrestricted = await makeActive(external, { parallel_uses: 1 })
    const moved = { headers: { "X-API-IP": "198.51.100.1" } }
    expect((await external("POST", "/license/activate", { json: unrestricted.input, ...moved })).body.is_active).toBe(
      true,
    )
    expect(await rows("select ip, is_active from license_activations")).toEqual([{ ip: "198.51.100.1", is_active: 1 }])
    const restricted = await makeActive(external, { parallel_uses: 1, ips: ["203.0.113.7", "198.51.100.1"] })
    expect((await external("POST", "/license/activate", { json: restricted.input })).body.is_active).toBe(true)
    const second = await external("POST", "/license/activate", { json: restricted.input, ...moved })
    expect(second.body.status_code).toBe("ACTIVATED_MAXIMUM_ALLOWED_PRODUCT_INSTANCES")
    // Verification ignores the address; deactivation is only possible from the activated installation.
    const elsewhere = { headers: { "X-API-IP": "192.0.2.99" } }
    for (const json of [restricted.proof, restricted.input]) {
      expect((await external("POST", "/license/verify", { json, ...elsewhere })).body.is_active).toBe(true)
    }
    const deactivation = await external("POST", "/license/deactivate", { json: restricted.input, ...elsewhere })
    expect(deactivation.body.is_active).toBe(false)
  })

  test("identifies software without a domain by its address", async () => {
    const external = await externalClient()
    const product = await makeProduct()
    const license = await makeLicense(product, { parallel_uses: 1 })
    const json = { product_id: product.referenceId, license_code: license.code }
    const at = (ip: string) =>
      external("POST", "/license/activate", { json, headers: { "X-API-URL": "", "X-API-IP": ip } })
    expect((await at("203.0.113.1")).body.is_active).toBe(true)
    expect((await at("203.0.113.1")).body.is_active).toBe(true)
    expect((await at("203.0.113.2")).body.is_active).toBe(false)
  })

  test("starts a license's validity period at its first activation", async () => {
    const external = await externalClient()
    const { license } = await makeActive(external, { expiry_days: 10 })
    const [row] = await rows(
      "select expires_at, activated_at, next_notice_at from licenses l join license_activations a on a.license_id = l.id where l.id = ?",
      license.id,
    )
    expect(Number(row?.expires_at) - Number(row?.activated_at)).toBe(10 * 86_400_000)
    expect(Number(row?.next_notice_at)).toBe(Number(row?.expires_at) - 7 * 86_400_000)
  })

  test("accepts URL-encoded forms, multipart forms and untyped JSON", async () => {
    const external = await externalClient()
    const product = await makeProduct()
    const license = await makeLicense(product)
    const fields = {
      product_id: product.referenceId,
      license_code: license.code,
      client_name: "",
      verify_type: "non_envato",
    }
    const urlencoded = await external("POST", "/license/activate", {
      body: new URLSearchParams(fields),
      headers: { "X-API-LANGUAGE": "fr" },
    })
    expect(urlencoded.body).toMatchObject({ is_active: true, message: "Activée." })
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    expect((await external("POST", "/license/activate", { body: form })).body.is_active).toBe(true)
    const untyped = await external("POST", "/license/activate", {
      body: JSON.stringify(fields),
      headers: { "Content-Type": "text/plain" },
    })
    expect(untyped.body.is_active).toBe(true)
  })

  test("falls back to the Origin header and the connecting address", async () => {
    const key = await makeLicenseKey()
    const product = await makeProduct()
    const license = await makeLicense(product)
    await call("POST", "/api/external/license/activate", {
      json: { product_id: product.referenceId, license_code: license.code },
      headers: { "X-API-KEY": key, Origin: "https://Origin.example:8443", "CF-Connecting-IP": "2001:db8::0:1" },
    })
    expect(await rows("select domain, ip from license_activations")).toEqual([
      { domain: "origin.example", ip: "2001:db8::1" },
    ])
  })
})

describe("verification", () => {
  test("verifies a license only for its product and its activated domain", async () => {
    const external = await externalClient()
    const { product, proof, data, license } = await makeActive(external)
    const verify = async (json: unknown, headers = {}) =>
      (await external("POST", "/license/verify", { json, headers })).body
    const yes = { status: true, is_active: true, message: "Verified.", data: null }
    const no = { status: false, is_active: false, message: "License is invalid or not assigned to you.", data: null }
    expect(await verify(proof)).toEqual(yes)
    expect(await verify({ product_id: product.referenceId, license_file: data })).toEqual(yes)
    expect(await verify({ product_id: product.referenceId, license_data: { license_file: data } })).toEqual(yes)
    expect(await verify({ product_id: product.referenceId, license_code: license.code, client_name: "x" })).toEqual(yes)
    expect(await verify(proof, { "X-API-URL": "https://other.example" })).toEqual(no)
    expect(await verify(proof, { "X-API-URL": "" })).toEqual(no)
    const other = await makeProduct()
    expect(await verify({ ...proof, product_id: other.referenceId })).toEqual(no)
    expect(await verify({ ...proof, product_id: "NO-SUCH" })).toEqual(no)
    expect(await verify({ ...proof, license_data: data.slice(0, data.length / 2) })).toEqual(no)
    expect(
      await verify(
        { product_id: product.referenceId, license_code: license.code },
        { "X-API-URL": "https://other.example" },
      ),
    ).toEqual(no)
  })

  test("rejects a blocked or expired license, an inactive product and another client immediately", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const { product, proof, license } = await makeActive(external, { customer_id: "Jo" })
    const verify = async (more = {}) =>
      (await external("POST", "/license/verify", { json: { ...proof, ...more } })).body.is_active
    expect(await verify()).toBe(true)
    expect(await verify({ client_name: "jo" })).toBe(true)
    expect(await verify({ client_name: "ann" })).toBe(false)
    await internal("POST", `/blocked-product-licenses/${license.id}`)
    expect(await verify()).toBe(false)
    await internal("DELETE", `/blocked-product-licenses/${license.id}`)
    expect(await verify()).toBe(true)
    await internal("DELETE", `/activated-products/${product.referenceId}`)
    expect(await verify()).toBe(false)
    await internal("POST", `/activated-products/${product.referenceId}`)
    await internal("PUT", `/product-licenses/${license.id}`, { json: { expires_at: "2020-01-01" } })
    expect(await verify()).toBe(false)
  })

  test("verifies license data of every cipher and of replaced keys", async () => {
    const external = await externalClient()
    const { input, proof } = await makeActive(external)
    const issued = [proof.license_data]
    const key = (length: number, byte: number) => `base64:${new Uint8Array(length).fill(byte).toBase64()}`
    const activateWith = async (settings: Record<string, string>) => {
      await setLicenseSettings(settings)
      issued.push((await external("POST", "/license/activate", { json: input })).body.lic_response)
    }
    for (const cipher of ["aes-128-cbc", "aes-256-cbc", "aes-128-gcm"])
      await activateWith({ lm_license_encryption_cipher: cipher })
    await activateWith({ lm_license_encryption_key: key(16, 1) })
    await activateWith({ lm_license_encryption_key: key(16, 2) })
    await activateWith({ lm_license_encryption_key: key(32, 3), lm_license_encryption_cipher: "aes-256-gcm" })
    for (const license_data of issued) {
      expect((await external("POST", "/license/verify", { json: { ...proof, license_data } })).body.is_active).toBe(
        true,
      )
    }
    expect(new Set(issued).size).toBe(issued.length)
  })

  test("verifies a vendor's legacy license files once the legacy key is set", async () => {
    const external = await externalClient()
    for (const { key, plain, license_file } of vectors.legacy) {
      const { license, client } = JSON.parse(plain)
      const product = await makeProduct()
      await makeLicense(product, { license_code: license, customer_id: client })
      const proof = { product_id: product.referenceId, license_file }
      const verify = async () => (await external("POST", "/license/verify", { json: proof })).body.is_active
      await setLicenseSettings({ lm_legacy_encryption_key: key })
      const input = { product_id: product.referenceId, license_code: license, client_name: client }
      expect(await verify()).toBe(false)
      expect((await external("POST", "/license/activate", { json: input })).body.is_active).toBe(true)
      expect(await verify()).toBe(true)
      await setLicenseSettings({ lm_legacy_encryption_key: "another" })
      expect(await verify()).toBe(false)
    }
  })
})

describe("deactivation", () => {
  test("reports the activations that it ended, when another one ends meanwhile", async () => {
    const external = await externalClient()
    await makeEndpoint({ events: ["license.deactivated"] })
    const { license, input } = await makeActive(external, { parallel_uses: 2 })
    await external("POST", "/license/activate", { json: input, headers: { "X-API-URL": "https://two.example" } })
    let isEnded = false
    const ending = interceptRoundTrips(async (send, statements) => {
      if (!isEnded && statements.some((sql) => sql.includes('update "license_activations"'))) {
        isEnded = true
        await env.DB.prepare("update license_activations set is_active = 0 where domain = 'two.example'").run()
      }
      return send()
    })
    await run((ctx) => deactivateAll(ctx, license.code))
    ending.mockRestore()
    expect(await rows("select active_uses from licenses")).toEqual([{ active_uses: 0 }])
    expect(await rows("select data from audit_entries where type = 'license_deactivated'")).toEqual([
      { data: '{"activations":1}' },
    ])
  })

  test("a deactivation releases the use exactly once", async () => {
    const external = await externalClient()
    await makeEndpoint({ events: ["license.deactivated"] })
    const { proof, input } = await makeActive(external, { parallel_uses: 1 })
    const deactivate = async () => (await external("POST", "/license/deactivate", { json: proof })).body
    const responses = await Promise.all([deactivate(), deactivate(), deactivate()])
    expect(responses.filter((response) => response.is_active)).toHaveLength(1)
    expect(responses.find((response) => response.is_active)).toEqual({
      status: true,
      is_active: true,
      message: "Deactivated.",
    })
    expect(await deactivate()).toEqual({
      status: false,
      is_active: false,
      message: "License is invalid or not assigned to you.",
    })
    expect(await count("webhook_deliveries")).toBe(1)
    expect((await external("POST", "/license/verify", { json: proof })).body.is_active).toBe(false)
    const elsewhere = { json: input, headers: { "X-API-URL": "https://new.example" } }
    expect((await external("POST", "/license/activate", elsewhere)).body.is_active).toBe(true)
  })

  test("deactivates only from the activated domain", async () => {
    const external = await externalClient()
    const { proof } = await makeActive(external)
    const other = { json: proof, headers: { "X-API-URL": "https://other.example" } }
    expect((await external("POST", "/license/deactivate", other)).body.is_active).toBe(false)
    expect(await rows("select is_active from license_activations")).toEqual([{ is_active: 1 }])
  })
})

describe("check", () => {
  test("returns a code's license without activating it", async () => {
    const external = await externalClient()
    const { license, product } = await makeActive(external, { parallel_uses: 3, expires_at: "2999-01-01" })
    const check = async (json: unknown) => (await external("POST", "/license/check", { json })).body
    const valid = await check({ purchase_code: license.code })
    expect(valid).toEqual({
      status: true,
      is_active: true,
      message: "Your license is valid.",
      data: {
        license_code: license.code,
        product_id: product.referenceId,
        type: "perpetual",
        is_valid: true,
        expires_at: "2999-01-01T00:00:00+00:00",
        updates_until: null,
        parallel_uses: 3,
        activations: 1,
      },
    })
    expect(await check({ license_code: "nope" })).toMatchObject({ is_active: false, data: null })
    expect(await check({ license_code: license.code, product_id: "OTHER" })).toMatchObject({
      is_active: false,
      data: null,
    })
    expect((await external("POST", "/license/check", { json: {} })).status).toBe(422)
  })
})

describe("updates", () => {
  test("offers the latest released version, or the next one for step-by-step products", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const product = await makeProduct()
    for (const version of ["1.0.0", "1.0.0-beta", "1.2.0", "1.10.0"])
      await makeVersion(product, version, { sql: "select 1" })
    await makeVersion(product, "2.0.0", { is_active: false })
    await makeVersion(product, "3.0.0", { released_at: "2999-01-01" })
    const check = async (current_version: unknown) =>
      (await external("POST", "/update/check", { json: { product_id: product.referenceId, current_version } })).body
    expect(await check("v1.0.0")).toMatchObject({
      status: true,
      is_active: true,
      update_available: true,
      version: "1.10.0",
      has_sql: true,
      released_at: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      release_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      update_id: expect.stringMatching(/^[0-9a-f]{20}$/),
    })
    expect(await check("1.10.0")).toEqual({
      status: true,
      is_active: true,
      message: "You have the latest version.",
      update_available: false,
      version: null,
    })
    await internal("PUT", `/products/${product.referenceId}`, { json: { serve_latest_updates: false } })
    expect((await check("1.0.0-alpha")).version).toBe("1.0.0-beta")
    expect((await check("1.0.0-beta")).version).toBe("1.0.0")
    expect((await check("1.0.0")).version).toBe("1.2.0")
    const latest = await external("POST", "/update/latest", { json: { product_id: product.referenceId } })
    expect(latest.body.data).toMatchObject({
      version: "1.10.0",
      product_id: product.referenceId,
      version_id: latest.body.data.update_id,
    })
    const withoutVersions = await makeProduct()
    expect(
      (await external("POST", "/update/latest", { json: { product_id: withoutVersions.referenceId } })).status,
    ).toBe(404)
    expect((await external("POST", "/update/check", { json: { product_id: "NO", current_version: "1" } })).status).toBe(
      404,
    )
  })
})

describe("versions that compare as equal", () => {
  test.each([
    { serve_latest_updates: true, offered: "v1.2.0" },
    { serve_latest_updates: false, offered: "v1.1.0" },
  ])("prefers the version that was added last among equal ones: %j", async ({ offered, ...fields }) => {
    const external = await externalClient()
    const product = await makeProduct(fields)
    for (const version of ["1.0.0", "1.1.0", "v1.1.0", "1.2.0", "v1.2.0"]) await makeVersion(product, version)
    const productRef = { product_id: product.referenceId }
    const check = async (current_version: string) =>
      (await external("POST", "/update/check", { json: { ...productRef, current_version } })).body.version
    expect(await check("1.0.0")).toBe(offered)
    expect(await check("1.1.0")).toBe("v1.2.0")
    expect(await check("1.2.0")).toBeNull()
    expect((await external("POST", "/update/latest", { json: productRef })).body.data.version).toBe("v1.2.0")
  })
})

describe("the marketplace", () => {
  const sale = (id: number) =>
    Response.json({
      item: { id },
      buyer: "buyer1",
      license: "Regular License",
      supported_until: "2027-01-02T03:04:05+10:00",
    })

  test("imports a license for a code that the marketplace sold for the product", async () => {
    const external = await externalClient()
    const product = await makeProduct({ envato_id: "77" })
    const market = mockReceiver(() => sale(77))
    const json = {
      product_id: product.referenceId,
      license_code: "86781236-23d0-4b3c-7dfa-c1c147e0dece",
      verify_type: "envato",
      client_name: "Buyer1",
    }
    expect((await external("POST", "/license/activate", { json })).body.is_active).toBe(true)
    expect(market.requests).toHaveLength(1)
    expect(market.requests[0]?.url).toBe(`${settingsOf(env).MARKETPLACE_API_URL}?code=${json.license_code}`)
    expect(market.requests[0]?.headers.get("Authorization")).toBe("Bearer marketplace-test-token")
    expect(await rows("select customer_id, is_marketplace, parallel_uses, type from licenses")).toEqual([
      { customer_id: "buyer1", is_marketplace: 1, parallel_uses: 1, type: "Regular License" },
    ])
    expect((await external("POST", "/license/activate", { json })).body.is_active).toBe(true)
    expect(market.requests).toHaveLength(1)
  })

  test("refuses a code of another item, an unknown code, and every code while the marketplace is down", async () => {
    const external = await externalClient()
    const product = await makeProduct({ marketplace_id: "77" })
    const json = {
      product_id: product.referenceId,
      license_code: "86781236-23d0-4b3c-7dfa-c1c147e0dece",
      verify_type: "marketplace",
    }
    let attempts = 0
    const activate = async () => {
      // A different code each time, because unsold codes are cached for a minute.
      json.license_code = `86781236-23d0-4b3c-7dfa-${attempts++}`
      const { status, body } = await external("POST", "/license/activate", { json })
      expect([status, body.is_active]).toEqual([200, false])
      return body.message
    }
    const { spy } = mockReceiver((_, n) => {
      if (n === 1) return sale(78)
      if (n === 2) return new Response("{}", { status: 404 })
      if (n === 3) return new Response("oops", { status: 503 })
      if (n === 4) return new Response("<html>")
      if (n === 5) return new Response(`"${"x".repeat(100_000)}"`)
      throw new TypeError("Network connection lost.")
    })
    const messages = []
    for (let n = 0; n < 6; n++) messages.push(await activate())
    const down = "The marketplace could not be reached. Please try again later."
    expect(messages).toEqual(["Your license code is invalid.", "Your license code is invalid.", down, down, down, down])
    expect(spy).toHaveBeenCalledTimes(6)
    json.verify_type = "non_marketplace"
    expect(await activate()).toBe("Your license code is invalid.")
    expect(spy).toHaveBeenCalledTimes(6)
    expect(await count("licenses")).toBe(0)
  })

  test("looks up codes in any usual format, and no text that cannot be a code", async () => {
    const external = await externalClient()
    const product = await makeProduct({ marketplace_id: "80" })
    const { spy } = mockReceiver(() => new Response("{}", { status: 404 }))
    const activate = (license_code: string) =>
      external("POST", "/license/activate", {
        json: { product_id: product.referenceId, license_code, verify_type: "marketplace" },
      })
    for (const code of ["86781236-23d0-4b3c-7dfa-c1c147e0dece", "SALE-1", "sale_1.a"]) await activate(code)
    expect(spy).toHaveBeenCalledTimes(3)
    for (const code of ["abc", "../etc/passwd", "a code", "c".repeat(101), "café-0001"]) await activate(code)
    expect(spy).toHaveBeenCalledTimes(3)
  })

  test("looks up nothing without MARKETPLACE_TOKEN", async () => {
    const external = await externalClient()
    const product = await makeProduct({ marketplace_id: "77" })
    const { spy } = mockReceiver(() => sale(77))
    const json = {
      product_id: product.referenceId,
      license_code: "86781236-23d0-4b3c-7dfa-c1c147e0dece",
      verify_type: "marketplace",
    }
    const { body } = await external("POST", "/license/activate", { json, env: { MARKETPLACE_TOKEN: "" } })
    expect(body).toMatchObject({ is_active: false, message: "Your license code is invalid." })
    expect(spy).not.toHaveBeenCalled()
  })

  test("caches an unsold code for a minute, ignoring case", async () => {
    const external = await externalClient()
    const product = await makeProduct({ marketplace_id: "78" })
    const { spy } = mockReceiver((_, n) => (n === 3 ? sale(78) : new Response("{}", { status: 404 })))
    const activate = async (license_code: string) => {
      const json = { product_id: product.referenceId, license_code, verify_type: "marketplace", client_name: "buyer1" }
      return (await external("POST", "/license/activate", { json })).body.is_active
    }
    expect(await activate("unsold-code-1")).toBe(false)
    expect(await activate("UNSOLD-code-1")).toBe(false)
    expect(spy).toHaveBeenCalledTimes(1)
    expect(await activate("unsold-code-2")).toBe(false)
    expect(spy).toHaveBeenCalledTimes(2)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
    expect(await activate("unsold-code-1")).toBe(true)
    expect(spy).toHaveBeenCalledTimes(3)
  })

  test("limits lookups per minute to 10 per network, and to 30 each for all new and all returning networks", async () => {
    const external = await externalClient()
    const product = await makeProduct({ marketplace_id: "79" })
    const { spy } = mockReceiver(() => new Response("{}", { status: 404 }))
    let code = 0
    const activateFrom = async (address: string) => {
      const json = { product_id: product.referenceId, license_code: `flood-code-${code++}`, verify_type: "marketplace" }
      const headers = { "CF-Connecting-IP": address, "X-API-IP": `10.0.0.${code % 200}` }
      const { status, body } = await external("POST", "/license/activate", { json, headers })
      expect([status, body.is_active]).toEqual([200, false])
      return body.message
    }
    const messages = []
    for (let n = 0; n < 12; n++) messages.push(await activateFrom("192.0.2.1"))
    expect(spy).toHaveBeenCalledTimes(10)
    expect(messages.at(-1)).toBe("The marketplace could not be reached. Please try again later.")
    // The networks of one /48 share a limit that is four times as high.
    for (let n = 0; n < 50; n++) await activateFrom(`2001:db8:1:${n % 7}::1`)
    expect(spy, "30 repeated lookups and 1 + 4 first lookups of a network").toHaveBeenCalledTimes(35)
    expect(await activateFrom("198.51.100.1"), "first lookup of a network").not.toMatch(/could not be reached/)
    for (let n = 2; n < 40; n++) await activateFrom(`198.51.100.${n}`)
    expect(spy).toHaveBeenCalledTimes(60)
  })
})
