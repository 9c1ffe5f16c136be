// Serving files at GET /media/…: headers, conditional requests, ranges and isolation between sites.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { newAvatarPath } from "../../src/content/files"
import { ulid } from "../../src/lib/ulid"
import { resumeStore } from "../../src/platform/stores/resume"
import { suspendStore } from "../../src/platform/stores/service"
import { signInToAdmin } from "../admin/support"
import { call, run } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { makeMediaClient, upload } from "../support/media-factories"
import { captureStatements } from "../support/round-trips"

/** Uploads a file to the central site and returns its path. */
async function uploadToCentral(name: string, bytes: string): Promise<string> {
  const response = await upload(await makeMediaClient(), name, bytes)
  return new URL(response.body.url).pathname
}

describe("serving", () => {
  test("serves a file with its type, an ETag, immutable caching and security headers", async () => {
    const path = await uploadToCentral("Grüße.txt", "0123456789")
    const response = await call("GET", path)
    expect(response.status).toBe(200)
    expect(response.text).toBe("0123456789")
    expect(Object.fromEntries(response.headers)).toMatchObject({
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

  test("responds to HEAD with the headers of GET and no body", async () => {
    const path = await uploadToCentral("a.txt", "0123456789")
    const [get, head] = [await call("GET", path), await call("HEAD", path)]
    expect(head.text).toBe("")
    expect(head.status).toBe(200)
    const withoutRequestId = (headers: Headers) => ({ ...Object.fromEntries(headers), "x-request-id": "" })
    expect(withoutRequestId(head.headers)).toEqual(withoutRequestId(get.headers))
  })

  test("ignores Range in HEAD requests", async () => {
    const path = await uploadToCentral("a.txt", "0123456789")
    for (const Range of ["bytes=0-3", "bytes=10-"]) {
      const { status, headers } = await call("HEAD", path, { headers: { Range } })
      expect([status, headers.get("Content-Length"), headers.get("Content-Range")], Range).toEqual([200, "10", null])
    }
  })

  test("returns 304 when If-None-Match matches the ETag", async () => {
    const path = await uploadToCentral("a.txt", "0123456789")
    const etag = (await call("GET", path)).headers.get("ETag") ?? ""
    for (const tag of [etag, `"x", ${etag}`, `W/${etag}`, "*"]) {
      const response = await call("GET", path, { headers: { "If-None-Match": tag, Range: "bytes=0-1" } })
      expect(response.status, tag).toBe(304)
      expect(response.text).toBe("")
      expect(response.headers.get("Cache-Control")).toContain("immutable")
    }
    expect((await call("GET", path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200)
  })

  test("serves byte ranges as defined in RFC 9110", async () => {
    const path = await uploadToCentral("a.txt", "0123456789")
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
      const response = await call("GET", path, { headers: { Range, ...(ifRange && { "If-Range": ifRange }) } })
      expect(response.status, Range).toBe(status)
      expect(response.text, Range).toBe(text)
      expect(response.headers.get("Content-Range"), Range).toBe(contentRange)
    }
  })

  test("serves files that can run scripts as sandboxed downloads, whatever their name", async () => {
    const table: [name: string, bytes: string, type: string][] = [
      ["page.html", "<!doctype html><script>alert(1)</script>", "text/html; charset=utf-8"],
      ["photo.png", "<html><body onload=alert(1)>", "text/html; charset=utf-8"],
      ["logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "image/svg+xml"],
      ["feed.xml", '<?xml version="1.0"?><x/>', "text/xml; charset=utf-8"],
      ["app.zip", "PK\u0003\u0004", "application/zip"],
    ]
    for (const [name, bytes, type] of table) {
      const response = await call("GET", await uploadToCentral(name, bytes))
      expect(response.headers.get("Content-Type"), name).toBe(type)
      expect(response.headers.get("Content-Disposition"), name).toMatch(/^attachment; /)
      expect(response.headers.get("Content-Security-Policy"), name).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      )
      expect(response.headers.get("X-Content-Type-Options"), name).toBe("nosniff")
    }
    expect((await call("GET", await uploadToCentral("a.pdf", "%PDF-1.7"))).headers.get("Content-Disposition")).toMatch(
      /^inline/,
    )
  })

  test("serves an avatar that has an object but no row", async () => {
    const path = newAvatarPath(new Date(), "webp")
    await env.MEDIA.put(`central/${path}`, "picture", { httpMetadata: { contentType: "image/webp" } })
    const response = await call("GET", `/media/${path}`, { headers: { Range: "bytes=0-3" } })
    expect(response.status).toBe(206)
    expect(response.text).toBe("pict")
    expect(response.headers.get("Content-Type")).toBe("image/webp")
    expect((await call("GET", `/media/${newAvatarPath(new Date(), "png")}`)).status).toBe(404)
  })

  test("returns 404 for invalid avatar names without reading the bucket", async () => {
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

  test("serves no object outside the site's library, whatever the path", async () => {
    const store = await makeReadyStore()
    const avatar = newAvatarPath(new Date(), "png")
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

  test("returns 405 for other methods at /media/", async () => {
    const response = await call("DELETE", await uploadToCentral("a.txt", "x"))
    expect(response.status).toBe(405)
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS")
  })

  test("returns 503 without caching while the store is suspended, and serves files again when it is resumed", async () => {
    const store = await makeReadyStore()
    const file = (await upload(await makeMediaClient(store), "a.txt", "x")).body
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

  test("serves the logo and the favicon of a suspended store, which its page shows with the name, and no other file", async () => {
    const store = await makeReadyStore({ name: "Marlow & Pine" })
    const client = await makeMediaClient(store)
    const [logo, icon, other] = await Promise.all(
      ["my logo.svg", "icon.svg", "other.svg"].map(
        async (name) => new URL((await upload(client, name, "<svg/>")).body.url).pathname,
      ),
    )
    const settings = JSON.stringify({ look: { logo, favicon: icon, accent: "#7a1f3d", menu: [] } })
    await env.SITES_1.prepare("insert into shop_settings (site_id, settings, revision, updated_at) values (?, ?, 1, 1)")
      .bind(store, settings)
      .run()
    await run((ctx) => suspendStore(ctx, store))
    const get = (path = "") => call("GET", path, { host: hostOfStore(store) })
    const page = await get("/")
    expect([page.status, page.text.includes(`<img src="${logo}" alt=""/>Marlow &amp; Pine`)]).toEqual([402, true])
    expect(page.text).toContain(`<link rel="icon" href="${icon}"`)
    expect(page.text).toContain("<style>:root{--accent:")
    for (const [path, status] of [
      [logo, 200],
      [icon, 200],
      [other, 503],
    ] as const)
      expect((await get(path)).status, path).toBe(status)
    expect((await costsOf(() => get("/"))).roundTrips).toBeLessThanOrEqual(2)
    // The isolate caches the appearance.
    const repeated = await captureStatements(() =>
      call("GET", "/", { host: hostOfStore(store), useIsolateCache: true }),
    )
    expect(repeated.flat().filter((sql) => sql.includes("shop_settings"))).toEqual([])
  })

  test("serves the files of a suspended store to its staff, who are signed in to the admin, and never to others", async () => {
    const store = await makeReadyStore()
    const { pathname } = new URL((await upload(await makeMediaClient(store), "a.txt", "abc")).body.url)
    const [member, foreign] = [await signInToAdmin(store, "viewer"), await signInToAdmin(await makeReadyStore())]
    await run((ctx) => suspendStore(ctx, store))
    const get = (cookie = "", path = pathname) =>
      call("GET", path, { host: hostOfStore(store), headers: { Cookie: cookie }, useIsolateCache: true })
    const shown = await get(member.cookie)
    expect([shown.status, shown.text, shown.headers.get("Cache-Control")]).toEqual([200, "abc", "private, no-store"])
    const cookies = ["", foreign.cookie, `${member.cookie}x`, `admin=${member.user.token}`]
    for (const cookie of cookies) expect((await get(cookie)).status, cookie).toBe(503)
    await member.post("/admin/logout")
    expect((await get(member.cookie)).status).toBe(503)
  })

  test("serves a file in at most two round trips", async () => {
    const path = await uploadToCentral("a.txt", "x")
    expect((await costsOf(() => call("GET", path))).roundTrips).toBeLessThanOrEqual(2)
  })
})
