// Tables for users' orders with the prices at the time of the order.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const ORDER_STATUSES = ["pending", "paid", "fulfilled", "cancelled"] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const orders = sqliteTable(
  "orders",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    status: text("status").$type<OrderStatus>().notNull(),
    currency: text("currency").notNull(),
    totalCents: integer("total_cents").notNull(),
    note: text("note"),
    /** Keyed hash of the client network; null once the order is no longer pending. */
    network: text("network"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("orders_site").on(t.siteId),
    index("orders_user").on(t.siteId, t.userId),
    index("orders_unpaid").on(t.createdAt).where(sql`status = 'pending'`),
    index("orders_unpaid_user").on(t.siteId, t.userId).where(sql`status = 'pending'`),
    index("orders_unpaid_network").on(t.siteId, t.network).where(sql`status = 'pending'`),
  ],
)

export const orderItems = sqliteTable(
  "order_items",
  {
    siteId: text("site_id").notNull(),
    orderId: integer("order_id").notNull(),
    /** Zero-based position in the order. */
    position: integer("position").notNull(),
    productId: integer("product_id").notNull(),
    /** The product's name at the time of the order. */
    name: text("name").notNull(),
    priceCents: integer("price_cents").notNull(),
    quantity: integer("quantity").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.orderId, t.position] })],
)
