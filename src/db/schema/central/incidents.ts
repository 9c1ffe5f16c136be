// The table of incidents, which operators write for the public status page.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const incidents = sqliteTable("incidents", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  title: text("title").notNull(),
  /** What happened and what is being done, as plain text. */
  body: text("body").notNull(),
  startedAt: timestamp("started_at").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
  /** Null while it lasts. */
  endedAt: timestamp("ended_at"),
})
