// What becomes of a subscription and its store by time and payments. Pure, like the actions of an operator.
import { DAY, later, timestamp } from "../../lib/time"
import { daysUntil, type Move, moved, type Subscribed } from "./move"
import { assertLegal } from "./rules"

/**
 * Makes it active: its trial converted, or its payment cleared. A store that was offline for want of it opens again.
 * @param until the end of the period that begins; null for a plan that costs nothing
 * @throws Refusal `illegal_transition`
 */
export function activate({ store, subscription }: Subscribed, until: Date | null, now: Date): Move {
  assertLegal("activate", subscription)
  return moved({ store, subscription }, now, {
    type: "activated",
    values: { status: "active", currentPeriodEndsAt: until, pastDueSince: null, suspendedAt: null },
    store: subscription.status === "suspended" && store.status === "suspended" ? "ready" : store.status,
    data: until ? { until: timestamp(until) } : {},
  })
}

/**
 * A payment failed, or a period ended unpaid: the grace period starts.
 * @throws Refusal `illegal_transition`
 */
export function fallDue({ store, subscription }: Subscribed, graceDays: number, now: Date): Move {
  assertLegal("fall_due", subscription)
  return moved({ store, subscription }, now, {
    type: "past_due",
    values: { status: "past_due", pastDueSince: now },
    data: { until: timestamp(later(now, graceDays * DAY)) },
  })
}

/**
 * The grace period or the trial ran out: the store goes offline until it is paid for.
 * @throws Refusal `illegal_transition`
 */
export function suspend({ store, subscription }: Subscribed, reason: SuspensionReason, now: Date): Move {
  assertLegal("suspend", subscription)
  return moved({ store, subscription }, now, {
    type: "suspended",
    values: { status: "suspended", suspendedAt: now },
    store: store.status === "ready" ? "suspended" : store.status,
    data: { reason },
  })
}

/** Why time takes a store offline. */
export type SuspensionReason = "grace_expired" | "trial_expired"

/**
 * The owner is reminded of the trial's end; nothing else changes.
 * @throws Refusal `illegal_transition`
 */
export function remindOfTrial({ store, subscription }: Subscribed, now: Date): Move {
  assertLegal("remind", subscription)
  const { status, trialEndsAt } = subscription
  const ends_at = timestamp(trialEndsAt)
  return {
    subscription,
    store: store.status,
    audit: { storeId: store.id, type: "trial_ending", from: status, to: status, data: { until: ends_at } },
    extra: { trial: { ends_at, days_left: trialEndsAt ? daysUntil(trialEndsAt, now) : 0 } },
  }
}
