// Tables for users' preferences. A user without a row has the defaults.
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { flag } from "../columns"
import { siteTable } from "../site-table"

export const userSettings = siteTable(
  "user_settings",
  {
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    biometricEnabled: flag("biometric_enabled").notNull(),
    notificationEnabled: flag("notification_enabled").notNull(),
    language: text("language").notNull(),
    currency: text("currency").notNull(),
    theme: text("theme", { enum: ["light", "dark", "auto"] }).notNull(),
    timezone: text("timezone").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.userId] })],
)
