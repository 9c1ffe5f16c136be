// Computes the transitions that an operator's actions cause. Pure functions: state, parameters and time in; a
// transition or a Refusal out.

import { Refusal } from "../../core/http/refusal"
import type { StoreStatus } from "../../db/schema/central/stores"
import type { PlanTerms, Subscription } from "../../db/schema/central/subscriptions"
import { addMs, DAY, formatTimestamp } from "../../lib/time"
import { buildPlanTerms, type Plan } from "../plans/schemas"
import { assertProvisioned } from "../stores/rules"
import type { StoreDetails } from "../stores/schemas"
import { assertWithinLimits, type UsageCounts } from "../usage/rules"
import { getPeriodEnd, postponeEnd } from "./periods"
import { assertTransitionAllowed, getReopenedStatus, getRetentionEnd, isFreePlan, isInOrder } from "./rules"
import { buildTransition, daysUntil, type SubscriptionState, type Transition } from "./transition"

/**
 * Builds a new subscription that the platform bills itself (provider `local`).
 * @param trialDays trial length in days; null uses the plan's, 0 starts without a trial
 */
export function buildSubscription(
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
    plan: buildPlanTerms(plan, now),
    couponCode: null,
    discount: null,
    scheduledPlan: null,
    trialEndsAt: days > 0 ? addMs(now, days * DAY) : null,
    currentPeriodEndsAt: days > 0 || plan.priceCents === 0 ? null : getPeriodEnd(plan.interval, now),
    pastDueSince: null,
    suspendedAt: null,
    cancelledAt: null,
    cancelAt: null,
    trialReminder: null,
    dunningDay: null,
    retentionWarnedAt: null,
    cardCustomer: null,
    cardSubscription: null,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * Assigns a plan to a store without a subscription, or replaces one that is suspended or cancelled and reopens the
 * store, unless an operator suspended it.
 * @param trialDays trial length in days; null uses the plan's, 0 starts without a trial
 * @throws Refusal `not_provisioned`; `illegal_transition` while the store has a live subscription
 */
export function assign(
  { store, subscription }: Pick<StoreDetails, "store" | "subscription">,
  plan: Plan,
  trialDays: number | null,
  now: Date,
): Transition {
  assertProvisioned(store)
  if (subscription) assertTransitionAllowed("assign", subscription)
  const status = subscription ? getReopenedStatus(store) : store.status
  return buildInitialTransition(store.id, status, buildSubscription(store.id, plan, trialDays, now), subscription)
}

/** Builds the transition that starts a subscription. */
export const buildInitialTransition = (
  storeId: string,
  store: StoreStatus,
  next: Omit<Subscription, "id">,
  previous: Subscription | null,
): Transition => ({
  subscription: next,
  store,
  audit: {
    storeId,
    type: "assigned",
    from: previous?.status,
    to: next.status,
    data: { plan: next.plan?.slug, trial_days: next.trialEndsAt ? daysUntil(next.trialEndsAt, next.createdAt) : 0 },
  },
})

/**
 * Returns the end of the billing period under the given terms. An active subscription on paid terms without a running
 * period starts one now; otherwise it would never be billed. In every other case the end stays the same.
 * @param terms the current or the new terms
 * @returns null when the period has no end
 */
export function resolvePeriodEnd(
  { status, plan, currentPeriodEndsAt: end }: Pick<Subscription, "status" | "plan" | "currentPeriodEndsAt">,
  terms: PlanTerms | null,
  now: Date,
): Date | null {
  if (status !== "active" || !terms || isFreePlan(terms)) return end
  // A period end that passed while the plan was free was never due, so it does not become due now.
  const isCurrent = end && (end > now || !isFreePlan(plan))
  return isCurrent ? end : getPeriodEnd(terms.interval, now)
}

/** Builds the transition to other terms. Dates stay the same unless the new terms start a period. */
function buildPlanChange(
  terms: PlanTerms,
  { store, subscription }: SubscriptionState,
  now: Date,
  manual?: true,
): Transition {
  const isFree = isFreePlan(terms)
  // A free plan has no end of a period at which the paid plan could start.
  if (isFree && subscription.scheduledPlan?.ends_at) throw new Refusal("illegal_transition")
  return buildTransition({ store, subscription }, now, {
    type: "plan_changed",
    values: {
      plan: terms,
      currentPeriodEndsAt: resolvePeriodEnd(subscription, terms, now),
      ...(isFree && { cancelAt: null, scheduledPlan: null }),
    },
    data: { plan: terms.slug, from_plan: subscription.plan?.slug, manual },
  })
}

/**
 * Changes to the current terms of another plan.
 * @param usage returns the store's current usage
 * @throws Refusal `illegal_transition`, `no_plan`, `same_plan`, `plan_too_small`, in that order
 */
export function changePlan(
  { store, subscription }: SubscriptionState,
  plan: Plan,
  usage: () => UsageCounts,
  now: Date,
): Transition {
  assertTransitionAllowed("change_plan", subscription)
  if (subscription.plan?.slug === plan.slug) throw new Refusal("same_plan")
  assertWithinLimits(usage(), plan.limits)
  return buildPlanChange(buildPlanTerms(plan, now), { store, subscription }, now)
}

/**
 * Replaces the frozen terms by the plan's current ones.
 * @param plan undefined when it is no longer available
 * @param usage returns the store's current usage
 * @throws Refusal `illegal_transition`, `no_plan`, `plan_unavailable`, `plan_too_small`, in that order
 */
export function resync(
  { store, subscription }: SubscriptionState,
  plan: Plan | undefined,
  usage: () => UsageCounts,
  now: Date,
): Transition {
  assertTransitionAllowed("change_plan", subscription)
  if (!plan) throw new Refusal("plan_unavailable")
  assertWithinLimits(usage(), plan.limits)
  return buildPlanChange(buildPlanTerms(plan, now), { store, subscription }, now, true)
}

/**
 * Adds days to the trial or to the billing period. A past-due subscription becomes active, and a scheduled cancellation
 * is withdrawn.
 * @throws Refusal `illegal_transition`, `no_plan`, in that order
 */
export function extend({ store, subscription }: SubscriptionState, days: number, now: Date): Transition {
  assertTransitionAllowed("extend", subscription)
  const trialing = subscription.status === "trialing"
  const { scheduledPlan } = subscription
  const until = postponeEnd(trialing ? subscription.trialEndsAt : subscription.currentPeriodEndsAt, days, now)
  return buildTransition({ store, subscription }, now, {
    type: "extended",
    values: {
      cancelAt: null,
      ...(trialing
        ? { trialEndsAt: until }
        : { status: "active" as const, currentPeriodEndsAt: until, pastDueSince: null }),
      ...(scheduledPlan?.ends_at && {
        scheduledPlan: { ...scheduledPlan, ends_at: addMs(new Date(scheduledPlan.ends_at), days * DAY).toISOString() },
      }),
    },
    data: { extended_days: days, until: formatTimestamp(until) },
  })
}

/** Days of a trial that is extended when its plan has none. */
const DEFAULT_TRIAL_DAYS = 14

/**
 * Returns a subscription that is past due or suspended to a trial, and opens its store.
 * @param days length from now; undefined for that of the plan's trial
 * @throws Refusal `illegal_transition`, `no_plan`, in that order
 */
export function extendTrial(
  { store, subscription }: SubscriptionState,
  days: number | undefined,
  now: Date,
): Transition {
  const { status, plan } = subscription
  if (isInOrder(subscription) || status === "cancelled") throw new Refusal("illegal_transition")
  if (!plan) throw new Refusal("no_plan")
  const length = days ?? (plan.trial_days || DEFAULT_TRIAL_DAYS)
  const until = addMs(now, length * DAY)
  return buildTransition({ store, subscription }, now, {
    type: "extended",
    values: {
      status: "trialing",
      trialEndsAt: until,
      currentPeriodEndsAt: null,
      pastDueSince: null,
      suspendedAt: null,
      cancelAt: null,
      // Reminders of more days than the trial has would precede it.
      trialReminder: length + 1,
    },
    store: "ready",
    data: { extended_days: length, until: formatTimestamp(until) },
  })
}

interface CancellationOptions {
  /** For the audit log and the mail. */
  reason?: string | null
  /** Whether the owner gets a mail; true by default. */
  notify?: boolean
}

/**
 * Cancels a subscription now. Its store goes offline and is retained for the retention period.
 * @throws Refusal `illegal_transition`
 */
export function cancel(
  facts: SubscriptionState,
  retentionDays: number,
  now: Date,
  { reason, notify }: CancellationOptions = {},
): Transition {
  assertTransitionAllowed("cancel", facts.subscription)
  const transition = buildCancellation(facts, now, retentionDays, now)
  const data = { ...transition.audit.data, ...(reason && { reason }) }
  return { ...transition, audit: { ...transition.audit, data }, notify }
}

/**
 * Returns the end of the trial or of the paid period.
 * @returns null when nothing remains of what was paid or granted
 */
export function getRemainingEnd(
  {
    status,
    trialEndsAt,
    currentPeriodEndsAt,
    scheduledPlan,
  }: Pick<Subscription, "status" | "trialEndsAt" | "currentPeriodEndsAt" | "scheduledPlan">,
  now: Date,
): Date | null {
  if (status === "active" && scheduledPlan?.ends_at) return new Date(scheduledPlan.ends_at)
  const end = status === "trialing" ? trialEndsAt : status === "active" ? currentPeriodEndsAt : null
  return end && end > now ? end : null
}

/**
 * Schedules the cancellation for the end of the period or trial. Until then nothing else changes.
 * @param at a result of `getRemainingEnd`
 * @throws Refusal `illegal_transition`
 */
export function scheduleCancellation(
  facts: SubscriptionState,
  at: Date,
  now: Date,
  { reason, notify }: CancellationOptions = {},
): Transition {
  assertTransitionAllowed("cancel", facts.subscription)
  const transition = buildTransition(facts, now, {
    type: "cancel_scheduled",
    // A change to a free plan would take effect at the same time; a paid one takes effect before.
    values: { cancelAt: at, ...(facts.subscription.scheduledPlan?.ends_at ? {} : { scheduledPlan: null }) },
    data: { until: formatTimestamp(at), ...(reason && { reason }) },
  })
  return { ...transition, notify }
}

/**
 * Builds the transition to a cancelled subscription, whether an operator or the payment provider cancelled it.
 * @param at when the subscription ended
 * @param values other columns to set
 */
export const buildCancellation = (
  { store, subscription }: SubscriptionState,
  at: Date,
  retentionDays: number,
  now: Date,
  values: Partial<Subscription> = {},
): Transition =>
  buildTransition({ store, subscription }, now, {
    type: "cancelled",
    values: {
      // A period that is paid ahead comes back with a reactivation.
      scheduledPlan: subscription.scheduledPlan?.ends_at ? subscription.scheduledPlan : null,
      ...values,
      ...{ status: "cancelled", cancelledAt: at, cancelAt: null },
    },
    store: "cancelled",
    data: { until: formatTimestamp(getRetentionEnd(at, retentionDays)) },
  })

/**
 * Withdraws a scheduled cancellation; nothing else changes.
 * @throws Refusal `illegal_transition` when none is scheduled
 */
export function withdrawCancellation(facts: SubscriptionState, now: Date): Transition {
  const { cancelAt } = facts.subscription
  if (!cancelAt) throw new Refusal("illegal_transition")
  return buildTransition(facts, now, {
    type: "cancel_withdrawn",
    values: { cancelAt: null },
    data: { until: formatTimestamp(cancelAt) },
  })
}

/** Whether a cancelled subscription, which was in order, was paid beyond a time, or has a paid next period. */
function isPaidBeyond(subscription: Subscription, end: Date, now: Date): boolean {
  const { status, currentPeriodEndsAt, pastDueSince, suspendedAt, scheduledPlan } = subscription
  if (status !== "cancelled" || pastDueSince || suspendedAt || !currentPeriodEndsAt) return false
  return scheduledPlan?.ends_at ? new Date(scheduledPlan.ends_at) > now : currentPeriodEndsAt > end
}

/**
 * Reactivates a suspended subscription, or a cancelled one within its retention period: a new billing period starts
 * now, and a later end that was paid before the cancellation stays. Of a subscription that is about to be cancelled, it
 * only withdraws the cancellation.
 * @throws Refusal `illegal_transition`, also once the retention period is over; `no_plan`
 */
export function reactivate({ store, subscription }: SubscriptionState, retentionDays: number, now: Date): Transition {
  if (subscription.cancelAt) return withdrawCancellation({ store, subscription }, now)
  assertTransitionAllowed("reactivate", subscription)
  const { plan, cancelledAt } = subscription
  if (!plan) throw new Refusal("no_plan")
  if (cancelledAt && getRetentionEnd(cancelledAt, retentionDays) <= now) throw new Refusal("illegal_transition")
  const end = isFreePlan(plan) ? null : getPeriodEnd(plan.interval, now)
  const isPaidLonger = end !== null && isPaidBeyond(subscription, end, now)
  const until = isPaidLonger ? subscription.currentPeriodEndsAt : end
  return buildTransition({ store, subscription }, now, {
    type: "reactivated",
    values: {
      status: "active",
      trialEndsAt: null,
      currentPeriodEndsAt: until,
      scheduledPlan: isPaidLonger ? subscription.scheduledPlan : null,
      pastDueSince: null,
      suspendedAt: null,
      cancelledAt: null,
      // From here on the platform bills it, even if the payment provider did before.
      cardSubscription: null,
    },
    // A store that was cancelled before it was provisioned returns to `pending`.
    store: store.provisionedAt ? getReopenedStatus(store) : "pending",
    data: { plan: plan.slug, ...(until && { until: formatTimestamp(until) }) },
  })
}
