// Tables for the console's operators, their credentials and their sessions.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"

/** `admin` may do everything; each other role reads every page and sends the forms of its own area, a viewer none. */
export const ROLES = ["admin", "support", "finance", "viewer"] as const

export type Role = (typeof ROLES)[number]
export type ColourTheme = "system" | "light" | "dark"

export const operators = sqliteTable("operators", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull().unique(),
  name: text("name").notNull(),
  passwordHash: text("password_hash").notNull(),
  role: text("role").$type<Role>().notNull().default("admin"),
  /** When the operator was disabled; null for an active operator. */
  disabledAt: timestamp("disabled_at"),
  /** The encrypted TOTP secret; required at sign-in once `totpEnabledAt` is set. */
  totpSecret: text("totp_secret"),
  totpEnabledAt: timestamp("totp_enabled_at"),
  /** The time step of the last accepted code, so that no code is accepted twice. */
  totpStep: integer("totp_step"),
  /** An IANA time zone; null for UTC. */
  timeZone: text("time_zone"),
  theme: text("theme").$type<ColourTheme>().notNull().default("system"),
  /**
   * Whether a single key starts a search, which speech input and screen readers can trigger by accident (WCAG 2.1.4).
   */
  usesSingleKeys: flag("uses_single_keys").notNull().default(true),
  createdAt: timestamp("created_at").notNull(),
})

/** Pending invitations. The mailed link is signed, so no token is stored. */
export const operatorInvitations = sqliteTable("operator_invitations", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull().unique(),
  role: text("role").$type<Role>().notNull(),
  /** When the mailed link expires. It is part of the signature, so only the last mailed link works. */
  expiresAt: timestamp("expires_at").notNull(),
  createdAt: timestamp("created_at").notNull(),
})

export const operatorSessions = sqliteTable(
  "operator_sessions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** SHA-256 of the cookie in hex. */
    hash: text("hash").notNull().unique(),
    operatorId: integer("operator_id").notNull(),
    /** Whether the second factor is still pending. */
    awaitsCode: flag("awaits_code").notNull(),
    /** When the operator last proved a password or passkey. */
    confirmedAt: timestamp("confirmed_at").notNull(),
    lastSeenAt: timestamp("last_seen_at").notNull(),
    address: text("address"),
    agent: text("agent"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("operator_sessions_operator").on(t.operatorId, t.id)],
)

/** Recovery codes for two-factor authentication; each works once. */
export const operatorRecoveryCodes = sqliteTable(
  "operator_recovery_codes",
  {
    /** SHA-256 of the operator's id and the code, in hex. */
    hash: text("hash").primaryKey(),
    operatorId: integer("operator_id").notNull(),
    usedAt: timestamp("used_at"),
  },
  (t) => [index("operator_recovery_codes_operator").on(t.operatorId)],
)

export const operatorPasskeys = sqliteTable(
  "operator_passkeys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    operatorId: integer("operator_id").notNull(),
    /** The credential's id, base64url. */
    credentialId: text("credential_id").notNull().unique(),
    /** SPKI, base64url. */
    publicKey: text("public_key").notNull(),
    algorithm: text("algorithm").$type<"ES256" | "RS256" | "EdDSA">().notNull(),
    /** The authenticator's signature counter; a decrease reveals a cloned authenticator. */
    counter: integer("counter").notNull(),
    name: text("name").notNull(),
    lastUsedAt: timestamp("last_used_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("operator_passkeys_operator").on(t.operatorId)],
)

/** Saved views of the console's lists: a filter, a sort order and columns under a name. */
export const operatorViews = sqliteTable(
  "operator_views",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    operatorId: integer("operator_id").notNull(),
    /** Path of the list, such as `/console/stores`. */
    list: text("list").notNull(),
    name: text("name").notNull(),
    /** The list's query string. */
    query: text("query").notNull(),
    /** Whether every operator has it. */
    isShared: flag("is_shared").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("operator_views_name").on(t.operatorId, t.list, t.name),
    index("operator_views_shared").on(t.list, t.id).where(sql`is_shared = 1`),
  ],
)

/** Passkey challenges that were used, until they expire, to prevent replay. */
export const operatorChallenges = sqliteTable(
  "operator_challenges",
  {
    /** The challenge's unique value. */
    random: text("random").primaryKey(),
    expiresAt: timestamp("expires_at").notNull(),
  },
  (t) => [index("operator_challenges_expires").on(t.expiresAt)],
)

/** Networks from which an operator has signed in; failed sign-ins from other networks do not count against them. */
export const operatorNetworks = sqliteTable(
  "operator_networks",
  {
    operatorId: integer("operator_id").notNull(),
    /** SHA-256 of the client network, in hex. */
    network: text("network").notNull(),
    lastSeenAt: timestamp("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.operatorId, t.network] }), index("operator_networks_seen").on(t.lastSeenAt)],
)
