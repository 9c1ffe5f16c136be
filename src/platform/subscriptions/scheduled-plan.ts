// Changes of plan at the end of the paid period. Pure functions.
import { Refusal } from "../../core/http/refusal"
import { formatTimestamp } from "../../lib/time"
import { buildPlanTerms, type Plan } from "../plans/schemas"
import { buildTransition, type SubscriptionState, type Transition } from "./transition"

/** Schedules the change to a free plan for the end of the paid period. A scheduled cancellation is withdrawn. */
export const scheduleFreePlan = (state: SubscriptionState, plan: Plan, at: Date, now: Date): Transition =>
  buildTransition(state, now, {
    type: "plan_change_scheduled",
    values: { scheduledPlan: { terms: buildPlanTerms(plan, now), ends_at: null }, cancelAt: null },
    data: { plan: plan.slug, from_plan: state.subscription.plan?.slug, until: formatTimestamp(at) },
  })

/**
 * Withdraws a scheduled change of plan that is not paid.
 * @throws Refusal `illegal_transition` when none is scheduled, or it is paid
 */
export function withdrawScheduledPlan(state: SubscriptionState, now: Date): Transition {
  const { scheduledPlan } = state.subscription
  if (!scheduledPlan || scheduledPlan.ends_at) throw new Refusal("illegal_transition")
  return buildTransition(state, now, {
    type: "plan_change_withdrawn",
    values: { scheduledPlan: null },
    data: { plan: scheduledPlan.terms.slug },
  })
}

/** Applies a scheduled change: the new plan, and the end of the period that is paid for it. */
export function applyScheduledPlan({ store, subscription }: SubscriptionState, now: Date): Transition {
  const { scheduledPlan, plan } = subscription
  if (!scheduledPlan) throw new Error("no change of plan is scheduled")
  const { terms, ends_at: until } = scheduledPlan
  return buildTransition({ store, subscription }, now, {
    type: "plan_changed",
    values: { plan: terms, scheduledPlan: null, currentPeriodEndsAt: until === null ? null : new Date(until) },
    data: { plan: terms.slug, from_plan: plan?.slug },
  })
}
