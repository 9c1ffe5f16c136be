// Cached public reads: cacheable responses, invalidation after changes, and availability while the databases are
// down.
import { env } from "cloudflare:workers"
import { afterEach, describe, expect, test, vi } from "vitest"
import { cachedSite } from "../../src/core/cache/edge-cache"
import { recordWriteToAnySite } from "../../src/core/cache/site-writes"
import { type CallOptions, call, platform } from "../support/app"
import { makeCategory, makePage, makePost, makeTag } from "../support/blog-factories"
import { hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { measureCriticalPath } from "../support/critical-path"
import { makeKey, makeReadyStore } from "../support/factories"
import { takeDown } from "../support/faults"
import { makeServerKey } from "../support/key-factories"
import { makeMediaClient, upload } from "../support/media-factories"

/** Creates a store with one item of every public kind. */
async function createStore() {
  const store = await makeReadyStore({ name: "Marlow" })
  const host = hostOfStore(store)
  const post = await makePost({
    site: store,
    content: "<p>Hello</p>",
    categories: (await makeCategory({ site: store })).slug,
  })
  const page = await makePage({ site: store })
  const tag = await makeTag({ site: store })
  const file = (await upload(await makeMediaClient(store), "a.txt", "some text")).body
  const get = (path: string, options: CallOptions = {}) =>
    call("GET", path, { host, useIsolateCache: true, ...options })
  const paths = [
    "/",
    "/products",
    "/products/stoneware-bowl",
    `/blog/${post.slug}`,
    `/pages/${page.slug}`,
    "/api/v1/posts?include=categories",
    `/api/v1/posts/${post.slug}`,
    "/api/v1/categories",
    `/api/v1/tags/${tag.slug}`,
    "/api/v1/pages",
    `/api/v1/pages/${page.slug}`,
    new URL(file.url ?? file.data.url).pathname,
  ]
  return { store, host, post, page, get, paths }
}

const getCacheStatus = (response: { headers: Headers }) => response.headers.get("Cache-Status")

afterEach(() => recordWriteToAnySite())

describe("cached public reads", () => {
  test("responds from the cache without a database query and with the same headers", async () => {
    const { get, paths } = await createStore()
    for (const path of paths) {
      recordWriteToAnySite()
      const first = await get(path)
      expect.soft([first.status, getCacheStatus(first)], path).toEqual([200, "Tenancy; fwd=miss"])
      const costs = await costsOf(async () => {
        const second = await get(path)
        expect
          .soft([second.status, getCacheStatus(second), second.text], path)
          .toEqual([200, "Tenancy; hit", first.text])
        const listHeaders = ({ headers }: typeof first) =>
          [...headers].filter(([name]) => !["x-request-id", "cache-status", "content-length"].includes(name)).sort()
        expect.soft(listHeaders(second)).toEqual(listHeaders(first))
      })
      expect.soft(costs.roundTrips, path).toBe(0)
    }
  })

  test("responds to short reads from the isolate's memory and to long ones from the Cache API", async () => {
    const { store, get, paths } = await createStore()
    const file = (await upload(await makeMediaClient(store), "long.txt", "long ".repeat(20_000))).body
    const long = new URL(file.url ?? file.data.url).pathname
    const post = `/api/v1/posts/${(await makePost({ site: store, content: "long ".repeat(20_000) })).slug}`
    for (const path of [...paths, long, post]) {
      const first = await get(path)
      const match = vi.spyOn(caches.default, "match")
      const { roundTrips } = await costsOf(async () => {
        const second = await get(path)
        expect.soft([getCacheStatus(second), second.text === first.text], path).toEqual(["Tenancy; hit", true])
      })
      const isLong = path === long || path === post
      expect.soft([roundTrips, match.mock.calls.length], path).toEqual([0, isLong ? 1 : 0])
      match.mockRestore()
    }
  })

  test("adds no round trips to a cache miss", async () => {
    const { get, paths } = await createStore()
    for (const path of paths) {
      recordWriteToAnySite()
      expect.soft((await costsOf(() => get(path))).roundTrips, path).toBe(2)
    }
  })

  test("returns 304 for a matching ETag and headers only for HEAD", async () => {
    const { get, host, paths } = await createStore()
    for (const path of paths) {
      const first = await get(path)
      const etag = first.headers.get("ETag") ?? ""
      const notModified = await get(path, { headers: { "If-None-Match": etag } })
      expect
        .soft(
          [notModified.status, notModified.text, notModified.headers.get("ETag"), getCacheStatus(notModified)],
          path,
        )
        .toEqual([304, "", etag, "Tenancy; hit"])
      const head = await call("HEAD", path, { host, useIsolateCache: true })
      expect
        .soft([head.status, head.text, head.headers.get("ETag"), getCacheStatus(head)], path)
        .toEqual([200, "", etag, "Tenancy; hit"])
    }
  })

  test("caches every query, language and page separately", async () => {
    const { get } = await createStore()
    await get("/api/v1/posts?per_page=5&page=1")
    expect(getCacheStatus(await get("/api/v1/posts?per_page=5&page=1"))).toBe("Tenancy; hit")
    expect(getCacheStatus(await get("/api/v1/posts?per_page=5&page=2"))).toBe("Tenancy; fwd=miss")
    // Links preserve that order, and different invalid UTF-8 sequences stay different.
    for (const query of ["page=1&per_page=5", "search=%FF", "search=%FE"]) {
      const response = await get(`/api/v1/posts?${query}`)
      expect.soft(getCacheStatus(response), query).toBe("Tenancy; fwd=miss")
      const link = response.body.links.first.split("?")[1].replace("&page=1", "")
      expect.soft(link).toBe(query)
    }
    const french = { headers: { "Accept-Language": "fr" } }
    await get("/")
    expect(getCacheStatus(await get("/", french))).toBe("Tenancy; fwd=miss")
    expect((await get("/", french)).text).toContain('lang="fr"')
    expect((await get("/")).text).toContain('lang="en"')
    expect(getCacheStatus(await get("/?utm_source=mail"))).toBe("Tenancy; hit")
  })

  test("keeps the requested host for a path with leading slashes", async () => {
    const [first, other] = [await createStore(), await createStore()]
    await other.get("/")
    for (const path of ["//", "///", "//%zz", `//${other.host}/`, `//${other.host}:80/?page=1`]) {
      const { status, text } = await first.get(path)
      expect.soft(status, path).toBe(404)
      expect.soft(text, path).not.toContain(other.host)
    }
    const down = takeDown(env.SITES_1)
    recordWriteToAnySite()
    expect((await first.get(`//${other.host}/`)).status).toBe(503)
    down.restore()
  })

  test("never serves a response of another host", async () => {
    const [first, other] = [await createStore(), await createStore()]
    await first.get("/api/v1/posts")
    const response = await other.get("/api/v1/posts")
    expect(response.body.data[0].slug).toBe(other.post.slug)
    expect(response.text).not.toContain(first.host)
  })
})

describe("conditional requests", () => {
  const createConditionalGet = async (get: Awaited<ReturnType<typeof createStore>>["get"], path: string) => {
    const etag = (await get(path)).headers.get("ETag") ?? ""
    return () => get(path, { headers: { "If-None-Match": etag } })
  }

  test("returns 304 from memory without a database or cache lookup", async () => {
    const { get, paths } = await createStore()
    for (const path of paths) {
      const getConditionally = await createConditionalGet(get, path)
      const match = vi.spyOn(caches.default, "match")
      const { roundTrips } = await costsOf(async () => {
        const { status, text, headers } = await getConditionally()
        expect
          .soft([status, text, headers.has("ETag"), headers.has("Vary")], path)
          .toEqual([304, "", true, path !== paths.at(-1)])
      })
      expect.soft([roundTrips, match.mock.calls.length], path).toEqual([0, 0])
      match.mockRestore()
    }
  })

  test("returns 304 after a single query for the content version once the snapshot expired", async () => {
    const { get, paths } = await createStore()
    for (const path of paths) {
      recordWriteToAnySite()
      const uncached = await costsOf(() => get(path))
      const getConditionally = await createConditionalGet(get, path)
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_001 })
      const { status, roundTrips, calls } = await measureCriticalPath(getConditionally)
      expect.soft([status, roundTrips, calls.length], path).toEqual([304, 1, 2])
      vi.setSystemTime(Date.now() + 5_001)
      const { rowsRead } = await costsOf(getConditionally)
      expect.soft(rowsRead, path).toBeLessThan(uncached.rowsRead)
      vi.useRealTimers()
    }
  })

  test("returns 200 with a new ETag after a change, at once in this isolate and within seconds in others", async () => {
    const { store, get, post } = await createStore()
    for (const path of [`/api/v1/posts/${post.slug}`, `/blog/${post.slug}`]) {
      const getConditionally = await createConditionalGet(get, path)
      expect((await getConditionally()).status).toBe(304)
      await makePost({ site: store, slug: post.slug, name: `Changed ${path}` })
      expect((await getConditionally()).text).toContain(`Changed ${path}`)
      const again = await createConditionalGet(get, path)
      expect((await again()).status).toBe(304)
      // Another isolate wrote, so this one was not invalidated.
      await env.SITES_1.prepare("update posts set name = ? where slug = ?").bind(`Elsewhere ${path}`, post.slug).run()
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_001 })
      const { roundTrips, text } = await measureCriticalPath(again)
      expect([roundTrips, text.includes(`Elsewhere ${path}`)]).toEqual([2, true])
      vi.useRealTimers()
    }
  })

  test("shares cached responses between clients of one language only", async () => {
    const { get } = await createStore()
    const getConditionally = await createConditionalGet(get, "/")
    expect((await getConditionally()).status).toBe(304)
    const etag = (await get("/")).headers.get("ETag") ?? ""
    expect((await get("/", { headers: { "If-None-Match": etag, "Accept-Language": "fr" } })).status).toBe(200)
    expect((await get("/", { headers: { "If-None-Match": '"another"' } })).status).toBe(200)
  })
})

describe("responses that are never cached", () => {
  test("does not cache responses to keys, tokens, ranges or bookmarks, refusals, or drafts", async () => {
    const { store, get } = await createStore()
    const key = await makeServerKey(store, "standard")
    const { token } = await makeUser(store)
    const draft = await makePost({ site: store, status: "draft" })
    const bookmark = "00000001-00000001-00000001-00000000000000000000000000000001"
    const cases: [string, CallOptions][] = [
      ["/api/v1/posts", { headers: { "X-API-KEY": key } }],
      ["/api/v1/posts?status=draft", { headers: { "X-API-KEY": key } }],
      ["/api/v1/posts", { token }],
      ["/api/v1/posts", { headers: { "X-D1-Bookmark": bookmark } }],
    ]
    for (const [path, options] of cases) {
      for (const _ of [1, 2]) expect.soft(getCacheStatus(await get(path, options)), path).toBeNull()
    }
    expect((await get("/api/v1/posts?status=draft")).status).toBe(401)
    expect((await get(`/api/v1/posts/${draft.slug}`)).status).toBe(404)
    expect((await get(`/api/v1/posts/${draft.slug}`, { headers: { "X-API-KEY": key } })).status).toBe(200)
    expect((await get(`/api/v1/posts/${draft.slug}`)).status).toBe(404)
    expect(getCacheStatus(await get("/nowhere"))).toBe("Tenancy; fwd=miss")
    expect(getCacheStatus(await get("/nowhere"))).toBe("Tenancy; fwd=miss")
  })

  test("does not cache a range of a file, nor serve the whole file for it", async () => {
    const { get, paths } = await createStore()
    const file = paths.at(-1) ?? ""
    for (const isCached of [false, true]) {
      const part = await get(file, { headers: { Range: "bytes=5-8" } })
      expect([part.status, part.text, part.headers.get("Content-Range")], String(isCached)).toEqual([
        206,
        "text",
        "bytes 5-8/9",
      ])
      expect((await get(file)).text).toBe("some text")
    }
  })
})

describe("changes", () => {
  test("shows a content change at the next read in this isolate, and within seconds in others", async () => {
    const { store, get, post } = await createStore()
    await get(`/api/v1/posts/${post.slug}`)
    await makePost({ site: store, slug: post.slug, name: "New name" })
    expect((await get(`/api/v1/posts/${post.slug}`)).body.data.name).toBe("New name")
    // Another isolate wrote, so this one was not invalidated.
    await env.SITES_1.prepare("update posts set name = 'Newer name' where slug = ?").bind(post.slug).run()
    expect((await get(`/api/v1/posts/${post.slug}`)).body.data.name).toBe("New name")
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_001 })
    expect((await get(`/api/v1/posts/${post.slug}`)).body.data.name).toBe("Newer name")
  })

  test("shows a changed file on a site that has only files", async () => {
    const store = await makeReadyStore()
    await env.SITES_1.prepare("delete from counters where site_id = ? and list = 'version'").bind(store).run()
    const media = await makeMediaClient(store)
    const [deleted, remaining] = [(await upload(media, "a.txt", "a")).body, (await upload(media, "b.txt", "b")).body]
    const get = (url: string) => call("GET", new URL(url).pathname, { host: hostOfStore(store), useIsolateCache: true })
    expect((await get(deleted.url)).status).toBe(200)
    expect((await media("DELETE", `/files/${deleted.id}`)).status).toBe(200)
    expect((await get(remaining.url)).status).toBe(200)
    expect((await get(deleted.url)).status).toBe(404)
  })

  test("invalidates what the isolate caches of the changed site only", async () => {
    const [changed, other] = [await createStore(), await createStore()]
    const token = await makeKey()
    const isCached = async ({ get, post }: typeof changed) => {
      const { roundTrips } = await costsOf(() => get(`/api/v1/posts/${post.slug}`))
      return roundTrips === 0
    }
    const write = (method: string, path: string, options: CallOptions) =>
      call(method, path, { ...options, useIsolateCache: true })
    const writes = {
      "of a post": () =>
        write("POST", "/api/operator/v1/posts:save", {
          token: env.OPERATOR_TOKEN,
          json: { site: changed.store, name: "New", content: "x" },
        }),
      "of the store": () =>
        write("PATCH", `/api/platform/v1/stores/${changed.store}`, { token, json: { name: "Renamed" } }),
      "of another visitor": () =>
        write("POST", "/api/v1/login", { host: changed.host, json: { email: "a@b.example", password: "x" } }),
    }
    for (const [name, change] of Object.entries(writes)) {
      for (const { get, post } of [changed, other]) await get(`/api/v1/posts/${post.slug}`)
      expect.soft([await isCached(changed), await isCached(other)], name).toEqual([true, true])
      expect.soft((await change()).status, name).toBeLessThan(name === "of another visitor" ? 500 : 300)
      const isUnchanged = name === "of another visitor"
      expect.soft([await isCached(changed), await isCached(other)], name).toEqual([isUnchanged, true])
    }
  })

  test("increments the version of its site only, for every kind of public content", async () => {
    const { store } = await createStore()
    const other = await makeReadyStore()
    const getVersion = async (site: string) =>
      Number(
        await env.SITES_1.prepare("select total from counters where site_id = ? and list = 'version'")
          .bind(site)
          .first("total"),
      )
    const before = await getVersion(other)
    for (const table of ["posts", "categories", "tags", "pages", "products", "media_files", "post_categories"]) {
      const column = table === "media_files" ? "folder_id" : table === "post_categories" ? null : "name"
      if (column) {
        const versionBefore = await getVersion(store)
        await env.SITES_1.prepare(`update ${table} set ${column} = ${column} where site_id = ?`).bind(store).run()
        expect.soft((await getVersion(store)) > versionBefore, table).toBe(true)
      }
      const versionBefore = await getVersion(store)
      await env.SITES_1.prepare(`delete from ${table} where site_id = ?`).bind(store).run()
      expect.soft((await getVersion(store)) > versionBefore, table).toBe(true)
    }
    expect(await getVersion(other)).toBe(before)
  })

  test("closes and reopens a store after a suspension, an app change or a trashed file", async () => {
    const { store, get, paths } = await createStore()
    const token = await makeKey()
    for (const path of paths) await get(path)
    await platform("POST", `/stores/${store}/apps/ecommerce/disable`, { token })
    expect((await get("/products")).status).toBe(404)
    const media = await makeMediaClient(store)
    const id = await env.SITES_1.prepare("select id from media_files where site_id = ?").bind(store).first("id")
    expect((await media("PATCH", `/files/${id}/trash`)).status).toBe(200)
    expect((await get(paths.at(-1) ?? "")).status).toBe(404)
    await platform("POST", `/stores/${store}/suspend`, { token, json: { reason: "unpaid" } })
    for (const [index, path] of paths.entries()) {
      expect.soft((await get(path)).status, path).toEqual(index < 5 ? 402 : 503)
    }
  })

  test("shows a store change in other isolates within seconds", async () => {
    const { store, get } = await createStore()
    expect((await get("/")).status).toBe(200)
    await env.DB.prepare("update stores set status = 'suspended', version = version + 1 where id = ?").bind(store).run()
    expect((await get("/")).status).toBe(200)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_001 })
    expect((await get("/")).status).toBe(402)
  })
})

describe("while the databases are down", () => {
  test("serves cached posts, pages, shops and files while any database is down", async () => {
    for (const databases of [[env.SITES_1], [env.DB], [env.DB, env.SITES_1]]) {
      const { get, paths, host } = await createStore()
      for (const path of paths) await get(path)
      recordWriteToAnySite()
      const down = takeDown(...databases)
      for (const path of paths) {
        const { status } = await get(path)
        expect.soft(status, `${databases.length} ${path}`).toBe(200)
      }
      expect((await call("HEAD", "/", { host, useIsolateCache: true })).status).toBe(200)
      expect((await get("/products?page=2")).status).toBe(databases.includes(env.SITES_1) ? 503 : 404)
      down.restore()
      recordWriteToAnySite()
      expect(getCacheStatus(await get("/"))).toBe("Tenancy; fwd=miss")
    }
  })

  test("serves cached responses in a new isolate that has not resolved the host", async () => {
    const { get, paths, host } = await createStore()
    for (const path of paths) await get(path)
    const down = takeDown(env.DB, env.SITES_1)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 60 * 60 * 1000 })
    for (const path of paths) expect.soft((await get(path)).status, path).toBe(200)
    down.restore()
    expect(host).toContain("localhost")
  })

  test("tries to resolve a host once in five seconds, not for each request, and for a day", async () => {
    let loads = 0
    const load = async () => {
      if (loads++ > 0) throw new Error("D1_ERROR: network connection lost")
      return "site"
    }
    const resolve = () => cachedSite("test:host", load, (id) => id)
    const start = Date.now()
    const loadsAfter = async (ms: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now: start + ms })
      for (let request = 0; request < 3; request++) expect(await resolve()).toBe("site")
      return loads
    }
    expect(await loadsAfter(0)).toBe(1)
    expect(await loadsAfter(6_000)).toBe(2)
    expect(await loadsAfter(10_000)).toBe(2)
    expect(await loadsAfter(12_000)).toBe(3)
    vi.useFakeTimers({ toFake: ["Date"], now: start + 25 * 60 * 60 * 1000 })
    await expect(resolve()).rejects.toThrow("network connection lost")
  })

  test("refuses writes and private reads", async () => {
    const { store, get, host } = await createStore()
    const key = await makeServerKey(store, "standard")
    await get("/api/v1/posts")
    const down = takeDown(env.DB, env.SITES_1)
    expect((await get("/api/v1/posts", { headers: { "X-API-KEY": key } })).status).toBe(503)
    expect((await call("POST", "/api/v1/login", { host, json: { email: "a@b.example", password: "x" } })).status).toBe(
      503,
    )
    down.restore()
  })
})

describe("reading one's own writes", () => {
  test("returns a bookmark with a write, which the next read accepts", async () => {
    const { store, host, get } = await createStore()
    const { token } = await makeUser(store)
    const write = await call("PUT", "/api/v1/settings", { host, token, json: { theme: "dark" } })
    const bookmark = write.headers.get("X-D1-Bookmark") ?? ""
    expect(bookmark).toMatch(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/)
    expect((await get("/api/v1/posts", { headers: { "X-D1-Bookmark": bookmark } })).status).toBe(200)
    expect((await get("/api/v1/posts")).headers.get("X-D1-Bookmark")).toBeNull()
  })

  test("ignores an invalid bookmark", async () => {
    const { get } = await createStore()
    const forged = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff"
    for (const bookmark of ["x", "first-primary", "0".repeat(100_000), forged, "0000-0000", "'; drop table posts"]) {
      const { status } = await get("/api/v1/posts", { headers: { "X-D1-Bookmark": bookmark } })
      expect.soft(status, bookmark.slice(0, 20)).toBe(200)
    }
  })
})
