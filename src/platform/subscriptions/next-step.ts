// Determines the next due billing step of a store, and the transition that it causes. Pure functions: state, settings
// and time in, one step out. After downtime the clock catches up step by step.
import type { BillingKind } from "../../db/schema/central/billing-providers"
import type { Settings } from "../../env"
import { assertNever } from "../../lib/assert-never"
import { addMs, DAY } from "../../lib/time"
import { cancel } from "./actions"
import { getBillingKind, getRetentionEnd, isFreePlan } from "./rules"
import { applyScheduledPlan } from "./scheduled-plan"
import {
  activate,
  announcePurge,
  getGraceEnd,
  markPastDue,
  remindOfPayment,
  remindOfTrialEnd,
  type SuspensionReason,
  suspend,
} from "./steps"
import type { SubscriptionState, Transition } from "./transition"

/** The settings of the billing clock. */
export type ClockSettings = Pick<
  Settings,
  | "TENANCY_BILLING_GRACE_DAYS"
  | "TENANCY_RETENTION_DAYS"
  | "TENANCY_RETENTION_WARNING_DAYS"
  | "TENANCY_TRIAL_REMINDER_DAYS"
  | "TENANCY_DUNNING_DAYS"
>

/** A due step, and when it became due. */
export type DueStep = { dueAt: Date } & (
  | { step: "reminded"; day: number }
  | { step: "activated" }
  | { step: "cancelled" }
  | { step: "plan_changed" }
  | { step: "past_due" }
  | { step: "dunned"; day: number; until: Date }
  | { step: "suspended"; reason: SuspensionReason }
  | { step: "warned"; until: Date }
  | { step: "purged" }
)

/**
 * Returns the next step of a store; null when none is due at `now`.
 */
export function getDueStep({ subscription }: SubscriptionState, settings: ClockSettings, now: Date): DueStep | null {
  const { cancelAt, status, provider } = subscription
  // A card provider ends the subscriptions that it bills; its message reports it.
  if (cancelAt && cancelAt <= now && status !== "cancelled" && getBillingKind(provider) === "local") {
    return { step: "cancelled", dueAt: cancelAt }
  }
  switch (status) {
    case "trialing":
      return getTrialStep(subscription, settings, now)
    case "active":
      return getPeriodStep(subscription, now)
    case "past_due":
      return getGraceStep(subscription, settings, now)
    case "cancelled":
      return getRetentionStep(subscription, settings, now)
    case "suspended":
      return null
    default:
      return assertNever(status)
  }
}

type Subscription = SubscriptionState["subscription"]

function getTrialStep(subscription: Subscription, settings: ClockSettings, now: Date): DueStep | null {
  const { trialEndsAt: end, createdAt, trialReminder, provider } = subscription
  if (!end) return null
  if (end <= now) {
    const kind = getBillingKind(provider)
    switch (kind) {
      case "card":
        // The provider converts the trials that it bills; its message reports whether the first payment cleared.
        return null
      case "local":
        return isFreePlan(subscription.plan)
          ? { step: "activated", dueAt: end }
          : { step: "suspended", reason: "trial_expired", dueAt: end }
      default:
        return assertNever(kind)
    }
  }
  // Nothing is due at the end of a trial that is cancelled.
  if (subscription.cancelAt) return null
  // When several reminders are due, only the one nearest to the end is sent.
  const reminders = settings.TENANCY_TRIAL_REMINDER_DAYS.map((day) => ({ day, at: addMs(end, -day * DAY) }))
  const [nearest] = reminders.filter(({ at }) => at >= createdAt && at <= now).sort((a, b) => a.day - b.day)
  if (!nearest || (trialReminder !== null && trialReminder <= nearest.day)) return null
  return { step: "reminded", day: nearest.day, dueAt: nearest.at }
}

function getPeriodStep(subscription: Subscription, now: Date): DueStep | null {
  const { currentPeriodEndsAt: end, plan, provider, scheduledPlan } = subscription
  if (isFreePlan(plan) || !end || end > now) return null
  const kind = getBillingKind(provider)
  switch (kind) {
    case "card":
      // The provider reports whether the payment of the next period failed.
      return null
    case "local":
      return { step: scheduledPlan ? "plan_changed" : "past_due", dueAt: end }
    default:
      return assertNever(kind)
  }
}

/** Day 0 does not apply to card payments: the owner gets a mail per failed invoice immediately. */
const FIRST_DUNNING_DAY: Record<BillingKind, number> = { local: 0, card: 1 }

function getGraceStep(subscription: Subscription, settings: ClockSettings, now: Date): DueStep | null {
  const since = subscription.pastDueSince ?? subscription.updatedAt
  const until = getGraceEnd(since, settings.TENANCY_BILLING_GRACE_DAYS)
  if (until <= now) return { step: "suspended", reason: "grace_expired", dueAt: until }
  const firstDay = FIRST_DUNNING_DAY[getBillingKind(subscription.provider)]
  const reminders = settings.TENANCY_DUNNING_DAYS.map((day) => ({ day, at: addMs(since, day * DAY) }))
  const [latest] = reminders.filter(({ day, at }) => day >= firstDay && at <= now).sort((a, b) => b.day - a.day)
  if (!latest || (subscription.dunningDay !== null && subscription.dunningDay >= latest.day)) return null
  return { step: "dunned", day: latest.day, until, dueAt: latest.at }
}

function getRetentionStep(subscription: Subscription, settings: ClockSettings, now: Date): DueStep | null {
  const cancelledAt = subscription.cancelledAt ?? subscription.updatedAt
  const until = getRetentionEnd(cancelledAt, settings.TENANCY_RETENTION_DAYS)
  if (until <= now) return { step: "purged", dueAt: until }
  const warning = addMs(until, -settings.TENANCY_RETENTION_WARNING_DAYS * DAY)
  if (subscription.retentionWarnedAt || warning > now) return null
  return { step: "warned", until, dueAt: warning }
}

/** Builds the transition of a step. The purge has none: it deletes the store. */
export function buildStepTransition(
  state: SubscriptionState,
  due: Exclude<DueStep, { step: "purged" }>,
  settings: ClockSettings,
  now: Date,
): Transition {
  switch (due.step) {
    case "reminded":
      return remindOfTrialEnd(state, due.day)
    case "activated":
      return activate(state, null, now)
    case "cancelled":
      return cancel(state, settings.TENANCY_RETENTION_DAYS, now)
    case "plan_changed":
      return applyScheduledPlan(state, now)
    case "past_due":
      return markPastDue(state, due.dueAt, settings.TENANCY_BILLING_GRACE_DAYS, now)
    case "dunned":
      return remindOfPayment(state, due.day, due.until)
    case "suspended":
      return suspend(state, due.reason, now)
    case "warned":
      return announcePurge(state, due.until, now)
    default:
      return assertNever(due)
  }
}

/**
 * Lists all steps that a run at `now` would take, in order.
 */
export function listDueSteps(
  { store, subscription }: SubscriptionState,
  settings: ClockSettings,
  now: Date,
): DueStep[] {
  const steps: DueStep[] = []
  let state: SubscriptionState = { store, subscription }
  for (let due = getDueStep(state, settings, now); due; due = getDueStep(state, settings, now)) {
    steps.push(due)
    if (due.step === "purged") break
    const transition = buildStepTransition(state, due, settings, now)
    const next = { ...subscription, ...transition.subscription }
    state = { store: { ...state.store, status: transition.store }, subscription: next }
  }
  return steps
}
