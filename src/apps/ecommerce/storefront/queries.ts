// Storefront queries for published products.
import { and, asc, desc, eq, not, type SQL, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../../db/client"
import { param, prepareSiteRead } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { foundById } from "../../../db/site-scope"
import { selectSitemapEntries } from "../../../storefront/crawlers/queries"
import type { Sort } from "../../../storefront/list-query"
import { products } from "../tables"
import type { CartProduct } from "./cart/rules"
import type { Product } from "./data"

interface SiteParams {
  site: string
}

const LATEST_COUNT = 8
const RELATED_COUNT = 4

const isPublished = eq(products.status, "published")

/** Columns of a product card; further texts and images are only selected for the product's own page. */
export const columns = {
  id: products.id,
  slug: products.slug,
  name: products.name,
  description: sql<string | null>`null`.as("description"),
  image: products.image,
  images: sql<string[] | null>`null`.as("images"),
  seoTitle: sql<string | null>`null`.as("seo_title"),
  seoDescription: sql<string | null>`null`.as("seo_description"),
  priceCents: products.priceCents,
  currency: products.currency,
}

/** Builds the `order by` of a list; each has an index. */
export function orderProducts(sort: Sort, backward = false): SQL[] {
  const direction = (sort === "price_asc") === backward ? desc : asc
  return [sort === "newest" ? products.createdAt : products.priceCents, products.id].map((column) => direction(column))
}

interface ListOptions {
  backward?: boolean
  condition?: SQL
  sort?: Sort
}

/** Builds the query for published products, newest first by default. */
export const selectPublishedProducts = (
  db: SiteDatabase,
  { backward = false, condition, sort = "newest" }: ListOptions = {},
) =>
  db
    .select(columns)
    .from(products)
    .where(and(isPublished, condition))
    .orderBy(...orderProducts(sort, backward))
    .$dynamic()

export const selectLatestProducts = prepareSiteRead<Product, SiteParams>((db) =>
  selectPublishedProducts(db).limit(LATEST_COUNT),
)

export const selectProduct = prepareReadByIdOrSlug<Product, SiteParams>(products, (db, matchesIdOrSlug) =>
  db
    .select({
      ...columns,
      description: products.description,
      images: products.images,
      seoTitle: products.seoTitle,
      seoDescription: products.seoDescription,
    })
    .from(products)
    .where(and(isPublished, matchesIdOrSlug)),
)

/** Selects the latest products except the given one. */
export const selectRelatedProducts = prepareReadByIdOrSlug<Product, SiteParams>(products, (db, matchesIdOrSlug) =>
  selectPublishedProducts(db, { condition: not(matchesIdOrSlug) }).limit(RELATED_COUNT),
)

/** The published products for the sitemap. */
export const selectProductsForSitemap = selectSitemapEntries(
  products,
  products.updatedAt,
  isPublished,
  products.createdAt,
  products.id,
)

/** Selects the published products with some ids, a JSON array. */
export const selectCartProducts = prepareSiteRead<CartProduct, SiteParams & { ids: string }>((db) =>
  db
    .select({
      id: products.id,
      slug: products.slug,
      name: products.name,
      image: products.image,
      priceCents: products.priceCents,
      currency: products.currency,
      stock: products.stock,
    })
    .from(foundById(products))
    .where(and(isPublished, sql`${products.id} in (select value from json_each(${param("ids")}))`)),
)
