// Tables for device tokens for push notifications.
import { index, integer, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"
import { siteTable } from "../site-table"

export const PLATFORMS = ["android", "ios"] as const

export const deviceTokens = siteTable(
  "device_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** The logged-in user; null for an anonymous device. */
    userId: integer("user_id"),
    token: text("token").notNull(),
    platform: text("platform", { enum: PLATFORMS }),
    /** The device's id; a new token of the same device replaces the old one. */
    deviceId: text("device_id"),
    appVersion: text("app_version"),
    isActive: flag("is_active").notNull(),
    lastUsedAt: timestamp("last_used_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("device_tokens_token").on(t.siteId, t.token),
    uniqueIndex("device_tokens_device").on(t.siteId, t.deviceId),
    index("device_tokens_site").on(t.siteId, t.id),
    index("device_tokens_user").on(t.siteId, t.userId, t.isActive),
    index("device_tokens_platform").on(t.siteId, t.platform, t.isActive, t.userId),
  ],
)
