// Storefront fixtures: a shop with sample data, its pages, and an HTML parser.
import type { Product } from "../../src/apps/ecommerce/storefront/data"
import { toProductsSection } from "../../src/apps/ecommerce/storefront/part"
import { renderProductPage } from "../../src/apps/ecommerce/storefront/product"
import { renderProductsPage } from "../../src/apps/ecommerce/storefront/products"
import type { Gallery, Picture } from "../../src/apps/galleries/storefront/data"
import { renderGalleriesPage } from "../../src/apps/galleries/storefront/galleries"
import { renderGalleryPage } from "../../src/apps/galleries/storefront/gallery"
import { toGalleriesSection } from "../../src/apps/galleries/storefront/part"
import { renderContentPage } from "../../src/storefront/content-pages/page"
import type { ContentPage, MenuEntry, Shop } from "../../src/storefront/data"
import type { Post, PostSummary } from "../../src/storefront/journal/data"
import { toPostsSection } from "../../src/storefront/journal/part"
import { renderPostPage } from "../../src/storefront/journal/post"
import { renderPostsPage } from "../../src/storefront/journal/posts"
import { loadParts } from "../../src/storefront/load-parts"
import { renderHome } from "../../src/storefront/pages/home"
import type { Page } from "../../src/storefront/part"

/** Builds the menu of a store with some apps. */
export const makeMenu = async (apps: string[], { journal = true } = {}): Promise<MenuEntry[]> => {
  const parts = await loadParts(apps, "atelier")
  return parts.slice(0, journal ? undefined : -1).map(({ path, menu: name }) => ({ path, name }))
}

const menu = await makeMenu(["ecommerce", "galleries"])

export const shop = (over: Partial<Shop> = {}): Shop => ({
  name: "Marlow & Pine",
  tagline: "Stoneware, linen and small furniture.",
  rootUrl: "https://marlow.example",
  theme: "atelier",
  preset: "linen",
  menu,
  locale: "en",
  pages: [{ slug: "about", name: "About us" }],
  branding: { name: "Tenancy", url: "https://tenancy.example" },
  ...over,
})

export const product = (id: number, over: Partial<Product> = {}): Product => ({
  id,
  slug: `thing-${id}`,
  name: `Thing ${id}`,
  description: "<p>Made by hand.</p>",
  image: null,
  images: null,
  seoTitle: null,
  seoDescription: null,
  priceCents: 1250 * id,
  currency: "EUR",
  ...over,
})

export const post = (id: number, over: Partial<Post> = {}): Post => ({
  id,
  slug: `news-${id}`,
  name: `News ${id}`,
  description: "A short description.",
  image: null,
  publishedAt: new Date(Date.UTC(2026, 8, id)),
  content: "<p>Long text.</p>",
  author: "Ines",
  ...over,
})

export const gallery = (id: number, over: Partial<Gallery> = {}): Gallery => ({
  id,
  slug: `gallery-${id}`,
  name: `Gallery ${id}`,
  description: null,
  image: `/media/${id}.jpg`,
  ...over,
})

export const sampleContentPage = (over: Partial<ContentPage> = {}): ContentPage => ({
  slug: "about",
  name: "About us",
  description: null,
  image: null,
  content: "<p>Who we are.</p>",
  ...over,
})

export const many = <T>(count: number, make: (id: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1))

/** Renders a front page with a section for each non-empty list. */
export const front = ({
  products = [],
  posts = [],
  galleries = [],
}: {
  products?: Product[]
  posts?: PostSummary[]
  galleries?: Gallery[]
}): Page =>
  renderHome([
    ...(products.length ? [toProductsSection(products)] : []),
    ...(galleries.length ? [toGalleriesSection(galleries)] : []),
    ...(posts.length ? [toPostsSection(posts)] : []),
  ])

const pictures: Picture[] = [{ image: "/media/1.jpg", caption: "The gallery" }]

/** One page of each kind; null renders the 404 page. */
export const pages = {
  home: front({ products: many(8, product), posts: many<PostSummary>(3, post), galleries: many(3, gallery) }),
  products: renderProductsPage(many(12, product), { page: 2, lastPage: 3 }),
  product: renderProductPage(product(1), [product(2)], 20),
  galleries: renderGalleriesPage(many(2, gallery), { page: 1, lastPage: 1 }),
  gallery: renderGalleryPage(gallery(1), pictures),
  posts: renderPostsPage(many<PostSummary>(4, post), { page: 1, lastPage: 2 }),
  post: renderPostPage(post(1), [post(2)]),
  page: renderContentPage(sampleContentPage()),
  not_found: null,
} satisfies Record<string, Page | null>

export type Kind = keyof typeof pages

export type Element = { tag: string; attributes: Record<string, string>; text: string }

/**
 * Parses HTML with a real parser and returns its elements in document order.
 * @param html a document or a fragment
 */
export async function parseElements(html: string): Promise<Element[]> {
  const elements: Element[] = []
  const open: Element[] = []
  const rewriter = new HTMLRewriter().on("*", {
    element(element) {
      const found: Element = { tag: element.tagName, attributes: Object.fromEntries(element.attributes), text: "" }
      elements.push(found)
      if (["meta", "link", "img", "br", "hr", "path", "input"].includes(found.tag)) return
      open.push(found)
      element.onEndTag(() => void open.pop())
    },
    text(chunk) {
      for (const element of open) element.text += chunk.text
    },
  })
  await rewriter.transform(new Response(html)).text()
  return elements
}
