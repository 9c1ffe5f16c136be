// A shop with a little of everything, and a parser to read its pages with.
import type { ContentPage, Gallery, Page, Post, PostSummary, Product, Shop } from "../../src/storefront/data"

export const shop = (over: Partial<Shop> = {}): Shop => ({
  name: "Marlow & Pine",
  tagline: "Stoneware, linen and small furniture.",
  rootUrl: "https://marlow.example",
  theme: "atelier",
  preset: "linen",
  apps: ["ecommerce", "galleries"],
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
  slug: `hall-${id}`,
  name: `Hall ${id}`,
  description: null,
  image: `/media/${id}.jpg`,
  ...over,
})

export const contentPage = (over: Partial<ContentPage> = {}): ContentPage => ({
  slug: "about",
  name: "About us",
  description: null,
  image: null,
  content: "<p>Who we are.</p>",
  ...over,
})

export const many = <T>(count: number, make: (id: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1))

/** One page of each kind. */
export const pages: Record<Page["kind"], Page> = {
  home: { kind: "home", products: many(8, product), posts: many<PostSummary>(3, post), galleries: many(3, gallery) },
  products: { kind: "products", products: many(12, product), pagination: { page: 2, lastPage: 3 } },
  product: { kind: "product", product: product(1), related: [product(2)] },
  galleries: { kind: "galleries", galleries: many(2, gallery), pagination: { page: 1, lastPage: 1 } },
  gallery: { kind: "gallery", gallery: gallery(1), pictures: [{ image: "/media/1.jpg", caption: "The hall" }] },
  posts: { kind: "posts", posts: many<PostSummary>(4, post), pagination: { page: 1, lastPage: 2 } },
  post: { kind: "post", post: post(1), more: [post(2)] },
  page: { kind: "page", page: contentPage() },
  not_found: { kind: "not_found" },
}

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
