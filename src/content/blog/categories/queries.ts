// Reads of categories, each with the categories right under it in the same batch.
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { countedAt } from "../../../core/list/site-totals"
import { batch, type SiteDatabase } from "../../../db/client"
import { given } from "../../../db/prepared"
import { compiledByName } from "../../../db/prepared-by-slug"
import { categories } from "../../../db/schema/sites/posts"
import { compiledList } from "../listing"
import type { CategoryFacts, ListCategories } from "./schemas"

type Row = typeof categories.$inferSelect

const site = given("site")

const own = eq(categories.siteId, site)

const readList = compiledList<Row>({
  table: categories,
  columns: getTableColumns(categories),
  source: () => ({
    total: countedAt(site, "categories"),
    ids: sql`select ${categories.id} from ${categories} where ${own}`,
    indexed: true,
  }),
  related: (ids) => [(db) => childrenOf(db, ids)],
})

/** A page of categories. */
export async function pageOfCategories(
  db: SiteDatabase,
  siteId: string,
  input: z.output<typeof ListCategories>,
): Promise<Page<CategoryFacts>> {
  const { rows, total, related } = await readList(db, input, { site: siteId }, {})
  const [children = []] = related as Row[][]
  return { rows: rows.map((row) => withChildren(row, children)), total }
}

const oneCategory = compiledByName<Row, { site: string }>(categories, (db, isIt) =>
  db.select().from(categories).where(and(own, isIt)),
)

const childrenOfOne = compiledByName<Row, { site: string }>(categories, (db, isIt) =>
  childrenOf(db, sql`select ${categories.id} from ${categories} where ${and(own, isIt)}`),
)

/**
 * One category.
 * @param segment its id or slug
 * @throws Refusal `not_found`
 */
export async function readCategory(db: SiteDatabase, siteId: string, segment: string): Promise<CategoryFacts> {
  const values = { site: siteId }
  const [[row], children] = await batch(db, [oneCategory(values, segment), childrenOfOne(values, segment)])
  if (!row) throw new Refusal("not_found")
  return withChildren(row, children)
}

/**
 * The plus keeps SQLite from reading the whole site along the index of names, to be spared the sorting.
 * @param parents the parents' ids, as a subquery
 */
const childrenOf = (db: SiteDatabase, parents: SQL) =>
  db
    .select()
    .from(categories)
    .where(and(own, sql`${categories.parentId} in (${parents})`))
    .orderBy(sql`+${categories.nameKey}`, categories.id)

const withChildren = (category: Row, rows: Row[]): CategoryFacts => ({
  category,
  children: rows.filter((row) => row.parentId === category.id),
})
