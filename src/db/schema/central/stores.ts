// Tables for stores, their usage, and the pending purges of deleted stores.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"
import type { BillingProvider } from "./billing-providers"

export type StoreStatus = "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"

export const stores = sqliteTable(
  "stores",
  {
    /** The incarnation: a deleted store's id may be reused, its `seq` never. Increases with every store. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** The store's id: its subdomain. */
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    status: text("status").$type<StoreStatus>().notNull(),
    theme: text("theme").notNull(),
    preset: text("preset").notNull(),
    ownerEmail: text("owner_email").notNull(),
    /** The subscription's plan and billing provider, copied by triggers for lists. */
    plan: text("plan"),
    billing: text("billing").$type<BillingProvider | "none">().notNull().default("none"),
    /** Slugs of the enabled apps, in the order in which they were enabled. */
    apps: json<string[]>("apps").notNull().default([]),
    /** The binding of the store's site database; null until provisioning has chosen one. */
    database: text("database"),
    /** The hashed password of the first staff user, until provisioning ends. */
    adminPasswordHash: text("admin_password_hash"),
    /** Id, name and email, case-folded for the search index. */
    searchText: text("search_text").notNull(),
    /** Incremented on every change of the store and its related rows; guards every change. */
    version: integer("version").notNull(),
    /** When the current provisioning attempt started (its lease); null while none is running. */
    provisioningStartedAt: timestamp("provisioning_started_at"),
    /**
     * When the first attempt of the current provisioning started; transient errors are retried for a while from then
     * on.
     */
    provisioningSince: timestamp("provisioning_since"),
    provisionedAt: timestamp("provisioned_at"),
    /**
     * When an operator suspended the store; null unless one did. It stays set while the subscription is cancelled, and
     * until an operator resumes the store: neither a payment nor a new subscription reopens it.
     */
    operatorSuspendedAt: timestamp("operator_suspended_at"),
    /** The reason that the operator gave, for the owner; never public. */
    suspensionReason: text("suspension_reason"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("stores_status").on(t.status, t.seq),
    index("stores_name").on(t.name, t.seq),
    index("stores_theme").on(t.theme, t.seq),
    index("stores_plan").on(t.plan, t.seq),
    index("stores_billing").on(t.billing, t.seq),
    index("stores_owner").on(sql`lower(owner_email)`),
    index("stores_updated").on(t.updatedAt),
  ],
)

export const usageSnapshots = sqliteTable("usage_snapshots", {
  storeId: text("store_id").primaryKey(),
  period: text("period").notNull(),
  /** Counts by their names in the API; a missing one is zero. */
  counts: json<Record<string, number>>("counts").notNull().default({}),
  collectedAt: timestamp("collected_at").notNull(),
})

/** A deleted store whose site rows and files are not deleted yet; its id cannot be reused until then. */
export const purges = sqliteTable("purges", {
  storeId: text("store_id").primaryKey(),
  /** The deleted incarnation; null for a purge from before this column existed. */
  storeSeq: integer("store_seq"),
  database: text("database"),
  createdAt: timestamp("created_at").notNull(),
})
