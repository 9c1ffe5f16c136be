// The table of guestbook entries.
import { index, integer, text } from "drizzle-orm/sqlite-core"
import { siteTable } from "../../../src/db/schema/site-table"

export const guestbookEntries = siteTable(
  "guestbook_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    name: text("name").notNull(),
    status: text("status").$type<"published" | "draft">().notNull(),
  },
  (t) => [index("guestbook_entries_status").on(t.siteId, t.status)],
)
