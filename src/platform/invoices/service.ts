// Lists and reads invoices, and issues credit notes.
import { and, asc, desc, eq, isNotNull, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { multilineText, violates } from "../../core/http/validation"
import { ALL_ROWS, type Slice } from "../../core/list/page"
import { applyChange } from "../../core/write/commit"
import { batch } from "../../db/client"
import { type InvoiceDocument, invoices } from "../../db/schema/central/invoices"
import { payments, sequences } from "../../db/schema/central/orders"
import { stores } from "../../db/schema/central/stores"
import { insertSelect } from "../../db/write"
import { decimalAmount, parseAmount } from "../../lib/intl"
import { formatTimestamp } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { incrementSequence } from "../orders/queries"
import { requireStore, selectStore } from "../stores/queries"
import { buildOwnerMail, invoiceUrl } from "../subscriptions/mail"
import { taxOfPart } from "../tax/rules"
import { creditNotePrefix } from "./prefixes"

export type Invoice = typeof invoices.$inferSelect

export const CreditInvoice = z.object({
  number: z.string().min(1).max(60).describe("number of the invoice"),
  amount: z
    .union([z.number(), z.string().trim()])
    .transform(String)
    .refine((value) => /^\d{1,9}([.,]\d{1,3})?$/.test(value), violates("amount"))
    .describe("gross amount to credit in the invoice's currency, such as 12.50"),
  reason: multilineText({ max: 500 }).describe("shown on the credit note, at most 500 characters"),
})

/** The resource of invoices and credit notes for operators. */
export const invoiceResource = (row: Invoice) => ({
  number: row.number,
  kind: row.kind,
  store: row.storeId,
  invoice: row.invoiceNumber,
  net_cents: row.document.net_cents,
  tax_cents: row.document.tax_cents,
  gross_cents: row.grossCents,
  currency: row.currency,
  tax: row.document.tax,
  reverse_charge: row.document.reverse_charge,
  discount: row.document.discount ?? null,
  plan: row.document.plan,
  period: row.document.period,
  method: row.document.method,
  seller: row.document.seller,
  buyer: row.document.buyer,
  reason: row.document.reason ?? null,
  issued_at: formatTimestamp(row.issuedAt),
})

/** Lists invoices and credit notes, newest first. */
export const listInvoices = (
  ctx: Pick<Ctx, "db">,
  { storeId }: { storeId?: string },
  { limit, offset }: Slice = ALL_ROWS,
): Promise<Invoice[]> =>
  ctx.db
    .select()
    .from(invoices)
    .where(storeId === undefined ? undefined : eq(invoices.storeId, storeId))
    .orderBy(desc(invoices.id))
    .limit(limit)
    .offset(offset)

/** Selects the credit notes of a store, newest first. */
export const selectCreditNotes = (ctx: Pick<Ctx, "db">, storeId: string, limit: number) =>
  ctx.db
    .select()
    .from(invoices)
    .where(
      and(
        eq(invoices.storeSeq, sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`),
        isNotNull(invoices.invoiceNumber),
      ),
    )
    .orderBy(desc(invoices.id))
    .limit(limit)

/** Returns an invoice with its credit notes. Receipts of earlier releases have a number and a payment only. */
async function loadInvoice(ctx: Pick<Ctx, "db">, number: string) {
  const [[invoice], credits, [payment]] = await batch(ctx.db, [
    ctx.db.select().from(invoices).where(eq(invoices.number, number)),
    ctx.db.select().from(invoices).where(eq(invoices.invoiceNumber, number)),
    ctx.db.select().from(payments).where(eq(payments.number, number)),
  ])
  const found = invoice ?? (payment && toLegacyInvoice(payment))
  return found && { invoice: found, credits, isStored: invoice !== undefined, order: payment?.orderReference ?? null }
}

/**
 * Reads an invoice or a credit note, with the credit notes about it.
 * @param storeSeq only of this store
 * @throws Refusal `not_found`
 */
export async function readInvoice(
  ctx: Pick<Ctx, "db">,
  number: string,
  storeSeq?: number,
): Promise<{ invoice: Invoice; credits: Invoice[]; isStored: boolean; order: string | null }> {
  const found = await loadInvoice(ctx, number)
  if (!found || (storeSeq !== undefined && found.invoice.storeSeq !== storeSeq)) throw new Refusal("not_found")
  return found
}

/** Builds an invoice from a payment that an earlier release recorded, without parties and tax. */
function toLegacyInvoice(payment: typeof payments.$inferSelect): Invoice {
  const party = { name: "", address: "", country: "", tax_number: "" }
  const document: InvoiceDocument = {
    seller: party,
    buyer: { ...party, email: "" },
    plan: payment.plan ?? "",
    period: null,
    method: "transfer",
    net_cents: payment.amountCents,
    tax_cents: 0,
    tax: null,
    reverse_charge: false,
  }
  return {
    ...payment,
    number: payment.number ?? "",
    kind: "invoice",
    invoiceNumber: null,
    grossCents: payment.amountCents,
    document,
    issuedAt: payment.paidAt,
  }
}

/**
 * Decides the amounts of a credit note.
 * @returns the gross amount and the tax of the credit note, and the credit of earlier ones
 * @throws Refusal `validation_failed`
 */
function decideCredit(invoice: Invoice, credits: readonly Invoice[], amount: string) {
  if (invoice.kind !== "invoice") throw invalid("number", "selected")
  const credited = getCredited(credits)
  const left = invoice.grossCents - credited.gross
  const gross = parseAmount(amount, invoice.currency)
  if (gross === null || gross === 0) throw invalid("amount", "amount")
  if (gross > left) throw invalid("amount", "max_value", { max: decimalAmount(left, invoice.currency) })
  const tax = taxOfPart(gross, { gross: invoice.grossCents, tax: invoice.document.tax_cents }, credited)
  return { gross, tax, credited: credited.gross }
}

/** The credited amount of an invoice: gross, and the tax in it. */
export const getCredited = (credits: readonly Invoice[]): { gross: number; tax: number } => ({
  gross: credits.reduce((sum, { grossCents }) => sum + grossCents, 0),
  tax: credits.reduce((sum, { document }) => sum + document.tax_cents, 0),
})

/**
 * Returns what a credit note of an amount would contain.
 * @throws Refusal like `creditInvoice`
 */
export async function previewCredit(
  ctx: Pick<Ctx, "db">,
  { number, amount }: Pick<z.output<typeof CreditInvoice>, "number" | "amount">,
): Promise<{ invoice: Invoice; gross: number; tax: number; credited: number }> {
  const found = await loadInvoice(ctx, number)
  if (!found?.isStored) throw new Refusal("not_found")
  return { invoice: found.invoice, ...decideCredit(found.invoice, found.credits, amount) }
}

/**
 * Issues a credit note for a part of an invoice or the rest of it, with its tax in proportion, and mails it.
 * @throws Refusal `not_found`; `validation_failed` about `number` for a credit note, and about `amount` for more than
 *   is left
 */
export async function creditInvoice(ctx: Ctx, input: z.output<typeof CreditInvoice>): Promise<Invoice> {
  const year = ctx.now.getUTCFullYear()
  const sequence = `credit_notes:${year}`
  const credited = await applyChange(
    ctx,
    async () => {
      const found = await loadInvoice(ctx, input.number)
      if (!found?.isStored) throw new Refusal("not_found")
      const [rows] = await batch(ctx.db, [selectStore(ctx.db, found.invoice.storeId)])
      const facts = rows.length ? requireStore({}, rows) : null
      return { ...found, facts: facts?.store.seq === found.invoice.storeSeq ? facts : null }
    },
    ({ invoice, credits, facts }) => {
      const { gross, tax, credited } = decideCredit(invoice, credits, input.amount)
      const { discount: _, ...issued } = invoice.document
      const document = { ...issued, net_cents: gross - tax, tax_cents: tax, reason: input.reason }
      const stored = (offset: number) =>
        sql<string>`${creditNotePrefix} || ${`-${year}-`} || printf('%06d', coalesce((select ${sequences.value} from ${sequences} where ${sequences.name} = ${sequence}), 0) + ${offset})`
      const isUnchanged = sql`(select coalesce(sum(gross_cents), 0) from ${invoices} where ${eq(invoices.invoiceNumber, invoice.number)}) = ${credited}`
      const mail =
        facts &&
        buildOwnerMail(ctx.settings, facts, "credit_note", `${invoice.number}:${credits.length}`, {
          invoice: invoice.number,
          amount_cents: gross,
          currency: invoice.currency,
          reason: input.reason,
        })
      return {
        result: { number: invoice.number, earlierNotes: credits.length },
        change: {
          guard: insertSelect(
            invoices,
            {
              kind: "credit_note",
              number: stored(1),
              storeId: invoice.storeId,
              storeSeq: invoice.storeSeq,
              invoiceNumber: invoice.number,
              grossCents: gross,
              currency: invoice.currency,
              document,
              issuedAt: ctx.now,
              createdAt: ctx.now,
            },
            sql`where ${isUnchanged}`,
          ),
          writes: [
            incrementSequence(sequence),
            ...(mail ? [buildMailWrite(ctx, mail, { number: stored(0), url: invoiceUrl(mail, stored(0)) })] : []),
          ],
          auditLog: [
            {
              audit: {
                subject: "invoice",
                id: invoice.number,
                action: "credited",
                siteId: invoice.storeId,
                data: { amount_cents: gross, reason: input.reason, number: stored(0) },
              },
            },
          ],
        },
      }
    },
  )
  enqueueMailRun(ctx)
  const [note] = await ctx.db
    .select()
    .from(invoices)
    .where(and(eq(invoices.invoiceNumber, credited.number), eq(invoices.kind, "credit_note")))
    .orderBy(asc(invoices.id))
    // A later note may exist by now.
    .offset(credited.earlierNotes)
    .limit(1)
  if (!note) throw new Error("the credit note was not stored")
  return note
}
