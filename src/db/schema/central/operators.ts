// Operators of the console: who they are, how they prove it, where they are signed in.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, moment } from "../columns"

export type Role = "admin" | "viewer"
export type ColourTheme = "system" | "light" | "dark"

export const operators = sqliteTable("operators", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull().unique(),
  name: text("name").notNull(),
  passwordHash: text("password_hash").notNull(),
  role: text("role").$type<Role>().notNull().default("admin"),
  /** Since when the operator may not sign in; null for one who may. */
  disabledAt: moment("disabled_at"),
  /** The TOTP secret under the application's key; asked for only once `totpEnabledAt` says that a code proved it. */
  totpSecret: text("totp_secret"),
  totpEnabledAt: moment("totp_enabled_at"),
  /** The time step of the last code that counted, so that none counts twice. */
  totpStep: integer("totp_step"),
  /** An IANA name; null is UTC. */
  timeZone: text("time_zone"),
  theme: text("theme").$type<ColourTheme>().notNull().default("system"),
  createdAt: moment("created_at").notNull(),
})

export const operatorSessions = sqliteTable(
  "operator_sessions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** SHA-256 of the cookie in hex. */
    hash: text("hash").notNull().unique(),
    operatorId: integer("operator_id").notNull(),
    /** Whether the password was right and the second factor is still asked for. */
    awaitsCode: flag("awaits_code").notNull(),
    /** When a password or a passkey was last shown. */
    confirmedAt: moment("confirmed_at").notNull(),
    lastSeenAt: moment("last_seen_at").notNull(),
    address: text("address"),
    agent: text("agent"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("operator_sessions_operator").on(t.operatorId, t.id)],
)

/** Codes for the day the telephone is gone; each works once. */
export const operatorRecoveryCodes = sqliteTable(
  "operator_recovery_codes",
  {
    /** SHA-256 of the operator's id and the code, in hex. */
    hash: text("hash").primaryKey(),
    operatorId: integer("operator_id").notNull(),
    usedAt: moment("used_at"),
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
    /** The authenticator's signature counter; one that goes back is a copy. */
    counter: integer("counter").notNull(),
    name: text("name").notNull(),
    lastUsedAt: moment("last_used_at"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("operator_passkeys_operator").on(t.operatorId)],
)

/** Challenges that a passkey has signed, until they would count no more anyway. */
export const operatorChallenges = sqliteTable(
  "operator_challenges",
  {
    /** What makes it this one. */
    random: text("random").primaryKey(),
    expiresAt: moment("expires_at").notNull(),
  },
  (t) => [index("operator_challenges_expires").on(t.expiresAt)],
)

/** Networks from which an operator signed in successfully; strangers' failed sign-ins do not count against them. */
export const operatorNetworks = sqliteTable(
  "operator_networks",
  {
    operatorId: integer("operator_id").notNull(),
    /** SHA-256 of the client network, in hex. */
    network: text("network").notNull(),
    lastSeenAt: moment("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.operatorId, t.network] }), index("operator_networks_seen").on(t.lastSeenAt)],
)
