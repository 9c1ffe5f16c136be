// Tables for invoices, credit notes and the billing details of owners.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

export const INVOICE_KINDS = ["invoice", "credit_note"] as const
export type InvoiceKind = (typeof INVOICE_KINDS)[number]

/** The seller or the buyer, as of the day of issue. */
export interface InvoiceParty {
  name: string
  address: string
  /** ISO 3166 code; empty when unknown. */
  country: string
  tax_number: string
}

/** Everything that an invoice shows besides its number and date, frozen when it is issued. */
export interface InvoiceDocument {
  seller: InvoiceParty
  buyer: InvoiceParty & { email: string }
  plan: string
  /** The paid period as ISO timestamps; null when it is not known. */
  period: { from: string; to: string } | null
  method: "card" | "transfer" | "other"
  net_cents: number
  tax_cents: number
  /** The applied tax, with its rate in basis points; null for none. */
  tax: { name: string; rate: number } | null
  reverse_charge: boolean
  /** What a coupon took off the price, which is net or gross like the price. */
  discount?: { code: string; cents: number; price_cents: number }
  /** The reason of a credit note. */
  reason?: string
}

/** Issued invoices and credit notes. Rows are never changed. */
export const invoices = sqliteTable(
  "invoices",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    kind: text("kind").$type<InvoiceKind>().notNull(),
    /** From a gapless sequence per year, assigned in the commit of the payment. */
    number: text("number").notNull().unique(),
    storeId: text("store_id").notNull(),
    storeSeq: integer("store_seq").notNull(),
    /** The invoice that a credit note is about. */
    invoiceNumber: text("invoice_number"),
    /** The reference to the card provider's invoice; never exposed. */
    cardInvoice: text("card_invoice").unique(),
    grossCents: integer("gross_cents").notNull(),
    currency: text("currency").notNull(),
    document: json<InvoiceDocument>("document").notNull(),
    /** The time of the payment, or of the credit note. */
    issuedAt: timestamp("issued_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    index("invoices_store").on(t.storeSeq, t.id),
    index("invoices_site").on(t.storeId, t.id),
    index("invoices_credited").on(t.invoiceNumber).where(sql`invoice_number is not null`),
  ],
)

/**
 * The address and tax number that an owner enters for invoices. Deleted with the store; issued invoices keep theirs.
 */
export const billingDetails = sqliteTable("billing_details", {
  storeSeq: integer("store_seq").primaryKey(),
  name: text("name").notNull(),
  address: text("address").notNull(),
  country: text("country").notNull(),
  taxNumber: text("tax_number").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
})
