// Tables for bank-transfer orders, the ledger of payments, and the gapless number sequences of both.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"
import type { BillingProvider } from "./billing-providers"

/** An amount with its tax; rates in basis points. `net_cents + tax_cents` is the gross amount. */
export interface TaxedAmount {
  net_cents: number
  tax_cents: number
  tax: { name: string; rate: number } | null
  reverse_charge: boolean
  /** What a coupon took off the price. */
  discount?: { code: string; cents: number; price_cents: number }
}

export const ORDER_STATUSES = ["pending", "paid", "rejected", "withdrawn"] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Orders that a store with a paid period places for another plan. */
export type OrderKind = "difference" | "next_period"

export const orders = sqliteTable(
  "orders",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** `PO-000123`, assigned in the commit that creates the order. */
    reference: text("reference").notNull().unique(),
    storeId: text("store_id").notNull(),
    /** The store's incarnation; a later store with the same id does not share its orders. */
    storeSeq: integer("store_seq").notNull(),
    status: text("status").$type<OrderStatus>().notNull(),
    /** The plan's slug; name, price and interval are those at the time of the request. */
    plan: text("plan").notNull(),
    planName: text("plan_name").notNull(),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    /** The plan's price, before discounts and tax; null for an order of an earlier release. */
    priceCents: integer("price_cents"),
    /** Null for a period; `difference`: the rest of the paid period on a larger plan. */
    kind: text("kind").$type<OrderKind>(),
    /** The paid plan, and its end in milliseconds since 1970, that a difference was calculated from; else null. */
    replaces: json<{ plan: string; until: number }>("replaces"),
    /** The tax in `amountCents`, as of the request; null for an order of an earlier release. */
    tax: json<TaxedAmount>("tax"),
    interval: text("interval", { enum: ["month", "year"] }).notNull(),
    note: text("note"),
    /** The reason of a rejection. */
    reason: text("reason"),
    /** The receipt's number, assigned in the commit of the payment; null until then. */
    number: text("number").unique(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
    paidAt: timestamp("paid_at"),
  },
  (t) => [
    index("orders_store").on(t.storeSeq, t.id),
    index("orders_site").on(t.storeId, t.id),
    index("orders_status").on(t.status, t.id),
    uniqueIndex("orders_one_pending").on(t.storeSeq).where(sql`status = 'pending'`),
  ],
)

/** All payments, by bank transfer and by card. Rows are never changed. */
export const payments = sqliteTable(
  "payments",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    storeId: text("store_id").notNull(),
    storeSeq: integer("store_seq").notNull(),
    /** `local` is a bank transfer. */
    provider: text("provider").$type<BillingProvider>().notNull(),
    /** For a bank transfer: the receipt's number and the paid order. */
    number: text("number").unique(),
    orderReference: text("order_reference"),
    /** For a card payment: the reference to the provider's invoice; never exposed. */
    cardInvoice: text("stripe_invoice").unique(),
    plan: text("plan"),
    amountCents: integer("amount_cents").notNull(),
    currency: text("currency").notNull(),
    paidAt: timestamp("paid_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("payments_store").on(t.storeSeq, t.id), index("payments_site").on(t.storeId, t.id)],
)

/** Gapless number sequences: `orders` and `receipts:<year>`. */
export const sequences = sqliteTable("sequences", {
  name: text("name").primaryKey(),
  value: integer("value").notNull(),
})
