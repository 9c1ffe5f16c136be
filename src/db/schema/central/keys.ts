// The table of the API keys of the control plane.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export type Scope = "read" | "write"

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    keyPrefix: text("key_prefix").notNull(),
    /** SHA-256 of the whole key in hex; the key itself is shown once and never stored. */
    hash: text("hash").notNull().unique(),
    scopes: json<Scope[]>("scopes").notNull(),
    createdByName: text("created_by_name").notNull(),
    lastUsedAt: timestamp("last_used_at"),
    /** The client's IP address at that time. */
    lastUsedFrom: text("last_used_from"),
    expiresAt: timestamp("expires_at"),
    revokedAt: timestamp("revoked_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    index("api_keys_prefix").on(t.keyPrefix),
    index("api_keys_expiring").on(t.expiresAt).where(sql`revoked_at is null`),
  ],
)

export type ApiKey = typeof apiKeys.$inferSelect
