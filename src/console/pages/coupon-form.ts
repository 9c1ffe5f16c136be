// The form of a coupon: an amount in units of the plans' currency.
import * as z from "zod"
import { invalid } from "../../core/http/refusal"
import { decimalAmount, parseAmount } from "../../lib/intl"
import { SaveCoupon } from "../../platform/coupons/schemas"
import type { Plan } from "../../platform/plans/schemas"

const { amount_off: _, ...fields } = SaveCoupon.shape

const amount = z.string().trim().max(13).nullish()

/** The form of an existing coupon, whose code is in the path. */
export const CouponForm = z.object({ ...fields, amount })

type CouponInput = z.output<typeof SaveCoupon>

/** The currencies of the plans that a coupon applies to: those it names, or all active ones. */
export const getCurrencies = (slugs: readonly string[] | null, plans: readonly Plan[]): string[] => [
  ...new Set(
    plans.filter(({ slug, isActive }) => (slugs ? slugs.includes(slug) : isActive)).map(({ currency }) => currency),
  ),
]

/** An amount in units of a currency, as the form shows it. */
export const toUnits = (cents: number, currencies: readonly string[]): string =>
  decimalAmount(cents, currencies[0] ?? "")

/**
 * Converts the form to the input that saves the coupon.
 * @throws Refusal `validation_failed` about `amount`: not an amount, a percentage as well, or plans whose currencies have
 *   different decimals
 */
export function toCouponInput(
  { amount: units, ...values }: z.output<typeof CouponForm>,
  plans: readonly Plan[],
): CouponInput {
  if (!units) return { ...values, amount_off: null }
  if (values.percent_off !== null) throw invalid("amount", "prohibited")
  const currencies = getCurrencies(values.plans, plans)
  const amounts = new Set((currencies.length ? currencies : [""]).map((currency) => parseAmount(units, currency)))
  const [cents] = amounts
  if (amounts.size > 1 || !cents) throw invalid("amount", "amount")
  return { ...values, amount_off: cents }
}
