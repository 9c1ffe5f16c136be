// Posts, categories and tags: public reads, caching, separation by site, and writes by operators.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { siteDatabase } from "../../src/db/client"
import { siteTableNames } from "../../src/db/site-tables"
import { deleteSiteRows } from "../../src/platform/stores/delete-site-rows"
import { call } from "../support/app"
import {
  insertPosts,
  linkAllPosts,
  makeCategory,
  makePost,
  makeTag,
  runOperatorCommand,
} from "../support/blog-factories"
import { content, hostOfStore, makeSettings } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { siteRows } from "../support/rows"

const names = (response: { body: { data: { slug: string }[] } }) => response.body.data.map((row) => row.slug)

describe("GET /posts", () => {
  test("lists published posts, newest first", async () => {
    await makePost({ slug: "older", name: "Older", created_at: "2026-01-02T10:00:00Z" })
    await makePost({
      slug: "newer",
      name: "Newer",
      description: "Read me",
      image: "/media/x.png",
      created_at: "2026-03-02T10:00:00Z",
    })
    await makePost({ slug: "unfinished", status: "draft" })
    const response = await content("GET", "/posts")
    expect(response.status).toBe(200)
    expect(names(response)).toEqual(["newer", "older"])
    expect(response.body.data[0]).toEqual({
      id: expect.any(Number),
      name: "Newer",
      slug: "newer",
      description: "Read me",
      image: "/media/x.png",
      status: "published",
      featured: false,
      published_at: null,
      created_at: "2026-03-02T10:00:00+00:00",
      updated_at: expect.any(String),
    })
    expect(response.body.meta).toEqual({ current_page: 1, from: 1, last_page: 1, per_page: 10, to: 2, total: 2 })
  })

  test("sorts posts by any of four fields in both directions", async () => {
    await makePost({ slug: "one", name: "beta", created_at: "2026-01-03T00:00:00Z" })
    await makePost({ slug: "two", name: "Álpha", created_at: "2026-01-01T00:00:00Z" })
    await makePost({ slug: "three", name: "Gamma", created_at: "2026-01-02T00:00:00Z" })
    const order = async (query: string) => names(await content("GET", `/posts?${query}`))
    expect(await order("sort_by=id&order=asc")).toEqual(["one", "two", "three"])
    expect(await order("sort_by=id")).toEqual(["three", "two", "one"])
    expect(await order("sort_by=created_at&order=asc")).toEqual(["two", "three", "one"])
    expect(await order("sort_by=name&order=asc")).toEqual(["one", "three", "two"])
    expect((await order("sort_by=updated_at")).length).toBe(3)
  })

  test("returns every post on exactly one page, and none past the last page", async () => {
    await insertPosts("central", 25)
    const seen: string[] = []
    for (const page of [1, 2, 3]) seen.push(...names(await content("GET", `/posts?page=${page}`)))
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `filler-${25 - i}`))
    const last = await content("GET", "/posts?page=3&sort_by=created_at")
    expect(last.body.meta).toMatchObject({ from: 21, to: 25, last_page: 3, total: 25 })
    expect(last.body.links).toMatchObject({
      prev: "https://localhost/api/v1/posts?page=2&sort_by=created_at",
      next: null,
    })
    const past = await content("GET", "/posts?page=4")
    expect(past.status).toBe(200)
    expect(past.body).toMatchObject({ data: [], meta: { from: null, to: null, total: 25 } })
  })

  test("filters posts and their total by every filter, alone and combined", async () => {
    const clay = await makeCategory({ slug: "clay" })
    const glaze = await makeTag({ slug: "glaze" })
    await makePost({ slug: "a", categories: ["clay"], tags: "glaze", content: "<p>A celadon bowl &amp; cup</p>" })
    await makePost({ slug: "b", categories: "clay", featured: true, content: "Stoneware <b>bowl</b>" })
    await makePost({ slug: "c", tags: ["glaze"], featured: true, name: "Raku" })
    await makePost({ slug: "d", categories: ["clay"], status: "draft", content: "bowl" })
    const long = "Größe 😀 ".repeat(20).trim()
    await makePost({ slug: "e", content: `Raku <b>${long}</b>` })
    const filtered = async (query: string) => {
      const response = await content("GET", `/posts?sort_by=id&order=asc&${query}`)
      expect(response.body.meta.total).toBe(response.body.data.length)
      return names(response)
    }
    const table: [query: string, slugs: string[]][] = [
      [`category_id=${clay.id}`, ["a", "b"]],
      [`tag_id=${glaze.id}`, ["a", "c"]],
      [`category_id=${clay.id}&tag_id=${glaze.id}`, ["a"]],
      ["category_id=999", []],
      ["featured=1", ["b", "c"]],
      ["featured=false", ["a", "e"]],
      [`featured=1&category_id=${clay.id}`, ["b"]],
      ["search=BOWL", ["a", "b"]],
      ["search=bowl+%26+cup", ["a"]],
      [`search=bowl&category_id=${clay.id}&featured=1`, ["b"]],
      ["search=raku", ["c", "e"]],
      // A term of two letters is only searched for in names.
      ["search=ku", ["c"]],
      [`search=${encodeURIComponent(long.toUpperCase())}`, ["e"]],
      [`search=${encodeURIComponent(long)}`, ["e"]],
      ["search=p%3E", []],
      [`search=${encodeURIComponent('"; OR *')}`, []],
      [`search=${encodeURIComponent('text" OR site : "cen')}`, []],
      ["search=", ["a", "b", "c", "e"]],
    ]
    for (const [query, slugs] of table) expect(await filtered(query), query).toEqual(slugs)
  })

  test("returns unpublished posts to server tokens only", async () => {
    await makePost({ slug: "unfinished", status: "draft" })
    const token = await makeServerKey()
    const apiKey = await makeSiteKey()
    expect((await content("GET", "/posts?status=draft")).status).toBe(401)
    expect((await content("GET", "/posts?status=draft", { headers: { "X-API-KEY": apiKey } })).status).toBe(403)
    const response = await content("GET", "/posts?status=draft", { headers: { "X-API-KEY": token } })
    expect(names(response)).toEqual(["unfinished"])
    expect(response.body.meta.total).toBe(1)
    expect((await content("GET", "/posts/unfinished")).status).toBe(404)
    expect((await content("GET", "/posts/unfinished", { headers: { "X-API-KEY": token } })).status).toBe(200)
  })

  test("returns 422 with the name of each invalid query parameter", async () => {
    const table: [query: string, field: string][] = [
      ["page=0", "page"],
      ["page=1e3", "page"],
      ["page=-1", "page"],
      ["page=9007199254740993", "page"],
      ["per_page=abc", "per_page"],
      ["status=secret", "status"],
      ["category_id=1e3", "category_id"],
      ["category_id=-1", "category_id"],
      ["tag_id=9007199254740993", "tag_id"],
      ["sort_by=password", "sort_by"],
      ["order=sideways", "order"],
      ["include=categories,comments", "include"],
      ["featured=maybe", "featured"],
      [`search=${"x".repeat(201)}`, "search"],
    ]
    for (const [query, field] of table) {
      const response = await content("GET", `/posts?${query}`)
      expect(response.status, query).toBe(422)
      expect(Object.keys(response.body.errors), query).toEqual([field])
    }
    expect((await content("GET", "/posts?per_page=1000")).body.meta.per_page).toBe(100)
  })

  test("includes requested relations in one batch, however many posts there are", async () => {
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    await makeCategory({ site: store, slug: "clay", name: "Clay" })
    await makeTag({ site: store, slug: "glaze", name: "Glaze" })
    for (let i = 0; i < 5; i++) {
      await makePost({ site: store, categories: "clay", tags: "glaze", author: "OWNER@example.com" })
    }
    await makePost({ site: store, slug: "plain", created_at: "2020-01-01T00:00:00Z" })
    const response = await content("GET", "/posts?include=author,tags,categories", { host })
    expect(response.body.data[0]).toMatchObject({
      categories: [{ name: "Clay", slug: "clay", description: null }],
      tags: [{ name: "Glaze", slug: "glaze", description: null }],
      author: { name: "A store Admin", avatar: null },
    })
    expect(response.body.data[5]).toMatchObject({ slug: "plain", categories: [], tags: [], author: null })
    expect((await content("GET", "/posts", { host })).body.data[0]).not.toHaveProperty("categories")
    const costs = await costsOf(() => content("GET", "/posts?include=author,tags,categories", { host }))
    expect(costs.roundTrips).toBe(2)
  })

  test("reads no more rows for the first page and its total when there are more posts", async () => {
    const read = async (query: string) => (await costsOf(() => content("GET", `/posts?${query}`))).rowsRead
    const queries = [
      "",
      "sort_by=name&order=asc",
      "sort_by=updated_at",
      "sort_by=id",
      "include=author,categories,tags",
      "search=needle",
    ]
    await insertPosts("central", 200)
    await insertPosts("central", 30, { word: "needle" })
    await makeCategory({ slug: "clay" })
    await makeTag({ slug: "glaze" })
    await linkAllPosts()
    const few = []
    for (const query of queries) few.push(await read(query))
    await insertPosts("central", 5000, { word: "hay" })
    await insertPosts("elsewhere", 1000, { word: "needle" })
    await linkAllPosts()
    const many = []
    for (const query of queries) many.push(await read(query))
    for (const [index, query] of queries.entries()) expect(many[index], query).toBeLessThanOrEqual(few[index] ?? 0)
    expect((await content("GET", "/posts?search=needle")).body.meta.total).toBe(30)
    expect((await content("GET", "/posts")).body.meta.total).toBe(5230)
    expect(await read("page=523&sort_by=id")).toBeLessThan(200)
  })
})

describe("GET /posts/{id}", () => {
  test("returns a post by id or slug with its content, categories and tags", async () => {
    await makeCategory({ slug: "clay" })
    const { id } = await makePost({ slug: "a-bowl", name: "A bowl", content: "<p>Round.</p>", categories: "clay" })
    const bySlug = await content("GET", "/posts/a-bowl")
    expect(bySlug.status).toBe(200)
    expect(bySlug.body).toMatchObject({
      error: false,
      message: null,
      data: { id, name: "A bowl", content: "<p>Round.</p>", categories: [{ slug: "clay" }], tags: [] },
    })
    expect(bySlug.body.data).not.toHaveProperty("author")
    expect((await content("GET", `/posts/${id}`)).body.data).toEqual(bySlug.body.data)
    expect((await content("GET", "/posts/a-bowl?include=author")).body.data.author).toBeNull()
    expect((await content("GET", "/posts/a-bowl?include=secrets")).status).toBe(422)
  })

  test("returns 404 for unknown and malformed ids, and for unpublished posts", async () => {
    await makePost({ slug: "unfinished", status: "pending" })
    for (const id of [
      "999",
      "1e3",
      "-1",
      "9007199254740993",
      "0",
      "no-such-post",
      "unfinished",
      "%00",
      "..%2f1",
      "%F0%9F%92%A9",
    ]) {
      const response = await content("GET", `/posts/${id}`)
      expect(response.status, id).toBe(404)
      expect(response.body).toEqual({ error: true, data: null, message: "Not found." })
    }
  })
})

describe("categories and tags", () => {
  test("returns a category with its direct children", async () => {
    const top = await makeCategory({ slug: "making", name: "Making", description: "How" })
    const under = await makeCategory({ slug: "clay", name: "Clay", parent: "making" })
    await makeCategory({ slug: "raku", name: "Raku", parent: "clay" })
    const child = { id: under.id, name: "Clay", slug: "clay", description: null, parent_id: top.id }
    const expected = { id: top.id, name: "Making", slug: "making", description: "How", parent_id: 0, children: [child] }
    expect((await content("GET", "/categories/making")).body.data).toEqual(expected)
    const list = await content("GET", "/categories?sort_by=id&order=asc")
    expect(list.body.data[0]).toEqual(expected)
    expect(list.body.meta.total).toBe(3)
    expect((await content("GET", "/categories/nothing")).status).toBe(404)
  })

  test("lists tags and returns one by id", async () => {
    const tag = await makeTag({ slug: "glaze", name: "Glaze" })
    const resource = { id: tag.id, name: "Glaze", slug: "glaze", description: null }
    expect((await content("GET", "/tags")).body).toMatchObject({ data: [resource], meta: { total: 1 } })
    expect((await content("GET", `/tags/${tag.id}`)).body.data).toEqual(resource)
    expect((await content("GET", "/tags/nothing")).status).toBe(404)
  })

  test("reads the same number of rows for the first page of categories and tags, however many there are", async () => {
    const read = async (path: string) => (await costsOf(() => content("GET", path))).rowsRead
    for (let i = 0; i < 12; i++) await Promise.all([makeCategory(), makeTag()])
    const few = [await read("/categories?per_page=5"), await read("/tags?per_page=5&sort_by=name")]
    for (let i = 0; i < 30; i++) await Promise.all([makeCategory(), makeTag()])
    expect([await read("/categories?per_page=5"), await read("/tags?per_page=5&sort_by=name")]).toEqual(few)
  })
})

describe("caching", () => {
  test("sends an ETag and cache headers with public reads, and 304 without a body when the ETag matches", async () => {
    await makePost({ slug: "a-bowl" })
    await Promise.all([makeCategory({ slug: "bowls" }), makeTag({ slug: "clay" })])
    const single = ["/posts/a-bowl", "/categories/1", "/tags/1"]
    for (const path of ["/posts", "/categories", "/tags", "/pages", ...single]) {
      const first = await content("GET", path)
      const etag = first.headers.get("ETag") ?? ""
      expect(etag, path).toMatch(/^"[0-9a-f]{32}"$/)
      expect(first.headers.get("Cache-Control")).toBe("public, max-age=60")
      expect(first.headers.get("Vary")).toContain("X-API-KEY")
      const revalidated = await content("GET", path, { headers: { "If-None-Match": `"other", W/${etag}` } })
      expect(revalidated.status).toBe(304)
      expect(revalidated.text).toBe("")
      expect(revalidated.headers.get("ETag")).toBe(etag)
      expect((await content("HEAD", path)).text).toBe("")
    }
    const etag = (await content("GET", "/posts")).headers.get("ETag") ?? ""
    await makePost()
    expect((await content("GET", "/posts", { headers: { "If-None-Match": etag } })).status).toBe(200)
  })

  test("marks responses to keyed requests as private, and sends no ETag with errors", async () => {
    const token = await makeServerKey()
    const keyed = await content("GET", "/posts", { headers: { "X-API-KEY": token } })
    expect(keyed.headers.get("Cache-Control")).toBe("private, max-age=60")
    await makeSettings("central", { keyRequired: true })
    expect((await content("GET", "/posts")).status).toBe(401)
    const missing = await content("GET", "/posts/nothing", { headers: { "X-API-KEY": token } })
    expect(missing.status).toBe(404)
    expect(missing.headers.get("ETag")).toBeNull()
  })

  test("takes at most two round trips per read", async () => {
    const store = await makeReadyStore()
    await makePost({ site: store, slug: "a-bowl" })
    for (const path of ["/posts?search=bowl&include=author", "/posts/a-bowl", "/categories", "/tags/1", "/pages"]) {
      const costs = await costsOf(() => content("GET", path, { host: hostOfStore(store) }))
      expect(costs.roundTrips, path).toBeLessThanOrEqual(2)
    }
  })
})

describe("two sites", () => {
  test("returns nothing of another site by list, search, id or slug", async () => {
    const [mine, theirs] = [await makeReadyStore(), await makeReadyStore()]
    const category = await makeCategory({ site: theirs, slug: "secret" })
    const tag = await makeTag({ site: theirs, slug: "hidden" })
    const post = await makePost({
      site: theirs,
      slug: "their-post",
      categories: "secret",
      tags: "hidden",
      content: "treasure",
    })
    await makePost({ site: mine, slug: "my-post" })
    const host = hostOfStore(mine)
    for (const path of [
      `/posts/${post.id}`,
      "/posts/their-post",
      `/categories/${category.id}`,
      "/categories/secret",
      `/tags/${tag.id}`,
      "/tags/hidden",
    ]) {
      expect((await content("GET", path, { host })).status, path).toBe(404)
      expect((await content("GET", path)).status, path).toBe(404)
    }
    for (const query of ["search=treasure", `category_id=${category.id}`, `tag_id=${tag.id}`]) {
      expect((await content("GET", `/posts?${query}`, { host })).body).toMatchObject({ data: [], meta: { total: 0 } })
    }
    expect(names(await content("GET", "/posts?include=categories,tags", { host }))).toEqual(["my-post"])
    expect((await content("GET", "/categories", { host })).body.meta.total).toBe(0)
    const token = await makeServerKey(theirs)
    expect((await content("GET", "/posts?status=draft", { host, headers: { "X-API-KEY": token } })).status).toBe(401)
  })

  test("refuses a post with another site's author, category or tag", async () => {
    const [mine, theirs] = [await makeReadyStore(), await makeReadyStore({ owner_email: "them@example.com" })]
    await makeCategory({ site: theirs, slug: "secret" })
    await makeTag({ site: theirs, slug: "hidden" })
    for (const reference of [{ categories: "secret" }, { tags: "hidden" }, { author: "them@example.com" }]) {
      await expect(makePost({ site: mine, ...reference })).rejects.toThrow("422")
    }
    expect(await siteRows("select count(*) as n from posts")).toEqual([{ n: 0 }])
  })
})

describe("saving", () => {
  test("lists every invalid field at once, including a title that yields no slug", async () => {
    const save = (command: string, input: object) =>
      call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json: { name: "???", ...input } })
    const post = await save("posts:save", { author: "unknown@example.com", categories: "none", tags: "none" })
    expect([post.status, Object.keys(post.body.errors).sort()]).toEqual([422, ["author", "categories", "slug", "tags"]])
    const category = await save("categories:save", { parent: "none" })
    expect([category.status, Object.keys(category.body.errors).sort()]).toEqual([422, ["parent", "slug"]])
  })

  test("replaces a post saved under the same slug, and keeps its id, its date and correct totals", async () => {
    await makeCategory({ slug: "clay" })
    const first = await makePost({
      slug: "a-bowl",
      categories: "clay",
      content: "celadon",
      created_at: "2026-01-01T00:00:00Z",
    })
    const second = await runOperatorCommand("posts:save", { slug: "a-bowl", name: "Another bowl", content: "tenmoku" })
    expect(second.id).toBe(first.id)
    const { data } = (await content("GET", "/posts/a-bowl")).body
    expect(data).toMatchObject({ name: "Another bowl", categories: [], created_at: "2026-01-01T00:00:00+00:00" })
    expect((await content("GET", "/posts?search=celadon")).body.meta.total).toBe(0)
    expect((await content("GET", "/posts?search=tenmoku")).body.meta.total).toBe(1)
    await runOperatorCommand("posts:save", { slug: "a-bowl", name: "Another bowl", status: "draft" })
    expect((await content("GET", "/posts")).body.meta.total).toBe(0)
    expect(await siteRows("select filter, total from counters where list = 'posts' order by filter")).toEqual([
      { filter: "draft", total: 1 },
      { filter: "published", total: 0 },
    ])
  })

  test("generates a slug from the name in any script", async () => {
    const table: [name: string, slug: string][] = [
      ["Crème brûlée & Øl — it's 100%", "creme-brulee-ol-its-100"],
      ["Đường phố Hà Nội", "duong-pho-ha-noi"],
      ["茶碗の作り方", "茶碗の作り方"],
      ["  «Ёлка»  ", "ёлка"],
    ]
    for (const [name, slug] of table) {
      expect((await runOperatorCommand("tags:save", { name })).slug).toBe(slug)
      expect((await content("GET", `/tags/${encodeURIComponent(slug)}`)).status, slug).toBe(200)
    }
    await expect(runOperatorCommand("tags:save", { name: "!!!" })).rejects.toThrow("422")
    await expect(runOperatorCommand("tags:save", { name: "2026" })).rejects.toThrow("422")
    await expect(runOperatorCommand("tags:save", { name: "x", slug: "Not A Slug" })).rejects.toThrow("422")
  })

  test("refuses a parent that is the category itself or one of its descendants", async () => {
    await makeCategory({ slug: "top" })
    await makeCategory({ slug: "middle", parent: "top" })
    await makeCategory({ slug: "bottom", parent: "middle" })
    await expect(makeCategory({ slug: "top", parent: "top" })).rejects.toThrow("422")
    await expect(makeCategory({ slug: "top", parent: "bottom" })).rejects.toThrow("422")
    await expect(makeCategory({ slug: "new", parent: "nothing" })).rejects.toThrow("422")
    await makeCategory({ slug: "bottom", parent: "top" })
  })

  test("refuses to save a post at an unknown site", async () => {
    await expect(makePost({ site: "nowhere" })).rejects.toThrow("422")
  })

  test("deletes a site's posts from tables, totals and the search index", async () => {
    await insertPosts("gone", 5, { word: "needle" })
    await insertPosts("other", 2, { word: "needle" })
    await deleteSiteRows(siteDatabase(env, "SITES_1", "gone"), "gone", siteTableNames(), Number.POSITIVE_INFINITY)
    expect(await siteRows("select site_id, list, total from counters order by list")).toEqual([
      { site_id: "other", list: "posts", total: 2 },
      { site_id: "other", list: "version", total: 2 },
    ])
    expect(await siteRows("select count(*) as n from posts_search where posts_search match 'needle'")).toEqual([
      { n: 2 },
    ])
  })
})
