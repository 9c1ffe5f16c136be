// Decides which discount a card provider applies to a plan. Pure functions.
import type { Discount } from "../../db/schema/central/subscriptions"
import { getRemainingMonths, isApplicable } from "../coupons/discounts"
import type { Plan } from "../plans/schemas"
import type { PurchaseDiscount } from "./provider"

/** Returns the discount of a subscription on a plan whose first period begins at `from`; null for none. */
export function buildPurchaseDiscount(
  discount: Discount | null | undefined,
  plan: Pick<Plan, "slug" | "currency">,
  from: Date,
  now: Date,
): PurchaseDiscount | null {
  if (!isApplicable(discount, plan.slug, from)) return null
  const { code, percent_off: percentOff, amount_off: amountOff } = discount
  return { code, percentOff, amountOff, currency: plan.currency, months: getRemainingMonths(discount, from, now) }
}

/**
 * Returns the discount after a change of plan, for a coupon that applies to only one of the two.
 * @param current slug of the current plan
 * @returns null to remove the discount, undefined to leave it as it is
 */
export function buildChangedDiscount(
  discount: Discount | null,
  current: string,
  plan: Pick<Plan, "slug" | "currency">,
  now: Date,
): PurchaseDiscount | null | undefined {
  const appliesTo = (slug: string) => !discount?.plans || discount.plans.includes(slug)
  if (appliesTo(current) === appliesTo(plan.slug)) return undefined
  return appliesTo(current) ? null : (buildPurchaseDiscount(discount, plan, now, now) ?? undefined)
}
