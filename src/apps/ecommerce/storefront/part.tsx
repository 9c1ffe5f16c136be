// Storefront part of the e-commerce app: the product pages and their section on the front page.
import { createSitemapLoader } from "../../../storefront/crawlers/sitemap"
import { createListLoader } from "../../../storefront/list"
import type { Section, StorefrontPart } from "../../../storefront/part"
import { PATH, type Product } from "./data"
import { ProductGrid } from "./grid"
import { renderProductPage } from "./product"
import { renderProductsPage } from "./products"
import {
  selectLatestProducts,
  selectProduct,
  selectProductsForSitemap,
  selectPublishedProducts,
  selectRelatedProducts,
} from "./queries"
import { ALL_PRODUCTS, LATEST_PRODUCTS, SHOP, VIEW_PRODUCTS } from "./strings"

export const productsPart: StorefrontPart = {
  path: PATH,
  menu: SHOP,
  section: ({ siteId: site }) => ({
    reads: [selectLatestProducts({ site })],
    load: ([products = []]) => (products.length ? toProductsSection(products as Product[]) : null),
  }),
  list: createListLoader<Product>(
    "products",
    (db, { limit, offset }, direction) =>
      selectPublishedProducts(db, { backward: direction === "backward" })
        .limit(limit)
        .offset(offset),
    renderProductsPage,
  ),
  sitemap: createSitemapLoader(PATH, "products", selectProductsForSitemap),
  single: ({ siteId: site }, slug) => ({
    reads: [selectProduct({ site }, slug), selectRelatedProducts({ site }, slug)],
    load([products, related = []]) {
      const product = products?.[0]
      return product ? renderProductPage(product as Product, related as Product[]) : null
    },
  }),
}

/** Builds the front page section with the latest products. */
export const toProductsSection = (products: Product[]): Section => ({
  path: PATH,
  title: LATEST_PRODUCTS,
  viewAll: ALL_PRODUCTS,
  callToAction: VIEW_PRODUCTS,
  image: products.find((product) => product.image)?.image ?? null,
  body: (view) => <ProductGrid view={view} products={products} lead />,
})
