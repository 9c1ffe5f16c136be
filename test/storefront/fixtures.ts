// A shop with a little of everything, and a parser to read its pages with.

import type { Product } from "../../src/apps/ecommerce/storefront/data"
import { productsSection } from "../../src/apps/ecommerce/storefront/part"
import { productPage } from "../../src/apps/ecommerce/storefront/product"
import { productsPage } from "../../src/apps/ecommerce/storefront/products"
import type { Gallery, Picture } from "../../src/apps/galleries/storefront/data"
import { galleriesPage } from "../../src/apps/galleries/storefront/galleries"
import { galleryPage } from "../../src/apps/galleries/storefront/gallery"
import { galleriesSection } from "../../src/apps/galleries/storefront/part"
import { contentPage } from "../../src/storefront/content-pages/page"
import type { ContentPage, MenuEntry, Shop } from "../../src/storefront/data"
import type { Post, PostSummary } from "../../src/storefront/journal/data"
import { postsSection } from "../../src/storefront/journal/part"
import { postPage } from "../../src/storefront/journal/post"
import { postsPage } from "../../src/storefront/journal/posts"
import { home } from "../../src/storefront/pages/home"
import type { Page } from "../../src/storefront/part"
import { partsOf } from "../../src/storefront/parts"

/** The menu of a store with some apps. */
export const menuOf = async (apps: string[], { journal = true } = {}): Promise<MenuEntry[]> => {
  const parts = await partsOf(apps, "atelier")
  return parts.slice(0, journal ? undefined : -1).map(({ path, menu: name }) => ({ path, name }))
}

const menu = await menuOf(["ecommerce", "galleries"])

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

export const writtenPage = (over: Partial<ContentPage> = {}): ContentPage => ({
  slug: "about",
  name: "About us",
  description: null,
  image: null,
  content: "<p>Who we are.</p>",
  ...over,
})

export const many = <T>(count: number, make: (id: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1))

/** A front page with what there is of each. */
export const front = ({
  products = [],
  posts = [],
  galleries = [],
}: {
  products?: Product[]
  posts?: PostSummary[]
  galleries?: Gallery[]
}): Page =>
  home([
    ...(products.length ? [productsSection(products)] : []),
    ...(galleries.length ? [galleriesSection(galleries)] : []),
    ...(posts.length ? [postsSection(posts)] : []),
  ])

const pictures: Picture[] = [{ image: "/media/1.jpg", caption: "The gallery" }]

/** One page of each kind; null is the one that is not found. */
export const pages = {
  home: front({ products: many(8, product), posts: many<PostSummary>(3, post), galleries: many(3, gallery) }),
  products: productsPage(many(12, product), { page: 2, lastPage: 3 }),
  product: productPage(product(1), [product(2)]),
  galleries: galleriesPage(many(2, gallery), { page: 1, lastPage: 1 }),
  gallery: galleryPage(gallery(1), pictures),
  posts: postsPage(many<PostSummary>(4, post), { page: 1, lastPage: 2 }),
  post: postPage(post(1), [post(2)]),
  page: contentPage(writtenPage()),
  not_found: null,
} satisfies Record<string, Page | null>

export type Kind = keyof typeof pages

export type Element = { tag: string; attributes: Record<string, string>; text: string }

/**
 * Every element of a document in order, as a real HTML parser sees it.
 * @param html a whole document or a part of one
 */
export async function elementsOf(html: string): Promise<Element[]> {
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
