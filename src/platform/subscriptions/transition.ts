// The transition of a subscription and its store: the next state and its audit log entry. Pure functions.
import type { AuditDraft } from "../../core/write/audit"
import type { PLATFORM_EVENTS } from "../../core/write/event-types"
import type { StoreStatus } from "../../db/schema/central/stores"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { DAY } from "../../lib/time"
import type { StoreDetails } from "../stores/schemas"

/** The event of each transition, by its type in the audit log; null for those that are only recorded there. */
const EVENT_TYPES = {
  assigned: "subscription.assigned",
  plan_changed: "subscription.plan_changed",
  extended: "subscription.extended",
  cancelled: "subscription.cancelled",
  reactivated: "subscription.reactivated",
  activated: "subscription.activated",
  past_due: "subscription.past_due",
  suspended: "subscription.suspended",
  trial_ending: "subscription.trial_ending",
  payment_reminded: null,
  purge_announced: null,
  billing_updated: null,
} as const satisfies Record<string, (typeof PLATFORM_EVENTS)[number] | null>

type TransitionType = keyof typeof EVENT_TYPES

/** Returns the type of a transition's event; null when it sends none. */
export const getEventType = (type: TransitionType): (typeof EVENT_TYPES)[TransitionType] => EVENT_TYPES[type]

/** The next state of a subscription and its store, and the audit log entry. */
export interface Transition {
  /** A new subscription has no id yet. */
  subscription: Omit<Subscription, "id">
  store: StoreStatus
  audit: AuditDraft & { type: TransitionType }
  /** Further fields of the event's `data`, in addition to the subscription. */
  eventData?: Record<string, unknown>
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
  const reset = hasNewStatus ? { dunningDay: null, retentionWarnedAt: null } : {}
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
