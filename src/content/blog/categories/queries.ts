// Reads of categories, each with the categories right under it in the same batch.
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Page } from "../../../core/page"
import { Refusal } from "../../../core/refusal"
import { countedAt } from "../../../core/site-totals"
import { batch, type SiteDatabase } from "../../../db/client"
import { categories } from "../../../db/schema/sites/posts"
import { named } from "../fields"
import { orderBy, pageIds, pageOf, selectTotal } from "../listing"
import type { CategoryFacts, ListCategories } from "./schemas"

type Row = CategoryFacts["category"]

/** A page of categories. */
export async function pageOfCategories(
  db: SiteDatabase,
  siteId: string,
  input: z.output<typeof ListCategories>,
): Promise<Page<CategoryFacts>> {
  const total = countedAt(siteId, "categories")
  const ids = sql`select ${categories.id} from ${categories} where ${eq(categories.siteId, siteId)}`
  const page = pageIds(categories, { total, ids, indexed: true }, input)
  const [totals, rows, children] = await batch(db, [
    selectTotal(db, total),
    db
      .select(getTableColumns(categories))
      .from(categories)
      .where(sql`${categories.id} in (${page})`)
      .orderBy(...orderBy(categories, input)),
    childrenOf(db, siteId, page),
  ])
  const found = pageOf<Row>(totals, rows)
  return { total: found.total, rows: found.rows.map((row) => withChildren(row, children as Row[])) }
}

/**
 * One category.
 * @param segment its id or slug
 * @throws Refusal `not_found`
 */
export async function readCategory(db: SiteDatabase, siteId: string, segment: string): Promise<CategoryFacts> {
  const where = and(eq(categories.siteId, siteId), named(categories, segment))
  const [[row], children] = await batch(db, [
    db.select(getTableColumns(categories)).from(categories).where(where),
    childrenOf(db, siteId, sql`select ${categories.id} from ${categories} where ${where}`),
  ])
  if (!row) throw new Refusal("not_found")
  return withChildren(row, children)
}

/**
 * The plus keeps SQLite from reading the whole site along the index of names, to be spared the sorting.
 * @param parents the parents' ids, as a subquery
 */
const childrenOf = (db: SiteDatabase, siteId: string, parents: SQL) =>
  db
    .select(getTableColumns(categories))
    .from(categories)
    .where(and(eq(categories.siteId, siteId), sql`${categories.parentId} in (${parents})`))
    .orderBy(sql`+${categories.nameKey}`, categories.id)

const withChildren = (category: Row, rows: Row[]): CategoryFacts => ({
  category,
  children: rows.filter((row) => row.parentId === category.id),
})
