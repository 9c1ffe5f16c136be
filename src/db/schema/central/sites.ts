// Tables for the API settings and named server tokens of every site: the central one and each store's.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"

/** Formats of notifications: that of this API, and that of mobile apps of the PHP platform with the same API. */
export const NOTIFICATION_FORMATS = ["standard", "legacy"] as const

export type NotificationFormat = (typeof NOTIFICATION_FORMATS)[number]

/** A site without a row has the defaults: API enabled, no API key required, email addresses not verified. */
export const siteSettings = sqliteTable("site_settings", {
  /** A store id, or `central`. */
  siteId: text("site_id").primaryKey(),
  apiEnabled: flag("api_enabled").notNull(),
  /** Whether every request must carry the API key. */
  keyRequired: flag("key_required").notNull(),
  apiKeyPrefix: text("api_key_prefix"),
  /** SHA-256 of the site's API key in hex; the key itself is shown once and never stored. */
  apiKeyHash: text("api_key_hash"),
  /** Whether users must confirm their email address before they can log in. */
  emailVerification: flag("email_verification").notNull(),
  /** Whether the API key, which every copy of a mobile app contains, may change the media library; null means yes. */
  keyWritesMedia: flag("key_writes_media"),
  /** The origins whose pages may call the API in a browser (CORS); null for all. */
  corsOrigins: json<string[]>("cors_origins"),
  /** The format of notifications in responses and push messages; null for the standard one. */
  notificationFormat: text("notification_format").$type<NotificationFormat>(),
  /** The language of mails to the site's owner; null for English. */
  language: text("language").$type<"en" | "es" | "fr" | "vi">(),
  updatedAt: timestamp("updated_at").notNull(),
})

export type ServerTokenType = "standard" | "internal"

/** What a server token may do with content: read what is not published, and change it. */
export const TOKEN_SCOPES = ["read", "write"] as const

export type TokenScope = (typeof TOKEN_SCOPES)[number]

export const serverTokens = sqliteTable(
  "server_tokens",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    name: text("name").notNull(),
    type: text("type").$type<ServerTokenType>().notNull(),
    prefix: text("prefix").notNull(),
    /** SHA-256 of the whole token in hex. */
    hash: text("hash").notNull().unique(),
    createdByName: text("created_by_name").notNull(),
    /** Null for tokens that are older than scopes: they may only read. */
    scopes: json<TokenScope[]>("scopes"),
    lastUsedAt: timestamp("last_used_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("server_tokens_site").on(t.siteId, t.id)],
)
