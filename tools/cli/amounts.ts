// Shows the amounts of a resource in units of its currency.
import type { Json } from "./table.ts"

/** Fields of amounts in a currency's smallest unit, in the names of the API and of operator commands. */
const CENTS = /^(.+?)(?:_c|C)ents$/

/** Returns the currency of a resource, if it has one. */
export function getCurrency({ currency }: Record<string, Json>): string | undefined {
  return typeof currency === "string" && /^[A-Z]{3}$/.test(currency) ? currency : undefined
}

/**
 * Replaces `price_cents` and `currency` with `price`, such as `29.00 EUR`. An amount whose short name is taken
 * becomes `tax_amount`.
 * @param inherited currency of the surrounding resource
 * @returns the resource unchanged, if it has no currency or no amount
 */
export function formatAmounts(row: Record<string, Json>, inherited?: string): Record<string, Json> {
  const currency = getCurrency(row) ?? inherited
  if (currency === undefined) return row
  const isAmount = (name: string) => CENTS.test(name) && (typeof row[name] === "number" || row[name] === null)
  const toName = (name: string) => {
    const short = name.replace(CENTS, "$1")
    return short in row ? `${short}_amount` : short
  }
  const names = Object.keys(row)
  if (!names.some(isAmount)) return row
  return Object.fromEntries(
    names
      .filter((name) => name !== "currency")
      .map((name): [string, Json] => {
        const value = row[name]
        if (!isAmount(name)) return [name, value]
        return [toName(name), typeof value === "number" ? formatAmount(value, currency) : null]
      }),
  )
}

function formatAmount(cents: number, currency: string): string {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
  return `${(cents / 10 ** maximumFractionDigits).toFixed(maximumFractionDigits)} ${currency}`
}
