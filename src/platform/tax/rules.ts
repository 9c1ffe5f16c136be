// Calculates the tax of a payment. Pure functions; amounts are in the currency's smallest unit, rates in basis points.
import type { TaxedAmount } from "../../db/schema/central/orders"
import { isTaxNumber } from "../../lib/tax-numbers"

/** A tax rate of a country. */
interface TaxRate {
  /** Basis points: 1900 is 19 %. */
  rate: number
  /** The tax's name on invoices, such as "VAT". */
  name: string
}

/** Where the seller is, and the rates by the buyer's country. */
export interface TaxTerms {
  seller_country: string
  rates: Readonly<Record<string, TaxRate>>
}

/** Members of the European Union, whose businesses account for the tax on services from another member themselves. */
const EU = new Set("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "))

/** Divides and rounds half a unit up, in integers. */
export const divideRounded = (dividend: number, divisor: number): number =>
  Number((BigInt(dividend) * 2n + BigInt(divisor)) / (BigInt(divisor) * 2n))

/**
 * Whether the buyer accounts for the tax: a business with a tax number in another EU country than the seller's.
 */
const isReverseCharge = (buyer: { country: string; taxNumber: string }, seller: string): boolean =>
  EU.has(buyer.country) && EU.has(seller) && buyer.country !== seller && isTaxNumber(buyer.country, buyer.taxNumber)

/**
 * Calculates the tax on an amount by the buyer's country. Without a country, or a rate for it, there is no tax.
 * @param isGross whether the amount includes the tax, like one that a card provider has collected
 */
export function calculateTax(
  amount: number,
  isGross: boolean,
  buyer: { country: string; taxNumber: string } | undefined,
  { seller_country: seller, rates }: TaxTerms,
): TaxedAmount {
  const untaxed = { net_cents: amount, tax_cents: 0, tax: null, reverse_charge: false }
  if (!buyer) return untaxed
  if (isReverseCharge(buyer, seller)) return { ...untaxed, reverse_charge: true }
  const tax = Object.hasOwn(rates, buyer.country) ? rates[buyer.country] : undefined
  if (!tax) return untaxed
  const base = 10_000
  const cents = isGross ? divideRounded(amount * tax.rate, base + tax.rate) : divideRounded(amount * tax.rate, base)
  return { net_cents: isGross ? amount - cents : amount, tax_cents: cents, tax, reverse_charge: false }
}

/** Returns the tax of a part of an invoice, in proportion. The last part gets the tax that is left. */
export const taxOfPart = (
  part: number,
  invoice: { gross: number; tax: number },
  credited: { gross: number; tax: number },
): number =>
  part === invoice.gross - credited.gross
    ? invoice.tax - credited.tax
    : divideRounded(part * invoice.tax, invoice.gross)
