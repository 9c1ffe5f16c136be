// The table of the API keys of the control plane.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export type Action = "read" | "write"

/** The first segments of the control plane's paths that have their own scopes. */
export const SCOPED_RESOURCES = ["stores", "plans", "coupons", "keys", "webhooks", "events"] as const

export type ScopedResource = (typeof SCOPED_RESOURCES)[number]

/** `read` and `write` cover every resource. */
export type Scope = Action | `${ScopedResource}:${Action}`

/** All scopes. Events are only read. */
export const SCOPES = [
  "read",
  "write",
  ...SCOPED_RESOURCES.flatMap((resource): Scope[] =>
    resource === "events" ? ["events:read"] : [`${resource}:read`, `${resource}:write`],
  ),
] as const satisfies readonly Scope[]

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    keyPrefix: text("key_prefix").notNull(),
    /** SHA-256 of the whole key in hex; the key itself is shown once and never stored. */
    hash: text("hash").notNull().unique(),
    scopes: json<Scope[]>("scopes").notNull(),
    /** The stores that the key is limited to; null for all. */
    storeIds: json<string[]>("store_ids"),
    /** The incarnations (`stores.seq`) of those ids when the key was created. */
    storeSeqs: json<number[]>("store_seqs"),
    createdByName: text("created_by_name").notNull(),
    lastUsedAt: timestamp("last_used_at"),
    /** The client's address at that time, as in the audit log. */
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
