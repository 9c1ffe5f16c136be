// Storefront part of the e-commerce app: the product pages and their section on the front page.
import { selectShopSettings, toShop } from "../../../content/shop/settings"
import { createSitemapLoader } from "../../../storefront/crawlers/sitemap"
import { createListLoader } from "../../../storefront/list"
import { isFiltered, type Sort, WHOLE_LIST } from "../../../storefront/list-query"
import type { Section, StorefrontPart } from "../../../storefront/part"
import { selectItemsByKey, selectOrderByKey } from "../orders/queries"
import type { Order, OrderItem } from "../orders/schemas"
import { PATH, type Product } from "./data"
import { loadFilteredProducts } from "./filtered-list"
import { ProductGrid } from "./grid"
import { renderOrderPage } from "./order"
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

const createProductList = (sort: Sort) =>
  createListLoader<Product>(
    "products",
    (db, { limit, offset }, direction) =>
      selectPublishedProducts(db, { backward: direction === "backward", sort })
        .limit(limit)
        .offset(offset),
    (products, pagination) => renderProductsPage(products, pagination, { ...WHOLE_LIST, sort }),
  )

/** The loaders of the list of all products, by its order. */
const WHOLE_LISTS: Record<Sort, ReturnType<typeof createProductList>> = {
  newest: createProductList("newest"),
  price_asc: createProductList("price_asc"),
  price_desc: createProductList("price_desc"),
}

/** Reads the shop's settings from the results of a page loader. The currency of its plan is not known here. */
const readShop = (rows: readonly unknown[] | undefined) =>
  toShop({ subscription: null }, rows?.[0] as Parameters<typeof toShop>[1])

export const productsPart: StorefrontPart = {
  path: PATH,
  menu: SHOP,
  hasCart: true,
  section: ({ siteId: site }) => ({
    reads: [selectLatestProducts({ site })],
    load: ([products = []]) => (products.length ? toProductsSection(products as Product[]) : null),
  }),
  list: (scope, page, query) =>
    isFiltered(query) ? loadFilteredProducts(scope, page, query) : WHOLE_LISTS[query.sort](scope, page),
  sitemap: createSitemapLoader(PATH, "products", selectProductsForSitemap),
  order: ({ siteId: site }, number, keyHash) => {
    const params = { site, number: /^\d{1,15}$/.test(number) ? Number(number) : 0, keyHash }
    return {
      reads: [selectOrderByKey(params), selectItemsByKey(params), selectShopSettings(params)],
      load: ([orders, items, settings]) =>
        orders?.[0] ? renderOrderPage(orders[0] as Order, items as OrderItem[], readShop(settings)) : null,
    }
  },
  single: ({ siteId: site }, slug) => ({
    reads: [selectProduct({ site }, slug), selectRelatedProducts({ site }, slug), selectShopSettings({ site })],
    load([products, related = [], settings]) {
      const product = products?.[0]
      if (!product) return null
      const shop = readShop(settings)
      return renderProductPage(product as Product, related as Product[], shop.max_item_quantity)
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
