// How many rows a list has, kept by triggers, so that no page has to count them.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const counters = sqliteTable(
  "counters",
  {
    /** The list, e.g. `stores`, `audit:<store seq>`, `deliveries:<endpoint>`. */
    list: text("list").notNull(),
    /** The filter within it, e.g. a status; empty for all. */
    filter: text("filter").notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.list, t.filter] })],
)
