// Calculates the discounts of coupons. Pure functions; amounts are in the smallest unit of the plan's currency.
import type { TaxedAmount } from "../../db/schema/central/orders"
import type { Discount, Subscription } from "../../db/schema/central/subscriptions"
import { addMonths } from "../subscriptions/periods"
import { calculateTax, divideRounded, type TaxTerms } from "../tax/rules"
import type { Coupon } from "./schemas"

/** Freezes the discount that a coupon gives; null for a coupon that only adds trial days. */
export const buildDiscount = ({ code, percentOff, amountOff, months, plans }: Coupon): Discount | null =>
  percentOff === null && amountOff === null
    ? null
    : { code, percent_off: percentOff, amount_off: amountOff, months, plans, ends_at: null }

/** Whether a discount applies to a period of a plan that begins at `from`. */
export const isApplicable = (discount: Discount | null | undefined, plan: string, from: Date): discount is Discount =>
  discount != null &&
  (discount.plans === null || discount.plans.includes(plan)) &&
  (discount.ends_at === null || from < new Date(discount.ends_at))

/** Returns what a discount takes off a price; at most the price. */
export const getReduction = ({ percent_off: percent, amount_off: amount }: Discount, price: number): number =>
  percent === null ? Math.min(amount ?? 0, price) : divideRounded(price * percent, 100)

/** A price to charge, and the period that it pays for. */
interface Charge {
  plan: string
  priceCents: number
  /** Beginning of the period. */
  from: Date
}

/** Calculates the amount of a charge: the price less the discount, with its tax. */
export function calculateAmount(
  { plan, priceCents, from }: Charge,
  discount: Discount | null | undefined,
  buyer: { country: string; taxNumber: string } | undefined,
  settings: TaxTerms & { prices_include_tax: boolean },
): TaxedAmount {
  const cents = isApplicable(discount, plan, from) ? getReduction(discount, priceCents) : 0
  const amount = calculateTax(priceCents - cents, settings.prices_include_tax, buyer, settings)
  return discount && cents > 0
    ? { ...amount, discount: { code: discount.code, cents, price_cents: priceCents } }
    : amount
}

/** The first discounted period starts the months of the discount. */
export const startDiscount = (discount: Discount, from: Date): Discount =>
  discount.months === null || discount.ends_at !== null
    ? discount
    : { ...discount, ends_at: addPeriods(from, discount.months).toISOString() }

/** Adds months one by one, as periods follow each other: from 31 January, they begin on 28 February and 28 March. */
function addPeriods(from: Date, months: number): Date {
  let end = from
  for (let month = 0; month < months; month++) end = addMonths(end, 1)
  return end
}

/** Returns the discount after a payment of a period that begins at `from`. */
export const applyDiscount = (
  { discount }: Pick<Subscription, "discount">,
  amount: TaxedAmount | null,
  from: Date,
): Discount | null => (discount && amount?.discount?.code === discount.code ? startDiscount(discount, from) : discount)

/**
 * Returns the discount after a card provider applied it to a period that began at `from`. The earliest such period
 * starts the months, because payments may arrive in any order.
 */
export function recordDiscountedPeriod(discount: Discount, from: Date): Discount {
  const { ends_at: current } = discount
  const started = startDiscount({ ...discount, ends_at: null }, from)
  const isEarlier = started.ends_at !== null && (current === null || new Date(started.ends_at) < new Date(current))
  return isEarlier ? started : discount
}

/**
 * Returns the months from `now` in which a card provider applies a discount to the periods that begin. It counts from
 * now on, while the first period may begin later.
 * @param from beginning of the first period
 * @returns null for no end
 */
export function getRemainingMonths(discount: Discount, from: Date, now: Date): number | null {
  const { ends_at: endsAt } = startDiscount(discount, from)
  if (endsAt === null) return null
  const end = new Date(endsAt)
  let months = 1
  while (addPeriods(now, months + 1) <= end) months++
  return months
}
