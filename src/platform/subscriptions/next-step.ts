// What the billing clock has to do next for one store, and what becomes of the store by it. Pure: the state, the settings and the
// moment in, one step out. A platform that slept takes one step after the other until there is none left.
import type { Settings } from "../../env"
import { DAY, later } from "../../lib/time"
import { isFree, retentionEnd } from "./rules"
import {
  activate,
  announcePurge,
  fallDue,
  graceEnd,
  remindOfPayment,
  remindOfTrial,
  type SuspensionReason,
  suspend,
} from "./steps"
import type { Move, Subscribed } from "./transition"

/** The settings that the clock goes by. */
export type ClockSettings = Pick<
  Settings,
  | "TENANCY_BILLING_GRACE_DAYS"
  | "TENANCY_RETENTION_DAYS"
  | "TENANCY_RETENTION_WARNING_DAYS"
  | "TENANCY_TRIAL_REMINDER_DAYS"
  | "TENANCY_DUNNING_DAYS"
>

/** A step that is due: which, and since when. */
export type DueStep = { dueAt: Date } & (
  | { step: "reminded"; day: number }
  | { step: "activated" }
  | { step: "past_due" }
  | { step: "dunned"; day: number; until: Date }
  | { step: "suspended"; reason: SuspensionReason }
  | { step: "warned"; until: Date }
  | { step: "purged" }
)

/**
 * The next step of a store.
 * @returns null when nothing is due at `now`
 */
export function dueStep({ subscription }: Subscribed, settings: ClockSettings, now: Date): DueStep | null {
  switch (subscription.status) {
    case "trialing":
      return ofTrial(subscription, settings, now)
    case "active":
      return ofPeriod(subscription, now)
    case "past_due":
      return ofGrace(subscription, settings, now)
    case "cancelled":
      return ofRetention(subscription, settings, now)
    case "suspended":
      return null
  }
}

type Subscription = Subscribed["subscription"]

function ofTrial(subscription: Subscription, settings: ClockSettings, now: Date): DueStep | null {
  const { trialEndsAt: end, createdAt, trialReminder, provider } = subscription
  if (!end) return null
  if (end <= now) {
    // What the provider bills it also converts: its message says whether the first payment cleared.
    if (provider === "stripe") return null
    if (isFree(subscription.plan)) return { step: "activated", dueAt: end }
    return { step: "suspended", reason: "trial_expired", dueAt: end }
  }
  // Of several that are due the nearest to the end goes out, and stands for those before it.
  const reminders = settings.TENANCY_TRIAL_REMINDER_DAYS.map((day) => ({ day, at: later(end, -day * DAY) }))
  const [nearest] = reminders.filter(({ at }) => at >= createdAt && at <= now).sort((a, b) => a.day - b.day)
  if (!nearest || (trialReminder !== null && trialReminder <= nearest.day)) return null
  return { step: "reminded", day: nearest.day, dueAt: nearest.at }
}

function ofPeriod(subscription: Subscription, now: Date): DueStep | null {
  const { currentPeriodEndsAt: end, plan, provider } = subscription
  if (provider === "stripe" || isFree(plan) || !end || end > now) return null
  return { step: "past_due", dueAt: end }
}

function ofGrace(subscription: Subscription, settings: ClockSettings, now: Date): DueStep | null {
  const since = subscription.pastDueSince ?? subscription.updatedAt
  const until = graceEnd(since, settings.TENANCY_BILLING_GRACE_DAYS)
  if (until <= now) return { step: "suspended", reason: "grace_expired", dueAt: until }
  // Of a payment that failed at the provider the owner is told at once, invoice by invoice.
  const first = subscription.provider === "stripe" ? 1 : 0
  const reminders = settings.TENANCY_DUNNING_DAYS.map((day) => ({ day, at: later(since, day * DAY) }))
  const [latest] = reminders.filter(({ day, at }) => day >= first && at <= now).sort((a, b) => b.day - a.day)
  if (!latest || (subscription.dunningDay !== null && subscription.dunningDay >= latest.day)) return null
  return { step: "dunned", day: latest.day, until, dueAt: latest.at }
}

function ofRetention(subscription: Subscription, settings: ClockSettings, now: Date): DueStep | null {
  const cancelledAt = subscription.cancelledAt ?? subscription.updatedAt
  const until = retentionEnd(cancelledAt, settings.TENANCY_RETENTION_DAYS)
  if (until <= now) return { step: "purged", dueAt: until }
  const warning = later(until, -settings.TENANCY_RETENTION_WARNING_DAYS * DAY)
  if (subscription.retentionWarnedAt || warning > now) return null
  return { step: "warned", until, dueAt: warning }
}

/** What a step makes of the store; null when nothing is left of it. */
export function stepMove(facts: Subscribed, due: DueStep, settings: ClockSettings, now: Date): Move | null {
  switch (due.step) {
    case "reminded":
      return remindOfTrial(facts, due.day, now)
    case "activated":
      return activate(facts, null, now)
    case "past_due":
      return fallDue(facts, due.dueAt, settings.TENANCY_BILLING_GRACE_DAYS, now)
    case "dunned":
      return remindOfPayment(facts, due.day, due.until)
    case "suspended":
      return suspend(facts, due.reason, now)
    case "warned":
      return announcePurge(facts, due.until, now)
    case "purged":
      return null
  }
}

/**
 * All the steps that a run at `now` would take, in order.
 * @returns none when nothing is due
 */
export function stepsUntilDone({ store, subscription }: Subscribed, settings: ClockSettings, now: Date): DueStep[] {
  const steps: DueStep[] = []
  let facts: Subscribed = { store, subscription }
  for (let due = dueStep(facts, settings, now); due; due = dueStep(facts, settings, now)) {
    steps.push(due)
    const move = stepMove(facts, due, settings, now)
    if (!move) break
    const next = { ...subscription, ...move.subscription }
    facts = { store: { ...facts.store, status: move.store }, subscription: next }
  }
  return steps
}
