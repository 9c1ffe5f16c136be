// Statements about products, each limited to its site.
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { named } from "../../../content/blog/fields"
import type { ContentSite } from "../../../content/site"
import { pageStatements } from "../../../core/page"
import { countedAt } from "../../../core/site-totals"
import { products } from "../../../db/schema/sites/products"
import { insertSelect } from "../../../db/write"
import type { ListProducts } from "./schemas"

const { searchText: _, nameKey: __, ...full } = getTableColumns(products)
const { description: ___, ...listed } = full

/** What a product is made of, without what only sorting and searching need. */
export const productColumns = full

/** The product that a path names, at this site. */
export const isProduct = (site: ContentSite, segment: string) =>
  and(eq(products.siteId, site.id), named(products, segment))

/** The statement that reads it. */
export const selectProduct = (site: ContentSite, segment: string) =>
  site.db.select(full).from(products).where(isProduct(site, segment))

/** The statement that finds which of some slugs are taken. */
export const selectSlugs = ({ db, id }: ContentSite, slugs: string[]) =>
  db
    .select({ id: products.id, slug: products.slug })
    .from(products)
    .where(
      and(
        eq(products.siteId, id),
        inArray(products.slug, sql`(select value from json_each(${JSON.stringify(slugs)}))`),
      ),
    )

const SORTED = { created_at: [products.createdAt], name: [products.nameKey], price: [products.priceCents], id: [] }

/** The statements that read a page of products; `pageFrom` reads their answers. */
export function selectPage({ db, id }: ContentSite, input: z.output<typeof ListProducts>) {
  const { status, search, sort_by, order } = input
  const where = search ? matches(id, status, search) : and(eq(products.siteId, id), eq(products.status, status))
  const total = search ? sql`(select count(*) from ${products} where ${where})` : countedAt(id, "products", status)
  return pageStatements(db, input, total, ({ limit, offset }, direction) => {
    const towards = (order === "asc") === (direction === "forward") ? asc : desc
    const sorted = [...SORTED[sort_by], products.id].map((column) => towards(column))
    return db
      .select(listed)
      .from(products)
      .where(where)
      .orderBy(...sorted)
      .limit(limit)
      .offset(offset)
  })
}

/** Products by a folded term. The plus signs keep the site's indexes out of it, so that only matches are read. */
function matches(siteId: string, status: string, term: string): SQL {
  const own = sql`+${products.siteId} = ${siteId} and +${products.status} = ${status}`
  // The index holds runs of three characters; a shorter term is looked for in every product of the site.
  if ([...term].length < 3) {
    return sql`${products.siteId} = ${siteId} and ${products.status} = ${status} and instr(${products.searchText}, ${term}) > 0`
  }
  const phrase = `{site} : "<${siteId}>" AND {text} : "${term.replaceAll('"', '""')}"`
  return sql`${own} and ${products.id} in (select rowid from products_search where products_search match ${phrase})`
}

type Values = Omit<typeof products.$inferInsert, "id">

/**
 * Adds a product, unless its slug is taken or the plan's limit is used up: then it answers no row.
 * @param limit how many the site may have; 0 is no limit
 */
export const insertProduct = ({ id }: Pick<ContentSite, "id">, values: Values, limit: number) =>
  insertSelect(products, { ...values, siteId: id }, sql`where ${limit} = 0 or ${countedAt(id, "products")} < ${limit}`)
    .onConflictDoNothing()
    .returning(full)
