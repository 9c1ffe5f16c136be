// The filtered lists of posts and categories, which mobile apps use.
import { expect, test } from "vitest"
import { insertPosts, makeCategory, makePost, makeTag } from "../support/blog-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"

/** Asserts that a list that did not change is not sent again. */
async function expectRevalidation(host: string, path: string): Promise<void> {
  const { headers } = await content("GET", path, { host })
  const again = await content("GET", path, { host, headers: { "If-None-Match": headers.get("ETag") ?? "" } })
  expect(again.status, path).toBe(304)
}

test("posts are filtered by ids, authors, categories, tags, dates and text", async () => {
  const site = await makeReadyStore()
  const host = hostOfStore(site)
  const neighbour = await makeReadyStore()
  const ada = await makeUser(site)
  const news = await makeCategory({ site, name: "News" })
  const wool = await makeTag({ site, name: "Wool" })
  const at = (day: string) => `2026-0${day}T08:00:00Z`
  await makePost({ site, slug: "a", name: "Alpha", categories: news.slug, created_at: at("1-10") })
  await makePost({ site, slug: "b", name: "Beta yarn", tags: wool.slug, author: ada.email, created_at: at("2-10") })
  await makePost({
    site,
    slug: "c",
    name: "Gamma",
    categories: news.slug,
    tags: wool.slug,
    featured: "true",
    created_at: at("3-10"),
  })
  await makePost({ site, slug: "d", name: "Draft", status: "draft", categories: news.slug })
  await makePost({ site: neighbour, slug: "x", name: "Elsewhere" })
  const idOf = async (slug: string) =>
    Number((await siteRows("select id from posts where site_id = ? and slug = ?", site, slug))[0]?.id)
  const [a, b] = [await idOf("a"), await idOf("b")]
  const get = (query: string, of = host) => content("GET", `/posts/filters?${query}`, { host: of })
  const slugs = async (query: string) => {
    const { body } = await get(query)
    expect(body.meta.total, query).toBe(body.data.length)
    return body.data.map(({ slug }: { slug: string }) => slug)
  }
  for (const [query, expected] of [
    ["", ["c", "b", "a"]],
    ["order_by=title&order=asc", ["a", "b", "c"]],
    ["order_by=slug&order=asc", ["a", "b", "c"]],
    [`categories=${news.id}`, ["c", "a"]],
    [`categories_exclude=${news.id}`, ["b"]],
    [`tags=${wool.id}&categories=${news.id}`, ["c"]],
    [`tags_exclude=${wool.id}`, ["a"]],
    [`author=${ada.id}`, ["b"]],
    [`author_exclude=${ada.id}`, ["c", "a"]],
    [`include=${a},${b}`, ["b", "a"]],
    [`exclude=${a},${b}`, ["c"]],
    ["after=2026-01-31&before=2026-03-01T00:00:00%2B00:00", ["b"]],
    ["featured=1", ["c"]],
    ["search=yarn", ["b"]],
    ["search=ga", ["c"]],
    ["search=zzz", []],
    ["categories=999", []],
  ] as const)
    expect(await slugs(query), query).toEqual(expected)
  await expectRevalidation(host, "/posts/filters")
  const { body } = await get(`include=${a}`)
  expect(body.data[0]).toMatchObject({ categories: [{ slug: news.slug }], tags: [] })
  expect((await get("per_page=1&page=2")).body).toMatchObject({ data: [{ slug: "b" }], meta: { total: 3 } })
  expect((await get(`include=${a}`, hostOfStore(neighbour))).body.data).toEqual([])
  for (const query of ["categories=x", "after=yesterday", "order_by=content", "order=up", `include=${"1,".repeat(51)}`])
    expect((await get(query)).status, query).toBe(422)
  expect((await costsOf(() => get(`categories=${news.id}&search=alpha`))).roundTrips).toBe(2)
})

test("a filter by category, tag or id reads the matching posts only", async () => {
  const site = await makeReadyStore()
  const host = hostOfStore(site)
  const news = await makeCategory({ site, name: "News" })
  const { slug } = await makePost({ site, categories: news.slug })
  const [post] = await siteRows("select id from posts where site_id = ? and slug = ?", site, slug)
  const measure = async () => {
    const found: number[] = []
    for (const query of ["", "order_by=title", `categories=${news.id}`, `include=${post?.id}`, "search=nothing"])
      found.push((await costsOf(() => content("GET", `/posts/filters?${query}`, { host }))).rowsRead)
    return found
  }
  await insertPosts(site, 50, { word: "first" })
  const before = await measure()
  await insertPosts(site, 2_000, { word: "second" })
  expect(await measure()).toEqual(before)
})

test("categories are filtered by ids, parents and name", async () => {
  const site = await makeReadyStore()
  const host = hostOfStore(site)
  const shop = await makeCategory({ site, name: "Workshop" })
  const dye = await makeCategory({ site, name: "Dyeing", parent: shop.slug })
  const news = await makeCategory({ site, name: "News" })
  const ids = async (query: string) => {
    const { body } = await content("GET", `/categories/filters?${query}`, { host })
    return body.data.map(({ id }: { id: number }) => id)
  }
  expect(await ids("order_by=name&order=asc")).toEqual([dye.id, news.id, shop.id])
  expect(await ids("search=WORK")).toEqual([shop.id])
  expect(await ids(`parent=${shop.id}`)).toEqual([dye.id])
  expect(await ids(`exclude=${shop.id},${dye.id}`)).toEqual([news.id])
  await expectRevalidation(host, "/categories/filters")
  const { body } = await content("GET", `/categories/filters?include=${shop.id}`, { host })
  expect(body.data).toMatchObject([{ id: shop.id, children: [{ id: dye.id }] }])
})
