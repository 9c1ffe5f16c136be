// What a user of one site holds: tokens that open the API, and tokens mailed to prove an address.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

/** Whose login it is where an operator is at a site as one of its staff. */
export interface SupportToken {
  /** The support access that it belongs to. */
  access: number
  operatorId: number
  operatorName: string
}

/** A login. It ends at `expiresAt`, and earlier by logging out, by another password or by another address. */
export const userTokens = sqliteTable(
  "user_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the token's secret half in hex. */
    hash: text("hash").notNull(),
    createdAt: moment("created_at").notNull(),
    /** When it stops working; null for a user's login from before logins expired. */
    expiresAt: moment("expires_at"),
    support: json<SupportToken>("support"),
  },
  (t) => [
    index("user_tokens_user").on(t.siteId, t.userId),
    index("user_tokens_support").on(t.siteId).where(sql`support is not null`),
  ],
)

/** Networks from which a user has logged in; failed logins from other networks do not count against them. */
export const userNetworks = sqliteTable(
  "user_networks",
  {
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the client network, in hex. */
    network: text("network").notNull(),
    lastSeenAt: moment("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.userId, t.network] })],
)

/** A token that was mailed to set a new password. A user may hold a few, until one of them is used. */
export const resetTokens = sqliteTable(
  "reset_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the token in hex. */
    hash: text("hash").notNull().unique(),
    expiresAt: moment("expires_at").notNull(),
  },
  (t) => [index("reset_tokens_user").on(t.siteId, t.userId, t.id)],
)

/** A token that was mailed to confirm an address; the newest replaces the one before it. */
export const mailedTokens = sqliteTable(
  "mailed_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    purpose: text("purpose").$type<"verify">().notNull(),
    /** SHA-256 of the token in hex. */
    hash: text("hash").notNull().unique(),
    expiresAt: moment("expires_at").notNull(),
  },
  (t) => [uniqueIndex("mailed_tokens_user").on(t.siteId, t.userId, t.purpose)],
)
