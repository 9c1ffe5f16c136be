// Queries categories with their direct children, in one batch each.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page, PageRequest } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import type { SiteDatabase } from "../../../db/client"
import { type PreparedRead, param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { categories } from "../../../db/schema/sites/posts"
import { foundById } from "../../../db/site-scope"
import { prepareList, type Sorting, toSorting } from "../listing"
import type { CategoryWithChildren, FilterCategories, ListCategories } from "./schemas"

type Row = typeof categories.$inferSelect

const site = param("site")

const belongsToSite = eq(categories.siteId, site)

const isIn = (column: SQL | typeof categories.id | typeof categories.parentId, name: string): SQL =>
  sql`${column} in (select value from json_each(${param(name)}))`

/** The condition of each filter. */
const CONDITIONS = {
  include: isIn(categories.id, "include"),
  exclude: sql`not ${isIn(categories.id, "exclude")}`,
  parent: isIn(categories.parentId, "parent"),
  search: sql`instr(${categories.nameKey}, ${param("search")}) > 0`,
} satisfies Record<string, SQL>

type Condition = keyof typeof CONDITIONS

const readList = prepareList<Row, { conditions: Condition[] }>({
  table: categories,
  rows: (db, isOnPage, order) =>
    db
      .select()
      .from(foundById(categories))
      .where(isOnPage)
      .orderBy(...order),
  source({ conditions }) {
    const where = and(belongsToSite, ...conditions.map((name) => CONDITIONS[name]))
    return {
      total: conditions.length
        ? sql`(select count(*) from ${categories} where ${where})`
        : selectSiteCounter(site, "categories"),
      ids: sql`select ${categories.id} from ${categories} where ${where}`,
      isIndexed: conditions.length === 0,
    }
  },
  related: (ids) => [(db) => childrenQuery(db, ids)],
})

/** Reads a page of categories. */
export const queryCategories = (
  db: SiteDatabase,
  siteId: string,
  input: z.output<typeof ListCategories>,
): Promise<Page<CategoryWithChildren>> => readPage(db, siteId, input, {})

/** Reads a page of the categories that match all filters. */
export function queryFilteredCategories(
  db: SiteDatabase,
  siteId: string,
  input: z.output<typeof FilterCategories>,
): Promise<Page<CategoryWithChildren>> {
  const { page, per_page, include, exclude, parent, search } = input
  const list = (ids: readonly number[] | undefined) => ids && JSON.stringify(ids)
  const filters = { include: list(include), exclude: list(exclude), parent: list(parent), search: search || undefined }
  return readPage(db, siteId, { page, per_page, ...toSorting(input) }, filters)
}

async function readPage(
  db: SiteDatabase,
  siteId: string,
  request: PageRequest & Sorting,
  filters: Partial<Record<Condition, string | undefined>>,
): Promise<Page<CategoryWithChildren>> {
  const conditions = (Object.keys(filters) as Condition[]).filter((name) => filters[name] !== undefined)
  const { rows, total, related } = await readList(db, request, { ...filters, site: siteId }, { conditions })
  const [children = []] = related as Row[][]
  return { rows: rows.map((row) => withChildren(row, children)), total }
}

const selectCategory = prepareReadByIdOrSlug<Row, { site: string }>(categories, (db, isMatch) =>
  db.select().from(categories).where(isMatch),
)

const selectChildren = prepareReadByIdOrSlug<Row, { site: string }>(categories, (db, isMatch) =>
  childrenQuery(db, sql`select ${categories.id} from ${categories} where ${and(belongsToSite, isMatch)}`),
)

/** Builds the reads of one category, by its id or slug, for `assembleCategory`. */
export const categoryReads = (site: string, segment: string): [PreparedRead<Row>, PreparedRead<Row>] => [
  selectCategory({ site }, segment),
  selectChildren({ site }, segment),
]

/**
 * Assembles a category from the results of `categoryReads`.
 * @throws Refusal `not_found`
 */
export function assembleCategory([[row], children]: readonly [Row[], Row[]]): CategoryWithChildren {
  if (!row) throw new Refusal("not_found")
  return withChildren(row, children)
}

/**
 * Selects the children of categories. The unary plus keeps SQLite from scanning the site's index of names to avoid a
 * sort.
 * @param parents the parents' ids, as a subquery
 */
const childrenQuery = (db: SiteDatabase, parents: SQL) =>
  db
    .select()
    .from(categories)
    .where(sql`${categories.parentId} in (${parents})`)
    .orderBy(sql`+${categories.nameKey}`, categories.id)

const withChildren = (category: Row, rows: Row[]): CategoryWithChildren => ({
  category,
  children: rows.filter((row) => row.parentId === category.id),
})
