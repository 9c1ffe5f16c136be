// The table of guestbook entries.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const guestbookEntries = sqliteTable(
  "guestbook_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    name: text("name").notNull(),
    status: text("status").$type<"published" | "draft">().notNull(),
  },
  (t) => [index("guestbook_entries_status").on(t.siteId, t.status)],
)
