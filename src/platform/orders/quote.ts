// Quotes an order by bank transfer: what it costs and which period it pays for. Pure functions. Days that are paid are
// never lost: an order for another plan costs the difference, or begins when the paid period ends.
import type { OrderKind } from "../../db/schema/central/orders"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { getReduction, isApplicable } from "../coupons/discounts"
import type { Plan } from "../plans/schemas"
import { addMonths, MONTHS } from "../subscriptions/periods"
import { divideRounded } from "../tax/rules"

/** The subject of an order. */
export interface Quote {
  kind: OrderKind | null
  /** Price to charge, before tax. The discount of a whole period is still to be deducted. */
  priceCents: number
  /** Beginning of the paid period. */
  from: Date
}

type Billed = Pick<Subscription, "status" | "plan" | "currentPeriodEndsAt" | "discount">

/** Returns the end of a paid period that is running; null without one. */
export const getPaidEnd = (subscription: Billed | null, now: Date): Date | null => {
  const { status, plan, currentPeriodEndsAt: end } = subscription ?? {}
  return status === "active" && plan && plan.price_cents > 0 && end && end > now ? end : null
}

/**
 * Quotes an order.
 * @param start when another plan begins; undefined for now, if there is a difference to pay
 */
export function quoteOrder(
  subscription: Billed | null,
  plan: Plan,
  start: "now" | "next_period" | undefined,
  now: Date,
): Quote {
  const end = getPaidEnd(subscription, now)
  const current = subscription?.plan
  if (!subscription || !current || !end) return { kind: null, priceCents: plan.priceCents, from: now }
  if (current.slug === plan.slug) return { kind: null, priceCents: plan.priceCents, from: end }
  const later = { kind: "next_period", priceCents: plan.priceCents, from: end } as const
  if (start === "next_period" || current.currency !== plan.currency) return later
  const reduce = (slug: string, price: number) =>
    isApplicable(subscription.discount, slug, now) ? price - getReduction(subscription.discount, price) : price
  const length = end.getTime() - addMonths(end, -MONTHS[current.interval]).getTime()
  const share = (price: number) => divideRounded(price * (end.getTime() - now.getTime()), length)
  const before = reduce(current.slug, current.price_cents)
  const after = reduce(plan.slug, plan.priceCents)
  const difference = current.interval === plan.interval ? share(Math.max(0, after - before)) : after - share(before)
  if (difference <= 0) return later
  // Another interval begins a new period, for which the rest of the old one counts.
  return { kind: "difference", priceCents: difference, from: now }
}
