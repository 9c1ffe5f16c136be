// Rendered storefront pages: structure, metadata, menus, empty states, hostile data and languages.
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { renderProductPage } from "../../src/apps/ecommerce/storefront/product"
import { renderProductsPage } from "../../src/apps/ecommerce/storefront/products"
import { renderGalleriesPage } from "../../src/apps/galleries/storefront/galleries"
import { renderGalleryPage } from "../../src/apps/galleries/storefront/gallery"
import { renderContentPage } from "../../src/storefront/content-pages/page"
import type { Shop } from "../../src/storefront/data"
import { renderPostPage } from "../../src/storefront/journal/post"
import { renderPostsPage } from "../../src/storefront/journal/posts"
import type { Page } from "../../src/storefront/part"
import { renderPage } from "../../src/storefront/render"
import { themes } from "../../src/themes/catalog"
import {
  type Element,
  front,
  gallery,
  type Kind,
  makeMenu,
  many,
  pages,
  parseElements,
  post,
  product,
  sampleContentPage,
  shop,
} from "./fixtures"

const kinds = Object.keys(pages) as Kind[]
const find = (elements: Element[], tag: string) => elements.filter((element) => element.tag === tag)
const meta = (elements: Element[], name: string) =>
  elements.find(({ attributes }) => attributes.name === name || attributes.property === name)?.attributes.content
const links = (elements: Element[]) => find(elements, "a").map((element) => element.attributes.href)

const rendered = kinds.map((kind) => ({ kind, ...renderPage(shop(), pages[kind]) }))

describe("every page", () => {
  it("every page has landmarks, one main heading and a skip link", async () => {
    for (const { kind, body: html } of rendered) {
      const elements = await parseElements(html)
      for (const tag of ["html", "head", "title", "body", "header", "main", "footer", "h1"]) {
        expect.soft(find(elements, tag), `${tag} of ${kind}`).toHaveLength(1)
      }
      expect.soft(find(elements, "html")[0]?.attributes).toEqual({ lang: "en", dir: "ltr" })
      expect.soft(find(elements, "nav").every((nav) => nav.attributes["aria-label"])).toBe(true)
      expect.soft(links(elements)[0]).toBe(`#${find(elements, "main")[0]?.attributes.id}`)
      expect.soft(meta(elements, "viewport")).toBe("width=device-width, initial-scale=1")
    }
  })

  it("every page skips no heading level", async () => {
    for (const { kind, body: html } of rendered) {
      const headings = (await parseElements(html)).filter(({ tag }) => /^h[1-6]$/.test(tag))
      const levels = headings.map(({ tag }) => Number(tag[1]))
      const skipped = levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)
      expect.soft(skipped, kind).toEqual([])
    }
  })

  it("every page contains no scripts except JSON-LD, no event handlers and no inline styles", async () => {
    const scripts: Element[] = []
    for (const { kind, body: html } of rendered) {
      const elements = await parseElements(html)
      scripts.push(...find(elements, "script"))
      const names = elements.flatMap(({ attributes }) => Object.keys(attributes))
      expect
        .soft(
          names.filter((name) => /^on|^style$/.test(name)),
          kind,
        )
        .toEqual([])
    }
    expect(new Set(scripts.map(({ attributes }) => attributes.type))).toEqual(new Set(["application/ld+json"]))
  })

  it("every page allows exactly its own stylesheet in the Content-Security-Policy", () => {
    for (const { body: html, headers } of rendered) {
      const css = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ""
      const hash = createHash("sha256").update(css).digest("base64")
      expect.soft(headers["Content-Security-Policy"]).toContain(`default-src 'none'; style-src 'sha256-${hash}'`)
      expect.soft(headers["Content-Security-Policy"]).not.toMatch(/unsafe|script-src|\*/)
    }
  })

  it("every page loads resources only from its own host", async () => {
    let count = 0
    for (const { kind, body: html } of rendered) {
      for (const { tag, attributes } of await parseElements(html)) {
        const loaded = tag === "link" && attributes.rel !== "canonical" ? attributes.href : attributes.src
        if (!loaded) continue
        count += 1
        expect.soft(loaded, kind).toMatch(/^(\/(?!\/)|data:image\/svg\+xml,)/)
      }
    }
    expect(count).toBeGreaterThan(rendered.length)
  })

  it("every page has an alt attribute on every image and hides drawings from screen readers", async () => {
    const elements = (await Promise.all(rendered.map(({ body: html }) => parseElements(html)))).flat()
    const [images, drawings] = [find(elements, "img"), find(elements, "svg")]
    expect([images.length, drawings.length].map(Math.sign)).toEqual([1, 1])
    for (const image of images) expect.soft(image.attributes).toHaveProperty("alt")
    for (const drawing of drawings) expect.soft(drawing.attributes["aria-hidden"]).toBe("true")
  })

  it("every page is smaller than 15 KB compressed in every theme and preset", () => {
    for (const theme of themes) {
      for (const preset of theme.presets) {
        for (const kind of kinds) {
          const { body: html } = renderPage(shop({ theme: theme.slug, preset: preset.slug }), pages[kind])
          expect.soft(gzipSync(html).length, `${kind} in ${theme.slug} ${preset.slug}`).toBeLessThan(15_000)
        }
      }
    }
  })
})

describe("status and headers", () => {
  it("returns 200, and 404 for a missing page", () => {
    expect(kinds.map((kind) => renderPage(shop(), pages[kind]).status)).toEqual(
      kinds.map((kind) => (kind === "not_found" ? 404 : 200)),
    )
  })

  it("sends an HTML document with nosniff", () => {
    const { body: html, headers } = renderPage(shop(), pages.home)
    expect(html.startsWith("<!doctype html><html")).toBe(true)
    expect(headers).toMatchObject({ "Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff" })
  })
})

describe("missing themes", () => {
  it("falls back to the default theme when a theme is missing", () => {
    expect(renderPage(shop({ theme: "gone", preset: "gone" }), pages.home)).toEqual(renderPage(shop(), pages.home))
  })
})

describe("metadata", () => {
  it.each<[Kind, string, string | null]>([
    ["home", "Marlow &amp; Pine", "https://marlow.example/"],
    ["products", "Shop · Marlow &amp; Pine", "https://marlow.example/products?page=2"],
    ["product", "Thing 1 · Marlow &amp; Pine", "https://marlow.example/products/thing-1"],
    ["galleries", "Galleries · Marlow &amp; Pine", "https://marlow.example/galleries"],
    ["gallery", "Gallery 1 · Marlow &amp; Pine", "https://marlow.example/galleries/gallery-1"],
    ["posts", "Journal · Marlow &amp; Pine", "https://marlow.example/blog"],
    ["post", "News 1 · Marlow &amp; Pine", "https://marlow.example/blog/news-1"],
    ["page", "About us · Marlow &amp; Pine", "https://marlow.example/pages/about"],
    ["not_found", "Page not found · Marlow &amp; Pine", null],
  ])("renders page %s with title %s and canonical URL %s", async (kind, title, canonical) => {
    const elements = await parseElements(renderPage(shop({ rootUrl: "https://marlow.example/" }), pages[kind]).body)
    expect(find(elements, "title")[0]?.text).toBe(title)
    expect(meta(elements, "description")).toBeTruthy()
    const link = find(elements, "link").find(({ attributes }) => attributes.rel === "canonical")
    expect(link?.attributes.href ?? null).toBe(canonical)
    expect(meta(elements, "og:url") ?? null).toBe(canonical)
    expect(meta(elements, "robots")).toBe(canonical ? undefined : "noindex")
  })

  it("embeds schema.org data of a product", () => {
    const page = renderProductPage(
      product(1, { image: "/media/a b.jpg", description: "<p>By <b>hand</b>.</p>" }),
      [],
      20,
    )
    const data = JSON.parse(
      /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(renderPage(shop(), page).body)?.[1] ?? "",
    )
    expect(data).toEqual({
      "@context": "https://schema.org",
      "@type": "Product",
      name: "Thing 1",
      description: "By hand.",
      image: "https://marlow.example/media/a%20b.jpg",
      url: "https://marlow.example/products/thing-1",
      offers: {
        "@type": "Offer",
        price: "12.50",
        priceCurrency: "EUR",
        url: "https://marlow.example/products/thing-1",
        seller: { "@type": "Organization", name: "Marlow & Pine" },
      },
    })
  })

  it("uses the absolute URL of a product's picture in link previews", async () => {
    const page = renderProductPage(product(1, { image: "/media/a.jpg" }), [], 20)
    const elements = await parseElements(renderPage(shop(), page).body)
    expect(meta(elements, "og:image")).toBe("https://marlow.example/media/a.jpg")
    expect(meta(elements, "og:type")).toBe("product")
    expect(meta(elements, "twitter:card")).toBe("summary_large_image")
  })
})

describe("menu", () => {
  const linksOf = async (over: Partial<Shop>) => {
    const html = renderPage(shop(over), pages.home).body
    return links(await parseElements(html.slice(0, html.indexOf("<main"))))
  }

  it("the menu links to the enabled apps, the journal and pages", async () => {
    expect(await linksOf({})).toEqual(["#content", "/", "/products", "/galleries", "/blog", "/pages/about"])
    expect(await linksOf({ menu: await makeMenu([]) })).toEqual(["#content", "/", "/blog", "/pages/about"])
    expect(await linksOf({ menu: [], pages: [] })).toEqual(["#content", "/"])
  })

  it("shows only the first three pages in the header and all of them in the footer", async () => {
    const all = many(5, (id) => ({ slug: `p${id}`, name: `P ${id}` }))
    expect((await linksOf({ menu: await makeMenu([]), pages: all })).slice(3)).toEqual([
      "/pages/p1",
      "/pages/p2",
      "/pages/p3",
    ])
    const { body: html } = renderPage(shop({ pages: all }), pages.home)
    expect(html.slice(html.indexOf("<footer"))).toContain("/pages/p5")
  })

  it.each<[Kind, string]>([
    ["product", "/products"],
    ["gallery", "/galleries"],
    ["post", "/blog"],
    ["page", "/pages/about"],
  ])("marks the current menu entry on page %s", async (kind, href) => {
    const current = (await parseElements(renderPage(shop(), pages[kind]).body)).filter(
      ({ attributes }) => attributes["aria-current"],
    )
    expect(current.map(({ attributes }) => attributes.href)).toEqual([href])
  })

  it("encodes slugs in URLs", async () => {
    expect(await linksOf({ menu: [], pages: [{ slug: 'a/../b?c#d"e', name: "x" }] })).toContain(
      "/pages/a%2F..%2Fb%3Fc%23d%22e",
    )
  })
})

describe("empty states", () => {
  it("omits empty sections from the front page", async () => {
    const { body: html } = renderPage(shop(), front({ products: [product(1)] }))
    expect(find(await parseElements(html), "section")).toHaveLength(1)
    expect(html).toContain("View products")
  })

  it("links to the first section that has content", () => {
    expect(renderPage(shop(), front({ posts: [post(1)] })).body).toContain("Read the journal")
    expect(renderPage(shop(), front({ galleries: [gallery(1)] })).body).toContain("View galleries")
  })

  it("renders a notice on the front page when there are no sections", async () => {
    const bare = shop({ tagline: undefined, menu: [], pages: [], branding: null })
    const { body: html } = renderPage(bare, front({}))
    const elements = await parseElements(html)
    expect(find(elements, "section")).toHaveLength(0)
    expect(find(elements, "svg")).toHaveLength(1)
    expect(html).toContain("Opening soon")
    expect(html).not.toContain("Powered by")
  })

  it.each<[string, Page]>([
    ["No products yet", renderProductsPage([], { page: 1, lastPage: 1 })],
    ["No posts yet", renderPostsPage([], { page: 1, lastPage: 1 })],
    ["No galleries yet", renderGalleriesPage([], { page: 1, lastPage: 1 })],
    ["This gallery has no pictures yet", renderGalleryPage(gallery(1), [])],
  ])("shows the sentence of an empty list: %s", (sentence, page) => {
    expect(renderPage(shop(), page).body).toContain(sentence)
  })
})

describe("pager", () => {
  const pager = async (page: number, lastPage: number) => {
    const { body: html } = renderPage(shop(), renderProductsPage([product(1)], { page, lastPage }))
    return find(await parseElements(html), "a").flatMap(({ attributes: { rel, href } }) =>
      rel ? [`${rel} ${href}`] : [],
    )
  }

  it.each([
    [1, 1, []],
    [1, 3, ["next /products?page=2"]],
    [2, 3, ["prev /products", "next /products?page=3"]],
    [3, 3, ["prev /products?page=2"]],
    [9, 3, ["prev /products?page=3"]],
  ])("the pager on page %d of %d has the links %j", async (page, lastPage, expected) => {
    expect(await pager(page, lastPage)).toEqual(expected)
  })
})

describe("hostile data", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>' & </title></style>`
  const shops = shop({
    name: evil,
    tagline: evil,
    pages: [{ slug: evil, name: evil }],
    branding: { name: evil, url: "https://x.example" },
  })
  const item = { name: evil, slug: evil, description: evil, image: "javascript:alert(1)" }
  const hostile: [Kind, Page | null][] = [
    ["home", front({ products: [product(1, item)], posts: [post(1, item)], galleries: [gallery(1, item)] })],
    ["product", renderProductPage(product(1, { ...item, currency: evil }), [], 20)],
    [
      "gallery",
      renderGalleryPage(gallery(1, item), [
        { image: evil, caption: evil },
        { image: "/a.jpg", caption: evil },
      ]),
    ],
    ["post", renderPostPage(post(1, { ...item, content: evil, author: evil }), [])],
    ["page", renderContentPage(sampleContentPage({ ...item, content: evil }))],
    ["not_found", null],
  ]

  it.each(hostile)("hostile data is escaped on page %s", async (_kind, page) => {
    const elements = await parseElements(renderPage(shops, page).body)
    for (const script of find(elements, "script")) expect(script.attributes).toEqual({ type: "application/ld+json" })
    expect(find(elements, "style")).toHaveLength(1)
    expect(find(elements, "title")).toHaveLength(1)
    for (const { attributes } of elements) {
      expect(Object.keys(attributes).filter((name) => name.startsWith("on"))).toEqual([])
      expect(attributes.src ?? "").not.toMatch(/javascript/)
    }
  })
})

describe("languages", () => {
  it.each([
    ["fr-CA", "ltr", "Voir les produits", "12,50\u00a0€"],
    ["vi", "ltr", "Xem sản phẩm", "12,50\u00a0€"],
    ["es", "ltr", "Ver los productos", "12,50\u00a0€"],
    ["ar", "rtl", "View products", "12.50"],
  ])("renders locale %s with direction %s, button %s and price %s", async (locale, dir, button, price) => {
    const { body: html } = renderPage(shop({ locale }), front({ products: [product(1)] }))
    expect(find(await parseElements(html), "html")[0]?.attributes).toEqual({ lang: locale, dir })
    expect(html).toContain(button)
    expect(html).toContain(price)
  })
})
