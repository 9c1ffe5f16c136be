// Documents of a shop for search engines and feed readers: robots.txt, sitemap.xml and its pages, feed.xml.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { insertCategories, insertPosts, makeCategory, makePage, makePost } from "../support/blog-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"

const visit = (store: string, path: string) => call("GET", path, { host: `${store}.localhost` })

/** Returns the texts of all elements with a name. */
const textsOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => text)

test("robots.txt allows the pages, disallows the APIs and names the sitemap", async () => {
  const store = await makeReadyStore()
  const { status, headers, text } = await visit(store, "/robots.txt")
  expect([status, headers.get("Content-Type")]).toEqual([200, "text/plain; charset=utf-8"])
  expect(text).toBe(
    `User-agent: *\nDisallow: /api/\nDisallow: /account/\nDisallow: /billing\n\nSitemap: https://${store}.localhost/sitemap.xml\n`,
  )
})

test("the sitemap of a small shop lists its published pages, posts, categories and products", async () => {
  const store = await makeReadyStore({ theme: "bazaar" })
  const root = `https://${store}.localhost`
  const post = await makePost({ site: store, content: "x" })
  await makePost({ site: store, slug: "draft", content: "x", status: "draft" })
  const page = await makePage({ site: store, content: "x" })
  const category = await makeCategory({ site: store })
  const { status, headers, text } = await visit(store, "/sitemap.xml")
  expect([status, headers.get("Content-Type")]).toEqual([200, "application/xml; charset=utf-8"])
  const urls = textsOf(text, "loc")
  expect(urls).toContain(`${root}/`)
  expect(urls).toContain(`${root}/products/saffron-threads`)
  expect(urls).toContain(`${root}/blog/${encodeURIComponent(post.slug)}`)
  expect(urls).toContain(`${root}/pages/${page.slug}`)
  expect(urls).toContain(`${root}/categories/${category.slug}`)
  expect(text).not.toContain("draft")
  expect(new Set(urls).size).toBe(urls.length)
  for (const moment of textsOf(text, "lastmod")) expect(moment).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  for (const url of urls) expect.soft((await visit(store, url?.slice(root.length) ?? "")).status, url).toBe(200)
})

test("the sitemap of a large shop is an index of pages that together list every post once", async () => {
  const store = await makeReadyStore()
  const root = `https://${store}.localhost`
  await insertPosts(store, 2_001)
  const index = await visit(store, "/sitemap.xml")
  expect(index.text).toContain("<sitemapindex ")
  const pages = textsOf(index.text, "loc").map((url) => url?.slice(root.length) ?? "")
  expect(pages.filter((path) => path.startsWith("/sitemap-blog-"))).toEqual([
    "/sitemap-blog-1.xml",
    "/sitemap-blog-2.xml",
    "/sitemap-blog-3.xml",
  ])
  const urls: (string | undefined)[] = []
  for (const path of pages) urls.push(...textsOf((await visit(store, path)).text, "loc"))
  expect(urls.filter((url) => url?.startsWith(`${root}/blog/`)).length).toBe(2_001)
  expect(new Set(urls).size).toBe(urls.length)
})

test("the sitemap lists more than a thousand categories in pages, each once and without a list page", async () => {
  const store = await makeReadyStore()
  await insertCategories(store, 1_001)
  const { text: index } = await visit(store, "/sitemap.xml")
  expect(textsOf(index, "loc").filter((url) => url?.includes("/sitemap-categories-"))).toEqual(
    [1, 2].map((page) => `https://${store}.localhost/sitemap-categories-${page}.xml`),
  )
  const pages = await Promise.all([1, 2].map((page) => visit(store, `/sitemap-categories-${page}.xml`)))
  const urls = pages.flatMap(({ text }) => textsOf(text, "loc"))
  expect(urls).toHaveLength(1_001)
  expect(new Set(urls).size).toBe(1_001)
  for (const url of urls) expect(url).toMatch(/\/categories\/filler-\d+$/)
})

test("gives a page, post or product the time of its last change, and a list none", async () => {
  const store = await makeReadyStore()
  const root = `https://${store}.localhost`
  const { slug } = await makePost({ site: store, content: "x" })
  const category = await makeCategory({ site: store })
  const { text } = await visit(store, "/sitemap.xml")
  expect(text).toMatch(new RegExp(`<loc>${root}/blog/${slug}</loc><lastmod>\\d{4}-`))
  for (const list of ["/", "/blog", `/categories/${category.slug}`]) {
    expect.soft(text).toContain(`<loc>${root}${list}</loc></url>`)
  }
})

test("a page of the sitemap that does not exist is 404", async () => {
  const store = await makeReadyStore()
  for (const path of [
    "/sitemap-blog-2.xml",
    "/sitemap-orders-1.xml",
    "/sitemap-categories-2.xml",
    "/sitemap-blog-0.xml",
    "/sitemap-.xml",
  ]) {
    expect.soft((await visit(store, path)).status, path).toBe(404)
  }
})

test("reads at most a page of every part for the sitemap, and two round trips for each document", async () => {
  const store = await makeReadyStore()
  await insertPosts(store, 3_000)
  await insertCategories(store, 3_000)
  // Two rows for each page: one of the index and one of the table.
  for (const [path, maxRows] of [
    ["/robots.txt", 300],
    ["/sitemap.xml", 4_300],
    ["/sitemap-blog-1.xml", 2_300],
    ["/sitemap-categories-1.xml", 2_300],
    ["/sitemap-categories-2.xml", 3_300],
    ["/feed.xml", 300],
  ] as const) {
    const costs = await costsOf(() => visit(store, path))
    expect.soft(costs.roundTrips, path).toBeLessThanOrEqual(2)
    expect.soft(costs.rowsRead, path).toBeLessThan(maxRows)
  }
})

test("the feed lists the 20 latest published posts with escaped texts, newest first", async () => {
  const store = await makeReadyStore({ name: "Marlow & Pine" })
  await insertPosts(store, 25)
  const { slug } = await makePost({
    site: store,
    name: "Tea < coffee & \u{1F375}",
    content: "<p>One</p><script>alert(1)</script>",
  })
  const { status, headers, text } = await visit(store, "/feed.xml")
  expect([status, headers.get("Content-Type")]).toEqual([200, "application/rss+xml; charset=utf-8"])
  expect(textsOf(text, "title").slice(0, 3)).toEqual([
    "Marlow &amp; Pine",
    "Tea &lt; coffee &amp; \u{1F375}",
    "Post 25",
  ])
  expect(textsOf(text, "link")[1]).toBe(`https://${store}.localhost/blog/${slug}`)
  expect(text.match(/<item>/g)).toHaveLength(20)
  expect(text).not.toContain("alert")
  expect(textsOf(text, "pubDate")[0]).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
  expect((await visit(store, "/")).text).toContain('type="application/rss+xml"')
})

test("removes characters that XML cannot contain, so the feed stays well-formed", async () => {
  const store = await makeReadyStore()
  await makePost({ site: store, content: "a\u0001b\uFFFFc" })
  const { text } = await visit(store, "/feed.xml")
  expect(textsOf(text, "description")).toContain("abc")
})

test("shows the closed page instead of documents while the store is suspended", async () => {
  const store = await makeReadyStore()
  await env.DB.prepare("update stores set status = 'suspended' where id = ?").bind(store).run()
  for (const path of ["/robots.txt", "/sitemap.xml", "/feed.xml"]) {
    expect.soft((await visit(store, path)).status, path).toBe(402)
  }
})
