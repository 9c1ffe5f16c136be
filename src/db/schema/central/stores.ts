// Stores, what they used, and the remains of deleted ones that are still to be swept up.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"
import type { BillingProvider } from "./subscriptions"

export type StoreStatus = "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"

export const stores = sqliteTable(
  "stores",
  {
    /** Counts incarnations: a deleted store's id may be taken again, its `seq` never. Newer stores have higher ones. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** The store id: its subdomain. */
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    status: text("status").$type<StoreStatus>().notNull(),
    theme: text("theme").notNull(),
    preset: text("preset").notNull(),
    ownerEmail: text("owner_email").notNull(),
    /** The slug of the plan as it was bought, and who collects for it, as the subscription has them. Kept by triggers, for the lists. */
    plan: text("plan"),
    billing: text("billing").$type<BillingProvider | "none">().notNull().default("none"),
    /** Slugs of the apps that are switched on, in the order in which they were. */
    apps: json<string[]>("apps").notNull().default([]),
    /** Binding of the site database that holds the store's own data; null until provisioning chose one. */
    database: text("database"),
    /** The first staff user's password, hashed, from creation to the end of provisioning. */
    adminPasswordHash: text("admin_password_hash"),
    /** Id, name and e-mail folded to lower case, for the search index. */
    searchText: text("search_text").notNull(),
    /** Counts changes of the store and all that belongs to it; every change is guarded by it. */
    version: integer("version").notNull(),
    /** When the current provisioning attempt began, which is its lease; null while no attempt is running. */
    provisioningStartedAt: moment("provisioning_started_at"),
    /** When the first attempt of the current provisioning began: transient errors are retried for a while from then on. */
    provisioningSince: moment("provisioning_since"),
    provisionedAt: moment("provisioned_at"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    index("stores_status").on(t.status, t.seq),
    index("stores_name").on(t.name, t.seq),
    index("stores_status_name").on(t.status, t.name, t.seq),
    index("stores_theme").on(t.theme, t.seq),
    index("stores_theme_name").on(t.theme, t.name, t.seq),
    index("stores_plan").on(t.plan, t.seq),
    index("stores_plan_name").on(t.plan, t.name, t.seq),
    index("stores_billing").on(t.billing, t.seq),
    index("stores_billing_name").on(t.billing, t.name, t.seq),
    index("stores_owner").on(sql`lower(owner_email)`),
  ],
)

export const usageSnapshots = sqliteTable("usage_snapshots", {
  storeId: text("store_id").primaryKey(),
  period: text("period").notNull(),
  /** What was counted, by its name in the API; what is missing is nothing. */
  counts: json<Record<string, number>>("counts").notNull().default({}),
  collectedAt: moment("collected_at").notNull(),
})

/** A deleted store whose site rows and files are still to be removed; its id is not free until this row is gone. */
export const purges = sqliteTable("purges", {
  storeId: text("store_id").primaryKey(),
  /** The incarnation that was deleted; null for a purge that began before this column existed. */
  storeSeq: integer("store_seq"),
  database: text("database"),
  createdAt: moment("created_at").notNull(),
})
