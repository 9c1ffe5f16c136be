// Posts, categories and tags of a site, as the public reads them and as an operator writes them.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { call } from "../support/app"
import { fillPosts, makeCategory, makePost, makeTag, operator, relateAll } from "../support/blog-factories"
import { content, hostOfStore, makeSettings } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { siteRows } from "../support/rows"

const names = (answer: { body: { data: { slug: string }[] } }) => answer.body.data.map((row) => row.slug)

describe("GET /posts", () => {
  test("lists what is published, the newest first, each in the shape of a listed post", async () => {
    await makePost({ slug: "older", name: "Older", created_at: "2026-01-02T10:00:00Z" })
    await makePost({
      slug: "newer",
      name: "Newer",
      description: "Read me",
      image: "/media/x.png",
      created_at: "2026-03-02T10:00:00Z",
    })
    await makePost({ slug: "unfinished", status: "draft" })
    const answer = await content("GET", "/posts")
    expect(answer.status).toBe(200)
    expect(names(answer)).toEqual(["newer", "older"])
    expect(answer.body.data[0]).toEqual({
      id: expect.any(Number),
      name: "Newer",
      slug: "newer",
      description: "Read me",
      image: "/media/x.png",
      created_at: "2026-03-02T10:00:00+00:00",
      updated_at: expect.any(String),
    })
    expect(answer.body.meta).toEqual({ current_page: 1, from: 1, last_page: 1, per_page: 10, to: 2, total: 2 })
  })

  test("is sorted by any of four fields, both ways", async () => {
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

  test("pages reach every post once, from either end, and past the end there is nothing", async () => {
    await fillPosts("central", 25)
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

  test("filters narrow the list, alone and together, and the total with it", async () => {
    const clay = await makeCategory({ slug: "clay" })
    const glaze = await makeTag({ slug: "glaze" })
    await makePost({ slug: "a", categories: ["clay"], tags: "glaze", content: "<p>A celadon bowl &amp; cup</p>" })
    await makePost({ slug: "b", categories: "clay", featured: true, content: "Stoneware <b>bowl</b>" })
    await makePost({ slug: "c", tags: ["glaze"], featured: true, content: "Raku" })
    await makePost({ slug: "d", categories: ["clay"], status: "draft", content: "bowl" })
    const filtered = async (query: string) => {
      const answer = await content("GET", `/posts?sort_by=id&order=asc&${query}`)
      expect(answer.body.meta.total).toBe(answer.body.data.length)
      return names(answer)
    }
    const table: [query: string, slugs: string[]][] = [
      [`category_id=${clay.id}`, ["a", "b"]],
      [`tag_id=${glaze.id}`, ["a", "c"]],
      [`category_id=${clay.id}&tag_id=${glaze.id}`, ["a"]],
      ["category_id=999", []],
      ["featured=1", ["b", "c"]],
      ["featured=false", ["a"]],
      [`featured=1&category_id=${clay.id}`, ["b"]],
      ["search=BOWL", ["a", "b"]],
      ["search=bowl+%26+cup", ["a"]],
      [`search=bowl&category_id=${clay.id}&featured=1`, ["b"]],
      ["search=ku", ["c"]],
      ["search=p%3E", []],
      [`search=${encodeURIComponent('"; OR *')}`, []],
      [`search=${encodeURIComponent('text" OR site : "cen')}`, []],
      ["search=", ["a", "b", "c"]],
    ]
    for (const [query, slugs] of table) expect(await filtered(query), query).toEqual(slugs)
  })

  test("another status is for server tokens only", async () => {
    await makePost({ slug: "unfinished", status: "draft" })
    const token = await makeServerKey()
    const apiKey = await makeSiteKey()
    expect((await content("GET", "/posts?status=draft")).status).toBe(401)
    expect((await content("GET", "/posts?status=draft", { headers: { "X-API-KEY": apiKey } })).status).toBe(403)
    const answer = await content("GET", "/posts?status=draft", { headers: { "X-API-KEY": token } })
    expect(names(answer)).toEqual(["unfinished"])
    expect(answer.body.meta.total).toBe(1)
    expect((await content("GET", "/posts/unfinished")).status).toBe(404)
    expect((await content("GET", "/posts/unfinished", { headers: { "X-API-KEY": token } })).status).toBe(200)
  })

  test("wrong parameters are 422 under their names", async () => {
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
      const answer = await content("GET", `/posts?${query}`)
      expect(answer.status, query).toBe(422)
      expect(Object.keys(answer.body.errors), query).toEqual([field])
    }
    expect((await content("GET", "/posts?per_page=1000")).body.meta.per_page).toBe(100)
  })

  test("relations come when they are asked for, in one batch however many posts there are", async () => {
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    await makeCategory({ site: store, slug: "clay", name: "Clay" })
    await makeTag({ site: store, slug: "glaze", name: "Glaze" })
    for (let i = 0; i < 5; i++) {
      await makePost({ site: store, categories: "clay", tags: "glaze", author: "OWNER@example.com" })
    }
    await makePost({ site: store, slug: "plain", created_at: "2020-01-01T00:00:00Z" })
    const answer = await content("GET", "/posts?include=author,tags,categories", { host })
    expect(answer.body.data[0]).toMatchObject({
      categories: [{ name: "Clay", slug: "clay", description: null }],
      tags: [{ name: "Glaze", slug: "glaze", description: null }],
      author: { name: "A store Admin", avatar: null },
    })
    expect(answer.body.data[5]).toMatchObject({ slug: "plain", categories: [], tags: [], author: null })
    expect((await content("GET", "/posts", { host })).body.data[0]).not.toHaveProperty("categories")
    const costs = await costsOf(() => content("GET", "/posts?include=author,tags,categories", { host }))
    expect(costs.roundTrips).toBe(2)
  })

  test("the first page with its total reads no more rows however many posts there are", async () => {
    const read = async (query: string) => (await costsOf(() => content("GET", `/posts?${query}`))).rowsRead
    const queries = [
      "",
      "sort_by=name&order=asc",
      "sort_by=updated_at",
      "sort_by=id",
      "include=author,categories,tags",
      "search=needle",
    ]
    await fillPosts("central", 200)
    await fillPosts("central", 30, { word: "needle" })
    await makeCategory({ slug: "clay" })
    await makeTag({ slug: "glaze" })
    await relateAll()
    const few = []
    for (const query of queries) few.push(await read(query))
    await fillPosts("central", 5000, { word: "hay" })
    await fillPosts("elsewhere", 1000, { word: "needle" })
    await relateAll()
    const many = []
    for (const query of queries) many.push(await read(query))
    for (const [index, query] of queries.entries()) expect(many[index], query).toBeLessThanOrEqual(few[index] ?? 0)
    expect((await content("GET", "/posts?search=needle")).body.meta.total).toBe(30)
    expect((await content("GET", "/posts")).body.meta.total).toBe(5230)
    expect(await read("page=523&sort_by=id")).toBeLessThan(200)
  })
})

describe("GET /posts/{id}", () => {
  test("takes an id or a slug, and carries content, categories and tags", async () => {
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

  test("what is not there is 404: unknown ids of every form, and what is not published", async () => {
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
      const answer = await content("GET", `/posts/${id}`)
      expect(answer.status, id).toBe(404)
      expect(answer.body).toEqual({ error: true, data: null, message: "Not found." })
    }
  })
})

describe("categories and tags", () => {
  test("a category carries the categories right under it", async () => {
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

  test("tags are listed and read", async () => {
    const tag = await makeTag({ slug: "glaze", name: "Glaze" })
    const resource = { id: tag.id, name: "Glaze", slug: "glaze", description: null }
    expect((await content("GET", "/tags")).body).toMatchObject({ data: [resource], meta: { total: 1 } })
    expect((await content("GET", `/tags/${tag.id}`)).body.data).toEqual(resource)
    expect((await content("GET", "/tags/nothing")).status).toBe(404)
  })

  test("their first pages read the same number of rows whatever their number", async () => {
    const read = async (path: string) => (await costsOf(() => content("GET", path))).rowsRead
    for (let i = 0; i < 12; i++) await Promise.all([makeCategory(), makeTag()])
    const few = [await read("/categories?per_page=5"), await read("/tags?per_page=5&sort_by=name")]
    for (let i = 0; i < 30; i++) await Promise.all([makeCategory(), makeTag()])
    expect([await read("/categories?per_page=5"), await read("/tags?per_page=5&sort_by=name")]).toEqual(few)
  })
})

describe("caching", () => {
  test("a read carries an entity tag and may be kept; a reader who has it gets 304 without a body", async () => {
    await makePost({ slug: "a-bowl" })
    await Promise.all([makeCategory({ slug: "bowls" }), makeTag({ slug: "clay" })])
    const single = ["/posts/a-bowl", "/categories/1", "/tags/1"]
    for (const path of ["/posts", "/categories", "/tags", "/pages", ...single]) {
      const first = await content("GET", path)
      const etag = first.headers.get("ETag") ?? ""
      expect(etag, path).toMatch(/^"[0-9a-f]{32}"$/)
      expect(first.headers.get("Cache-Control")).toBe("public, max-age=60")
      expect(first.headers.get("Vary")).toContain("X-API-KEY")
      const again = await content("GET", path, { headers: { "If-None-Match": `"other", W/${etag}` } })
      expect(again.status).toBe(304)
      expect(again.text).toBe("")
      expect(again.headers.get("ETag")).toBe(etag)
      expect((await content("HEAD", path)).text).toBe("")
    }
    const etag = (await content("GET", "/posts")).headers.get("ETag") ?? ""
    await makePost()
    expect((await content("GET", "/posts", { headers: { "If-None-Match": etag } })).status).toBe(200)
  })

  test("what took a key is private, and a refusal is not kept", async () => {
    const token = await makeServerKey()
    const keyed = await content("GET", "/posts", { headers: { "X-API-KEY": token } })
    expect(keyed.headers.get("Cache-Control")).toBe("private, max-age=60")
    await makeSettings("central", { keyRequired: true })
    expect((await content("GET", "/posts")).status).toBe(401)
    const missing = await content("GET", "/posts/nothing", { headers: { "X-API-KEY": token } })
    expect(missing.status).toBe(404)
    expect(missing.headers.get("ETag")).toBeNull()
  })

  test("a read takes two round trips, and the second may go to a replica", async () => {
    const store = await makeReadyStore()
    await makePost({ site: store, slug: "a-bowl" })
    for (const path of ["/posts?search=bowl&include=author", "/posts/a-bowl", "/categories", "/tags/1", "/pages"]) {
      const costs = await costsOf(() => content("GET", path, { host: hostOfStore(store) }))
      expect(costs.roundTrips, path).toBeLessThanOrEqual(2)
    }
  })
})

describe("two sites", () => {
  test("neither sees anything of the other, by list, search, id or slug", async () => {
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

  test("a post cannot be given another site's author, category or tag", async () => {
    const [mine, theirs] = [await makeReadyStore(), await makeReadyStore({ owner_email: "them@example.com" })]
    await makeCategory({ site: theirs, slug: "secret" })
    await makeTag({ site: theirs, slug: "hidden" })
    for (const given of [{ categories: "secret" }, { tags: "hidden" }, { author: "them@example.com" }]) {
      await expect(makePost({ site: mine, ...given })).rejects.toThrow("422")
    }
    expect(await siteRows("select count(*) as n from posts")).toEqual([{ n: 0 }])
  })
})

describe("saving", () => {
  test("tells of all that is wrong at once, a title that makes no slug among it", async () => {
    const save = (command: string, input: object) =>
      call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json: { name: "???", ...input } })
    const post = await save("posts:save", { author: "nobody@example.com", categories: "none", tags: "none" })
    expect([post.status, Object.keys(post.body.errors).sort()]).toEqual([422, ["author", "categories", "slug", "tags"]])
    const category = await save("categories:save", { parent: "none" })
    expect([category.status, Object.keys(category.body.errors).sort()]).toEqual([422, ["parent", "slug"]])
  })

  test("saving a slug again replaces what it holds and keeps its id, its date and its place in the totals", async () => {
    await makeCategory({ slug: "clay" })
    const first = await makePost({
      slug: "a-bowl",
      categories: "clay",
      content: "celadon",
      created_at: "2026-01-01T00:00:00Z",
    })
    const second = await operator("posts:save", { slug: "a-bowl", name: "Another bowl", content: "tenmoku" })
    expect(second.id).toBe(first.id)
    const { data } = (await content("GET", "/posts/a-bowl")).body
    expect(data).toMatchObject({ name: "Another bowl", categories: [], created_at: "2026-01-01T00:00:00+00:00" })
    expect((await content("GET", "/posts?search=celadon")).body.meta.total).toBe(0)
    expect((await content("GET", "/posts?search=tenmoku")).body.meta.total).toBe(1)
    await operator("posts:save", { slug: "a-bowl", name: "Another bowl", status: "draft" })
    expect((await content("GET", "/posts")).body.meta.total).toBe(0)
    expect(await siteRows("select filter, total from counters where list = 'posts' order by filter")).toEqual([
      { filter: "draft", total: 1 },
      { filter: "published", total: 0 },
    ])
  })

  test("a slug is made of the name where none is given, in any script", async () => {
    const table: [name: string, slug: string][] = [
      ["Crème brûlée & Øl — it's 100%", "creme-brulee-ol-its-100"],
      ["Đường phố Hà Nội", "duong-pho-ha-noi"],
      ["茶碗の作り方", "茶碗の作り方"],
      ["  «Ёлка»  ", "ёлка"],
    ]
    for (const [name, slug] of table) {
      expect((await operator("tags:save", { name })).slug).toBe(slug)
      expect((await content("GET", `/tags/${encodeURIComponent(slug)}`)).status, slug).toBe(200)
    }
    await expect(operator("tags:save", { name: "!!!" })).rejects.toThrow("422")
    await expect(operator("tags:save", { name: "2026" })).rejects.toThrow("422")
    await expect(operator("tags:save", { name: "x", slug: "Not A Slug" })).rejects.toThrow("422")
  })

  test("a category never stands under itself", async () => {
    await makeCategory({ slug: "top" })
    await makeCategory({ slug: "middle", parent: "top" })
    await makeCategory({ slug: "bottom", parent: "middle" })
    await expect(makeCategory({ slug: "top", parent: "top" })).rejects.toThrow("422")
    await expect(makeCategory({ slug: "top", parent: "bottom" })).rejects.toThrow("422")
    await expect(makeCategory({ slug: "new", parent: "nothing" })).rejects.toThrow("422")
    await makeCategory({ slug: "bottom", parent: "top" })
  })

  test("a site that does not exist is refused", async () => {
    await expect(makePost({ site: "nowhere" })).rejects.toThrow("422")
  })

  test("deleting a site takes its posts out of tables, totals and the search index", async () => {
    await fillPosts("gone", 5, { word: "needle" })
    await fillPosts("kept", 2, { word: "needle" })
    const { siteTableNames } = await import("../../src/db/site-tables")
    const { deleteSiteRows } = await import("../../src/platform/stores/delete-site-rows")
    const { siteDatabase } = await import("../../src/db/client")
    const { env } = await import("cloudflare:workers")
    await deleteSiteRows(siteDatabase(env, "SITES_1"), "gone", siteTableNames())
    expect(await siteRows("select site_id, list, total from counters order by list")).toEqual([
      { site_id: "kept", list: "posts", total: 2 },
      { site_id: "kept", list: "version", total: 2 },
    ])
    expect(await siteRows("select count(*) as n from posts_search where posts_search match 'needle'")).toEqual([
      { n: 2 },
    ])
  })
})
