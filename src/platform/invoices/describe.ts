// Describes an invoice or a credit note as labelled rows, for pages and the PDF.
import type { Locale } from "../../core/i18n/locale"
import { longDate, money, withColon } from "../../lib/intl"
import type { Invoice } from "./service"
import { t } from "./strings"

type Party = Invoice["document"]["seller"]

/** An invoice in the reader's language. */
export interface InvoiceText {
  title: string
  seller: string[]
  buyer: string[]
  facts: [label: string, value: string][]
  amounts: [label: string, value: string][]
  notes: string[]
}

const PERCENT_DIGITS = 100

/** Formats everything that an invoice shows. */
export function describeInvoice(invoice: Invoice, locale: Locale): InvoiceText {
  const { document, kind, number, invoiceNumber, currency, grossCents } = invoice
  const amount = (cents: number) => money(cents, currency, locale)
  const { tax, period } = document
  const taxNumber = (party: Party) =>
    party.tax_number ? [`${withColon(t("tax_number", locale), locale)} ${party.tax_number}`] : []
  const lines = (party: Party) =>
    [party.name, ...party.address.split("\n"), party.country, ...taxNumber(party)].filter((line) => line.trim() !== "")
  const facts: [string, string][] = [[t("date", locale), longDate(invoice.issuedAt, locale)]]
  if (invoiceNumber) facts.push([t("invoice", locale), invoiceNumber])
  if (document.plan) facts.push([t("plan", locale), document.plan])
  if (period) {
    const [from, to] = [new Date(period.from), new Date(period.to)]
    facts.push([t("period", locale), `${longDate(from, locale)} – ${longDate(to, locale)}`])
  }
  facts.push([t("payment_method", locale), t(`method_${document.method}`, locale)])
  const rate = tax && `${tax.name} ${(tax.rate / PERCENT_DIGITS).toLocaleString(locale)} %`
  return {
    title: `${t(kind, locale)} ${number}`,
    seller: lines(document.seller),
    buyer: lines(document.buyer),
    facts,
    amounts: [
      ...describeDiscount(invoice, locale),
      [t("net", locale), amount(document.net_cents)],
      [rate ?? t("tax", locale), amount(document.tax_cents)],
      [t("total", locale), amount(grossCents)],
    ],
    notes: [
      ...(document.reverse_charge ? [t("reverse_charge", locale)] : []),
      ...(document.reason ? [document.reason] : []),
    ],
  }
}

/** The price and a coupon's discount; nothing without a coupon. */
function describeDiscount({ document: { discount }, currency }: Invoice, locale: Locale): [string, string][] {
  if (!discount) return []
  return [
    [t("price", locale), money(discount.price_cents, currency, locale)],
    [
      discount.code ? t("discount_coupon", locale, { code: discount.code }) : t("discount", locale),
      money(-discount.cents, currency, locale),
    ],
  ]
}
