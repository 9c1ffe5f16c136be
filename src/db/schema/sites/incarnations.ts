// Which store a site's rows belong to. A name may be used again, and a request that was made for the earlier store must not write.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const siteIncarnations = sqliteTable(
  "site_incarnations",
  {
    siteId: text("site_id").notNull(),
    /** `stores.seq` of the store; null once it was deleted. A store from before this table has no row. */
    storeSeq: integer("store_seq"),
  },
  (t) => [primaryKey({ columns: [t.siteId] })],
)
