// What may be done to a subscription, and what becomes of it. Pure.
import type { SubscriptionStatus } from "../../db/schema/central/subscriptions"
import { DAY, later } from "../../lib/time"
import type { Plan } from "../plans/schemas"
import { planTerms } from "../plans/schemas"
import type { Subscription } from "./schemas"

export type Action = "change_plan" | "extend" | "cancel" | "reactivate" | "assign"

/** From which statuses each action is legal, in the order in which `allowed_actions` lists them. */
const LEGAL: Record<Action, readonly SubscriptionStatus[]> = {
  change_plan: ["trialing", "active", "past_due"],
  extend: ["trialing", "active", "past_due"],
  cancel: ["trialing", "active", "past_due", "suspended"],
  reactivate: ["suspended", "cancelled"],
  assign: ["suspended", "cancelled"],
}

/** Whether an action is legal from a status. */
export const isLegal = (action: Action, status: SubscriptionStatus): boolean => LEGAL[action].includes(status)

/** The actions legal now; none while the payment provider manages the subscription. */
export const allowedActions = (row: Pick<Subscription, "status" | "provider">): Action[] =>
  row.provider === "stripe" ? [] : (Object.keys(LEGAL) as Action[]).filter((action) => isLegal(action, row.status))

/** The end of a billing period that starts at `from`; the day of the month is kept where the month has it. */
export function periodEnd(interval: "month" | "year", from: Date): Date {
  const months = interval === "year" ? 12 : 1
  const end = new Date(from)
  const day = end.getUTCDate()
  end.setUTCDate(1)
  end.setUTCMonth(end.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
  end.setUTCDate(Math.min(day, lastDay))
  return end
}

/**
 * A new subscription to a plan.
 * @param trialDays days of trial; the plan's own when null, none when 0
 */
export function newSubscription(
  storeId: string,
  plan: Plan,
  trialDays: number | null,
  now: Date,
): Omit<Subscription, "id"> {
  const days = trialDays ?? plan.trialDays
  return {
    storeId,
    status: days > 0 ? "trialing" : "active",
    provider: "local",
    plan: planTerms(plan, now),
    couponCode: null,
    trialEndsAt: days > 0 ? later(now, days * DAY) : null,
    currentPeriodEndsAt: days > 0 || plan.priceCents === 0 ? null : periodEnd(plan.interval, now),
    pastDueSince: null,
    suspendedAt: null,
    cancelledAt: null,
    stripeCustomer: null,
    stripeSubscription: null,
    createdAt: now,
    updatedAt: now,
  }
}
