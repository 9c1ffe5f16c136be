// Plain data that the storefront renders, already read from the database and limited to one store.

import type { Translations } from "../core/i18n/locale"
import type { ShopAppearance } from "../db/schema/sites/shop-settings"

/** The visited store. */
export type Shop = {
  name: string
  /** Sentence below the name on the front page. */
  tagline?: string
  /** Scheme and host of the store's primary domain, for canonical links: `https://shop.example`. */
  rootUrl: string
  theme: string
  preset: string
  /** BCP 47 tag. Determines the interface language, the format of prices and dates, and the text direction. */
  locale: string
  /** Menu entries in order. The header shows published pages after them. */
  menu: readonly MenuEntry[]
  /** The menu that the owner chose instead; absent or empty for none. */
  ownMenu?: readonly MenuLink[]
  /** URL or path of the picture in the header, instead of the name. */
  logo?: string | null
  /** URL or path of the icon. */
  favicon?: string | null
  /** Accent color of the owner, as `#rrggbb`; null for that of the preset. */
  accent?: string | null
  /** Published pages in menu order. */
  pages: readonly PageLink[]
  /** Published pages that the shop's settings name as legal ones, such as terms. */
  legalPages?: readonly PageLink[]
  /** The link to the visitor's cart: with a script that counts its items, or without. Absent in a store without. */
  cart?: "counted" | "linked"
  /** Links to pages of the enabled apps in the footer, before those to the pages. */
  footerLinks?: readonly { href: string; name: Translations }[]
  /** The "Powered by" line in the footer; null for a plan with the feature `remove_branding`. */
  branding?: { name: string; url: string } | null
}

/** Menu entry that links to the list page of a storefront part. */
export type MenuEntry = { path: string; name: Translations }

/** Entry of a menu that the owner chose; a null name is that of the front page. */
export type MenuLink = { href: string; name: string | Translations | null }

export type PageLink = { slug: string; name: string }

export type ContentPage = PageLink & { description: string | null; image: string | null; content: string }

/** Position of a page in its list; both numbers start at 1. */
export type Pagination = { page: number; lastPage: number }

/** Reason that a shop is not served: the store's `access_state`, or a host that belongs to no store. */
export type ClosedShop =
  | {
      kind: "preparing" | "suspended" | "closed" | "unavailable"
      name: string
      theme: string
      preset: string
      locale: string
      /** The shop's appearance, if it is known. */
      shopAppearance?: Pick<ShopAppearance, "logo" | "favicon" | "accent"> | null
    }
  | { kind: "unknown_host"; host: string; locale: string }
