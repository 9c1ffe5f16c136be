// Products as the storefront shows them.

/** The first segment of a shop's paths. */
export const PATH = "products"

export interface Product {
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
