// Pages: public reads, and writes by operators.
import { describe, expect, test } from "vitest"
import { makePage, runOperatorCommand } from "../support/blog-factories"
import { content, hostOfStore } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"

describe("pages", () => {
  test("lists pages without their content, and returns one with it by id or slug", async () => {
    const saved = await makePage({ slug: "about", name: "About us", content: "<h1>Hello</h1>", template: "wide" })
    const listed = {
      id: saved.id,
      name: "About us",
      slug: "about",
      description: null,
      image: null,
      template: "wide",
      status: "published",
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: expect.any(String),
    }
    const list = await content("GET", "/pages")
    expect(list.body).toMatchObject({ error: false, message: null, meta: { total: 1, current_page: 1, last_page: 1 } })
    expect(list.body.data).toEqual([listed])
    expect((await content("GET", "/pages/about")).body.data).toEqual({ ...listed, content: "<h1>Hello</h1>" })
    expect((await content("GET", `/pages/${saved.id}`)).body.data.slug).toBe("about")
  })

  test("returns unpublished pages to server tokens only", async () => {
    await makePage({ slug: "terms", status: "draft" })
    const headers = { "X-API-KEY": await makeServerKey() }
    expect((await content("GET", "/pages")).body).toMatchObject({ data: [], meta: { total: 0 } })
    expect((await content("GET", "/pages/terms")).status).toBe(404)
    expect((await content("GET", "/pages?status=draft")).status).toBe(401)
    expect((await content("GET", "/pages?status=draft", { headers })).body.meta.total).toBe(1)
    expect((await content("GET", "/pages/terms", { headers })).body.data.status).toBe("draft")
    await runOperatorCommand("pages:save", { slug: "terms", name: "Terms" })
    expect((await content("GET", "/pages")).body.meta.total).toBe(1)
    expect((await content("GET", "/pages?status=draft", { headers })).body.meta.total).toBe(0)
  })

  test("sorts and paginates pages, and returns 422 for invalid parameters", async () => {
    for (const slug of ["b", "a", "c"]) await makePage({ slug, name: slug })
    const list = await content("GET", "/pages?sort_by=name&order=asc&per_page=2")
    expect(list.body.data.map((page: { slug: string }) => page.slug)).toEqual(["a", "b"])
    expect(list.body.links).toEqual({
      first: "https://localhost/api/v1/pages?sort_by=name&order=asc&per_page=2&page=1",
      last: "https://localhost/api/v1/pages?sort_by=name&order=asc&per_page=2&page=2",
      prev: null,
      next: "https://localhost/api/v1/pages?sort_by=name&order=asc&per_page=2&page=2",
    })
    const next = await content("GET", "/pages?sort_by=name&order=asc&per_page=2&page=2")
    expect(next.body.data.map((page: { slug: string }) => page.slug)).toEqual(["c"])
    for (const query of ["status=all", "sort_by=slug", "order=up", "page=x"]) {
      expect((await content("GET", `/pages?${query}`)).status, query).toBe(422)
    }
  })

  test("returns no page of another site, by slug or id", async () => {
    const [mine, theirs] = [await makeReadyStore(), await makeReadyStore()]
    const [own, foreign] = [
      await makePage({ site: mine, slug: "about" }),
      await makePage({ site: theirs, slug: "about" }),
    ]
    const host = hostOfStore(mine)
    expect((await content("GET", "/pages/about", { host })).body.data.id).toBe(own.id)
    expect((await content("GET", `/pages/${foreign.id}`, { host })).status).toBe(404)
    expect((await content("GET", "/pages", { host })).body.meta.total).toBe(1)
    expect((await content("GET", "/pages/about")).status).toBe(404)
  })

  test("stores content unchanged, and refuses content over 200,000 characters", async () => {
    const markup = "<p onclick=\"x()\">Söme <b>\u{1f3fa}</b> &amp; 'quotes'</p>\n"
    await makePage({ slug: "odd", content: markup })
    expect((await content("GET", "/pages/odd")).body.data.content).toBe(markup)
    await makePage({ slug: "long", content: "x".repeat(200_000) })
    await expect(makePage({ content: "x".repeat(200_001) })).rejects.toThrow("422")
    await expect(makePage({ image: "javascript:alert(1)" })).rejects.toThrow("422")
  })
})
