// Computes the transitions that time and payments cause. Pure functions, like the operator's actions (actions.ts).
import { addMs, DAY, formatTimestamp } from "../../lib/time"
import { assertTransitionAllowed, getReopenedStatus } from "./rules"
import { buildTransition, type SubscriptionState, type Transition } from "./transition"

/**
 * Activates a subscription: its trial converted, or its payment cleared. A store that was suspended for non-payment
 * reopens.
 * @param until the end of the new billing period; null for a free plan
 * @throws Refusal `illegal_transition`
 */
export function activate({ store, subscription }: SubscriptionState, until: Date | null, now: Date): Transition {
  assertTransitionAllowed("activate", subscription)
  return buildTransition({ store, subscription }, now, {
    type: "activated",
    values: { status: "active", currentPeriodEndsAt: until, pastDueSince: null, suspendedAt: null, cancelAt: null },
    store: subscription.status === "suspended" ? getReopenedStatus(store) : store.status,
    data: until ? { until: formatTimestamp(until) } : {},
  })
}

/**
 * Starts the grace period after a failed payment or an unpaid period.
 * @param since start of the grace period: the end of the unpaid period, or the time of the failure
 * @throws Refusal `illegal_transition`
 */
export function markPastDue(
  { store, subscription }: SubscriptionState,
  since: Date,
  graceDays: number,
  now: Date,
): Transition {
  assertTransitionAllowed("mark_past_due", subscription)
  return buildTransition({ store, subscription }, now, {
    type: "past_due",
    values: { status: "past_due", pastDueSince: since },
    data: { until: formatTimestamp(getGraceEnd(since, graceDays)) },
  })
}

/** Returns when a past-due store goes offline. */
export const getGraceEnd = (since: Date, graceDays: number): Date => addMs(since, graceDays * DAY)

/**
 * Suspends a store after its grace period or trial. It stays offline until it is paid for.
 * @throws Refusal `illegal_transition`
 */
export function suspend({ store, subscription }: SubscriptionState, reason: SuspensionReason, now: Date): Transition {
  assertTransitionAllowed("suspend", subscription)
  return buildTransition({ store, subscription }, now, {
    type: "suspended",
    values: { status: "suspended", suspendedAt: now },
    store: store.status === "ready" ? "suspended" : store.status,
    data: { reason },
  })
}

/** Why the billing clock suspends a store. */
export type SuspensionReason = "grace_expired" | "trial_expired"

/**
 * Reminds the owner that the trial is about to end; nothing else changes.
 * @param day the reminder, as days before the end
 * @throws Refusal `illegal_transition`
 */
export function remindOfTrialEnd({ store, subscription }: SubscriptionState, day: number): Transition {
  assertTransitionAllowed("remind", subscription)
  const until = formatTimestamp(subscription.trialEndsAt)
  return buildOwnerNotice({ store, subscription }, "trial_ending", { trialReminder: day }, { until })
}

/** Reminds the owner that a payment is due; nothing else changes. */
export const remindOfPayment = (state: SubscriptionState, day: number, until: Date): Transition =>
  buildOwnerNotice(state, "payment_reminded", { dunningDay: day }, { until: formatTimestamp(until) })

/** Warns the owner that the store is about to be purged; nothing else changes. */
export const announcePurge = (state: SubscriptionState, until: Date, now: Date): Transition =>
  buildOwnerNotice(state, "purge_announced", { retentionWarnedAt: now }, { until: formatTimestamp(until) })

/** Builds a transition that only records a notice to the owner; not even `updatedAt` changes. */
function buildOwnerNotice(
  { store, subscription }: SubscriptionState,
  type: "trial_ending" | "payment_reminded" | "purge_announced",
  values: Partial<SubscriptionState["subscription"]>,
  data: Record<string, unknown>,
): Transition {
  const { status } = subscription
  return {
    subscription: { ...subscription, ...values },
    store: store.status,
    audit: { storeId: store.id, type, from: status, to: status, data },
  }
}
