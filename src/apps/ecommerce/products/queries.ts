// Statements about products, each limited to its site.
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { named } from "../../../content/blog/fields"
import type { ContentSite } from "../../../content/site"
import { compiledPages } from "../../../core/list/page"
import { countedAt } from "../../../core/list/site-totals"
import { given } from "../../../db/prepared"
import { compiledByName } from "../../../db/prepared-by-slug"
import { products } from "../../../db/schema/sites/products"
import { insertSelect } from "../../../db/write"
import { memo } from "../../../lib/memo"
import type { ListProducts, Product } from "./schemas"

const { searchText: _, nameKey: __, ...full } = getTableColumns(products)
const { description: ___, ...listed } = full

/** What a product is made of, without what only sorting and searching need. */
export const productColumns = full

/** The product that a path names, at this site. */
export const isProduct = (site: ContentSite, segment: string) =>
  and(eq(products.siteId, site.id), named(products, segment))

/** The statement that reads it. */
export const selectProduct = ({ id }: ContentSite, segment: string) => productOf({ site: id }, segment)

const productOf = compiledByName<Product, { site: string }>(products, (db, isIt) =>
  db
    .select(full)
    .from(products)
    .where(and(eq(products.siteId, given("site")), isIt)),
)

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
export function selectPage({ id }: ContentSite, input: z.output<typeof ListProducts>) {
  const { status, search: term = "", sort_by, order } = input
  // The index holds runs of three characters; a shorter term is looked for in every product of the site.
  const search = term ? ([...term].length < 3 ? "short" : "long") : "none"
  const phrase = `{site} : "<${id}>" AND {text} : "${term.replaceAll('"', '""')}"`
  return pagesOf(JSON.stringify({ search, sort_by, order } satisfies Shape))(input, { site: id, status, term, phrase })
}

/** What decides how a page of products is read; the rest are values. */
interface Shape extends Pick<z.output<typeof ListProducts>, "sort_by" | "order"> {
  search: "none" | "short" | "long"
}

interface Values {
  site: string
  status: string
  term: string
  phrase: string
}

const pagesOf = memo((text: string) => {
  const { search, sort_by, order } = JSON.parse(text) as Shape
  const where = WHERE[search]
  const isCounted = search === "none"
  const total = isCounted
    ? countedAt(given("site"), "products", given("status"))
    : sql`(select count(*) from ${products} where ${where})`
  return compiledPages<Omit<Product, "description">, Values>(total, (db, { limit, offset }, direction) => {
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
})

const ofSite = sql`${products.siteId} = ${given("site")} and ${products.status} = ${given("status")}`

/** Products by a folded term. The plus signs keep the site's indexes out of it, so that only matches are read. */
const WHERE: Record<Shape["search"], SQL> = {
  none: ofSite,
  short: sql`${ofSite} and instr(${products.searchText}, ${given("term")}) > 0`,
  long: sql`+${products.siteId} = ${given("site")} and +${products.status} = ${given("status")}
    and ${products.id} in (select rowid from products_search where products_search match ${given("phrase")})`,
}

type NewProduct = Omit<typeof products.$inferInsert, "id">

/**
 * Adds a product, unless its slug is taken or the plan's limit is used up: then it answers no row.
 * @param limit how many the site may have; 0 is no limit
 */
export const insertProduct = ({ id }: Pick<ContentSite, "id">, values: NewProduct, limit: number) =>
  insertSelect(products, { ...values, siteId: id }, sql`where ${limit} = 0 or ${countedAt(id, "products")} < ${limit}`)
    .onConflictDoNothing()
    .returning(full)
