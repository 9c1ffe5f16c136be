// Changes of posts, pages, categories and tags by staff and servers: permissions, merging, preconditions, revisions.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import type { TestResponse } from "../support/app"
import { call, sendOperatorCommand } from "../support/app"
import { makeCategory, makePage, makePost, makeTag, runOperatorCommand } from "../support/blog-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { interceptRoundTrips } from "../support/round-trips"
import { siteRows } from "../support/rows"

type Send = (method: string, path: string, json?: object, headers?: Record<string, string>) => Promise<TestResponse>

/** Sends requests with a server token that may write. */
async function makeWriter(siteId = "central"): Promise<Send> {
  const key = await makeServerKey(siteId, "standard", ["read", "write"])
  const host = siteId === "central" ? {} : { host: hostOfStore(siteId) }
  return (method, path, json, headers) =>
    content(method, path, { ...host, headers: { "X-API-KEY": key, ...headers }, ...(json && { json }) })
}

const KINDS = ["posts", "pages", "categories", "tags"] as const

describe("permissions", () => {
  test("only servers with the scope `write` and staff from editor upward change content", async () => {
    const { id } = await makePost()
    const byRole = async (role: "owner" | "admin" | "editor" | "viewer" | null) => {
      const user = await makeUser("central", role ? { isStaff: true, role } : {})
      return { token: user.token }
    }
    const apiKey = { headers: { "X-API-KEY": await makeSiteKey() } }
    const callers: [name: string, caller: object, status: number][] = [
      ["nobody", {}, 401],
      ["an invalid bearer token", { token: `1|${"a".repeat(48)}` }, 401],
      ["the API key", apiKey, 403],
      ["an older server token", { headers: { "X-API-KEY": await makeServerKey() } }, 403],
      [
        "a reading server token",
        { headers: { "X-API-KEY": await makeServerKey("central", "internal", ["read"]) } },
        403,
      ],
      [
        "a writing server token",
        { headers: { "X-API-KEY": await makeServerKey("central", "standard", ["write"]) } },
        200,
      ],
      ["a customer", await byRole(null), 403],
      ["a viewer", await byRole("viewer"), 403],
      ["an editor", await byRole("editor"), 200],
      ["an editor with the API key", { ...(await byRole("editor")), ...apiKey }, 200],
      ["an owner", await byRole("owner"), 200],
    ]
    for (const [name, caller, status] of callers) {
      const response = await content("PUT", `/posts/${id}`, { ...caller, json: { name } })
      expect(response.status, name).toBe(status)
      for (const kind of KINDS) {
        const created = await content("POST", `/${kind}`, { ...caller, json: { name: `${kind} of ${name}` } })
        expect(created.status, `${kind} ${name}`).toBe(status === 200 ? 201 : status)
      }
      const invalid = await content("POST", "/posts", { ...caller, json: { name: 1, status: "x" } })
      expect(invalid.status, name).toBe(status === 200 ? 422 : status)
    }
    const [post] = await siteRows("select name from posts where id = ?", id)
    expect(post?.name).toBe("an owner")
  })

  test("creates tokens that read, unless `write` is among their scopes", async () => {
    const create = (options: object) =>
      runOperatorCommand<{ scopes: string[]; token: string }>("site-tokens:create", options)
    expect((await create({ site: "central", name: "a" })).scopes).toEqual(["read"])
    const writer = await create({ site: "central", name: "b", scopes: "read,write" })
    expect(writer.scopes).toEqual(["read", "write"])
    const invalid = await sendOperatorCommand("site-tokens:create", { site: "central", name: "c", scopes: "admin" })
    expect(invalid.status).toBe(422)
    const headers = { "X-API-KEY": writer.token }
    expect((await content("POST", "/tags", { headers, json: { name: "Wool" } })).status).toBe(201)
  })

  test("a server token of one site changes nothing at another", async () => {
    const [mine, theirs] = [await makeReadyStore(), await makeReadyStore()]
    const { id } = await makePost({ site: theirs })
    const send = await makeWriter(mine)
    for (const [method, json] of [
      ["PUT", { name: "Mine" }],
      ["DELETE", undefined],
    ] as const)
      expect((await send(method, `/posts/${id}`, json)).status).toBe(404)
    const key = await makeServerKey(mine, "standard", ["write"])
    const foreign = await content("PUT", `/posts/${id}`, {
      host: hostOfStore(theirs),
      headers: { "X-API-KEY": key },
      json: {},
    })
    expect(foreign.status).toBe(401)
    const category = await makeCategory({ site: theirs })
    const linked = await send("POST", "/posts", { name: "A", categories: [category.id] })
    expect(linked.body.errors).toHaveProperty("categories")
  })
})

describe("posts", () => {
  test("creates a post with its relations, and returns what a read returns", async () => {
    const clay = await makeCategory({ slug: "clay" })
    const glaze = await makeTag({ slug: "glaze" })
    const user = await makeUser("central", { isStaff: true, role: "editor" })
    const json = {
      name: "Slow clay",
      content: "<p>x</p>",
      categories: [clay.id, "clay"],
      tags: "glaze",
      featured: true,
    }
    const created = await content("POST", "/posts", { token: user.token, json })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({
      slug: "slow-clay",
      status: "published",
      featured: true,
      published_at: null,
      categories: [{ id: clay.id }],
      tags: [{ id: glaze.id }],
    })
    const read = await content("GET", "/posts/slow-clay")
    expect(created.body).toEqual(read.body)
    expect(created.headers.get("ETag")).toBe(read.headers.get("ETag"))
    const author = (await content("GET", "/posts/slow-clay?include=author")).body.data.author
    expect(author.id).toBe(user.id)
  })

  test("an update changes the given fields only, and none of them makes no change", async () => {
    const send = await makeWriter()
    await makeCategory({ slug: "clay" })
    const { id } = await makePost({
      slug: "a",
      name: "A",
      content: "text",
      categories: "clay",
      created_at: "2026-01-02T10:00:00Z",
    })
    const renamed = await send("PUT", "/posts/a", { name: "B", description: "About" })
    expect(renamed.body.data).toMatchObject({
      id,
      name: "B",
      content: "text",
      description: "About",
      categories: [{ slug: "clay" }],
    })
    expect((await content("GET", "/posts?search=about")).body.meta.total).toBe(1)
    const cleared = await send("PUT", `/posts/${id}`, { description: null, categories: [] })
    expect(cleared.body.data).toMatchObject({
      description: null,
      categories: [],
      created_at: "2026-01-02T10:00:00+00:00",
    })
    const before = await siteRows("select * from posts")
    for (const json of [{}, { name: "B", description: null, tags: [] }]) await send("PUT", `/posts/${id}`, json)
    expect(await siteRows("select * from posts")).toEqual(before)
  })

  test("returns 422 with every invalid field, and for a slug that is taken", async () => {
    const send = await makeWriter()
    await makePost({ slug: "taken", name: "Taken" })
    const { id } = await makePost({ slug: "own" })
    const created = await send("POST", "/posts", { name: "Taken", categories: ["none", 999], author: "x@example.com" })
    expect(created.status).toBe(422)
    expect(Object.keys(created.body.errors)).toEqual(["slug", "author", "categories"])
    for (const json of [
      { slug: "taken" },
      { slug: "12" },
      { name: "" },
      { published_at: "soon" },
      { status: "gone" },
    ]) {
      const response = await send("PUT", `/posts/${id}`, json)
      expect([response.status, Object.keys(response.body.errors ?? {})], JSON.stringify(json)).toEqual([
        422,
        Object.keys(json),
      ])
    }
    expect((await send("PUT", `/posts/${id}`, { slug: "own", name: "Own" })).status).toBe(200)
  })

  test("two requests with the same slug create one post", async () => {
    const send = await makeWriter()
    const responses = await Promise.all([1, 2, 3].map(() => send("POST", "/posts", { name: "Twin" })))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })

  test("concurrent updates of different fields both take effect, each as a revision", async () => {
    const send = await makeWriter()
    const { id } = await makePost({ name: "A" })
    const changes = [{ name: "B" }, { description: "C" }, { content: "D" }, { status: "draft" }]
    const responses = await Promise.all(changes.map((json) => send("PUT", `/posts/${id}`, json)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await send("GET", `/posts/${id}`)).body.data).toMatchObject({ name: "B", description: "C", content: "D" })
    expect((await send("GET", `/posts/${id}/revisions`)).body.data).toHaveLength(4)
  })

  test("deletes a post with its links and revisions", async () => {
    const send = await makeWriter()
    await makeCategory({ slug: "clay" })
    const { id } = await makePost({ slug: "a", categories: "clay" })
    await send("PUT", "/posts/a", { name: "B" })
    const deleted = await send("DELETE", "/posts/a")
    expect([deleted.status, deleted.body]).toEqual([200, { error: false, data: null, message: null }])
    expect((await send("DELETE", "/posts/a")).status).toBe(404)
    expect(await siteRows("select 1 from post_categories where post_id = ?", id)).toEqual([])
    expect(await siteRows("select 1 from revisions")).toEqual([])
    const { results } = await env.DB.prepare(
      "select type from audit_entries where subject_type = 'post' and subject_id = ? order by id",
    )
      .bind(String(id))
      .all()
    expect(results.map(({ type }) => type)).toEqual(["post_saved", "post_saved", "post_deleted"])
  })
})

test("a slug that is taken is refused for every kind, on creation and on update", async () => {
  const send = await makeWriter()
  for (const kind of KINDS) {
    for (const name of ["One", "Two"]) await send("POST", `/${kind}`, { name })
    for (const [method, path, json] of [
      ["POST", `/${kind}`, { name: "One" }],
      ["POST", `/${kind}`, { name: "Three", slug: "one" }],
      ["PUT", `/${kind}/two`, { slug: "one" }],
    ] as const) {
      const { status, body } = await send(method, path, json)
      expect([status, Object.keys(body.errors ?? {})], `${method} ${path}`).toEqual([422, ["slug"]])
    }
    expect((await send("POST", `/${kind}`, { name: "!" })).body.errors, kind).toHaveProperty("slug")
    expect((await send("PUT", `/${kind}/none`, { name: "None" })).status).toBe(404)
  }
})

test("If-Match applies a change to the version that was read, and returns 412 with its code otherwise", async () => {
  const send = await makeWriter()
  await makeCategory({ slug: "parent" })
  for (const kind of KINDS) {
    const path = `/${kind}/item`
    await send("POST", `/${kind}`, { name: "Item" })
    const etag = async (query = "") => (await content("GET", path + query)).headers.get("ETag") ?? ""
    const old = await etag()
    const updated = await send("PUT", path, { name: "Two" }, { "If-Match": old })
    expect(updated.status, kind).toBe(200)
    for (const method of ["PUT", "DELETE"]) {
      const stale = await send(method, path, { name: "Three" }, { "If-Match": old })
      expect([stale.status, stale.body.code, stale.body.error], kind).toEqual([412, "precondition_failed", true])
    }
    expect(updated.headers.get("ETag")).toBe(await etag())
    if (kind === "posts")
      expect((await send("PUT", path, { name: "Four" }, { "If-Match": await etag("?include=author") })).status).toBe(
        200,
      )
    expect((await send("PUT", path, { name: "Five" }, { "If-Match": "*" })).status).toBe(200)
    expect((await send("DELETE", path, undefined, { "If-Match": `"x", ${await etag()}` })).status, kind).toBe(200)
    expect((await content("GET", path)).status).toBe(404)
  }
})

test("of two requests with the same If-Match, one succeeds", async () => {
  const send = await makeWriter()
  const { id } = await makePage()
  const etag = (await content("GET", `/pages/${id}`)).headers.get("ETag") ?? ""
  const responses = await Promise.all(
    ["A", "B"].map((name) => send("PUT", `/pages/${id}`, { name }, { "If-Match": etag })),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
})

describe("categories, tags and pages", () => {
  test("a category moves below another, but not below itself, and its children move up when it is deleted", async () => {
    const send = await makeWriter()
    const top = (await send("POST", "/categories", { name: "Top" })).body.data
    const middle = (await send("POST", "/categories", { name: "Middle", parent: "top" })).body.data
    const bottom = (await send("POST", "/categories", { name: "Bottom", parent: middle.id })).body.data
    expect([middle.parent_id, bottom.parent_id]).toEqual([top.id, middle.id])
    for (const parent of ["bottom", middle.id, "middle", "none"])
      expect((await send("PUT", "/categories/middle", { parent })).body.errors, String(parent)).toHaveProperty("parent")
    await makePost({ slug: "a", categories: "middle" })
    expect((await send("DELETE", "/categories/middle")).status).toBe(200)
    expect((await content("GET", "/categories/bottom")).body.data.parent_id).toBe(top.id)
    expect((await content("GET", "/posts/a")).body.data.categories).toEqual([])
    expect((await send("PUT", "/categories/bottom", { parent: null })).body.data.parent_id).toBe(0)
    expect((await content("GET", "/categories")).body.meta.total).toBe(2)
  })

  test("two moves at the same moment make no cycle of categories", async () => {
    const send = await makeWriter()
    for (const name of ["A", "B"]) await send("POST", "/categories", { name })
    const parents = () => siteRows("select slug, parent_id from categories where parent_id <> 0")
    let isOtherSent = false
    const spy = interceptRoundTrips(async (roundTrip, statements) => {
      if (!isOtherSent && statements.some((statement) => statement.startsWith('update "categories"'))) {
        isOtherSent = true
        expect((await send("PUT", "/categories/b", { parent: "a" })).status).toBe(200)
      }
      return roundTrip()
    })
    const { status, body } = await send("PUT", "/categories/a", { parent: "b" })
    spy.mockRestore()
    expect([isOtherSent, status, body.errors]).toEqual([true, 422, { parent: expect.anything() }])
    expect(await parents()).toMatchObject([{ slug: "b" }])
  })

  test.each(["POST", "PUT"])("a %s whose parent is deleted in the meantime is refused", async (method) => {
    const send = await makeWriter()
    for (const name of ["Parent", "Child"]) await send("POST", "/categories", { name })
    let isDeleted = false
    const spy = interceptRoundTrips(async (roundTrip, statements) => {
      if (!isDeleted && statements.some((statement) => /^(insert into|update) "categories"/.test(statement))) {
        isDeleted = true
        expect((await send("DELETE", "/categories/parent")).status).toBe(200)
      }
      return roundTrip()
    })
    const { status, body } =
      method === "POST"
        ? await send(method, "/categories", { name: "New", parent: "parent" })
        : await send(method, "/categories/child", { parent: "parent" })
    spy.mockRestore()
    expect([isDeleted, status, body.errors]).toEqual([true, 422, { parent: expect.anything() }])
    expect(await siteRows("select slug, parent_id from categories")).toEqual([{ slug: "child", parent_id: 0 }])
  })

  test("a deleted tag disappears from its posts", async () => {
    const send = await makeWriter()
    await makeTag({ slug: "wool" })
    await makePost({ slug: "a", tags: "wool" })
    await send("DELETE", "/tags/wool")
    expect((await content("GET", "/posts/a")).body.data.tags).toEqual([])
    expect(await siteRows("select 1 from post_tags")).toEqual([])
  })
})

describe("revisions", () => {
  test("lists the last 20 replaced versions, newest first, with who saved them", async () => {
    const ada = await makeUser("central", { isStaff: true, role: "editor", firstName: "Ada", lastName: "Byron" })
    const created = await content("POST", "/posts", { token: ada.token, json: { name: "Version 1" } })
    const path = `/posts/${created.body.data.id}`
    const send = await makeWriter()
    for (let version = 2; version <= 23; version++) await send("PUT", path, { name: `Version ${version}` })
    await send("PUT", path, { name: "Version 23" })
    const { body } = await content("GET", `${path}/revisions`, { token: ada.token })
    expect(body.data.map(({ n }: { n: number }) => n)).toEqual(Array.from({ length: 20 }, (_, i) => 22 - i))
    expect(body.data[0]).toEqual({
      n: 22,
      created_at: expect.stringMatching(/\+00:00$/),
      author: { id: null, name: "a server" },
      name: "Version 22",
    })
    const first = await content("POST", "/pages", { token: ada.token, json: { name: "One" } })
    await content("PUT", "/pages/one", { token: ada.token, json: { content: "x" } })
    const revisions = await content("GET", `/pages/${first.body.data.id}/revisions`, { token: ada.token })
    expect(revisions.body.data).toMatchObject([{ n: 1, author: { id: ada.id, name: "Ada Byron" }, name: "One" }])
  })

  test("restores a version, which makes the replaced one a revision", async () => {
    const send = await makeWriter()
    for (const kind of ["posts", "pages"]) {
      await send("POST", `/${kind}`, { name: "One", slug: "item", content: "first", description: "d", image: "/a.png" })
      await send("PUT", `/${kind}/item`, {
        name: "Two",
        content: "second",
        description: null,
        image: null,
        status: "draft",
      })
      const restored = await send("POST", `/${kind}/item/revisions/1/restore`)
      expect(restored.status).toBe(200)
      expect(restored.body.data).toMatchObject({
        name: "One",
        content: "first",
        description: "d",
        image: "/a.png",
        status: "draft",
      })
      expect((await send("POST", `/${kind}/item/revisions/1/restore`)).status).toBe(200)
      const { body } = await send("GET", `/${kind}/item/revisions`)
      expect(body.data.map(({ n, name }: { n: number; name: string }) => [n, name])).toEqual([
        [2, "Two"],
        [1, "One"],
      ])
      const stale = await send("POST", `/${kind}/item/revisions/2/restore`, undefined, { "If-Match": '"old"' })
      expect(stale.status).toBe(412)
      for (const n of ["3", "0", "x", "1e0"])
        expect((await send("POST", `/${kind}/item/revisions/${n}/restore`)).status, n).toBe(404)
    }
  })

  test("are for staff and servers only", async () => {
    const { id } = await makePost()
    const customer = await makeUser("central")
    const viewer = await makeUser("central", { isStaff: true, role: "viewer" })
    const path = `/posts/${id}/revisions`
    expect((await content("GET", path)).status).toBe(401)
    expect((await content("GET", path, { token: customer.token })).status).toBe(403)
    expect((await content("GET", path, { token: viewer.token })).status).toBe(200)
    expect((await content("GET", "/posts/999/revisions", { token: viewer.token })).status).toBe(404)
    expect((await content("POST", `${path}/1/restore`, { token: viewer.token })).status).toBe(403)
  })
})

describe("unpublished content", () => {
  test("staff of every role read drafts with their bearer token, and shared caches do not store them", async () => {
    await makePost({ slug: "idea", status: "draft" })
    await makePage({ slug: "terms", status: "pending" })
    for (const role of ["owner", "admin", "editor", "viewer"] as const) {
      const { token } = await makeUser("central", { isStaff: true, role })
      const read = await content("GET", "/posts/idea", { token })
      expect([read.status, read.headers.get("Cache-Control"), read.headers.get("Vary")]).toEqual([
        200,
        "private, max-age=60",
        "X-API-KEY, Authorization",
      ])
      expect((await content("GET", "/posts?status=draft", { token })).body.meta.total).toBe(1)
      expect((await content("GET", "/pages/terms", { token })).status).toBe(200)
      expect((await content("GET", "/pages?status=pending", { token })).body.meta.total).toBe(1)
    }
    const { token } = await makeUser("central")
    for (const path of ["/posts/idea", "/pages/terms"]) {
      expect((await content("GET", path, { token })).status).toBe(404)
      expect((await content("GET", path, { token: `1|${"a".repeat(48)}` })).status).toBe(404)
    }
    expect((await content("GET", "/posts?status=draft", { token })).status).toBe(403)
    expect((await content("GET", "/pages?status=draft", { token: `1|${"a".repeat(48)}` })).status).toBe(401)
    expect((await content("GET", "/posts", { token: `1|${"a".repeat(48)}` })).status).toBe(200)
  })

  test("a scheduled post appears at its time, everywhere, without a job", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    vi.setSystemTime("2026-05-01T10:00:00Z")
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    const send = await makeWriter(store)
    await makePost({ site: store, slug: "old", name: "Old news" })
    const created = await send("POST", "/posts", {
      name: "Spring news",
      slug: "spring",
      published_at: "2026-05-01T12:00:00+02:30",
    })
    expect(created.body.data.published_at).toBe("2026-05-01T09:30:00+00:00")
    await send("PUT", "/posts/spring", { published_at: "2026-05-01T10:30:00Z" })
    const seen = async () => {
      const list = await content("GET", "/posts", { host })
      const pages = await Promise.all(["/blog", "/feed.xml", "/sitemap.xml"].map((path) => call("GET", path, { host })))
      return [
        list.body.meta.total,
        list.body.data.length,
        (await content("GET", "/posts?search=news", { host })).body.meta.total,
        (await content("GET", "/posts/spring", { host })).status,
        (await call("GET", "/blog/spring", { host })).status,
        ...pages.map(({ text }) => text.includes("spring")),
      ]
    }
    expect(await seen()).toEqual([1, 1, 1, 404, 404, false, false, false])
    expect((await send("GET", "/posts/spring")).status).toBe(200)
    expect((await send("GET", "/posts?status=scheduled")).body.meta.total).toBe(1)
    expect((await content("GET", "/posts?status=scheduled", { host })).status).toBe(401)
    vi.setSystemTime("2026-05-01T10:29:59Z")
    expect(await seen()).toEqual([1, 1, 1, 404, 404, false, false, false])
    vi.setSystemTime("2026-05-01T10:30:06Z")
    expect(await seen()).toEqual([2, 2, 2, 200, 200, true, true, true])
    expect((await send("GET", "/posts?status=scheduled")).body.meta.total).toBe(0)
    await runOperatorCommand("posts:save", { site: store, slug: "spring", name: "Spring" })
    expect((await content("GET", "/posts/spring", { host })).body.data.published_at).toBe("2026-05-01T10:30:00+00:00")
    vi.useRealTimers()
  })
})
