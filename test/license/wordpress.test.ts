// Update metadata for WordPress, signed URLs of update files, and the files' digests and signatures.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { call } from "../support/app"
import {
  externalClient,
  internalClient,
  makeActive,
  makeLicenseKey,
  makeProduct,
  makeVersion,
} from "../support/license-factories"

const hash = async (name: string, text: string) => crypto.subtle.digest(name, new TextEncoder().encode(text))

/** Uploads a version with a file. */
async function upload(product: { referenceId: string }, version: string, content: string) {
  const body = new FormData()
  body.set("version", version)
  body.set("changelog", "<ul><li>Faster</li></ul>")
  body.set("main_file", new Blob([content]), "plugin.zip")
  const internal = await internalClient()
  const response = await internal("POST", `/products/${product.referenceId}/versions`, { body })
  expect(response.status).toBe(201)
}

test("describes the newest version as plugin-update-checker reads it, with a URL that WordPress can download", async () => {
  const external = await externalClient()
  const { product, license } = await makeActive(external)
  await upload(product, "1.5.0", "the new version")
  const { body: keys } = await external("GET", "/public-key")
  const path = `/wp/${product.referenceId}/info.json?installed_version=1.0.0&license_code=${license.code}`
  const { status, body } = await external("GET", path)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    name: "Product",
    slug: product.referenceId,
    version: "1.5.0",
    last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    sections: { changelog: "<ul><li>Faster</li></ul>" },
    upgrade_notice: null,
    download_sha256: new Uint8Array(await hash("SHA-256", "the new version")).toHex(),
  })
  const download = await call("GET", new URL(body.download_url).pathname)
  expect([download.status, download.text]).toEqual([200, "the new version"])
  expect(download.headers.get("Content-Disposition")).toContain(`main_${product.referenceId}_1.5.0.zip`)
  const signature = download.headers.get("X-Content-Signature") ?? ""
  expect(signature).toBe(body.download_signature)
  // As WordPress verifies it.
  const key = await crypto.subtle.importKey("jwk", keys.keys[0], "Ed25519", false, ["verify"])
  const verify = (content: ArrayBuffer) =>
    crypto.subtle.verify("Ed25519", key, Uint8Array.fromBase64(signature), content)
  expect(await verify(await hash("SHA-384", "the new version"))).toBe(true)
  expect(await verify(await hash("SHA-384", "another version"))).toBe(false)
  const range = await call("GET", new URL(body.download_url).pathname, { headers: { Range: "bytes=4-6" } })
  expect([range.status, range.text]).toEqual([206, "new"])
})

test("offers the next version of a product with step-by-step updates, and needs no license for a product without", async () => {
  const external = await externalClient()
  const product = await makeProduct({ serve_latest_updates: false, license_update: false, description: "a <b>\nb" })
  await makeVersion(product, "1.1.0", { main: "one" })
  await makeVersion(product, "1.2.0", { main: "two" })
  const read = async (query: string) => (await external("GET", `/wp/${product.referenceId}/info.json${query}`)).body
  const next = await read("?installed_version=1.0.0")
  expect(next).toMatchObject({
    version: "1.1.0",
    sections: { description: "a &lt;b&gt;<br>b" },
    // Neither has a file from before digests were computed.
    download_sha256: null,
    download_signature: null,
  })
  const file = await call("GET", new URL(next.download_url).pathname)
  expect([file.status, file.text, file.headers.get("X-Content-Signature")]).toEqual([200, "one", null])
  expect(await read("?installed_version=1.2.0")).toMatchObject({ version: "1.2.0" })
  expect(await read("")).toMatchObject({ version: "1.2.0" })
})

test("has no URL without a license that allows the download, and reveals nothing about the license", async () => {
  const external = await externalClient()
  const { product, license } = await makeActive(external, { customer_id: "Jo" })
  await makeVersion(product, "1.1.0", { main: "one" })
  const read = (query: string, headers = {}) =>
    external("GET", `/wp/${product.referenceId}/info.json${query}`, { headers })
  const code = `license_code=${license.code}`
  const refused = { version: "1.1.0", download_url: null, upgrade_notice: "License is invalid or not assigned to you." }
  for (const query of ["", "?license_code=WRONG-1", `?${code}&client_name=Eve`])
    expect((await read(query)).body, query).toMatchObject(refused)
  expect((await read(`?${code}`, { "X-API-URL": "https://other.example" })).body).toMatchObject(refused)
  expect((await read(`?${code}&client_name=Jo`)).body.download_url).toMatch(/^https?:/)
})

test("a signed URL ends when the license is blocked, after a day, and when it was changed", async () => {
  const external = await externalClient()
  const { product, license } = await makeActive(external)
  await makeVersion(product, "1.1.0", { main: "one" })
  const { body } = await external("GET", `/wp/${product.referenceId}/info.json?license_code=${license.code}`)
  const { pathname } = new URL(body.download_url)
  const get = async (path: string) => {
    const { status, text } = await call("GET", path)
    return [status, text]
  }
  expect(await get(pathname)).toEqual([200, "one"])
  const [subject = "", signature = ""] = (pathname.split("/").at(-1) ?? "").split(".")
  const forged = ["0", 0, Date.now() + 1e9]
  const encoded = btoa(JSON.stringify(forged)).replace(/=+$/, "")
  for (const token of [
    `${subject}.${"0".repeat(64)}`,
    `${encoded}.${signature}`,
    subject,
    `${subject}x.${signature}`,
    "%00",
  ])
    expect(await get(`/api/downloads/${token}`), token).toEqual([404, ""])
  const internal = await internalClient()
  await internal("POST", `/blocked-product-licenses/${license.code}`)
  expect(await get(pathname)).toEqual([401, ""])
  await internal("DELETE", `/blocked-product-licenses/${license.code}`)
  expect(await get(pathname)).toEqual([200, "one"])
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 + 60_000 })
  expect(await get(pathname)).toEqual([404, ""])
  vi.useRealTimers()
})

test("limits downloads to sixty a minute per address", async () => {
  const headers = { "CF-Connecting-IP": "192.0.2.77" }
  for (let count = 0; count < 60; count++) await call("GET", "/api/downloads/x.y", { headers })
  const limited = await call("GET", "/api/downloads/x.y", { headers })
  expect([limited.status, limited.text]).toEqual([429, ""])
  expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0)
})

test("returns 404 for unknown and inactive products, and those without a release, and 422 for an invalid version", async () => {
  const external = await externalClient()
  const product = await makeProduct()
  const get = async (name: string) => (await external("GET", `/wp/${encodeURIComponent(name)}/info.json`)).status
  expect(await get("UNKNOWN")).toBe(404)
  expect(await get(product.referenceId)).toBe(404)
  await makeVersion(product, "1.0.0", { main: "one" })
  expect(await get(product.referenceId)).toBe(200)
  const invalid = await external("GET", `/wp/${product.referenceId}/info.json?installed_version=${"1".repeat(101)}`)
  expect(invalid.status).toBe(422)
  await env.DB.exec("update license_products set is_active = 0")
  expect(await get(product.referenceId)).toBe(404)
  const unscoped = await makeLicenseKey("external", { scopes: ["license:verify"] })
  const response = await call("GET", `/api/external/wp/${product.referenceId}/info.json`, {
    headers: { "X-API-KEY": unscoped },
  })
  expect(response.status).toBe(403)
})
