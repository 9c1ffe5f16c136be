// The shop on the storefront: products, their list, and the newest of them on the front page.
import { listOf } from "../../../storefront/list"
import type { Section, StorefrontPart } from "../../../storefront/part"
import { PATH, type Product } from "./data"
import { ProductGrid } from "./grid"
import { productPage } from "./product"
import { productsPage } from "./products"
import { featured, oneProduct, otherProducts, selectProducts } from "./queries"
import { ALL_PRODUCTS, FEATURED, SHOP, VISIT } from "./strings"

export const shop: StorefrontPart = {
  path: PATH,
  menu: SHOP,
  section: ({ siteId: site }) => ({
    reads: [featured({ site })],
    found: ([products = []]) => (products.length ? productsSection(products as Product[]) : null),
  }),
  list: listOf<Product>(
    "products",
    (db, { limit, offset }, direction) =>
      selectProducts(db, { backward: direction === "backward" })
        .limit(limit)
        .offset(offset),
    productsPage,
  ),
  single: ({ siteId: site }, slug) => ({
    reads: [oneProduct({ site }, slug), otherProducts({ site }, slug)],
    found([products, related = []]) {
      const product = products?.[0]
      return product ? productPage(product as Product, related as Product[]) : null
    },
  }),
}

/** The newest products on the front page. */
export const productsSection = (products: Product[]): Section => ({
  path: PATH,
  title: FEATURED,
  all: ALL_PRODUCTS,
  invitation: VISIT,
  image: products.find((product) => product.image)?.image ?? null,
  body: (view) => <ProductGrid view={view} products={products} lead />,
})
