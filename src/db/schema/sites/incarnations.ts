// Tables for the incarnation that a site's rows belong to. A store's name can be reused, and a request for the earlier
// store must not write.
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { siteTable } from "../site-table"

export const siteIncarnations = siteTable(
  "site_incarnations",
  {
    siteId: text("site_id").notNull(),
    /** `stores.seq` of the store; null once it is deleted. Stores older than this table have no row. */
    storeSeq: integer("store_seq"),
  },
  (t) => [primaryKey({ columns: [t.siteId] })],
)
