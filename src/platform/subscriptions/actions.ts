// What becomes of a subscription and its store by an operator's action. Pure: the state, the wish and the moment in; a refusal
// or a move out.

import { Refusal } from "../../core/http/refusal"
import type { StoreStatus } from "../../db/schema/central/stores"
import type { PlanTerms } from "../../db/schema/central/subscriptions"
import { DAY, later, timestamp } from "../../lib/time"
import { type Plan, planTerms } from "../plans/schemas"
import { assertProvisioned } from "../stores/rules"
import type { StoreFacts } from "../stores/schemas"
import { assertFits, type Counts } from "../usage/rules"
import { periodEnd, putOff } from "./periods"
import { assertLegal, isFree, retentionEnd } from "./rules"
import type { Subscription } from "./schemas"
import { daysUntil, type Move, moved, type Subscribed } from "./transition"

/**
 * A new subscription to a plan, on the books of the platform itself.
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
    trialReminder: null,
    dunningDay: null,
    retentionWarnedAt: null,
    stripeCustomer: null,
    stripeSubscription: null,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * Gives a plan to a store that has none, or whose subscription is over; the latter opens the store again.
 * @param trialDays as of `newSubscription`
 * @throws Refusal `not_provisioned`; `illegal_transition` while the store has a live subscription
 */
export function assign(
  { store, subscription }: Pick<StoreFacts, "store" | "subscription">,
  plan: Plan,
  trialDays: number | null,
  now: Date,
): Move {
  assertProvisioned(store)
  if (subscription) assertLegal("assign", subscription)
  const status = subscription ? "ready" : store.status
  return firstOf(store.id, status, newSubscription(store.id, plan, trialDays, now), subscription)
}

/** The move to a subscription that begins. */
export const firstOf = (
  storeId: string,
  store: StoreStatus,
  next: Omit<Subscription, "id">,
  previous: Subscription | null,
): Move => ({
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
 * When the period of a subscription ends under some terms: when it ended so far. Only where it is active on terms that cost something
 * and no period is under way does one begin now, since it would never be billed.
 * @param terms those it has, or is to have
 * @returns null for one that has no end and needs none
 */
export function paidUntil(
  { status, plan, currentPeriodEndsAt: end }: Pick<Subscription, "status" | "plan" | "currentPeriodEndsAt">,
  terms: PlanTerms | null,
  now: Date,
): Date | null {
  if (status !== "active" || !terms || isFree(terms)) return end
  // An end that went by under terms without a price was never due, and is not due afterwards.
  const holds = end && (end > now || !isFree(plan))
  return holds ? end : periodEnd(terms.interval, now)
}

/** The move to other terms; no date moves, unless a period begins with them. */
function changedTo(terms: PlanTerms, { store, subscription }: Subscribed, now: Date, manual?: true): Move {
  return moved({ store, subscription }, now, {
    type: "plan_changed",
    values: { plan: terms, currentPeriodEndsAt: paidUntil(subscription, terms, now) },
    data: { plan: terms.slug, from_plan: subscription.plan?.slug, manual },
  })
}

/**
 * Changes to the terms of another plan as they are today.
 * @param usage what the store uses now
 * @throws Refusal `illegal_transition`, `no_plan`, `same_plan`, `plan_too_small`, in that order
 */
export function changePlan({ store, subscription }: Subscribed, plan: Plan, usage: () => Counts, now: Date): Move {
  assertLegal("change_plan", subscription)
  if (subscription.plan?.slug === plan.slug) throw new Refusal("same_plan")
  assertFits(usage(), plan.limits)
  return changedTo(planTerms(plan, now), { store, subscription }, now)
}

/**
 * Takes the terms that the same plan is sold with today.
 * @param plan undefined when it is not sold any more
 * @param usage what the store uses now
 * @throws Refusal `illegal_transition`, `no_plan`, `plan_unavailable`, `plan_too_small`, in that order
 */
export function resync(
  { store, subscription }: Subscribed,
  plan: Plan | undefined,
  usage: () => Counts,
  now: Date,
): Move {
  assertLegal("change_plan", subscription)
  if (!plan) throw new Refusal("plan_unavailable")
  assertFits(usage(), plan.limits)
  return changedTo(planTerms(plan, now), { store, subscription }, now, true)
}

/**
 * Adds days to the trial or to the period; one whose payment was due is paid up by it.
 * @throws Refusal `illegal_transition`, `no_plan`, in that order
 */
export function extend({ store, subscription }: Subscribed, days: number, now: Date): Move {
  assertLegal("extend", subscription)
  const trialing = subscription.status === "trialing"
  const until = putOff(trialing ? subscription.trialEndsAt : subscription.currentPeriodEndsAt, days, now)
  return moved({ store, subscription }, now, {
    type: "extended",
    values: trialing ? { trialEndsAt: until } : { status: "active", currentPeriodEndsAt: until, pastDueSince: null },
    data: { extended_days: days, until: timestamp(until) },
  })
}

/**
 * Ends a subscription. Its store goes offline and is kept for the retention.
 * @throws Refusal `illegal_transition`
 */
export function cancel(facts: Subscribed, retentionDays: number, now: Date): Move {
  assertLegal("cancel", facts.subscription)
  return cancelled(facts, now, retentionDays, now)
}

/**
 * The move to a subscription that ended, whoever ended it.
 * @param at when it ended
 * @param values what else becomes of it
 */
export const cancelled = (
  { store, subscription }: Subscribed,
  at: Date,
  retentionDays: number,
  now: Date,
  values: Partial<Subscription> = {},
): Move =>
  moved({ store, subscription }, now, {
    type: "cancelled",
    values: { ...values, status: "cancelled", cancelledAt: at },
    store: "cancelled",
    data: { until: timestamp(retentionEnd(at, retentionDays)) },
  })

/**
 * Revives a suspended subscription, or a cancelled one within the retention; a new period starts now.
 * @throws Refusal `illegal_transition`, also when the retention is over; `no_plan`
 */
export function reactivate({ store, subscription }: Subscribed, retentionDays: number, now: Date): Move {
  assertLegal("reactivate", subscription)
  const { plan, cancelledAt } = subscription
  if (!plan) throw new Refusal("no_plan")
  if (cancelledAt && retentionEnd(cancelledAt, retentionDays) <= now) throw new Refusal("illegal_transition")
  const until = isFree(plan) ? null : periodEnd(plan.interval, now)
  return moved({ store, subscription }, now, {
    type: "reactivated",
    values: {
      status: "active",
      trialEndsAt: null,
      currentPeriodEndsAt: until,
      pastDueSince: null,
      suspendedAt: null,
      cancelledAt: null,
      // Whoever billed it before, from here on it is on the platform's own books.
      stripeSubscription: null,
    },
    // One that was cancelled before it was ever provisioned goes back to where it waited.
    store: store.provisionedAt ? "ready" : "pending",
    data: { plan: plan.slug, ...(until && { until: timestamp(until) }) },
  })
}
