// The order of lists by creation. Row ids increase with each insert, and an index that ends in the id serves both
// directions.
import { asc, desc, type SQL } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { queryChoice } from "../http/validation"

/** The values of `sort`; the first is the default. */
const CREATED_SORTS = ["-created_at", "created_at"] as const

export type CreatedSort = (typeof CREATED_SORTS)[number]

/** Parses `sort` of a query. */
export const queryCreatedSort = queryChoice(CREATED_SORTS)

/** Orders by the row id, newest first by default. */
export const orderByCreation = (id: SQLiteColumn, sort: CreatedSort | undefined): SQL =>
  sort === "created_at" ? asc(id) : desc(id)
