// Tables for the second factors of a store's staff.
import { index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"
import { siteTable } from "../site-table"

/** A member with a row needs a code from an authenticator app to sign in with a password. */
export const userTotps = siteTable(
  "user_totps",
  {
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** Encrypted. */
    secret: text("secret").notNull(),
    /** The time step of the last accepted code, so that no code is accepted twice. */
    step: integer("step").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.userId] })],
)

/** Recovery codes; each works once. */
export const userRecoveryCodes = siteTable(
  "user_recovery_codes",
  {
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** SHA-256 of the code in hex. */
    hash: text("hash").notNull(),
    usedAt: timestamp("used_at"),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.userId, t.hash] })],
)

export const userPasskeys = siteTable(
  "user_passkeys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    /** The host that it works on. */
    host: text("host").notNull(),
    /** The credential's id, base64url. */
    credentialId: text("credential_id").notNull(),
    /** SPKI, base64url. */
    publicKey: text("public_key").notNull(),
    algorithm: text("algorithm").$type<"ES256" | "RS256" | "EdDSA">().notNull(),
    /** The authenticator's signature counter; a decrease reveals a cloned authenticator. */
    counter: integer("counter").notNull(),
    name: text("name").notNull(),
    lastUsedAt: timestamp("last_used_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("user_passkeys_credential").on(t.siteId, t.credentialId),
    index("user_passkeys_user").on(t.siteId, t.userId),
  ],
)
