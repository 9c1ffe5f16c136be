// Prepares reads of a row by the path segment that identifies it: an id in canonical decimal form, else a slug.
import { eq, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { toNfc } from "../lib/text"
import type { SiteDatabase } from "./client"
import { type PreparedRead, param, prepareSiteRead, type Query } from "./prepared"

const ID = /^[1-9]\d{0,15}$/

/** Maximum length of a slug in UTF-16 units, in any normalization form. */
const MAX_SLUG_UNITS = 480

/** Parses a path segment. One that is too long becomes the empty slug, which matches no row. */
export function parseIdOrSlug(segment: string): { by: "id"; name: number } | { by: "slug"; name: string } {
  const id = ID.test(segment) ? Number(segment) : Number.NaN
  if (Number.isSafeInteger(id)) return { by: "id", name: id }
  return { by: "slug", name: segment.length > MAX_SLUG_UNITS ? "" : toNfc(segment) }
}

/**
 * Prepares a read by id or slug, once for each.
 * @param compose builds the query with the condition that matches the row
 */
export function prepareReadByIdOrSlug<Row, Given extends { site: string }>(
  table: { id: SQLiteColumn; slug: SQLiteColumn },
  compose: (db: SiteDatabase, isIt: SQL) => Query<Row>,
): (values: Given, segment: string) => PreparedRead<Row> {
  const reads = {
    id: prepareSiteRead<Row, Given & { name: unknown }>((db) => compose(db, eq(table.id, param("name")))),
    slug: prepareSiteRead<Row, Given & { name: unknown }>((db) => compose(db, eq(table.slug, param("name")))),
  }
  return (values, segment) => {
    const { by, name } = parseIdOrSlug(segment)
    return reads[by]({ ...values, name })
  }
}
