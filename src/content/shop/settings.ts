// Reads a store's shop settings with their defaults. Name, language and CORS origins belong to the store and its API,
// so the central database has them, and a request's gate has already read them.
import { prepareSiteRead } from "../../db/prepared"
import { type StoredShopSettings, shopSettings } from "../../db/schema/sites/shop-settings"
import type { ContentSite } from "../site"

type Row = Pick<typeof shopSettings.$inferSelect, "settings" | "revision">

/** The settings of a shop, with the defaults for those that were never set. */
export interface Shop extends Omit<StoredShopSettings, "currency"> {
  currency: string
  /** The currency of the price of shipping; null without a price, or while the owner has not chosen a currency. */
  shippingCurrency: string | null
  /** 0 while nothing was ever set. */
  revision: number
}

const DEFAULTS: StoredShopSettings = {
  contact_email: null,
  currency: null,
  timezone: "UTC",
  address: null,
  tax_number: null,
  tax_rate: 0,
  prices_include_tax: true,
  shipping: { flat_cents: 0, free_above_cents: null, pickup: false },
  payment: { transfer: null, on_delivery: null },
  guest_orders: true,
  max_item_quantity: 100,
  legal_pages: [],
  look: { logo: null, favicon: null, accent: null, menu: [] },
}

/** Selects the settings row of a site. */
export const selectShopSettings = prepareSiteRead<Row, { site: string }>((db) =>
  db.select({ settings: shopSettings.settings, revision: shopSettings.revision }).from(shopSettings),
)

/**
 * Adds the defaults to a settings row.
 * @param row undefined for a store that never changed its settings
 */
export function toShop({ subscription }: Pick<ContentSite, "subscription">, row: Row | undefined): Shop {
  const stored = { ...DEFAULTS, ...row?.settings }
  const currency = stored.currency ?? subscription?.plan?.currency ?? "USD"
  const shippingCurrency = stored.shipping.flat_cents > 0 ? stored.currency : null
  return { ...stored, currency, shippingCurrency, revision: row?.revision ?? 0 }
}
