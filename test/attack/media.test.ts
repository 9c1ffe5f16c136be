// Attacks with a key of the media library: storage limits, write permission of the public key, audit log.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { runOperatorCommand } from "../support/blog-factories"
import { content, hostOfStore } from "../support/content-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { siteRows } from "../support/rows"

describe("the media library", () => {
  const form = (bytes: number) => {
    const body = new FormData()
    body.set("file", new Blob([new Uint8Array(bytes)]), "a.bin")
    return body
  }

  test("enforces the plan's storage limit, also for concurrent uploads", async () => {
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 1, staff_users: 0 } })
    const store = await makeReadyStore({ plan: plan.slug })
    const headers = { "X-API-KEY": await makeServerKey(store, "internal") }
    const upload = (bytes: number) =>
      content("POST", "/media/files", { host: hostOfStore(store), headers, body: form(bytes) })
    const large = await upload(3_000_000)
    expect(large.status).toBe(403)
    expect(large.body).toEqual({ message: expect.any(String), errors: {} })
    expect((await env.MEDIA.list()).objects).toEqual([])
    const both = await Promise.all([upload(700_000), upload(700_000)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
    expect((await upload(700_000)).status).toBe(403)
    expect((await upload(100_000)).status).toBe(201)
    expect(await siteRows("select count(*) n from media_orphans where reserved_bytes > 0")).toEqual([{ n: 0 }])
    const file = (await siteRows("select id from media_files where size = 700000"))[0]?.id
    await content("DELETE", `/media/files/${file}`, { host: hostOfStore(store), headers })
    expect((await upload(700_000)).status).toBe(201)
  })

  test("reserves no storage for the empty files of a form", async () => {
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 1, staff_users: 0 } })
    const store = await makeReadyStore({ plan: plan.slug })
    const key = await makeServerKey(store, "internal")
    const part = (bytes: string) =>
      `--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n${bytes}\r\n`
    const upload = (...files: string[]) => {
      const body = `${files.map(part).join("")}--x--\r\n`
      const headers = {
        "X-API-KEY": key,
        "Content-Type": "multipart/form-data; boundary=x",
        "Content-Length": String(body.length),
      }
      return content("POST", "/media/files", { host: hostOfStore(store), headers, body })
    }
    expect((await upload(...Array<string>(18).fill(""), "A".repeat(300_000))).status).toBe(201)
    expect(await siteRows("select * from media_orphans")).toEqual([])
    expect((await upload("", "B".repeat(600_000))).status).toBe(201)
  })

  test("refuses writes with the site's API key when the setting is off, and accepts them with server tokens", async () => {
    const [site, server] = [await makeSiteKey(), await makeServerKey()]
    const createFolder = (key: string, name: string) =>
      content("POST", "/media/folders", { json: { name }, headers: { "X-API-KEY": key } })
    expect((await createFolder(site, "a")).status).toBe(201)
    await runOperatorCommand("site:settings", { "media-key-writes": "off" })
    const refused = await createFolder(site, "b")
    expect([refused.status, refused.body]).toEqual([403, { message: expect.any(String), errors: {} }])
    expect((await content("GET", "/media/folders", { headers: { "X-API-KEY": site } })).status).toBe(200)
    expect((await createFolder(server, "b")).status).toBe(201)
  })

  test("writes an audit entry with the name of the key for each change", async () => {
    const key = await makeServerKey()
    await content("POST", "/media/folders", { json: { name: "a" }, headers: { "X-API-KEY": key } })
    const { results } = await env.DB.prepare("select * from audit_entries").all()
    expect(
      results.some((row) => JSON.stringify(row).includes('"folder') && JSON.stringify(row).includes("a server")),
    ).toBe(true)
  })
})
