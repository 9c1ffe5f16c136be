// Builds the writes that issue an invoice in the commit of its payment, with a gapless number, and its mail.
import { eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { type InvoiceDocument, invoices } from "../../db/schema/central/invoices"
import { payments, type TaxedAmount } from "../../db/schema/central/orders"
import { insert, insertSelect, type Write } from "../../db/write"
import { buildMailWrite } from "../../mails/outbox"
import { formatSequence, incrementSequence, incrementSequenceIf } from "../orders/queries"
import type { StoreDetails } from "../stores/schemas"
import { buildOwnerMail, invoiceUrl } from "../subscriptions/mail"
import type { TaxSettings } from "../tax/settings"
import type { BillingDetails } from "./details"
import { receiptPrefix } from "./prefixes"

/** The seller and the buyer of an invoice. */
export interface InvoiceTerms {
  settings: TaxSettings
  details: BillingDetails | undefined
}

interface InvoiceContent {
  plan: string
  period: InvoiceDocument["period"]
  method: InvoiceDocument["method"]
  amount: TaxedAmount
}

/** Builds the frozen content of an invoice. */
export const buildDocument = (
  { store }: Pick<StoreDetails, "store">,
  { settings, details }: InvoiceTerms,
  { plan, period, method, amount }: InvoiceContent,
): InvoiceDocument => ({
  seller: {
    name: settings.seller_name,
    address: settings.seller_address,
    country: settings.seller_country,
    tax_number: settings.seller_tax_number,
  },
  buyer: {
    name: details?.name ?? store.name,
    address: details?.address ?? "",
    country: details?.country ?? "",
    tax_number: details?.taxNumber ?? "",
    email: store.ownerEmail,
  },
  plan,
  period,
  method,
  ...amount,
})

interface IssuedPayment {
  document: InvoiceDocument
  currency: string
  paidAt: Date
  /** Slug of the plan. */
  plan: string | null
}

/** The year of a number is that of the payment. */
const sequenceName = (paidAt: Date): string => `receipts:${paidAt.getUTCFullYear()}`

/** The number that an invoice of this time gets in the batch that increments its sequence. */
const invoiceNumber = (paidAt: Date): SQL<string> =>
  sql<string>`${receiptPrefix} || ${`-${paidAt.getUTCFullYear()}-`} || ${formatSequence(sequenceName(paidAt))}`

const grossOf = ({ net_cents: net, tax_cents: tax }: InvoiceDocument): number => net + tax

function buildInvoiceMail(
  ctx: Ctx,
  facts: StoreDetails,
  about: string,
  { document, currency, paidAt }: IssuedPayment,
  number: SQL,
): Write {
  const draft = buildOwnerMail(ctx.settings, facts, "receipt", about, {
    amount_cents: grossOf(document),
    currency,
    paid_on: paidAt.toISOString(),
  })
  return buildMailWrite(ctx, draft, { number, url: invoiceUrl(draft, number) })
}

/**
 * Builds the writes of a payment that the platform records itself: the ledger's row, the invoice and its mail.
 * @param order the paid order's reference; null for a payment without one
 * @returns the number, for further writes of the same batch
 */
export function buildLocalPayment(
  ctx: Ctx,
  facts: StoreDetails,
  payment: IssuedPayment,
  order: string | null,
): { writes: Write[]; number: SQL<string> } {
  const { document, currency, paidAt, plan } = payment
  const number = invoiceNumber(paidAt)
  const { id: storeId, seq: storeSeq } = facts.store
  const values = { storeId, storeSeq, number, currency, createdAt: ctx.now }
  return {
    number,
    writes: [
      incrementSequence(sequenceName(paidAt)),
      insert(payments).values({
        ...values,
        provider: "local",
        orderReference: order,
        plan,
        amountCents: grossOf(document),
        paidAt,
      }),
      insert(invoices).values({
        ...values,
        kind: "invoice",
        grossCents: grossOf(document),
        document,
        issuedAt: paidAt,
      }),
      buildInvoiceMail(ctx, facts, order ?? `${ctx.now.getTime()}`, payment, number),
    ],
  }
}

/**
 * Builds the writes of a payment by card, once per invoice of the provider. An invoice of 0 is in the ledger without a
 * number: nothing was paid.
 * @param card the provider, and the reference to its invoice
 */
export function buildCardPayment(
  ctx: Ctx,
  facts: StoreDetails,
  payment: IssuedPayment,
  card: { provider: (typeof payments.$inferInsert)["provider"]; invoice: string },
): Write[] {
  const { document, currency, paidAt, plan } = payment
  const { id: storeId, seq: storeSeq } = facts.store
  const gross = grossOf(document)
  const isNew = sql`not exists (select 1 from ${payments} where ${eq(payments.cardInvoice, card.invoice)})`
  const stored = sql<string>`(select ${payments.number} from ${payments} where ${eq(payments.cardInvoice, card.invoice)})`
  const ledger = (number: SQL<string> | null) =>
    insert(payments)
      .values({
        storeId,
        storeSeq,
        provider: card.provider,
        number,
        cardInvoice: card.invoice,
        plan,
        amountCents: gross,
        currency,
        paidAt,
        createdAt: ctx.now,
      })
      .onConflictDoNothing()
  if (gross === 0) return [ledger(null)]
  const values = { storeId, storeSeq, currency, grossCents: gross, document, issuedAt: paidAt, createdAt: ctx.now }
  return [
    incrementSequenceIf(sequenceName(paidAt), isNew),
    ledger(invoiceNumber(paidAt)),
    // A payment of an earlier release has no number, and its invoice stays the provider's.
    insertSelect(
      invoices,
      { ...values, kind: "invoice", number: stored, cardInvoice: card.invoice },
      sql`where ${stored} is not null`,
    ).onConflictDoNothing(),
    buildInvoiceMail(ctx, facts, card.invoice, payment, stored),
  ]
}
