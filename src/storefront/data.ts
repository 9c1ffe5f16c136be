// What the storefront is given to show: plain data, already read, already limited to the store.
import type { Sentence } from "../core/i18n/locale"

/** The store a visitor is at. */
export type Shop = {
  name: string
  /** One sentence under the name on the front page. */
  tagline?: string
  /** Scheme and host of the store's primary domain, for canonical links: `https://shop.example`. */
  rootUrl: string
  theme: string
  preset: string
  /** BCP 47 tag. Decides the words of the interface, the form of prices and dates, and the direction of text. */
  locale: string
  /** Entries of the menu, in their order; the published pages stand behind them. */
  menu: readonly MenuEntry[]
  /** Published pages in the order of the menu. */
  pages: readonly PageLink[]
  /** The platform's line in the footer; null for a plan with the feature `remove_branding`. */
  branding?: { name: string; url: string } | null
}

/** An entry that leads to the list of a part of the storefront. */
export type MenuEntry = { path: string; name: Sentence }

export type PageLink = { slug: string; name: string }

export type ContentPage = PageLink & { description: string | null; image: string | null; content: string }

/** Where in a list a page stands; both count from 1. */
export type Pagination = { page: number; lastPage: number }

/** Why a visitor gets no shop: the store's `access_state`, or a host that belongs to no store. */
export type Closed =
  | { kind: "preparing" | "suspended" | "unavailable"; name: string; theme: string; preset: string; locale: string }
  | { kind: "unknown_host"; host: string; locale: string }
