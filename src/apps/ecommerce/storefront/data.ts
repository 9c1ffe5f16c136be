// Data of products that the storefront renders.

/** First path segment of the product pages. */
export const PATH = "products"

export interface Product {
  id: number
  slug: string
  name: string
  /** HTML or plain text, not sanitised. */
  description: string | null
  image: string | null
  /** All images of a product on its own page; null for one from before it could have several. */
  images: string[] | null
  seoTitle: string | null
  seoDescription: string | null
  /** In the currency's smallest unit: cents of a euro, whole yen. */
  priceCents: number
  /** ISO 4217 code. */
  currency: string
}
