// Queries that every request makes, built once an isolate: writing their SQL costs more CPU than running them.
import type { CentralDatabase } from "./client"

/**
 * A query with placeholders (`sql.placeholder("id")`), prepared the first time it is asked for.
 * @param build makes and prepares it
 * @returns a function that answers the prepared query of a database
 */
export function prepared<Query>(build: (db: CentralDatabase) => Query): (db: CentralDatabase) => Query {
  const known = new WeakMap<CentralDatabase, Query>()
  return (db) => {
    const found = known.get(db)
    if (found) return found
    const query = build(db)
    known.set(db, query)
    return query
  }
}
