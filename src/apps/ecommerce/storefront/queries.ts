// What a shop shows of its products, read from the site database.
import { and, asc, desc, eq, not, type SQL, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../../db/client"
import { compiled, given } from "../../../db/prepared"
import { compiledByName } from "../../../db/prepared-by-slug"
import { products } from "../../../db/schema/sites/products"
import type { Product } from "./data"

interface Site {
  site: string
}

const FEATURED = 8
const RELATED = 4

const published = and(eq(products.siteId, given("site")), eq(products.status, "published"))

/** What a card shows; only a product's own page has its description. */
const columns = {
  id: products.id,
  slug: products.slug,
  name: products.name,
  description: sql<string | null>`null`.as("description"),
  image: products.image,
  priceCents: products.priceCents,
  currency: products.currency,
}

/** Published products, the newest first. */
export function selectProducts(db: SiteDatabase, { backward = false, also }: { backward?: boolean; also?: SQL } = {}) {
  const order = backward ? asc : desc
  return db
    .select(columns)
    .from(products)
    .where(and(published, also))
    .orderBy(order(products.createdAt), order(products.id))
    .$dynamic()
}

export const featured = compiled<Product, Site>((db) => selectProducts(db).limit(FEATURED))

export const oneProduct = compiledByName<Product, Site>(products, (db, isIt) =>
  db
    .select({ ...columns, description: products.description })
    .from(products)
    .where(and(published, isIt)),
)

/** The newest products but one. */
export const otherProducts = compiledByName<Product, Site>(products, (db, isIt) =>
  selectProducts(db, { also: not(isIt) }).limit(RELATED),
)
