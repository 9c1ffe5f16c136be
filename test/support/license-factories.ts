// Creates license manager test data through its own service functions.

import { env } from "cloudflare:workers"
import { parseInput } from "../../src/core/http/input"
import { CreateLicenseKey } from "../../src/license/keys/schemas"
import { createLicenseKey } from "../../src/license/keys/service"
import { CreateLicense, type License } from "../../src/license/licenses/schemas"
import { createLicense } from "../../src/license/licenses/service"
import { CreateProduct, type Product } from "../../src/license/products/schemas"
import { createProduct } from "../../src/license/products/service"
import { invalidateCachedSettings, SaveSettings, saveSettings } from "../../src/license/settings"
import { CreateVersion, type Version } from "../../src/license/versions/schemas"
import { createVersion } from "../../src/license/versions/service"
import { type CallOptions, call, run, type TestResponse } from "./app"
import { nextSerial } from "./serial"

/** Creates a key and returns its plain text. */
export const makeLicenseKey = (
  type: "external" | "internal" = "external",
  options: { scopes?: string[]; key?: string } = {},
): Promise<string> =>
  run(async (ctx) => {
    invalidateCachedSettings()
    const input = parseInput(CreateLicenseKey, { type, name: `key ${nextSerial()}`, ...options })
    return (await createLicenseKey(ctx, input)).plaintext
  })

export const makeProduct = (overrides: Record<string, unknown> = {}): Promise<Product> =>
  run((ctx) =>
    createProduct(
      ctx,
      parseInput(CreateProduct, { name: "Product", reference_id: `PROD-${nextSerial()}`, ...overrides }),
    ),
  )

export const makeLicense = (product: Product, overrides: Record<string, unknown> = {}): Promise<License> =>
  run(async (ctx) => {
    const input = { product_reference_id: product.referenceId, license_code: `CODE-${nextSerial()}`, ...overrides }
    return (await createLicense(ctx, parseInput(CreateLicense, input))).license
  })

/** Creates a released version with the given files. */
export const makeVersion = (
  product: Product,
  version: string,
  options: { main?: string | Uint8Array; sql?: string; released_at?: string; is_active?: boolean } = {},
): Promise<Version> =>
  run(async (ctx) => {
    const { main, sql, ...fields } = options
    const putFile = async (content: string | Uint8Array | undefined, type: string) => {
      if (content === undefined) return undefined
      const key = `updates/test-${nextSerial()}`
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
      await env.UPDATES.put(key, bytes)
      return { key, size: bytes.length, type }
    }
    const files = { mainFile: await putFile(main, "application/zip"), sqlFile: await putFile(sql, "text/plain") }
    return createVersion(ctx, product, parseInput(CreateVersion, { version, ...fields }), files)
  })

/** Changes the license manager's settings. */
export const setLicenseSettings = (input: Record<string, unknown>) =>
  run((ctx) => saveSettings(ctx, SaveSettings.parse(input)))

const CLIENT_HEADERS = { "X-API-URL": "https://www.shop.example/admin", "X-API-IP": "203.0.113.7" }

type Call = (method: string, path: string, options?: CallOptions) => Promise<TestResponse>

const client =
  (prefix: string, key: string): Call =>
  (method, path, options = {}) =>
    call(method, prefix + path, { ...options, headers: { "X-API-KEY": key, ...CLIENT_HEADERS, ...options.headers } })

/** Client of the external API, with a fixed domain and address unless overridden by headers. */
export const externalClient = async (): Promise<Call> => client("/api/external", await makeLicenseKey("external"))

/** Client of the internal API. */
export const internalClient = async (): Promise<Call> => client("/api/internal", await makeLicenseKey("internal"))

/** Client of the legacy paths, with the legacy header names. */
export const legacyClient = async (type: "external" | "internal" = "external"): Promise<Call> => {
  const key = await makeLicenseKey(type)
  return (method, path, options = {}) =>
    call(method, `/api${path}`, {
      ...options,
      headers: {
        "LB-API-KEY": key,
        "LB-URL": CLIENT_HEADERS["X-API-URL"],
        "LB-IP": CLIENT_HEADERS["X-API-IP"],
        ...options.headers,
      },
    })
}

/** Creates a product and an activated license, and returns the license data of its activation. */
export async function makeActive(external: Call, overrides: Record<string, unknown> = {}) {
  const product = await makeProduct()
  const license = await makeLicense(product, overrides)
  const input = { product_id: product.referenceId, license_code: license.code }
  const response = await external("POST", "/license/activate", { json: input })
  const data: string = response.body.lic_response
  return { product, license, input, data, proof: { product_id: product.referenceId, license_data: data } }
}
