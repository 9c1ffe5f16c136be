// Shared parts of the changes of posts, pages, categories and tags.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import type { SiteTable } from "../../db/schema/site-table"

/** Returns the columns that name the author of a version. */
export const savedBy = ({ actor }: Pick<Ctx, "actor">) => ({
  savedById: actor.type === "customer" ? actor.id : null,
  savedByName: actor.name,
})

/** Returns the values that differ from a row's; undefined ones are unchanged. */
export function changesOf<Row extends object>(row: Row, values: Partial<Row>): Partial<Row> {
  const isChanged = ([name, value]: [string, unknown]) =>
    value !== undefined && toComparable(value) !== toComparable(row[name as keyof Row])
  return Object.fromEntries(Object.entries(values).filter(isChanged)) as Partial<Row>
}

const toComparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value)

/**
 * Returns the time of an update. It is later than the row's last one, even within a millisecond, so `isUnchanged` finds
 * every change in between.
 */
export const timeOfUpdate = (now: Date, { updatedAt }: { updatedAt: Date }): Date =>
  new Date(Math.max(now.getTime(), updatedAt.getTime() + 1))

/** The condition that a row is still as it was read. */
export const isUnchanged = (
  table: { id: SQLiteColumn; updatedAt: SQLiteColumn },
  row: { id: number; updatedAt: Date },
): SQL | undefined => and(eq(table.id, row.id), eq(table.updatedAt, row.updatedAt))

/** The id of the row with a slug, as a subquery. */
export const idOfSlug = (
  table: SiteTable & { id: SQLiteColumn; slug: SQLiteColumn },
  siteId: string,
  slug: string,
): SQL<number> =>
  sql<number>`(select ${table.id} from ${table} where ${and(eq(table.siteId, siteId), eq(table.slug, slug))})`

/** Binds a list of any length as one parameter. */
export const jsonList = (values: readonly (string | number)[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(values)}))`
