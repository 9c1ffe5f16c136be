// Update files: upload, authorisation and download.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { call } from "../support/app"
import { failRoundTrips } from "../support/faults"
import {
  externalClient,
  internalClient,
  makeActive,
  makeLicenseKey,
  makeProduct,
  makeVersion,
} from "../support/license-factories"
import { rows } from "../support/rows"

const listStoredKeys = async () => (await env.UPDATES.list()).objects.map(({ key }) => key)

const digest = async (bytes: ArrayBuffer) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()

function form(fields: Record<string, string | Blob>): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") body.set(name, value)
    else body.set(name, value, `${name}.bin`)
  }
  return body
}

describe("uploads", () => {
  test("stores and replaces a version's files, including large ones", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const path = `/products/${product.referenceId}/versions`
    const big = new Uint8Array(11_000_000)
    for (let i = 0; i < big.length; i += 4096) big[i] = i / 4096
    big.set([0x50, 0x4b, 3, 4])
    const created = await internal("POST", path, {
      body: form({
        version: "1.2.0",
        released_at: "2026-01-02",
        main_file: new Blob([big]),
        sql_file: new Blob(["select 1;"]),
      }),
    })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({
      version: "1.2.0",
      released_at: "2026-01-02T00:00:00+00:00",
      main_file: { size: big.length, type: "application/zip" },
      sql_file: { size: 9, type: "text/plain" },
    })
    const [row] = await rows("select main_file from license_versions")
    const first = JSON.parse(String(row?.main_file)).key
    const object = await env.UPDATES.get(first)
    expect(await digest(await (object as R2ObjectBody).arrayBuffer())).toBe(await digest(big.buffer))
    const changed = await internal("POST", `${path}/${created.body.data.version_id}`, {
      body: form({ main_file: new Blob(["smaller"]), summary: "Smaller" }),
    })
    expect(changed.body.data).toMatchObject({
      summary: "Smaller",
      version: "1.2.0",
      main_file: { size: 7 },
      sql_file: { size: 9 },
    })
    const keys = await listStoredKeys()
    expect(keys).toHaveLength(2)
    expect(keys).not.toContain(first)
  })

  test("deletes the replaced file although the bucket fails once", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const version = await makeVersion(product, "1.0.0", { main: "first" })
    const path = `/products/${product.referenceId}/versions/${version.versionId}`
    vi.spyOn(env.UPDATES, "delete").mockRejectedValueOnce(new Error("Network connection lost."))
    expect((await internal("POST", path, { body: form({ main_file: new Blob(["second"]) }) })).status).toBe(200)
    expect(await listStoredKeys()).toHaveLength(1)
  })

  test.each([
    ["create", 'insert into "license_versions"'],
    ["update", 'update "license_versions"'],
  ])("retains the file of a version whose %s took effect although its response was lost", async (kind, statement) => {
    const internal = await internalClient()
    const product = await makeProduct()
    const version = await makeVersion(product, "1.0.0", { main: "first" })
    const versions = `/products/${product.referenceId}/versions`
    const [path, fields] =
      kind === "create" ? [versions, { version: "2.0.0" }] : [`${versions}/${version.versionId}`, {}]
    let isCommitted = false
    const spy = failRoundTrips((statements) => {
      const isDown = isCommitted
      isCommitted ||= statements.some((sql) => sql.startsWith(statement))
      return isDown ? "before" : isCommitted ? "after" : null
    })
    const response = await internal("POST", path, { body: form({ ...fields, main_file: new Blob(["second"]) }) })
    spy.mockRestore()
    expect(response.status).toBe(503)
    const stored = await rows("select main_file ->> 'key' as key from license_versions order by id desc limit 1")
    expect(stored[0]?.key).not.toBe(version.mainFile?.key)
    expect(await listStoredKeys()).toContain(stored[0]?.key)
  })

  test("keeps exactly one file when two uploads replace it concurrently", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const version = await makeVersion(product, "1.0.0", { main: "first" })
    const path = `/products/${product.referenceId}/versions/${version.versionId}`
    const bodies = ["second", "third"].map((text) => form({ main_file: new Blob([text]) }))
    const responses = await Promise.all(bodies.map((body) => internal("POST", path, { body })))
    expect(responses.map((response) => response.status)).toEqual([200, 200])
    const [row] = await rows("select main_file from license_versions")
    expect(await listStoredKeys()).toEqual([JSON.parse(String(row?.main_file)).key])
    await makeVersion(product, "2.0.0")
    const taken = await internal("POST", path, { body: form({ version: "2.0.0", main_file: new Blob(["x"]) }) })
    expect([taken.status, taken.body.errors]).toEqual([422, { version: ["The version has already been taken."] }])
    expect(await listStoredKeys()).toHaveLength(1)
  })

  test("ignores file parts named like Object.prototype properties", async () => {
    const [internal, product] = [await internalClient(), await makeProduct()]
    const body = new FormData()
    body.set("version", "1.0.0")
    for (const name of ["constructor", "toString", "__proto__", "valueOf"]) body.append(name, new Blob(["x"]), "a.zip")
    expect((await internal("POST", `/products/${product.referenceId}/versions`, { body })).status).toBe(201)
    expect(await listStoredKeys()).toEqual([])
  })

  test("deletes the files of an upload that is invalid, truncated or conflicts", async () => {
    const internal = await internalClient()
    const product = await makeProduct()
    const path = `/products/${product.referenceId}/versions`
    const main_file = new Blob(["content"])
    const bad = await internal("POST", path, { body: form({ version: "one", main_file }) })
    expect([bad.status, bad.body.errors]).toEqual([422, { version: ["The version field format is invalid."] }])
    await makeVersion(product, "1.0.0")
    const taken = await internal("POST", path, { body: form({ version: "1.0.0", main_file }) })
    expect([taken.status, taken.body.errors]).toEqual([422, { version: ["The version has already been taken."] }])
    const boundary = { "Content-Type": "multipart/form-data; boundary=x" }
    const truncated = await internal("POST", path, {
      body: '--x\r\nContent-Disposition: form-data; name="main_file"; filename="a.zip"\r\n\r\nabc',
      headers: boundary,
    })
    expect([truncated.status, truncated.body.status]).toEqual([400, false])
    const unknown = await internal("POST", "/products/NOPE/versions", { body: form({ version: "1.0.0", main_file }) })
    expect(unknown.status).toBe(404)
    expect(await listStoredKeys()).toEqual([])
  })
})

describe("downloads", () => {
  test("streams the file with its length, name and type, and resumes it by range", async () => {
    const external = await externalClient()
    const { product, proof } = await makeActive(external)
    const version = await makeVersion(product, "1.2.0", { main: "0123456789", sql: "select 1" })
    const path = `/update/${version.versionId}/download`
    const get = (headers: Record<string, string> = {}, type = "main") =>
      external("POST", `${path}/${type}`, { json: { license_data: proof.license_data }, headers })
    const whole = await get()
    expect([whole.status, whole.text]).toEqual([200, "0123456789"])
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-length": "10",
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="main_${product.referenceId}_1.2.0.zip"`,
      "accept-ranges": "bytes",
      "cache-control": "private, no-transform",
    })
    const etag = whole.headers.get("ETag") ?? ""
    const rest = await get({ Range: "bytes=4-", "If-Range": etag })
    expect([rest.status, rest.text, rest.headers.get("Content-Range")]).toEqual([206, "456789", "bytes 4-9/10"])
    expect((await get({ Range: "bytes=-3" })).text).toBe("789")
    expect((await get({ Range: "bytes=2-3" })).text).toBe("23")
    const pastEnd = await get({ Range: "bytes=10-" })
    expect([pastEnd.status, pastEnd.text, pastEnd.headers.get("Content-Range")]).toEqual([416, "", "bytes */10"])
    const changed = await get({ Range: "bytes=4-", "If-Range": '"another"' })
    expect([changed.status, changed.text]).toEqual([200, "0123456789"])
    const sql = await get({}, "sql")
    expect([sql.text, sql.headers.get("Content-Disposition")]).toEqual([
      "select 1",
      `attachment; filename="sql_${product.referenceId}_1.2.0.sql"`,
    ])
  })

  test("returns 401 without a body when the product requires a license and the proof is not valid", async () => {
    const external = await externalClient()
    const internal = await internalClient()
    const { product, proof, license } = await makeActive(external, { customer_id: "Jo", updates_until: "2026-06-01" })
    const before = await makeVersion(product, "1.0.0", { main: "old", released_at: "2026-05-31" })
    const after = await makeVersion(product, "2.0.0", { main: "new", released_at: "2026-06-02" })
    const get = async (json: unknown, version = before, headers: Record<string, string> = {}) => {
      const response = await external("POST", `/update/${version.versionId}/download/main`, { json, headers })
      return [response.status, response.text]
    }
    expect(await get(proof)).toEqual([200, "old"])
    expect(await get({ license_file: proof.license_data })).toEqual([200, "old"])
    expect(await get({ license_code: license.code, client_name: "jo" })).toEqual([200, "old"])
    expect(await get({ license_code: license.code, client_name: "ann" })).toEqual([401, ""])
    expect(await get({})).toEqual([401, ""])
    expect(await get(proof, after)).toEqual([401, ""])
    expect(await get(proof, before, { "X-API-URL": "https://other.example" })).toEqual([401, ""])
    expect(await get({ ...proof, product_id: "OTHER" })).toEqual([404, ""])
    await internal("POST", `/blocked-product-licenses/${license.id}`)
    expect(await get(proof)).toEqual([401, ""])
    await internal("PUT", `/products/${product.referenceId}`, { json: { license_update: false } })
    expect(await get({}, after)).toEqual([200, "new"])
  })

  test("returns 404 without a body for an unreleased or unknown version or file", async () => {
    const external = await externalClient()
    const product = await makeProduct({ license_update: false })
    const out = await makeVersion(product, "1.0.0", { main: "x" })
    const off = await makeVersion(product, "1.1.0", { main: "x", is_active: false })
    const future = await makeVersion(product, "1.2.0", { main: "x", released_at: "2999-01-01" })
    const paths = [
      `${off.versionId}/download/main`,
      `${future.versionId}/download/main`,
      `${out.versionId}/download/sql`,
      `${out.versionId}/download/exe`,
      `${out.versionId}/download/__proto__`,
      "nope/download/main",
      "..%2F..%2Fsecrets/download/main",
      "%00/download/main",
      `${"a".repeat(2000)}/download/main`,
    ]
    for (const path of paths) {
      const response = await external("POST", `/update/${path}`, { json: {} })
      expect([response.status, response.text], path).toEqual([404, ""])
      const size = await external("HEAD", `/update/${path}/size`)
      expect(size.status, path).toBe(404)
    }
  })

  test("returns the size in the headers of HEAD and GET, without the file", async () => {
    const key = await makeLicenseKey()
    const product = await makeProduct()
    const version = await makeVersion(product, "1.0.0", { main: "0123456789" })
    const empty = await makeVersion(product, "0.9.0", { main: "" })
    for (const [base, id] of [
      ["/api/external/update", `${version.versionId}/download/main/size`],
      ["/api/get_update_size/main", version.versionId],
      ["/api/get_update_size", version.versionId],
    ] as const) {
      const head = await call("HEAD", `${base}/${id}`, { headers: { "X-API-KEY": key } })
      expect([head.status, head.headers.get("Content-Length"), head.headers.get("Content-Type"), head.text]).toEqual([
        200,
        "10",
        "application/zip",
        "",
      ])
      // An empty file needs no truncated body.
      const emptySize = await call(
        base.endsWith("update") ? "GET" : "POST",
        `${base}/${id.replace(version.versionId, empty.versionId)}`,
        { headers: { "X-API-KEY": key } },
      )
      expect([emptySize.status, emptySize.text]).toEqual([200, ""])
      // Reading a GET's body fails before its first byte; the bytes on the wire are tested elsewhere.
      await expect(call("GET", `${base}/${id}`, { headers: { "X-API-KEY": key } })).rejects.toThrow("only the length")
    }
  })
})
