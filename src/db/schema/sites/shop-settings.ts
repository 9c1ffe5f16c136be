// The table of a store's shop settings. A store without a row has the defaults.
import { integer, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"
import { siteTable } from "../site-table"

/** An entry of the menu that an owner chose. */
export interface ShopMenuItem {
  /** Null for the name of the page at the URL, in the visitor's language. */
  name: string | null
  /** A path, or the URL of another site. */
  url: string
}

/** How a shop differs from its theme. */
export interface ShopAppearance {
  /** URL or path of a picture; shown instead of the shop's name in the header. */
  logo: string | null
  /** URL or path of a picture; null for the shop's initial. */
  favicon: string | null
  /** As `#rrggbb`; null for that of the theme. */
  accent: string | null
  /** Empty for the lists of the shop's apps and its first pages. */
  menu: ShopMenuItem[]
}

/** What an owner sets about the shop, except the settings that the central database stores. */
export interface StoredShopSettings {
  /** Receives the shop's mails about orders; null for the owner's address. */
  contact_email: string | null
  /** The currency that the shop sells in; null for that of its plan. */
  currency: string | null
  timezone: string
  /** The shop's postal address, in lines. */
  address: string | null
  tax_number: string | null
  /** In percent. */
  tax_rate: number
  prices_include_tax: boolean
  shipping: {
    flat_cents: number
    /** Orders of this amount or more ship free; null for none. */
    free_above_cents: number | null
    /** Whether customers may collect their orders. */
    pickup: boolean
  }
  /** The instructions of each payment method; a method without instructions is not offered. */
  payment: { transfer: string | null; on_delivery: string | null }
  /** Whether visitors may order without an account. */
  guest_orders: boolean
  /** The largest quantity of a product in one order. */
  max_item_quantity: number
  /** Slugs of legal pages, such as the terms, which clients link at their checkout. */
  legal_pages: string[]
  /** The stored name; it is the shop's appearance everywhere else. */
  look: ShopAppearance
}

export const shopSettings = siteTable("shop_settings", {
  siteId: text("site_id").primaryKey(),
  /** The settings that were changed. */
  settings: json<Partial<StoredShopSettings>>("settings").notNull(),
  /** Incremented on every change. */
  revision: integer("revision").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
  /** The address, in lower case, whose holder has confirmed that it gets the shop's mails; null for none. */
  confirmedEmail: text("confirmed_email"),
})
