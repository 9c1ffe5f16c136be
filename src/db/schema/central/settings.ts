// Tables for settings that operators can change at runtime.
import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json } from "../columns"

export const settings = sqliteTable("settings", {
  name: text("name").primaryKey(),
  value: json<unknown>("value").notNull(),
})
