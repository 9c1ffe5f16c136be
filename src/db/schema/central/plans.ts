// Tables for plans: price, limits and features.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"

/** The limits of a plan; 0 means unlimited. */
export interface Limits {
  products: number
  orders: number
  storage_mb: number
  staff_users: number
}

export const plans = sqliteTable("plans", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  slug: text("slug").notNull().unique(),
  name: text("name").notNull(),
  description: text("description").notNull(),
  priceCents: integer("price_cents").notNull(),
  currency: text("currency").notNull(),
  interval: text("interval", { enum: ["month", "year"] }).notNull(),
  trialDays: integer("trial_days").notNull(),
  limits: json<Limits>("limits").notNull(),
  allowsCustomDomain: flag("allows_custom_domain").notNull(),
  allowsApiAccess: flag("allows_api_access").notNull(),
  removeBranding: flag("remove_branding").notNull(),
  /** Webhook endpoints of a store's own; null for the default. */
  webhookEndpoints: integer("webhook_endpoints"),
  /** Slugs of the included apps; null for all. */
  apps: json<string[]>("apps"),
  /** Slugs of the included themes; null for all. */
  themes: json<string[]>("themes"),
  /** The card provider's price id; never leaves the Worker. */
  cardPrice: text("stripe_price"),
  isActive: flag("is_active").notNull(),
  sortOrder: integer("sort_order").notNull(),
  /** Incremented on every change. */
  version: integer("version").notNull().default(1),
  createdAt: timestamp("created_at").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
})
