// Compiled reads of what a path segment names: a row's id when it spells one as ids are written, else its slug.
import { eq, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { composed } from "../lib/text"
import type { SiteDatabase } from "./client"
import { type CompiledRead, compiled, given, type Query } from "./prepared"

const ID = /^[1-9]\d{0,15}$/

/** UTF-16 units of a slug in any composition. */
const LONGEST_SLUG = 480

/** The id or slug in a path segment of any form; one that names nothing is a slug that nothing has. */
export function nameIn(segment: string): { by: "id"; name: number } | { by: "slug"; name: string } {
  const id = ID.test(segment) ? Number(segment) : Number.NaN
  if (Number.isSafeInteger(id)) return { by: "id", name: id }
  return { by: "slug", name: segment.length > LONGEST_SLUG ? "" : composed(segment) }
}

/**
 * A read of a row by its name, composed once for ids and once for slugs.
 * @param compose the query, given the condition that the row is the one
 */
export function compiledByName<Row, Given extends object>(
  table: { id: SQLiteColumn; slug: SQLiteColumn },
  compose: (db: SiteDatabase, isIt: SQL) => Query<Row>,
): (values: Given, segment: string) => CompiledRead<Row> {
  const reads = {
    id: compiled<Row, Given & { name: unknown }>((db) => compose(db, eq(table.id, given("name")))),
    slug: compiled<Row, Given & { name: unknown }>((db) => compose(db, eq(table.slug, given("name")))),
  }
  return (values, segment) => {
    const { by, name } = nameIn(segment)
    return reads[by]({ ...values, name })
  }
}
