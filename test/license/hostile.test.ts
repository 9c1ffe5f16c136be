// Malicious and malformed requests: they must be rejected with a 4xx, never cause a server error.
import { describe, expect, test } from "vitest"
import { encryptContainer } from "../../src/license/encryption/container"
import type { CallOptions } from "../support/app"
import {
  externalClient,
  internalClient,
  legacyClient,
  makeActive,
  makeLicense,
  makeProduct,
  makeVersion,
} from "../support/license-factories"
import { measureFastest } from "../support/timing"

const MALICIOUS_VALUES: unknown[] = [
  7,
  1.5,
  "7",
  "toString",
  { toString: 1, valueOf: 1 },
  { __proto__: null, constructor: "x" },
  [[[[["x"]]]]],
  ["x", 7, null, {}],
  null,
  "",
  -1,
  1e308,
  true,
  ["x"],
  {},
  { license_file: 7 },
  "'; drop table licenses; --",
  "\0",
  "\ud800",
  "x".repeat(100_000),
  "🦄".repeat(300),
  "__proto__",
  '{"license_file":{"license_file":"x"}}',
  `eyJ${"A".repeat(60_000)}`,
]

describe("fields and bodies", () => {
  test("no value of any field causes a server error", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const legacy = await legacyClient()
    const legacyInternal = await legacyClient("internal")
    const { product, license, proof } = await makeActive(external)
    const version = await makeVersion(product, "1.0.0", { main: "x" })
    const validFields = {
      ...proof,
      license_code: license.code,
      license_file: null,
      client_name: "x",
      verify_type: "non_envato",
      current_version: "0.1",
      keyword: "code",
    }
    type Call = typeof external
    const calls: [Call, string, string, Record<string, unknown>][] = [
      [external, "POST", "/license/activate", validFields],
      [external, "POST", "/license/verify", validFields],
      [external, "POST", "/license/check", { ...validFields, purchase_code: "x" }],
      [external, "POST", "/update/check", validFields],
      [external, "POST", "/update/latest", validFields],
      [external, "POST", `/update/${version.versionId}/download/main`, validFields],
      [legacy, "POST", "/activate_license", validFields],
      [legacy, "POST", `/download_update/${version.versionId}`, validFields],
      [legacyInternal, "POST", "/get_license", validFields],
      [legacyInternal, "POST", "/search_license", validFields],
      [
        legacyInternal,
        "POST",
        "/edit_license",
        {
          license_code: license.code,
          licensed_ips: "",
          licensed_domains: "",
          expiry_date: "",
          expiry_days: 1,
          license_uses: 1,
        },
      ],
      [
        internal,
        "PUT",
        `/products/${product.id}`,
        { name: "x", description: "x", envato_id: "1", license_update: true, is_active: true },
      ],
      [
        internal,
        "PUT",
        `/product-licenses/${license.id}`,
        {
          type: "x",
          email: "a@b.example",
          domains: [],
          ips: [],
          expires_at: "2999-01-01",
          parallel_uses: 9,
          is_valid: true,
          comments: "x",
        },
      ],
      [
        internal,
        "POST",
        `/products/${product.id}/versions/${version.versionId}`,
        { version: "1.0.0", summary: "x", released_at: "2020-01-01", changelog: "x", is_active: true },
      ],
      [
        internal,
        "POST",
        `/activated-product-activations/${license.id}`,
        { domain: "x.example", ip: "192.0.2.1", license_code: license.code, client_name: "x" },
      ],
    ]
    // Calls share the validators of their fields, so each sends half of the values to a field, in rotation.
    for (const [callIndex, [call, method, path, fields]] of calls.entries()) {
      const statuses = await Promise.all(
        Object.keys(fields).flatMap((name, fieldIndex) =>
          MALICIOUS_VALUES.filter((_, index) => (index + fieldIndex + callIndex) % 2 === 0).map(async (value) => {
            const response = await call(method, path, { json: { ...fields, [name]: value } })
            return response.status < 500 ? null : [method, path, name, String(value).slice(0, 40), response.text]
          }),
        ),
      )
      expect(statuses.filter(Boolean)).toEqual([])
      expect((await call(method, path, { json: {} })).status).toBeLessThan(500)
    }
  }, 120_000)

  test("returns 400, 413 or 422 for a malformed body, whatever its content type", async () => {
    const external = await externalClient()
    const send = async (body: BodyInit, type: string) => {
      const { status, body: response } = await external("POST", "/license/activate", {
        body,
        headers: { "Content-Type": type },
      })
      expect(response).toMatchObject({ status: false, message: expect.any(String) })
      return status
    }
    expect(await send("{", "application/json")).toBe(400)
    expect(await send("[1]", "application/json")).toBe(400)
    expect(await send('"x"', "application/json")).toBe(400)
    expect(await send("null", "application/json")).toBe(400)
    expect(await send("", "application/json")).toBe(422)
    expect(await send("[]", "application/json")).toBe(422)
    expect(await send("%zz&=&&&a=%ff", "application/x-www-form-urlencoded")).toBe(422)
    expect(await send("no boundary", "multipart/form-data")).toBe(400)
    expect(await send("--x\r\nrubbish", "multipart/form-data; boundary=x")).toBe(400)
    expect(await send(new Uint8Array([0xff, 0xfe, 0]), "application/octet-stream")).toBe(400)
    expect(await send(`{"product_id":"${"x".repeat(1_000_000)}"}`, "application/json")).toBe(413)
    expect(await send("[".repeat(200_000), "application/json")).toBe(400)
  })
})

describe("license data", () => {
  test("rejects license data that is foreign, altered or truncated, all with the same response", async () => {
    const external = await externalClient()
    const a = await makeActive(external)
    const b = await makeActive(external)
    const verify = async (license_data: unknown, product_id = a.product.referenceId) => {
      const response = await external("POST", "/license/verify", { json: { product_id, license_data } })
      expect(response.status).toBe(200)
      return response.body.is_active
    }
    expect(await verify(a.data)).toBe(true)
    expect(await verify(b.data)).toBe(false)
    expect(await verify(a.data, b.product.referenceId)).toBe(false)
    const foreign = await encryptContainer({ id: 1, activation_id: 1 }, "aes-256-gcm", new Uint8Array(32).fill(9))
    expect(await verify(foreign)).toBe(false)
    const bomb = btoa(
      JSON.stringify({ iv: "A".repeat(4000), value: btoa("x".repeat(1000)), mac: "", tag: btoa("x".repeat(16)) }),
    )
    expect(await verify(bomb)).toBe(false)
    expect(await verify(btoa(btoa(btoa(a.data))))).toBe(false)
    const altered = Array.from({ length: a.data.length }, (_, i) => {
      const other = a.data[i] === "A" ? "B" : "A"
      return a.data.slice(0, i) + other + a.data.slice(i + 1)
    })
    for (let i = 0; i < altered.length; i += 7) expect(await verify(altered[i])).toBe(false)
    for (const length of [1, 10, 100, a.data.length - 1]) expect(await verify(a.data.slice(0, length))).toBe(false)
  })
})

describe("headers", () => {
  test("rejects activations with forged domain and address headers", async () => {
    const external = await externalClient()
    const product = await makeProduct()
    const license = await makeLicense(product, { domains: ["shop.example"], ips: ["192.0.2.1"] })
    const json = { product_id: product.referenceId, license_code: license.code }
    const forgedHeaders: Record<string, string>[] = [
      { "X-API-URL": "javascript:alert(1)" },
      { "X-API-URL": "https://shop.example.evil.example" },
      { "X-API-URL": `https://${"a".repeat(5000)}.example` },
      { "X-API-URL": "https://shop.example@evil.example/" },
      { "X-API-IP": "192.0.2.1, 10.0.0.1" },
      { "X-API-IP": "not an address" },
      { "X-API-IP": "::ffff:192.0.2.2" },
      { "X-Forwarded-For": "192.0.2.1", "X-API-IP": "" },
    ]
    for (const headers of forgedHeaders) {
      const response = await external("POST", "/license/activate", {
        json,
        headers: { "CF-Connecting-IP": "198.51.100.9", ...headers },
      })
      expect([response.status, response.body.is_active], JSON.stringify(headers)).toEqual([200, false])
    }
    const mapped = { "X-API-IP": "::ffff:192.0.2.1" }
    expect((await external("POST", "/license/activate", { json, headers: mapped })).body.is_active).toBe(true)
    for (const language of ["xx", "'; --", "en-US,fr;q=0.9", "x".repeat(3000)]) {
      const response = await external("GET", "/connection-check", { headers: { "X-API-LANGUAGE": language } })
      expect(response.status).toBe(200)
    }
  })
})

describe("string fields", () => {
  test("rejects other types in string fields, and numbers as domains or addresses", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const { product, license } = await makeActive(external)
    const path = `/activated-product-activations/${license.id}`
    const statusAndErrors = async (response: Promise<{ status: number; body: { errors?: object } }>) => {
      const { status, body } = await response
      return [status, ...Object.keys(body.errors ?? {})]
    }
    for (const value of [7, 1.5, true, ["x"], { a: "x" }]) {
      for (const name of ["domain", "ip", "client_name", "license_code"]) {
        const json = { domain: "new.example", ip: "192.0.2.1", [name]: value }
        expect(await statusAndErrors(internal("POST", path, { json })), JSON.stringify(value)).toEqual([422, name])
      }
      // The products of some clients have whole numbers as ids.
      const names = ["license_code", "client_name", ...(Number.isInteger(value) ? [] : ["product_id"])]
      for (const name of names) {
        const json = { product_id: product.referenceId, license_code: license.code, [name]: value }
        const result = await statusAndErrors(external("POST", "/license/activate", { json }))
        expect(result, JSON.stringify(value)).toEqual([422, name])
      }
      for (const name of ["name", "description"]) {
        const result = await statusAndErrors(internal("PUT", `/products/${product.id}`, { json: { [name]: value } }))
        expect(result, JSON.stringify(value)).toEqual([422, name])
      }
    }
    for (const domain of ["7", "0x7f.1", "127.1", "2130706433", "017700000001"]) {
      for (const options of [{ json: { domain } }, { body: new URLSearchParams({ domain }) }] as CallOptions[]) {
        expect(await statusAndErrors(internal("POST", path, options)), domain).toEqual([422, "domain"])
      }
    }
    expect((await internal("POST", path, { json: { domain: "http://127.0.0.1:8080/x" } })).body.data.domain).toBe(
      "127.0.0.1",
    )
  })

  test("rejects clearing a required name", async () => {
    const internal = await internalClient()
    const product = await makeProduct({ name: "Original" })
    for (const name of ["", "  ", null]) {
      const { status, body } = await internal("PUT", `/products/${product.id}`, { json: { name } })
      expect([status, body.errors]).toEqual([422, { name: ["The name field is required."] }])
    }
    expect((await internal("PUT", `/products/${product.id}`, { json: {} })).body.data.name).toBe("Original")
  })
})

describe("Object.prototype property names", () => {
  const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty"]

  test("treats Object.prototype property names as ordinary field names in forms and JSON", async () => {
    const internal = await internalClient()
    const external = await externalClient()
    const product = await makeProduct()
    const bodies = NAMES.flatMap((name) =>
      [name, `${name}[]`, `${name}[0]`, `${name}[${name}]`].flatMap((field): CallOptions[] => {
        const form = new FormData()
        form.append("version", "9.9")
        form.append(field, "x")
        form.append(field, "y")
        return [
          { body: form },
          { body: new URLSearchParams(`${encodeURIComponent(field)}=x&${encodeURIComponent(field)}=y`) },
          {
            body: `{"${field}": "x", "is_active": "${field}", "domain": {"${field}": 1}}`,
            headers: { "Content-Type": "application/json" },
          },
        ]
      }),
    )
    for (const body of bodies) {
      for (const [call, method, path] of [
        [internal, "POST", `/products/${product.id}/versions`],
        [internal, "PUT", `/products/${product.id}`],
        [internal, "POST", "/product-licenses"],
        [internal, "POST", "/activated-product-activations/1"],
        [external, "POST", "/license/activate"],
      ] as const) {
        const { status, text } = await call(method, path, body)
        expect([status < 500, text.length < 16_384], path).toEqual([true, true])
      }
    }
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

describe("lists", () => {
  test("limits the errors for long invalid lists, and parses a form with many equal names in linear time", async () => {
    const internal = await internalClient()
    const license = await makeLicense(await makeProduct())
    const put = (options: CallOptions) => internal("PUT", `/product-licenses/${license.id}`, options)
    for (const domains of [
      Array(400_000).fill(1),
      Array(100).fill("a b".repeat(80)),
      Array(100).fill({}),
      "a b,".repeat(100),
    ]) {
      const response = await put({ json: { domains } })
      expect([response.status, response.text.length < 4_096]).toEqual([422, true])
    }
    const ms = await measureFastest(1_000, async () => {
      const response = await put({ body: new URLSearchParams("domains[]=a&".repeat(50_000)) })
      expect(response.status).toBe(413)
    })
    expect(ms).toBeLessThanOrEqual(1_000)
    const many = await makeLicense(await makeProduct(), {
      domains: Array.from({ length: 100 }, (_, i) => `${"x".repeat(200)}${i}.example`),
    })
    const external = await externalClient()
    const { product_reference_id: product_id } = (await internal("GET", `/product-licenses/${many.id}`)).body.data
    const refused = await external("POST", "/license/activate", { json: { product_id, license_code: many.code } })
    expect(refused.body.message).toMatch(
      /^This license can only be used for the following domain\(s\): x+0\.example, .*, …$/,
    )
    expect(refused.text.length).toBeLessThan(2_048)
  })
})
