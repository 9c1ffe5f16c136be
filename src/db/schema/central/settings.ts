// What an operator can change while the platform runs.
import { sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json } from "../columns"

export const settings = sqliteTable("settings", {
  name: text("name").primaryKey(),
  value: json<unknown>("value").notNull(),
})
