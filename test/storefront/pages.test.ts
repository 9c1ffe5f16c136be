import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { productPage } from "../../src/apps/ecommerce/storefront/product"
import { productsPage } from "../../src/apps/ecommerce/storefront/products"
import { galleriesPage } from "../../src/apps/galleries/storefront/galleries"
import { galleryPage } from "../../src/apps/galleries/storefront/gallery"
import { contentPage } from "../../src/storefront/content-pages/page"
import type { Shop } from "../../src/storefront/data"
import { postPage } from "../../src/storefront/journal/post"
import { postsPage } from "../../src/storefront/journal/posts"
import type { Page } from "../../src/storefront/part"
import { renderPage } from "../../src/storefront/render"
import { themes } from "../../src/themes/catalog"
import {
  type Element,
  elementsOf,
  front,
  gallery,
  type Kind,
  many,
  menuOf,
  pages,
  post,
  product,
  shop,
  writtenPage,
} from "./fixtures"

const kinds = Object.keys(pages) as Kind[]
const find = (elements: Element[], tag: string) => elements.filter((element) => element.tag === tag)
const meta = (elements: Element[], name: string) =>
  elements.find(({ attributes }) => attributes.name === name || attributes.property === name)?.attributes.content
const links = (elements: Element[]) => find(elements, "a").map((element) => element.attributes.href)

const rendered = kinds.map((kind) => ({ kind, ...renderPage(shop(), pages[kind]) }))

describe("every page", () => {
  it("has its landmarks, one main heading, and a way past the menu", async () => {
    for (const { kind, html } of rendered) {
      const elements = await elementsOf(html)
      for (const tag of ["html", "head", "title", "body", "header", "main", "footer", "h1"]) {
        expect.soft(find(elements, tag), `${tag} of ${kind}`).toHaveLength(1)
      }
      expect.soft(find(elements, "html")[0]?.attributes).toEqual({ lang: "en", dir: "ltr" })
      expect.soft(find(elements, "nav").every((nav) => nav.attributes["aria-label"])).toBe(true)
      expect.soft(links(elements)[0]).toBe(`#${find(elements, "main")[0]?.attributes.id}`)
      expect.soft(meta(elements, "viewport")).toBe("width=device-width, initial-scale=1")
    }
  })

  it("steps down its headings one level at a time", async () => {
    for (const { kind, html } of rendered) {
      const headings = (await elementsOf(html)).filter(({ tag }) => /^h[1-6]$/.test(tag))
      const levels = headings.map(({ tag }) => Number(tag[1]))
      const skipped = levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)
      expect.soft(skipped, kind).toEqual([])
    }
  })

  it("runs no script, carries no handler and no inline style", async () => {
    const scripts: Element[] = []
    for (const { kind, html } of rendered) {
      const elements = await elementsOf(html)
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

  it("is allowed exactly the stylesheet it carries", () => {
    for (const { html, headers } of rendered) {
      const css = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ""
      const hash = createHash("sha256").update(css).digest("base64")
      expect.soft(headers["Content-Security-Policy"]).toContain(`default-src 'none'; style-src 'sha256-${hash}'`)
      expect.soft(headers["Content-Security-Policy"]).not.toMatch(/unsafe|script-src|\*/)
    }
  })

  it("loads nothing from elsewhere", async () => {
    let count = 0
    for (const { kind, html } of rendered) {
      for (const { tag, attributes } of await elementsOf(html)) {
        const loaded = tag === "link" && attributes.rel !== "canonical" ? attributes.href : attributes.src
        if (!loaded) continue
        count += 1
        expect.soft(loaded, kind).toMatch(/^(\/(?!\/)|data:image\/svg\+xml,)/)
      }
    }
    expect(count).toBeGreaterThan(rendered.length)
  })

  it("gives every picture a text, or none on purpose", async () => {
    const elements = (await Promise.all(rendered.map(({ html }) => elementsOf(html)))).flat()
    const [images, drawings] = [find(elements, "img"), find(elements, "svg")]
    expect([images.length, drawings.length].map(Math.sign)).toEqual([1, 1])
    for (const image of images) expect.soft(image.attributes).toHaveProperty("alt")
    for (const drawing of drawings) expect.soft(drawing.attributes["aria-hidden"]).toBe("true")
  })

  it("weighs less than 15 KB in any look", () => {
    for (const theme of themes) {
      for (const preset of theme.presets) {
        for (const kind of kinds) {
          const { html } = renderPage(shop({ theme: theme.slug, preset: preset.slug }), pages[kind])
          expect.soft(gzipSync(html).length, `${kind} in ${theme.slug} ${preset.slug}`).toBeLessThan(15_000)
        }
      }
    }
  })
})

describe("status and headers", () => {
  it("answers 200, and 404 for a page that is not there", () => {
    expect(kinds.map((kind) => renderPage(shop(), pages[kind]).status)).toEqual(
      kinds.map((kind) => (kind === "not_found" ? 404 : 200)),
    )
  })

  it("is an HTML document that is not to be taken for anything else", () => {
    const { html, headers } = renderPage(shop(), pages.home)
    expect(html.startsWith("<!doctype html><html")).toBe(true)
    expect(headers).toMatchObject({ "Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff" })
  })
})

describe("a look that has gone missing", () => {
  it("gives way to the default theme", () => {
    expect(renderPage(shop({ theme: "gone", preset: "gone" }), pages.home)).toEqual(renderPage(shop(), pages.home))
  })
})

describe("what a page tells machines", () => {
  it.each<[Kind, string, string | null]>([
    ["home", "Marlow &amp; Pine", "https://marlow.example/"],
    ["products", "Shop · Marlow &amp; Pine", "https://marlow.example/products?page=2"],
    ["product", "Thing 1 · Marlow &amp; Pine", "https://marlow.example/products/thing-1"],
    ["galleries", "Galleries · Marlow &amp; Pine", "https://marlow.example/galleries"],
    ["gallery", "Gallery 1 · Marlow &amp; Pine", "https://marlow.example/galleries/gallery-1"],
    ["posts", "Journal · Marlow &amp; Pine", "https://marlow.example/blog"],
    ["post", "News 1 · Marlow &amp; Pine", "https://marlow.example/blog/news-1"],
    ["page", "About us · Marlow &amp; Pine", "https://marlow.example/pages/about"],
    ["not_found", "This page is not here. · Marlow &amp; Pine", null],
  ])("of %s: title %s, canonical address %s", async (kind, title, canonical) => {
    const elements = await elementsOf(renderPage(shop({ rootUrl: "https://marlow.example/" }), pages[kind]).html)
    expect(find(elements, "title")[0]?.text).toBe(title)
    expect(meta(elements, "description")).toBeTruthy()
    const link = find(elements, "link").find(({ attributes }) => attributes.rel === "canonical")
    expect(link?.attributes.href ?? null).toBe(canonical)
    expect(meta(elements, "og:url") ?? null).toBe(canonical)
    expect(meta(elements, "robots")).toBe(canonical ? undefined : "noindex")
  })

  it("describes a product to search engines", () => {
    const page = productPage(product(1, { image: "/media/a b.jpg", description: "<p>By <b>hand</b>.</p>" }), [])
    const data = JSON.parse(
      /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(renderPage(shop(), page).html)?.[1] ?? "",
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

  it("shows the product's picture in previews, as an absolute address", async () => {
    const page = productPage(product(1, { image: "/media/a.jpg" }), [])
    const elements = await elementsOf(renderPage(shop(), page).html)
    expect(meta(elements, "og:image")).toBe("https://marlow.example/media/a.jpg")
    expect(meta(elements, "og:type")).toBe("product")
    expect(meta(elements, "twitter:card")).toBe("summary_large_image")
  })
})

describe("menu", () => {
  const linksOf = async (over: Partial<Shop>) => {
    const html = renderPage(shop(over), pages.home).html
    return links(await elementsOf(html.slice(0, html.indexOf("<main"))))
  }

  it("offers what the enabled apps show, the journal and pages", async () => {
    expect(await linksOf({})).toEqual(["#content", "/", "/products", "/galleries", "/blog", "/pages/about"])
    expect(await linksOf({ menu: await menuOf([]) })).toEqual(["#content", "/", "/blog", "/pages/about"])
    expect(await linksOf({ menu: [], pages: [] })).toEqual(["#content", "/"])
  })

  it("leaves pages after the third to the footer", async () => {
    const all = many(5, (id) => ({ slug: `p${id}`, name: `P ${id}` }))
    expect((await linksOf({ menu: await menuOf([]), pages: all })).slice(3)).toEqual([
      "/pages/p1",
      "/pages/p2",
      "/pages/p3",
    ])
    const { html } = renderPage(shop({ pages: all }), pages.home)
    expect(html.slice(html.indexOf("<footer"))).toContain("/pages/p5")
  })

  it.each<[Kind, string]>([
    ["product", "/products"],
    ["gallery", "/galleries"],
    ["post", "/blog"],
    ["page", "/pages/about"],
  ])("marks where %s belongs", async (kind, href) => {
    const current = (await elementsOf(renderPage(shop(), pages[kind]).html)).filter(
      ({ attributes }) => attributes["aria-current"],
    )
    expect(current.map(({ attributes }) => attributes.href)).toEqual([href])
  })

  it("escapes slugs in addresses", async () => {
    expect(await linksOf({ menu: [], pages: [{ slug: 'a/../b?c#d"e', name: "x" }] })).toContain(
      "/pages/a%2F..%2Fb%3Fc%23d%22e",
    )
  })
})

describe("sections that have nothing", () => {
  it("are left out, and the rest stands", async () => {
    const { html } = renderPage(shop(), front({ products: [product(1)] }))
    expect(find(await elementsOf(html), "section")).toHaveLength(1)
    expect(html).toContain("Visit the shop")
  })

  it("lead to what there is instead", () => {
    expect(renderPage(shop(), front({ posts: [post(1)] })).html).toContain("Read the journal")
    expect(renderPage(shop(), front({ galleries: [gallery(1)] })).html).toContain("Enter the galleries")
  })

  it("make a front page of its own where all are empty", async () => {
    const bare = shop({ tagline: undefined, menu: [], pages: [], branding: null })
    const { html } = renderPage(bare, front({}))
    const elements = await elementsOf(html)
    expect(find(elements, "section")).toHaveLength(0)
    expect(find(elements, "svg")).toHaveLength(1)
    expect(html).toContain("The doors open soon")
    expect(html).not.toContain("Powered by")
  })

  it.each<[string, Page]>([
    ["The shelves are being filled", productsPage([], { page: 1, lastPage: 1 })],
    ["Nothing has been written yet", postsPage([], { page: 1, lastPage: 1 })],
    ["Nothing is hanging yet", galleriesPage([], { page: 1, lastPage: 1 })],
    ["The pictures of this gallery are on their way", galleryPage(gallery(1), [])],
  ])("say so: %s", (sentence, page) => {
    expect(renderPage(shop(), page).html).toContain(sentence)
  })
})

describe("pager", () => {
  const pager = async (page: number, lastPage: number) => {
    const { html } = renderPage(shop(), productsPage([product(1)], { page, lastPage }))
    return find(await elementsOf(html), "a").flatMap(({ attributes: { rel, href } }) => (rel ? [`${rel} ${href}`] : []))
  }

  it.each([
    [1, 1, []],
    [1, 3, ["next /products?page=2"]],
    [2, 3, ["prev /products", "next /products?page=3"]],
    [3, 3, ["prev /products?page=2"]],
    [9, 3, ["prev /products?page=3"]],
  ])("on page %d of %d links %j", async (page, lastPage, expected) => {
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
    ["product", productPage(product(1, { ...item, currency: evil }), [])],
    [
      "gallery",
      galleryPage(gallery(1, item), [
        { image: evil, caption: evil },
        { image: "/a.jpg", caption: evil },
      ]),
    ],
    ["post", postPage(post(1, { ...item, content: evil, author: evil }), [])],
    ["page", contentPage(writtenPage({ ...item, content: evil }))],
    ["not_found", null],
  ]

  it.each(hostile)("stays text on page %s", async (_kind, page) => {
    const elements = await elementsOf(renderPage(shops, page).html)
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
    ["fr-CA", "ltr", "Visiter la boutique", "12,50\u00a0€"],
    ["vi", "ltr", "Vào cửa hàng", "12,50\u00a0€"],
    ["es", "ltr", "Visitar la tienda", "12,50\u00a0€"],
    ["ar", "rtl", "Visit the shop", "12.50"],
  ])("%s writes %s: %s, %s", async (locale, dir, door, price) => {
    const { html } = renderPage(shop({ locale }), front({ products: [product(1)] }))
    expect(find(await elementsOf(html), "html")[0]?.attributes).toEqual({ lang: locale, dir })
    expect(html).toContain(door)
    expect(html).toContain(price)
  })
})
