// Writes constants into a statement's text. SQLite plans a statement by its text, so a constant that decides which
// index serves it must not be a parameter.
import { type SQL, sql } from "drizzle-orm"

/**
 * Returns a constant as an SQL literal. Never for values that a user supplies.
 * @throws Error for a number that is not an integer
 */
export function literal(value: string | number): SQL {
  if (typeof value === "string") return sql.raw(`'${value.replaceAll("'", "''")}'`)
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`)
  return sql.raw(String(value))
}

/** Returns a sort direction. */
export const sortDirection = (direction: "asc" | "desc"): SQL => sql.raw(direction)
