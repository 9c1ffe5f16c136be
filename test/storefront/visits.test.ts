// Visits to a store's host over HTTP: content, status, headers and cost.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { call, platform } from "../support/app"
import { insertPosts, makePage, makePost } from "../support/blog-factories"
import { makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeShop } from "../support/shop-visits"
import { parseElements } from "./fixtures"

const visit = (store: string, path: string, headers?: Record<string, string>) =>
  call("GET", path, { host: `${store}.localhost`, headers })

/** Returns the text of the first element with a tag name. */
async function firstText(html: string, tag: string) {
  return (await parseElements(html)).find((element) => element.tag === tag)?.text
}

const insertProduct = (site: string, slug: string, fields: { name?: string; status?: string; at?: number } = {}) =>
  env.SITES_1.prepare(
    `insert into products (site_id, slug, name, name_key, price_cents, currency, status, search_text, created_at, updated_at)
     values (?1, ?2, ?3, ?3, 1250, 'EUR', ?4, ?3, ?5, ?5)`,
  )
    .bind(site, slug, fields.name ?? slug, fields.status ?? "published", fields.at ?? Date.now())
    .run()

describe("a serving store", () => {
  test("serves the front page with the sample products of its theme and a strict Content-Security-Policy", async () => {
    const store = await makeReadyStore({ name: "Marlow & Pine", theme: "bazaar" })
    const { status, headers, text } = await visit(store, "/")
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(await firstText(text, "h1")).toContain("Marlow")
    expect(text).toContain("/products/saffron-threads")
    expect(headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; img-src/,
    )
    expect(headers.get("Cache-Control")).toBe("public, no-cache")
    expect(text).toContain(`<link rel="canonical" href="https://${store}.localhost/"`)
  })

  test("renders every page in two database round trips", async () => {
    const store = await makeReadyStore({ theme: "vitrine" })
    const post = await makePost({ site: store, content: "<p>Hello</p>" })
    const page = await makePage({ site: store, content: "<p>About</p>" })
    const paths = ["/", "/products", "/products/catalogue", "/galleries", "/galleries/first-impressions", "/blog"]
    for (const path of [...paths, `/blog/${post.slug}`, `/pages/${page.slug}`, "/no-such-page"]) {
      const costs = await costsOf(async () => {
        const { status } = await visit(store, path)
        expect.soft(status, path).toEqual(path === "/no-such-page" ? 404 : 200)
      })
      expect.soft(costs.roundTrips, path).toBe(2)
    }
  })

  test("reads as many rows per page with 5,000 products and posts as with 50", async () => {
    const store = await makeReadyStore()
    const fill = async (from: number, to: number) => {
      const numbers = `with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})`
      await env.SITES_1.prepare(
        `${numbers} insert into products (site_id, slug, name, name_key, price_cents, currency, status, search_text, created_at, updated_at)
         select ?1, 'p-' || i, 'P', 'p', i, 'EUR', 'published', 'p', i, i from n`,
      )
        .bind(store)
        .run()
      await insertPosts(store, to - from + 1, { word: `filler-${from}` })
    }
    const paths = ["/", "/products", "/products/p-7", "/blog", "/blog/filler-1-7"]
    const countRowsRead = async () => {
      const counts: number[] = []
      for (const path of paths) counts.push((await costsOf(() => visit(store, path))).rowsRead)
      return counts
    }
    await fill(1, 50)
    const counts = await countRowsRead()
    await fill(51, 5000)
    expect(await countRowsRead()).toEqual(counts)
    expect(counts.every((rows) => rows > 2 && rows < 100)).toBe(true)
  })

  test("uses the shop's language for visitors who accept none of the supported ones", async () => {
    const { store, host, asStaff } = await makeShop()
    const read = async (path: string, accepted?: string) => {
      const sent: Record<string, string> = accepted ? { "Accept-Language": accepted } : {}
      const { headers, text } = await call("GET", path, { host, headers: sent, useIsolateCache: true })
      expect.soft(headers.get("Vary") ?? headers.get("Cache-Control"), path).toMatch(/Accept-Language|no-store/)
      return [/<html lang="([^"]*)"/.exec(text)?.[1], headers.get("Cache-Status")?.split("; ")[1]]
    }
    expect(await read("/")).toEqual(["en", "fwd=miss"])
    for (const language of ["fr", "vi"]) {
      await asStaff("PUT", "/shop/settings", { language })
      for (const path of ["/", "/search", "/cart", "/account/sign-in", "/account/forgot-password", "/no-such-page"])
        for (const accepted of [undefined, "*", "de, ja;q=0.5"])
          expect.soft((await read(path, accepted))[0], `${path} ${accepted}`).toBe(language)
      expect(await read("/", "de")).toEqual([language, "hit"])
      expect((await read("/", "es, de"))[0]).toBe("es")
      expect((await read("/", "de, en;q=0.1"))[0]).toBe("en")
    }
    await platform("POST", `/stores/${store}/suspend`, { token: await makeKey() })
    expect((await read("/"))[0]).toBe("vi")
  })

  test("shows only published content of its own store, in the visitor's language", async () => {
    const store = await makeReadyStore()
    const other = await makeReadyStore()
    await insertProduct(other, "theirs")
    await insertProduct(store, "unlisted", { status: "draft" })
    await makePost({ site: other, slug: "their-news" })
    await makePage({ site: store, name: "Impressum", slug: "impressum" })
    const html = (await visit(store, "/products")).text
    expect(html).not.toContain("theirs")
    expect(html).not.toContain("unlisted")
    expect(html).toContain("/pages/impressum")
    for (const path of ["/products/theirs", "/products/unlisted", "/blog/their-news"]) {
      expect.soft((await visit(store, path)).status, path).toBe(404)
    }
    const french = await visit(store, "/products", { "Accept-Language": "fr-CA, en;q=0.5" })
    expect(french.text).toContain('<html lang="fr"')
    expect(french.headers.get("Vary")).toBe("Accept-Language")
  })

  test("shows a post with its author and links to other posts", async () => {
    const store = await makeReadyStore()
    const { email } = await makeUser(store, { firstName: "Grace", lastName: "Hopper" })
    await makeUser(store, { firstName: "Ada" })
    await makePost({ site: store, slug: "first", content: "<p>One</p>", author: email })
    await makePost({ site: store, slug: "second", content: "<p>Two<script>alert(1)</script></p>" })
    const first = (await visit(store, "/blog/first")).text
    expect([first.includes("Grace Hopper"), first.includes("/blog/second")]).toEqual([true, true])
    const second = (await visit(store, "/blog/second")).text
    expect([second.includes("Grace"), second.includes("alert(1)")]).toEqual([false, false])
  })

  test("hides the pages and the menu entry of a disabled app", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    expect((await visit(store, "/products")).status).toBe(200)
    expect((await visit(store, "/galleries")).status).toBe(404)
    await platform("POST", `/stores/${store}/apps/ecommerce/disable`, { token })
    for (const path of ["/products", "/products/stoneware-bowl"]) expect((await visit(store, path)).status).toBe(404)
    expect((await visit(store, "/")).text).not.toContain("/products")
    await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token })
    expect((await visit(store, "/products/stoneware-bowl")).status).toBe(200)
  })

  test("paginates lists and returns 404 past the last page", async () => {
    const store = await makeReadyStore()
    for (let n = 1; n <= 21; n++) await insertProduct(store, `thing-${n}`, { at: n })
    const last = await visit(store, "/products?page=3")
    expect(last.status).toBe(200)
    expect(last.text).toContain('/products/thing-1"')
    expect(last.text).not.toContain('thing-2"')
    for (const page of ["4", "0", "-1", "1e3", "abc", "999999999", "9999999999999"]) {
      expect.soft((await visit(store, `/products?page=${page}`)).status, page).toBe(404)
    }
  })

  test("returns 404 in the shop's theme for invalid URLs", async () => {
    const store = await makeReadyStore({ name: "Marlow" })
    const paths = [
      "/nope",
      "/products/",
      "/products/a/b",
      "/products/%2e%2e%2fsecret",
      "/products/a%00b",
      "/products/%ff",
      "/blog/1e3",
    ]
    for (const path of [
      ...paths,
      "/constructor",
      "/__proto__/x",
      "//evil.example/",
      "//",
      "///",
      "//1.2.3.4.5/",
      "//x:99999/",
      `/products/${"x".repeat(5000)}`,
    ]) {
      const { status, text } = await visit(store, path)
      expect.soft([status, text.includes("Marlow")], path).toEqual([404, true])
    }
    // Paths of the platform are not served on a store's host.
    for (const path of ["/console", "/signup", "/docs"]) {
      expect.soft((await visit(store, path)).status, path).toBe(404)
    }
  })

  test("returns 304 for a matching ETag, HEAD without a body, and 405 for other methods", async () => {
    const store = await makeReadyStore()
    const etag = (await visit(store, "/")).headers.get("ETag") ?? ""
    const known = await visit(store, "/", { "If-None-Match": `W/${etag}` })
    expect([known.status, known.text, known.headers.get("ETag")]).toEqual([304, "", etag])
    const head = await call("HEAD", "/", { host: `${store}.localhost` })
    expect([head.status, head.text, head.headers.get("ETag")]).toEqual([200, "", etag])
    const post = await call("POST", "/", { host: `${store}.localhost` })
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
  })

  test("shows the platform's branding unless the plan removes it", async () => {
    const features = { custom_domain: true, api_access: true, remove_branding: true }
    const bought = await makeReadyStore({ plan: (await makePlan({ features })).slug })
    const plain = await makeReadyStore({
      plan: (await makePlan({ features: { ...features, remove_branding: false } })).slug,
    })
    expect((await visit(bought, "/")).text).not.toContain("Powered by")
    expect((await visit(plain, "/")).text).toContain("Powered by")
  })

  test("returns 503 with the shop's unavailable page when the site database fails", async () => {
    const store = await makeReadyStore({ name: "Marlow" })
    await env.SITES_1.exec("alter table pages rename to away")
    const { status, text, headers } = await visit(store, "/")
    expect([status, headers.get("Cache-Control"), text.includes("Marlow")]).toEqual([503, "no-store", true])
    await env.SITES_1.exec("alter table away rename to pages")
  })
})

describe("closed shops", () => {
  test("returns 503, 402 or 404 by the store's state, and no response is cacheable", async () => {
    const store = await makeStore({ name: "Marlow" })
    const cases: [string, number][] = [
      ["pending", 503],
      ["provisioning", 503],
      ["suspended", 402],
      ["cancelled", 402],
      ["failed", 503],
    ]
    for (const [state, expected] of cases) {
      await env.DB.prepare("update stores set status = ? where id = ?").bind(state, store).run()
      const { status, headers, text } = await visit(store, "/products")
      expect
        .soft([state, status, headers.get("Cache-Control"), text.includes("Marlow")])
        .toEqual([state, expected, "no-store", true])
      expect.soft(headers.get("Retry-After") !== null).toBe(expected === 503 && state !== "failed")
    }
    for (const host of ["ghost.localhost", "shop.example", "localhost.evil.example"]) {
      expect.soft((await call("GET", "/", { host })).status, host).toBe(404)
    }
  })
})

describe("the central host", () => {
  test("the central host serves the platform's front page, but no storefront", async () => {
    const { status, text, headers } = await call("GET", "/")
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(text).toContain('href="/docs"')
    expect((await call("GET", "/products")).status).toBe(404)
  })
})
