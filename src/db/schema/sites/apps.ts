// Which apps are switched on at a site.
import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

export const enabledApps = sqliteTable(
  "enabled_apps",
  {
    siteId: text("site_id").notNull(),
    slug: text("slug").notNull(),
    enabledAt: moment("enabled_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.slug] })],
)
