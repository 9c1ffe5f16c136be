// Tables for users' tokens: logins, and mailed tokens that prove an email address.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"
import { siteTable } from "../site-table"

/** The operator behind a support login. */
export interface SupportToken {
  /** The support access that the login belongs to. */
  access: number
  operatorId: number
  operatorName: string
}

/** A login. It ends at `expiresAt`, or earlier at logout or when the password or email address changes. */
export const userTokens = siteTable(
  "user_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the token's secret half in hex. */
    hash: text("hash").notNull(),
    createdAt: timestamp("created_at").notNull(),
    /** When it expires; null for a login from before logins expired. */
    expiresAt: timestamp("expires_at"),
    support: json<SupportToken>("support"),
    /** Whether it is a session of the store's admin; null for other logins. */
    isAdminSession: flag("is_admin_session"),
  },
  (t) => [
    index("user_tokens_user").on(t.siteId, t.userId),
    index("user_tokens_support").on(t.siteId).where(sql`support is not null`),
  ],
)

/** Networks from which a user has logged in; failed logins from other networks do not count against them. */
export const userNetworks = siteTable(
  "user_networks",
  {
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the client network, in hex. */
    network: text("network").notNull(),
    lastSeenAt: timestamp("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.userId, t.network] })],
)

/** A mailed password reset token. A user may have several until one is used. */
export const resetTokens = siteTable(
  "reset_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the token in hex. */
    hash: text("hash").notNull().unique(),
    expiresAt: timestamp("expires_at").notNull(),
  },
  (t) => [index("reset_tokens_user").on(t.siteId, t.userId, t.id)],
)

/**
 * A mailed token that verifies a user's email address, or the contact address of the shop, which has the user id 0. A
 * new one replaces the previous one.
 */
export const mailedTokens = siteTable(
  "mailed_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    purpose: text("purpose").$type<"verify" | "contact_email">().notNull(),
    /** SHA-256 of the token in hex. */
    hash: text("hash").notNull().unique(),
    expiresAt: timestamp("expires_at").notNull(),
  },
  (t) => [uniqueIndex("mailed_tokens_user").on(t.siteId, t.userId, t.purpose)],
)
