// What stores order and pay: bank-transfer orders, the ledger of payments, and the numbers that both are counted with.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"
import type { BillingProvider } from "./subscriptions"

export type OrderStatus = "pending" | "paid" | "rejected" | "withdrawn"

export const orders = sqliteTable(
  "orders",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** `PO-000123`, counted up in the commit that makes it. */
    reference: text("reference").notNull().unique(),
    storeId: text("store_id").notNull(),
    /** The store's incarnation: a later store of the same name has nothing to do with it. */
    storeSeq: integer("store_seq").notNull(),
    status: text("status").$type<OrderStatus>().notNull(),
    /** The plan's slug, and its price and interval at the moment of the request. */
    plan: text("plan").notNull(),
    planName: text("plan_name").notNull(),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    interval: text("interval", { enum: ["month", "year"] }).notNull(),
    note: text("note"),
    /** Why it was rejected. */
    reason: text("reason"),
    /** The receipt's number, counted up in the commit of the payment; null until then. */
    number: text("number").unique(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    paidAt: moment("paid_at"),
  },
  (t) => [
    index("orders_store").on(t.storeSeq, t.id),
    index("orders_site").on(t.storeId, t.id),
    index("orders_status").on(t.status, t.id),
    uniqueIndex("orders_one_pending").on(t.storeSeq).where(sql`status = 'pending'`),
  ],
)

/** Every payment, whoever collected it. Rows are never changed. */
export const payments = sqliteTable(
  "payments",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    storeId: text("store_id").notNull(),
    storeSeq: integer("store_seq").notNull(),
    /** `local` is a bank transfer. */
    provider: text("provider").$type<BillingProvider>().notNull(),
    /** Of a bank transfer: the receipt's number and the order it paid. */
    number: text("number").unique(),
    orderReference: text("order_reference"),
    /** Of a card payment: the provider's invoice. Never leaves the Worker. */
    stripeInvoice: text("stripe_invoice").unique(),
    plan: text("plan"),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    paidAt: moment("paid_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("payments_store").on(t.storeSeq, t.id), index("payments_site").on(t.storeId, t.id)],
)

/** Numbers that are counted without holes: `orders`, and `receipts:<year>`. */
export const sequences = sqliteTable("sequences", {
  name: text("name").primaryKey(),
  value: integer("value").notNull(),
})
