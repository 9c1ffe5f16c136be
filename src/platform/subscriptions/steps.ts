// What becomes of a subscription and its store by time and payments. Pure, like the actions of an operator.
import { DAY, later, timestamp } from "../../lib/time"
import { assertLegal } from "./rules"
import { daysUntil, type Move, moved, type Subscribed } from "./transition"

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
 * @param since when it starts: the period's end, or the moment of the failure
 * @throws Refusal `illegal_transition`
 */
export function fallDue({ store, subscription }: Subscribed, since: Date, graceDays: number, now: Date): Move {
  assertLegal("fall_due", subscription)
  return moved({ store, subscription }, now, {
    type: "past_due",
    values: { status: "past_due", pastDueSince: since },
    data: { until: timestamp(graceEnd(since, graceDays)) },
  })
}

/** When a store that is past due goes offline. */
export const graceEnd = (since: Date, graceDays: number): Date => later(since, graceDays * DAY)

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
 * @param day which of the reminders it is, as days before the end
 * @throws Refusal `illegal_transition`
 */
export function remindOfTrial({ store, subscription }: Subscribed, day: number, now: Date): Move {
  assertLegal("remind", subscription)
  const ends_at = timestamp(subscription.trialEndsAt)
  return {
    ...told({ store, subscription }, "trial_ending", { trialReminder: day }, { until: ends_at }),
    extra: {
      trial: { ends_at, days_left: subscription.trialEndsAt ? daysUntil(subscription.trialEndsAt, now) : 0 },
    },
  }
}

/** The owner is reminded that a payment is due; nothing else changes. */
export const remindOfPayment = (facts: Subscribed, day: number, until: Date): Move =>
  told(facts, "payment_reminded", { dunningDay: day }, { until: timestamp(until) })

/** The owner is told that the retention is about to end; nothing else changes. */
export const announcePurge = (facts: Subscribed, until: Date, now: Date): Move =>
  told(facts, "purge_announced", { retentionWarnedAt: now }, { until: timestamp(until) })

/** A move that moves nothing but what the owner was told: not even the moment of the last change. */
function told(
  { store, subscription }: Subscribed,
  type: "trial_ending" | "payment_reminded" | "purge_announced",
  values: Partial<Subscribed["subscription"]>,
  data: Record<string, unknown>,
): Move {
  const { status } = subscription
  return {
    subscription: { ...subscription, ...values },
    store: store.status,
    audit: { storeId: store.id, type, from: status, to: status, data },
  }
}
