// How many rows a site's lists have, kept by triggers, so that no page has to count them.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const siteCounters = sqliteTable(
  "counters",
  {
    siteId: text("site_id").notNull(),
    /** The list, e.g. `posts`. */
    list: text("list").notNull(),
    /** The filter within it, e.g. a status; empty for all. */
    filter: text("filter").notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.list, t.filter] })],
)
