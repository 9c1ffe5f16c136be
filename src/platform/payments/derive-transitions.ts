// Derives the transitions that bring a store's subscription in line with its projection at the payment provider. Pure
// functions.

import type { Subscription } from "../../db/schema/central/subscriptions"
import { assertNever } from "../../lib/assert-never"
import { formatTimestamp, SECOND } from "../../lib/time"
import { buildPlanTerms, type Plan } from "../plans/schemas"
import type { StoreDetails } from "../stores/schemas"
import { buildCancellation, buildInitialTransition, buildSubscription } from "../subscriptions/actions"
import { getPeriodEnd } from "../subscriptions/periods"
import { getReopenedStatus, isLive } from "../subscriptions/rules"
import { getGraceEnd } from "../subscriptions/steps"
import { buildTransition, type SubscriptionState, type Transition } from "../subscriptions/transition"
import type { SubscriptionProjection } from "./projection"
import { resolveReference } from "./references"

/** Billing settings that appear in the audit data of transitions. */
export interface TransitionSettings {
  graceDays: number
  retentionDays: number
}

/**
 * Derives the transitions, in order; none when nothing changes.
 * @param subscriptionId the subscription's reference
 * @param plans plans by slug, including the projection's plan
 * @param supersedes whether this subscription supersedes another card subscription of the store. Then terms and dates
 *   come from this one alone, so that the result does not depend on the order in which the two were applied
 */
export function deriveTransitions(
  { store, subscription }: StoreDetails,
  subscriptionId: string,
  projection: SubscriptionProjection,
  plans: ReadonlyMap<string, Plan>,
  settings: TransitionSettings,
  now: Date,
  supersedes: boolean,
): Transition[] {
  const plan = projection.plan ? plans.get(projection.plan.slug) : undefined
  const isBound = subscription?.cardSubscription === subscriptionId
  // Without a plan there is nothing to bill yet; a later message may name one.
  if (!isBound && (!plan || !projection.checkout)) return []
  const transitions: Transition[] = []
  let state: SubscriptionState
  if (plan && !isBound && !(subscription && isLive(subscription))) {
    const transition = startSubscription(store, subscription, subscriptionId, projection, plan, now)
    transitions.push(transition)
    state = applyTransition(store, transition)
  } else if (subscription) state = { store, subscription }
  else return []

  const initialTerms = supersedes && plan ? buildInitialTerms(projection, plan, now) : null
  const { plan: current, status } = state.subscription
  if (plan && plan.slug !== current?.slug && !(projection.endedAt && status === "cancelled")) {
    const { status: _, pastDueSince: __, ...dates } = getStatusAndDates(projection, "active")
    const transition = buildTransition(state, now, {
      type: "plan_changed",
      values: {
        ...buildProviderFields(subscriptionId, projection),
        ...initialTerms,
        ...dates,
        plan: buildPlanTerms(plan, getTermsDate(projection, now)),
      },
      data: { plan: plan.slug, from_plan: current?.slug },
    })
    transitions.push(transition)
    state = applyTransition(state.store, transition)
  }
  const next = deriveStatusTransition(state, subscriptionId, projection, plan, settings, now, initialTerms)
  return next ? [...transitions, next] : transitions
}

/** Returns the state after a transition. */
const applyTransition = (store: SubscriptionState["store"], transition: Transition): SubscriptionState => ({
  store: { ...store, status: transition.store },
  subscription: { ...(transition.subscription as Subscription) },
})

const buildProviderFields = (cardSubscription: string, projection: SubscriptionProjection) => ({
  provider: resolveReference(cardSubscription).provider.name,
  cardSubscription,
  cardCustomer: projection.customer,
  // The card takes over what was scheduled before.
  scheduledPlan: null,
})

/** Builds the initial terms and dates of a subscription, used where its messages contain no others. */
function buildInitialTerms(projection: SubscriptionProjection, plan: Plan, now: Date) {
  const started = projection.checkout?.at ?? now
  return {
    plan: buildPlanTerms(plan, getTermsDate(projection, now)),
    trialEndsAt: null,
    currentPeriodEndsAt: getPeriodEnd(plan.interval, started),
  }
}

const getTermsDate = (projection: SubscriptionProjection, now: Date): Date =>
  projection.plan?.since ?? projection.checkout?.at ?? now

/** Builds the transition that starts a subscription for a store that had none, or only an ended one. */
function startSubscription(
  store: SubscriptionState["store"],
  previous: Subscription | null,
  subscriptionId: string,
  projection: SubscriptionProjection,
  plan: Plan,
  now: Date,
): Transition {
  const started = projection.checkout?.at ?? now
  const next = {
    ...buildSubscription(store.id, plan, 0, started),
    ...{ couponCode: previous?.couponCode ?? null, discount: previous?.discount ?? null },
    ...buildProviderFields(subscriptionId, projection),
    ...buildInitialTerms(projection, plan, now),
    ...getStatusAndDates(projection, "active"),
    updatedAt: now,
  }
  const opened = store.provisionedAt
    ? getReopenedStatus(store)
    : store.status === "cancelled"
      ? "pending"
      : store.status
  return buildInitialTransition(store.id, previous ? opened : store.status, next, previous)
}

/** Returns the projection's status and dates for a subscription that has not ended. */
const getStatusAndDates = (projection: SubscriptionProjection, openStatus: "trialing" | "active") => ({
  status: projection.status === "open" || projection.status === null ? openStatus : projection.status,
  ...(projection.trialEnd && { trialEndsAt: projection.trialEnd }),
  ...(projection.periodEnd && { currentPeriodEndsAt: projection.periodEnd }),
  pastDueSince: projection.status === "past_due" ? projection.pastDueSince : null,
  cancelAt: projection.cancelAt,
})

/**
 * Whether the provider's trial is the rest of a period that was paid before the card was saved. Such a store is no trial.
 */
const isPaidUntilFirstCharge = (
  { status, currentPeriodEndsAt: end }: Subscription,
  { status: reported, trialEnd }: SubscriptionProjection,
): boolean =>
  reported === "trialing" &&
  status === "active" &&
  // The provider knows the end in whole seconds.
  (end && Math.floor(end.getTime() / SECOND) * SECOND) === trialEnd?.getTime()

/** Derives the transition of status and dates; null when they already match the projection. */
function deriveStatusTransition(
  state: SubscriptionState,
  subscriptionId: string,
  projection: SubscriptionProjection,
  plan: Plan | undefined,
  settings: TransitionSettings,
  now: Date,
  initialTerms: Partial<Subscription> | null,
): Transition | null {
  const { store, subscription } = state
  // An ended subscription gets the plan and dates too, so that the result does not depend on the order of the messages.
  const reported = getStatusAndDates(
    projection,
    subscription.status === "trialing" && !initialTerms ? "trialing" : "active",
  )
  const dates = isPaidUntilFirstCharge(subscription, projection) ? { ...reported, status: "active" as const } : reported
  const terms =
    plan && hasOutdatedTerms(subscription, plan, projection)
      ? { plan: buildPlanTerms(plan, getTermsDate(projection, now)) }
      : {}
  if (projection.endedAt) {
    const { status: _, ...endDates } = dates
    const values = {
      ...buildProviderFields(subscriptionId, projection),
      ...initialTerms,
      ...endDates,
      ...terms,
      ...{ provider: "local" as const, pastDueSince: null },
    }
    if (subscription.status !== "cancelled") {
      return buildCancellation(state, projection.endedAt, settings.retentionDays, now, values)
    }
    return buildAuditOnlyTransition(state, { ...values, cancelledAt: projection.endedAt }, now)
  }
  // A store suspended after its grace period stays offline until a payment clears, even if older failures arrive late.
  const isOffline = subscription.status === "suspended" && dates.status === "past_due"
  const values = {
    ...buildProviderFields(subscriptionId, projection),
    ...initialTerms,
    ...dates,
    ...terms,
    ...(isOffline && { status: "suspended" as const }),
  }
  if (values.status === subscription.status) return buildAuditOnlyTransition(state, values, now)
  const reopened = subscription.status === "suspended" ? getReopenedStatus(store) : store.status
  switch (values.status) {
    case "past_due": {
      const until = getGraceEnd(values.pastDueSince ?? now, settings.graceDays)
      return buildTransition(state, now, { type: "past_due", values, data: { until: formatTimestamp(until) } })
    }
    case "trialing":
    case "suspended":
      return buildAuditOnlyTransition(state, { ...values, suspendedAt: null }, now, reopened)
    case "active":
      return buildTransition(state, now, {
        type: "activated",
        values: { ...values, suspendedAt: null },
        store: reopened,
        data: values.currentPeriodEndsAt ? { until: formatTimestamp(values.currentPeriodEndsAt) } : {},
      })
    default:
      return assertNever(values.status)
  }
}

/** Whether the terms are of another plan, or were taken at another time than the projection says. */
const hasOutdatedTerms = ({ plan: current }: Subscription, plan: Plan, projection: SubscriptionProjection): boolean =>
  current?.slug !== plan.slug ||
  (projection.plan?.since != null && current.taken_at !== formatTimestamp(projection.plan.since))

/** Builds a transition for new dates or another provider without a new status: an audit log entry, but no event. */
function buildAuditOnlyTransition(
  state: SubscriptionState,
  values: Partial<Subscription>,
  now: Date,
  store = state.store.status,
): Transition | null {
  const current = state.subscription
  const differs = (Object.keys(values) as (keyof Subscription)[]).some(
    (name) => JSON.stringify(current[name]) !== JSON.stringify(values[name]),
  )
  if (!differs) return null
  const isScheduled = values.cancelAt && !current.cancelAt
  const until = isScheduled ? values.cancelAt : (values.currentPeriodEndsAt ?? current.currentPeriodEndsAt)
  const transition = buildTransition(state, now, {
    type: isScheduled ? "cancel_scheduled" : "billing_updated",
    values,
    store,
    data: until ? { until: formatTimestamp(until) } : {},
  })
  // The provider confirms a cancellation itself, and messages may arrive out of order.
  return { ...transition, notify: false }
}
