// What the storefront is given to show: plain data, already read, already limited to the store.

/** The store a visitor stands in. */
export type Shop = {
  name: string
  /** One sentence under the name on the front page. */
  tagline?: string
  /** Scheme and host of the store's primary domain, for canonical links: `https://shop.example`. */
  rootUrl: string
  theme: string
  preset: string
  /** Slugs of the apps enabled; the menu offers `ecommerce`'s products and `galleries` only when they are. */
  apps: string[]
  /** BCP 47 tag. Decides the words of the interface, the form of prices and dates, and the direction of text. */
  locale: string
  /** Published pages in the order of the menu. */
  pages?: PageLink[]
  /** False takes the journal out of the menu. */
  hasPosts?: boolean
  /** The platform's line in the footer; null for a plan with the feature `remove_branding`. */
  branding?: { name: string; url: string } | null
}

export type PageLink = { slug: string; name: string }

export type Product = {
  id: number
  slug: string
  name: string
  /** HTML or plain text, as staff wrote it; null when there is none. */
  description: string | null
  image: string | null
  /** In the currency's smallest unit: cents of a euro, whole yen. */
  priceCents: number
  /** ISO 4217 code. */
  currency: string
}

export type PostSummary = {
  id: number
  slug: string
  name: string
  description: string | null
  image: string | null
  publishedAt: Date
}

/** A post with its body, HTML or plain text as staff wrote it. */
export type Post = PostSummary & { content: string; author?: string | null }

export type ContentPage = PageLink & { description: string | null; image: string | null; content: string }

export type Picture = { image: string; caption?: string | null }

export type Gallery = { id: number; slug: string; name: string; description: string | null; image: string | null }

/** Where in a list a page stands; both count from 1. */
export type Pagination = { page: number; lastPage: number }

/** What a visitor of a serving store asked for. */
export type Page =
  | { kind: "home"; products: Product[]; posts: PostSummary[]; galleries?: Gallery[] }
  | { kind: "products"; products: Product[]; pagination: Pagination }
  | { kind: "product"; product: Product; related?: Product[] }
  | { kind: "galleries"; galleries: Gallery[]; pagination: Pagination }
  | { kind: "gallery"; gallery: Gallery; pictures: Picture[] }
  | { kind: "posts"; posts: PostSummary[]; pagination: Pagination }
  | { kind: "post"; post: Post; more?: PostSummary[] }
  | { kind: "page"; page: ContentPage }
  | { kind: "not_found" }

/** Why a visitor gets no shop: the store's `access_state`, or a host that belongs to no store. */
export type Closed =
  | { kind: "preparing" | "suspended" | "unavailable"; name: string; theme: string; preset: string; locale: string }
  | { kind: "unknown_host"; host: string; locale: string }
