// Quotes an order by bank transfer: what it costs and which period it pays for. Pure functions. Days that are paid are
// never lost: an order for another plan costs the difference, or begins when the paid period ends.
import type { OrderKind } from "../../db/schema/central/orders"
import type { Discount, Subscription } from "../../db/schema/central/subscriptions"
import { getReduction, isApplicable } from "../coupons/discounts"
import type { Plan } from "../plans/schemas"
import { addMonths, type Interval, MONTHS } from "../subscriptions/periods"
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

/** Returns the paid plan and its end, in milliseconds since 1970, that another plan replaces; null without one. */
export function getReplaced(subscription: Billed | null, now: Date): { plan: string; until: number } | null {
  const end = getPaidEnd(subscription, now)
  return subscription?.plan && end ? { plan: subscription.plan.slug, until: end.getTime() } : null
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
  const reduce = (slug: string, price: number, from: Date) =>
    isRunning(subscription.discount) && isApplicable(subscription.discount, slug, from)
      ? price - getReduction(subscription.discount, price)
      : price
  const periods = listPaidPeriods(current.interval, end, now)
  /** Adds up what the remaining part of each paid period costs. */
  const sumPeriods = (price: (from: Date) => number) =>
    periods.reduce((sum, { from, left, length }) => sum + divideRounded(price(from) * left, length), 0)
  const before = (from: Date) => reduce(current.slug, current.price_cents, from)
  const after = (from: Date) => reduce(plan.slug, plan.priceCents, from)
  const difference =
    current.interval === plan.interval
      ? sumPeriods((from) => Math.max(0, after(from) - before(from)))
      : after(now) - sumPeriods(before)
  if (difference <= 0) return later
  // Another interval begins a new period, for which the rest of the old one counts.
  return { kind: "difference", priceCents: difference, from: now }
}

/** Whether a discount counts now. One for some months begins with the first period that is paid in whole. */
const isRunning = (discount: Discount | null | undefined): boolean =>
  discount != null && (discount.months === null || discount.ends_at !== null)

/** Lists the paid periods until `end`, the current one last, with the milliseconds that are left of each. */
function listPaidPeriods(interval: Interval, end: Date, now: Date): { from: Date; left: number; length: number }[] {
  const periods = []
  for (let count = 1, until = end; until > now; count++) {
    const from = addMonths(end, -count * MONTHS[interval])
    const start = from > now ? from : now
    periods.push({ from, left: until.getTime() - start.getTime(), length: until.getTime() - from.getTime() })
    until = from
  }
  return periods
}
