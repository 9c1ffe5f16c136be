// GET /media/…: what a browser is given, and what it may do with it.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { avatarPath } from "../../src/content/files"
import { ulid } from "../../src/lib/ulid"
import { resumeStore, suspendStore } from "../../src/platform/stores/service"
import { call, run } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { mediaOf, upload } from "../support/media-factories"

/** Uploads a file at the central site and answers its path. */
async function put(name: string, bytes: string): Promise<string> {
  const answer = await upload(await mediaOf(), name, bytes)
  return new URL(answer.body.url).pathname
}

describe("serving", () => {
  test("a file comes with its type, an entity tag, a long life and safe headers", async () => {
    const path = await put("Grüße.txt", "0123456789")
    const answer = await call("GET", path)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe("0123456789")
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "10",
      "content-disposition": "inline; filename=\"Gr__e.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt",
      "cache-control": "public, max-age=31536000, immutable",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      etag: expect.stringMatching(/^"[^"]+"$/),
    })
  })

  test("HEAD answers the same without the bytes", async () => {
    const path = await put("a.txt", "0123456789")
    const [get, head] = [await call("GET", path), await call("HEAD", path)]
    expect(head.text).toBe("")
    expect(head.status).toBe(200)
    const shown = (headers: Headers) => ({ ...Object.fromEntries(headers), "x-request-id": "" })
    expect(shown(head.headers)).toEqual(shown(get.headers))
  })

  test("HEAD asks for no part, whatever it says", async () => {
    const path = await put("a.txt", "0123456789")
    for (const Range of ["bytes=0-3", "bytes=10-"]) {
      const { status, headers } = await call("HEAD", path, { headers: { Range } })
      expect([status, headers.get("Content-Length"), headers.get("Content-Range")], Range).toEqual([200, "10", null])
    }
  })

  test("who has it already gets 304", async () => {
    const path = await put("a.txt", "0123456789")
    const etag = (await call("GET", path)).headers.get("ETag") ?? ""
    for (const tag of [etag, `"x", ${etag}`, `W/${etag}`, "*"]) {
      const answer = await call("GET", path, { headers: { "If-None-Match": tag, Range: "bytes=0-1" } })
      expect(answer.status, tag).toBe(304)
      expect(answer.text).toBe("")
      expect(answer.headers.get("Cache-Control")).toContain("immutable")
    }
    expect((await call("GET", path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200)
  })

  test("ranges are cut as RFC 9110 has it", async () => {
    const path = await put("a.txt", "0123456789")
    const etag = (await call("GET", path)).headers.get("ETag") ?? ""
    const table: [range: string, status: number, text: string, contentRange: string | null, ifRange?: string][] = [
      ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
      ["bytes=4-", 206, "456789", "bytes 4-9/10"],
      ["bytes=-2", 206, "89", "bytes 8-9/10"],
      ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
      ["bytes=8-99", 206, "89", "bytes 8-9/10"],
      ["bytes=9-9", 206, "9", "bytes 9-9/10"],
      ["bytes=10-", 416, "", "bytes */10"],
      ["bytes=-0", 416, "", "bytes */10"],
      ["bytes=5-2", 200, "0123456789", null],
      ["bytes=0-1,3-4", 200, "0123456789", null],
      ["lines=0-1", 200, "0123456789", null],
      ["bytes=a-b", 200, "0123456789", null],
      [`bytes=0-${"9".repeat(400)}`, 206, "0123456789", "bytes 0-9/10"],
      ["bytes=0-3", 206, "0123", "bytes 0-3/10", etag],
      ["bytes=0-3", 200, "0123456789", null, '"other"'],
    ]
    for (const [Range, status, text, contentRange, ifRange] of table) {
      const answer = await call("GET", path, { headers: { Range, ...(ifRange && { "If-Range": ifRange }) } })
      expect(answer.status, Range).toBe(status)
      expect(answer.text, Range).toBe(text)
      expect(answer.headers.get("Content-Range"), Range).toBe(contentRange)
    }
  })

  test("what could run a script is downloaded, in a sandbox, whatever it calls itself", async () => {
    const table: [name: string, bytes: string, type: string][] = [
      ["page.html", "<!doctype html><script>alert(1)</script>", "text/html; charset=utf-8"],
      ["photo.png", "<html><body onload=alert(1)>", "text/html; charset=utf-8"],
      ["logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "image/svg+xml"],
      ["feed.xml", '<?xml version="1.0"?><x/>', "text/xml; charset=utf-8"],
      ["app.zip", "PK\u0003\u0004", "application/zip"],
    ]
    for (const [name, bytes, type] of table) {
      const answer = await call("GET", await put(name, bytes))
      expect(answer.headers.get("Content-Type"), name).toBe(type)
      expect(answer.headers.get("Content-Disposition"), name).toMatch(/^attachment; /)
      expect(answer.headers.get("Content-Security-Policy"), name).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      )
      expect(answer.headers.get("X-Content-Type-Options"), name).toBe("nosniff")
    }
    expect((await call("GET", await put("a.pdf", "%PDF-1.7"))).headers.get("Content-Disposition")).toMatch(/^inline/)
  })

  test("an avatar is served from its object alone", async () => {
    const path = avatarPath(new Date(), "webp")
    await env.MEDIA.put(`central/${path}`, "picture", { httpMetadata: { contentType: "image/webp" } })
    const answer = await call("GET", `/media/${path}`, { headers: { Range: "bytes=0-3" } })
    expect(answer.status).toBe(206)
    expect(answer.text).toBe("pict")
    expect(answer.headers.get("Content-Type")).toBe("image/webp")
    expect((await call("GET", `/media/${avatarPath(new Date(), "png")}`)).status).toBe(404)
  })

  test("an avatar of no form that one is given is not there, however long its name", async () => {
    const head = vi.spyOn(env.MEDIA, "head")
    for (const name of [
      "a".repeat(1_020),
      "ü".repeat(600),
      "a".repeat(8_000),
      "two.png",
      "a/b.png",
      `${ulid(new Date())}.`,
    ]) {
      expect((await call("GET", `/media/avatars/${encodeURIComponent(name)}`)).status, name).toBe(404)
    }
    expect(head).not.toHaveBeenCalled()
  })

  test("nothing else in the bucket has an address: no path leads out of the site's own library", async () => {
    const store = await makeReadyStore()
    const avatar = avatarPath(new Date(), "png")
    await env.MEDIA.put(`${store}/${avatar}`, "secret")
    await env.MEDIA.put(`${store}/unlisted/x.txt`, "secret")
    for (const path of [
      `/media/../${store}/${avatar}`,
      `/media/avatars/../../${store}/${avatar}`,
      `/media/avatars/..%2f..%2f${store}/${avatar}`,
      `/media/${store}/${avatar}`,
      "/media/",
      "/media/%",
      "/media/%00",
      "/media/a//b",
      "/media/unlisted/x.txt",
    ]) {
      expect((await call("GET", path)).status, path).toBe(404)
    }
    expect((await call("GET", "/media/unlisted/x.txt", { host: hostOfStore(store) })).status).toBe(404)
    expect((await call("GET", `/media/${avatar}`, { host: hostOfStore(store) })).status).toBe(200)
    expect((await call("GET", `/media/${avatar}`, { host: "nobody.localhost" })).status).toBe(404)
  })

  test("other verbs are 405", async () => {
    const answer = await call("DELETE", await put("a.txt", "x"))
    expect(answer.status).toBe(405)
    expect(answer.headers.get("Allow")).toBe("GET, HEAD, OPTIONS")
  })

  test("a store's media is served while the store is, and no longer kept as missing when it is back", async () => {
    const store = await makeReadyStore()
    const file = (await upload(await mediaOf(store), "a.txt", "x")).body
    const { pathname, hostname } = new URL(file.url)
    expect(hostname).toBe(hostOfStore(store))
    const get = () => call("GET", pathname, { host: hostname })
    expect((await get()).status).toBe(200)
    await run((ctx) => suspendStore(ctx, store))
    const refused = await get()
    expect(refused.status).toBe(503)
    expect(refused.headers.get("Cache-Control")).toBe("no-store")
    await run((ctx) => resumeStore(ctx, store))
    expect((await get()).status).toBe(200)
  })

  test("a file takes two round trips", async () => {
    const path = await put("a.txt", "x")
    expect((await costsOf(() => call("GET", path))).roundTrips).toBeLessThanOrEqual(2)
  })
})
