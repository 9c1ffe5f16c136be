import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test } from "vitest"
import { stores } from "../../src/db/schema/central/stores"
import { parsePostForms } from "../console/crawler"
import type { TestResponse } from "../support/app"
import { content } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

const idOf = (response: TestResponse) => /\/(\d+)\/edit/.exec(response.headers.get("Location") ?? "")?.[1] ?? "none"

/** Creates an item, and returns its path in the admin. */
async function create(browser: AdminBrowser, kind: string, fields: Fields): Promise<string> {
  const response = await browser.post(`/admin/${kind}`, fields)
  expect([response.status, response.text]).toEqual([303, expect.any(String)])
  return `/admin/${kind}/${idOf(response)}`
}

/** The fields of a page's form, as a browser submits them without changes. */
async function readForm(browser: AdminBrowser, path: string): Promise<Fields> {
  const form = parsePostForms((await browser.get(path)).text).find(({ action }) => action === path)
  const fields: Record<string, string[]> = {}
  for (const { name, value, isSubmitted } of form?.fields ?? [])
    if (isSubmitted) fields[name] = [...(fields[name] ?? []), value]
  return fields
}

const read = async ({ host, user }: AdminBrowser, path: string) =>
  (await content("GET", path, { host, token: user.token })).body.data

const names = (text: string) => [...text.matchAll(/\/edit">([^<]+)</g)].map(([, name]) => name)

test("creates, edits and deletes a post with categories, and keeps what a form does not change", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const { host, user } = editor
  const { token } = user
  const category = (await content("POST", "/categories", { host, token, json: { name: "Clay" } })).body.data
  await content("PUT", "/shop/settings", {
    host,
    token: (await signInToAdmin(store)).user.token,
    json: { timezone: "America/New_York" },
  })
  const path = await create(editor, "posts", {
    name: "First <b>",
    content: '<p>Hello</p><script>alert("x")</script>',
    description: "A summary",
    image: "/media/a.png",
    status: "published",
    published_at: "2999-01-02T09:00",
    categories: ["", String(category.id)],
    tags: "",
    featured: ["false", "true"],
    slug: "",
    author: "",
  })
  const slug = "first-b"
  const created = await read(editor, `/posts/${slug}?include=author`)
  expect(created).toMatchObject({
    name: "First <b>",
    slug,
    featured: true,
    published_at: "2999-01-02T14:00:00+00:00",
    categories: [{ id: category.id }],
    author: { id: user.id },
  })
  const page = await editor.get(`${path}/edit?done=content_created`)
  for (const shown of ["First &lt;b&gt;", "Created.", "Scheduled", 'value="2999-01-02T09:00"'])
    expect(page.text).toContain(shown)
  expect(page.text).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</textarea>")
  expect((await editor.get(`/admin/posts/${slug}/edit`)).status).toBe(200)

  // Sent without a change, the form changes nothing.
  const fields = await readForm(editor, `${path}/edit`)
  const same = await editor.post(`${path}/edit`, fields)
  expect(same.headers.get("Location")).toBe(`${path}/edit?done=content_saved`)
  expect(await read(editor, `/posts/${slug}?include=author`)).toEqual(created)

  await editor.post(`${path}/edit`, { ...fields, name: "Renamed", categories: "", published_at: "", featured: "false" })
  const edited = await read(editor, `/posts/${slug}?include=author`)
  expect(edited).toMatchObject({ name: "Renamed", categories: [], published_at: null, featured: false })
  expect([edited.created_at, edited.author]).toEqual([created.created_at, created.author])
  const audit = JSON.stringify(await rows("select * from audit_entries where subject_type = 'post'"))
  expect(audit).toContain(`"actor_name":"${user.firstName} ${user.lastName}"`)

  expect((await editor.get(`${path}/delete`)).text).toContain("Delete Renamed?")
  expect((await editor.post(`${path}/delete`)).headers.get("Location")).toBe("/admin/posts?done=content_deleted")
  expect((await editor.get(`${path}/edit`)).status).toBe(404)
  expect((await editor.post(`${path}/edit`, fields)).status).toBe(404)
})

test.each(["posts", "pages"])("shows a refused form of %s again, and links to what has the slug", async (kind) => {
  const editor = await signInToAdmin(await makeReadyStore(), "editor")
  const path = await create(editor, kind, { name: "Über uns" })
  for (const slug of ["", "uber-uns"]) {
    const taken = await editor.post(`/admin/${kind}`, { name: "Über uns", slug, content: "<p>Typed</p>" })
    expect(taken.status).toBe(422)
    for (const shown of [
      'id="slug-error"',
      `href="/admin/${kind}/uber-uns/edit"`,
      "&lt;p&gt;Typed&lt;/p&gt;</textarea>",
    ])
      expect(taken.text).toContain(shown)
  }
  const invalid = await editor.post(`/admin/${kind}`, { name: "", image: "javascript:x", status: "odd" })
  for (const field of ["name", "image", "status"]) expect(invalid.text).toContain(`id="${field}-error"`)

  // A form that was opened before another change does not overwrite it.
  const opened = await readForm(editor, `${path}/edit`)
  await editor.post(`${path}/edit`, { ...opened, name: "By another" })
  const late = await editor.post(`${path}/edit`, { ...opened, once: "", name: "Typed late" })
  expect([late.status, late.text.includes('role="alert"'), late.text.includes('value="Typed late"')]).toEqual([
    422,
    true,
    true,
  ])
  expect((await editor.get(`${path}/edit`)).text).toContain('value="By another"')
})

test("keeps the template of a page, which only the API sets", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const path = await create(editor, "pages", { name: "Delivery", template: "wide" })
  const opened = await readForm(editor, `${path}/edit`)
  expect(opened).not.toHaveProperty("template")
  expect((await editor.post(`${path}/edit`, { ...opened, name: "Our delivery" })).status).toBe(303)
  expect(await siteRows("select template from pages where name = 'Our delivery' and site_id = ?", store)).toEqual([
    { template: "wide" },
  ])
})

test.each(["posts", "pages"])("lists, compares and restores the revisions of %s", async (kind) => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const kept = "<p>Kept</p><p>Kept too</p><p>Hidden</p>"
  const path = await create(editor, kind, { name: "Notes", content: `<p>One two <i>three</i></p>${kept}` })
  expect((await editor.get(`${path}/revisions`)).text).toContain("has not been changed yet")
  await editor.post(`${path}/edit`, { content: `<p>One four <i>three</i></p>${kept}` })
  const list = await editor.get(`${path}/revisions`)
  expect(list.text).toContain(`href="${path}/revisions/1"`)
  expect(list.text).toContain(`${editor.user.firstName}`)
  const comparison = await editor.get(`${path}/revisions/1`)
  expect(comparison.text).toContain(
    "<p>&lt;p&gt;One <del>two</del><ins>four</ins> &lt;i&gt;three&lt;/i&gt;&lt;/p&gt;</p>",
  )
  expect(comparison.text).toContain("1 unchanged line")
  expect((await editor.get(`${path}/revisions/7`)).status).toBe(404)
  expect((await editor.get(`${path}/revisions/x`)).status).toBe(404)
  const viewer = await signInToAdmin(store, "viewer")
  expect((await viewer.get(`${path}/revisions/1`)).text).not.toContain("/restore")
  expect((await viewer.post(`${path}/revisions/1/restore`)).status).toBe(403)
  const restored = await editor.post(`${path}/revisions/1/restore`)
  expect(restored.headers.get("Location")).toBe(`${path}/edit?done=content_restored`)
  expect((await editor.get(`${path}/edit`)).text).toContain("One two")
  expect((await editor.get(`${path}/revisions/2`)).text).toContain("<del>four</del>")
})

test("finds, filters and sorts posts of every status, and shows viewers the sanitised text", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  await editor.post("/admin/posts/1/delete")
  for (const [name, status, date] of [
    ["Alpha", "published", ""],
    ["Beta", "draft", ""],
    ["Gamma", "pending", ""],
    ["Delta", "published", "2999-01-01T00:00"],
  ] as const)
    await create(editor, "posts", {
      name,
      status,
      published_at: date,
      content: "<p onclick=x>Hi<script>1</script></p>",
    })
  const find = async (query: string) => {
    const found = names((await editor.get(`/admin/posts${query}`)).text)
    return found.filter((name) => ["Alpha", "Beta", "Gamma", "Delta"].includes(name ?? ""))
  }
  expect(await find("")).toEqual(["Delta", "Gamma", "Beta", "Alpha"])
  expect(await find("?sort=name")).toEqual(["Alpha", "Beta", "Delta", "Gamma"])
  expect(await find("?sort=-updated&page=x")).toEqual(["Delta", "Gamma", "Beta", "Alpha"])
  expect(await find("?status=published&sort=name")).toEqual(["Alpha"])
  expect(await find("?status=scheduled")).toEqual(["Delta"])
  expect(await find("?status=draft&search=BE")).toEqual(["Beta"])
  expect(await find("?search=%25")).toEqual([])
  const viewer = await signInToAdmin(store, "viewer")
  const list = await viewer.get("/admin/posts")
  const id = /\/admin\/posts\/(\d+)\/edit">Beta/.exec(list.text)?.[1]
  const page = await viewer.get(`/admin/posts/${id}/edit`)
  expect(page.text).toContain("<p>Hi</p>")
  for (const hidden of ['name="content"', "/delete", "/admin/posts/new"]) expect(page.text).not.toContain(hidden)
  expect((await viewer.get("/admin/posts/new")).status).toBe(403)
  for (const path of ["/admin/posts", `/admin/posts/${id}/edit`, `/admin/posts/${id}/delete`])
    expect((await viewer.post(path, { name: "x" })).status).toBe(403)
  const preview = await editor.get(`/admin/posts/${id}/preview`)
  expect([preview.status, preview.text.includes("Beta"), preview.text.includes("onclick")]).toEqual([200, true, false])
  expect(preview.headers.get("Content-Security-Policy")).toContain("sandbox")
})

test("links published posts and pages to the shop", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  for (const [kind, path] of [
    ["posts", "blog"],
    ["pages", "pages"],
  ] as const) {
    const link = `href="/${path}/our-news">View in shop<`
    const item = await create(editor, kind, { name: "Our news", status: "published" })
    expect((await editor.get(`${item}/edit`)).text, kind).toContain(link)
    const draft = { ...(await readForm(editor, `${item}/edit`)), status: "draft" }
    await editor.post(`${item}/edit`, draft)
    expect((await editor.get(`${item}/edit`)).text, kind).not.toContain("View in shop")
  }
  const date = "2999-01-01T00:00"
  const scheduled = await create(editor, "posts", { name: "Later", status: "published", published_at: date })
  expect((await editor.get(`${scheduled}/edit`)).text).not.toContain("View in shop")
})

test("nests categories, refuses a circle, and deletes tags", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const outer = await create(editor, "categories", { name: "Outer", parent: "" })
  const inner = await create(editor, "categories", { name: "Inner", parent: "outer" })
  const page = await editor.get(`${inner}/edit`)
  expect(page.text).toMatch(/selected[^>]*>Outer</)
  const circle = await editor.post(`${outer}/edit`, { name: "Outer", slug: "outer", parent: "inner" })
  expect([circle.status, circle.text.includes('id="parent-error"')]).toEqual([422, true])
  await editor.post(`${inner}/edit`, { ...(await readForm(editor, `${inner}/edit`)), parent: "" })
  expect((await read(editor, "/categories/inner")).parent_id).toBe(0)
  const tag = await create(editor, "tags", { name: "Wool" })
  const taken = await editor.post("/admin/tags", { name: "Wool", description: "Typed" })
  for (const shown of ['href="/admin/tags/wool/edit"', "Typed</textarea>"]) expect(taken.text).toContain(shown)
  const renamed = await editor.post(`${tag}/edit`, { ...(await readForm(editor, `${tag}/edit`)), name: "Linen" })
  expect(renamed.headers.get("Location")).toBe(`${tag}/edit?done=content_saved`)
  expect((await editor.get("/admin/tags?search=lin&sort=name")).text).toContain("Linen")
  const viewer = await signInToAdmin(store, "viewer")
  expect((await viewer.get(`${tag}/edit`)).text).not.toContain('name="slug"')
  for (const path of [`${tag}/delete`, `${inner}/delete`]) {
    expect((await viewer.post(path)).status).toBe(403)
    expect((await editor.get(path)).status).toBe(200)
    expect((await editor.post(path)).status).toBe(303)
    expect((await editor.get(path)).status).toBe(404)
  }
})

test("creates and edits galleries, one picture per line, in shops that have the app", async () => {
  const store = await makeReadyStore()
  await drizzle(env.DB)
    .update(stores)
    .set({ apps: ["galleries"] })
    .where(eq(stores.id, store))
  const editor = await signInToAdmin(store, "editor")
  const path = await create(editor, "galleries", {
    name: "Summer",
    pictures: "/media/a.png  On the beach\r\n\r\nhttps://example.com/b.png\r\n",
    image: "/media/a.png",
    status: "draft",
  })
  const gallery = await read(editor, "/galleries/summer")
  expect(gallery).toMatchObject({ status: "draft", image: "/media/a.png" })
  expect(gallery.pictures).toEqual([
    { image: "/media/a.png", caption: "On the beach" },
    { image: "https://example.com/b.png", caption: null },
  ])
  await editor.post(`${path}/edit`, { ...(await readForm(editor, `${path}/edit`)), name: "Autumn" })
  expect(await read(editor, "/galleries/summer")).toMatchObject({ name: "Autumn", pictures: gallery.pictures })
  expect((await editor.get("/admin/galleries?status=draft")).text).toContain("Autumn")
  const refused = await editor.post("/admin/galleries", { name: "x", slug: "summer", pictures: "javascript:x Typed" })
  expect(refused.status).toBe(422)
  for (const shown of ['id="pictures-error"', "javascript:x Typed</textarea>", 'href="/admin/galleries/summer/edit"'])
    expect(refused.text).toContain(shown)
  expect((await editor.post("/admin/galleries", { name: "x", pictures: "/a\n".repeat(5000) })).status).toBe(422)
  const viewer = await signInToAdmin(store, "viewer")
  expect((await viewer.get(`${path}/edit`)).text).not.toContain('name="pictures"')
  expect((await viewer.post(`${path}/delete`)).status).toBe(403)
  expect((await editor.post(`${path}/delete`)).headers.get("Location")).toBe("/admin/galleries?done=content_deleted")
  await drizzle(env.DB).update(stores).set({ apps: [] }).where(eq(stores.id, store))
  for (const gone of ["/admin/galleries", "/admin/galleries/new"]) expect((await editor.get(gone)).status).toBe(404)
  expect((await editor.post("/admin/galleries", { name: "x" })).status).toBe(404)
})

test("an empty list offers to add the first item, and a filtered one to remove the filters", async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const empty = await editor.get("/admin/tags")
  expect(empty.text).toContain("No tags yet.")
  expect(empty.text).toMatch(/class="empty".*href="\/admin\/tags\/new"/s)
  expect(empty.text).not.toContain("Remove filters")
  const filtered = await editor.get("/admin/tags?search=none&sort=name")
  expect(filtered.text).toContain("No tags match these filters.")
  expect(filtered.text).toContain('href="/admin/tags">Remove filters</a>')
  const viewer = await signInToAdmin(store, "viewer")
  expect((await viewer.get("/admin/tags")).text).not.toContain('href="/admin/tags/new"')
})
