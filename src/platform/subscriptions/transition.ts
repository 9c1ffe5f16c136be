// The transition of a subscription and its store: the next state and its audit log entry. Pure functions.
import type { AuditDraft } from "../../core/write/audit"
import type { StoreStatus } from "../../db/schema/central/stores"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { DAY } from "../../lib/time"
import type { StoreDetails } from "../stores/schemas"

/** The type in the audit log; the event, if any, is `subscription.<type>`. */
type TransitionType =
  | "assigned"
  | "plan_changed"
  | "plan_change_scheduled"
  | "plan_change_withdrawn"
  | "extended"
  | "cancelled"
  | "cancel_scheduled"
  | "cancel_withdrawn"
  | "reactivated"
  | "activated"
  | "past_due"
  | "suspended"
  | "trial_ending"
  | "payment_reminded"
  | "purge_announced"
  | "billing_updated"

/** The next state of a subscription and its store, and the audit log entry. */
export interface Transition {
  /** A new subscription has no id yet. */
  subscription: Omit<Subscription, "id">
  store: StoreStatus
  audit: AuditDraft & { type: TransitionType }
  /** Whether the owner gets the mail about the transition; true by default. */
  notify?: boolean
}

/** A store with a subscription, including everything that its resource shows. */
export interface SubscribedStore extends StoreDetails {
  subscription: Subscription
}

/** The state that a transition starts from. */
export interface SubscriptionState {
  store: StoreDetails["store"]
  subscription: Subscription
}

/**
 * Builds a transition: new column values of the subscription, an optional new status of the store, and the audit log
 * entry.
 */
export function buildTransition(
  { store, subscription }: SubscriptionState,
  now: Date,
  change: {
    type: TransitionType
    values: Partial<Subscription>
    store?: StoreStatus
    data: Record<string, unknown>
  },
): Transition {
  const hasNewStatus = change.values.status !== undefined && change.values.status !== subscription.status
  // Reminders belong to a status, so a new status resets them.
  const isNewTrial = hasNewStatus && change.values.status === "trialing"
  const reset = {
    ...(hasNewStatus && { dunningDay: null, retentionWarnedAt: null }),
    ...(isNewTrial && { trialReminder: null }),
  }
  const next = { ...subscription, ...reset, ...change.values, updatedAt: now }
  return {
    subscription: next,
    store: change.store ?? store.status,
    audit: { storeId: store.id, type: change.type, from: subscription.status, to: next.status, data: change.data },
  }
}

/** Returns the days until a time, rounded up; 0 once it has passed. */
export const daysUntil = (date: Date, now: Date): number =>
  Math.max(0, Math.ceil((date.getTime() - now.getTime()) / DAY))
