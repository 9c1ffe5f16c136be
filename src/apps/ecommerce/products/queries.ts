// Queries for products, each limited to one site.
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { ContentSite } from "../../../content/site"
import { prepareSitePages } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { foundById, inSite } from "../../../db/site-scope"
import { isIndexed, toSearchExpression } from "../../../db/text-search"
import { memoize } from "../../../lib/memo"
import { products } from "../tables"
import type { ListedRow, ListProducts, Product } from "./schemas"

const { searchText: _, nameKey: __, ...full } = getTableColumns(products)
const { description: ___, seoTitle: ____, seoDescription: _____, ...listed } = full

/** Columns of a product, without those that are only used for sorting and searching. */
export const productColumns = full

/** Selects a product by id or slug. */
export const selectProduct = ({ id }: ContentSite, segment: string) => selectProductRow({ site: id }, segment)

const selectProductRow = prepareReadByIdOrSlug<Product, { site: string }>(products, (db, matchesIdOrSlug) =>
  db.select(full).from(products).where(matchesIdOrSlug),
)

/** Selects the products that have one of the given slugs. */
export const selectTakenSlugs = ({ db }: ContentSite, slugs: string[]) =>
  db.select({ id: products.id, slug: products.slug }).from(products).where(hasSlugOf(slugs))

/** Selects the products that have one of the given slugs, in full. */
export const selectProductsBySlug = ({ db }: ContentSite, slugs: string[]) =>
  db.select(full).from(products).where(hasSlugOf(slugs))

const hasSlugOf = (slugs: string[]) =>
  inArray(products.slug, sql`(select value from json_each(${JSON.stringify(slugs)}))`)

const SORT_COLUMNS = {
  created_at: [products.createdAt],
  name: [products.nameKey],
  price: [products.priceCents],
  id: [],
}

/** Selects a page of products; `pageFrom` reads the results. */
export function selectPage({ id }: Pick<ContentSite, "id">, input: z.output<typeof ListProducts>) {
  const { status, search: term = "", sort_by, order } = input
  const search = term ? (isIndexed(term) ? "indexed" : "short") : "none"
  return selectPages(JSON.stringify({ search, sort_by, order } satisfies QueryShape))(input, {
    site: id,
    status,
    term,
    phrase: toSearchExpression(id, term),
  })
}

/** Inputs that determine the shape of the query; the rest are bound as values. */
interface QueryShape extends Pick<z.output<typeof ListProducts>, "sort_by" | "order"> {
  search: "none" | "short" | "indexed"
}

interface QueryValues {
  site: string
  status: string
  term: string
  phrase: string
}

const selectPages = memoize((text: string) => {
  const { search, sort_by, order } = JSON.parse(text) as QueryShape
  const where = WHERE[search]
  const isCounted = search === "none"
  const total = isCounted
    ? selectSiteCounter(param("site"), "products", param("status"))
    : sql`(select count(*) from ${products} where ${search === "indexed" ? sql`+${products.siteId}` : products.siteId} = ${param("site")} and ${where})`
  return prepareSitePages<ListedRow, QueryValues>(total, (db, { limit, offset }, direction) => {
    const direct = (order === "asc") === (direction === "forward") ? asc : desc
    const orderBy = [...SORT_COLUMNS[sort_by], products.id].map((column) => direct(column))
    return db
      .select(listed)
      .from(search === "indexed" ? foundById(products) : products)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit)
      .offset(offset)
  })
})

const matchesStatus = sql`${products.status} = ${param("status")}`

/**
 * Filters by the case-folded search term. With the unary plus, no index of the site is used, so only
 * matching rows are read.
 */
const WHERE: Record<QueryShape["search"], SQL> = {
  none: matchesStatus,
  short: sql`${matchesStatus} and instr(${products.nameKey}, ${param("term")}) > 0`,
  indexed: sql`+${products.status} = ${param("status")}
    and ${products.id} in (select rowid from products_search where products_search match ${param("phrase")})`,
}

/** Sample products that are read; a new shop has four. */
const MAX_SAMPLES = 20

/** The products of a site that count against its plan's limit, as an expression: all but its samples. */
export const countOwnProducts = (siteId: string): SQL<number> =>
  sql<number>`${selectSiteCounter(siteId, "products")} - (select count(*) from (
    select 1 from ${products} where site_id = ${siteId} and is_sample = 1 limit ${MAX_SAMPLES}))`

/** Selects the sample products of a site. */
export const selectSamples = ({ db, id }: ContentSite) =>
  db
    .select(full)
    .from(products)
    .where(and(eq(products.siteId, id), sql`is_sample = 1`))
    .limit(MAX_SAMPLES)

/** Selects one of the site's sample products, if it has any. */
export const selectAnySample = ({ db, id }: ContentSite) =>
  db
    .select({ id: products.id })
    .from(products)
    .where(and(eq(products.siteId, id), sql`is_sample = 1`))
    .limit(1)

type NewProduct = Omit<typeof products.$inferInsert, "id" | "siteId">

/**
 * Inserts a product. Returns no row when its slug is taken or the plan's limit is reached.
 * @param limit products that the site may have; 0 for no limit
 */
export const insertProduct = ({ id }: Pick<ContentSite, "id">, values: NewProduct, limit: number) =>
  inSite(id)
    .insertSelect(products, values, sql`where ${limit} = 0 or ${countOwnProducts(id)} < ${limit}`)
    .onConflictDoNothing()
    .returning(full)
