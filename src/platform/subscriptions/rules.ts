// Decides which actions and steps are legal in a subscription status. Pure functions.

import { Refusal } from "../../core/http/refusal"
import { BILLING_KINDS, type BillingKind, type BillingProvider } from "../../db/schema/central/billing-providers"
import type { StoreStatus, stores } from "../../db/schema/central/stores"
import type { PlanTerms, Subscription, SubscriptionStatus } from "../../db/schema/central/subscriptions"
import { assertNever } from "../../lib/assert-never"
import { addMs, DAY, SECOND } from "../../lib/time"

/** Returns whether the platform or a card provider manages the subscription's status. */
export const getBillingKind = (provider: BillingProvider): BillingKind => BILLING_KINDS[provider]

/** Whether a card provider manages the subscription, or collected the payment. */
export function isBilledByCard({ provider }: { provider: BillingProvider }): boolean {
  const kind = getBillingKind(provider)
  switch (kind) {
    case "card":
      return true
    case "local":
      return false
    default:
      return assertNever(kind)
  }
}

type FirstChargeFacts = Pick<Subscription, "status" | "provider" | "trialEndsAt" | "currentPeriodEndsAt">

/**
 * Returns when the card of a subscription is charged for the first time: at the end of the trial, or of a period that was
 * paid otherwise. Null once it was charged, and without a card.
 */
export function getFirstCharge(
  { status, provider, trialEndsAt, currentPeriodEndsAt }: FirstChargeFacts,
  now: Date,
): Date | null {
  if (!isBilledByCard({ provider }) || !trialEndsAt || trialEndsAt <= now) return null
  if (status === "trialing") return trialEndsAt
  // The card provider knows the end of a prepaid period in whole seconds. A period that ends later was charged.
  const isCharged = currentPeriodEndsAt !== null && addMs(currentPeriodEndsAt, -SECOND) >= trialEndsAt
  return status === "active" && !isCharged ? trialEndsAt : null
}

/** Whether the current period was paid before the card was saved, so the card pays from its end. */
export const isPrepaid = (subscription: FirstChargeFacts, now: Date): boolean =>
  subscription.status === "active" && getFirstCharge(subscription, now) !== null

/** Returns the status of a store whose subscription is live again. One that an operator suspended stays suspended. */
export const getReopenedStatus = ({
  status,
  operatorSuspendedAt,
}: Pick<typeof stores.$inferSelect, "status" | "operatorSuspendedAt">): StoreStatus =>
  status !== "suspended" && status !== "cancelled" ? status : operatorSuspendedAt ? "suspended" : "ready"

/** The operator's actions, in the order of `allowed_actions`. */
export const ACTIONS = ["change_plan", "extend", "cancel", "reactivate", "assign"] as const

export type Action = (typeof ACTIONS)[number]

/** A change caused by the billing clock or a payment. */
export type Step = "activate" | "mark_past_due" | "suspend" | "remind"

/** In which statuses each action and step is legal. */
const LEGAL: Record<Action | Step, Record<SubscriptionStatus, boolean>> = {
  change_plan: { trialing: true, active: true, past_due: true, suspended: false, cancelled: false },
  extend: { trialing: true, active: true, past_due: true, suspended: false, cancelled: false },
  cancel: { trialing: true, active: true, past_due: true, suspended: true, cancelled: false },
  reactivate: { trialing: false, active: false, past_due: false, suspended: true, cancelled: true },
  assign: { trialing: false, active: false, past_due: false, suspended: true, cancelled: true },
  activate: { trialing: true, active: false, past_due: true, suspended: true, cancelled: false },
  mark_past_due: { trialing: true, active: true, past_due: false, suspended: false, cancelled: false },
  suspend: { trialing: true, active: true, past_due: true, suspended: false, cancelled: false },
  remind: { trialing: true, active: false, past_due: false, suspended: false, cancelled: false },
}

/** Actions that need the terms of the current plan. */
const REQUIRES_PLAN: ReadonlySet<Action | Step> = new Set(["change_plan", "extend", "reactivate"])

/** Lists the actions that are legal now; none while a card provider manages the subscription. */
export function listAllowedActions({
  status,
  provider,
  plan,
  cancelAt,
}: Pick<Subscription, "status" | "provider" | "plan" | "cancelAt">): Action[] {
  const kind = getBillingKind(provider)
  switch (kind) {
    case "card":
      return []
    case "local":
      return ACTIONS.filter(
        (action) =>
          (LEGAL[action][status] && (plan !== null || !REQUIRES_PLAN.has(action))) ||
          (action === "reactivate" && cancelAt !== null),
      )
    default:
      return assertNever(kind)
  }
}

/**
 * Asserts that an action or step is legal in the current status.
 * @throws Refusal `illegal_transition`, `no_plan`, in that order
 */
export function assertTransitionAllowed(
  operation: Action | Step,
  { status, plan }: Pick<Subscription, "status" | "plan">,
): void {
  if (!LEGAL[operation][status]) throw new Refusal("illegal_transition")
  if (plan === null && REQUIRES_PLAN.has(operation)) throw new Refusal("no_plan")
}

/**
 * Asserts that the platform itself manages the subscription, and not a card provider.
 * @throws Refusal `stripe_managed`
 */
export function assertBilledLocally({ provider }: { provider: BillingProvider }): void {
  const kind = getBillingKind(provider)
  switch (kind) {
    case "card":
      throw new Refusal("stripe_managed")
    case "local":
      return
    default:
      assertNever(kind)
  }
}

/** The statuses of a subscription that entitles to its plan. */
export type LiveStatus = Exclude<SubscriptionStatus, "suspended" | "cancelled">

/** Whether a subscription entitles to its plan; otherwise a new one replaces it. */
export function isLive<Of extends Pick<Subscription, "status">>(
  subscription: Of,
): subscription is Of & { status: LiveStatus } {
  const { status } = subscription
  switch (status) {
    case "trialing":
    case "active":
    case "past_due":
      return true
    case "suspended":
    case "cancelled":
      return false
    default:
      return assertNever(status)
  }
}

/** Whether nothing is owed: on trial, or paid for. Otherwise resuming the store asks what to do about it. */
export const isInOrder = ({ status }: Pick<Subscription, "status">): boolean =>
  status === "trialing" || status === "active"

/** Whether the terms cost nothing: their trial converts without a payment, and their period never ends. */
export const isFreePlan = (terms: PlanTerms | null): boolean => !terms || terms.price_cents === 0

/** Returns when a cancelled store is purged; from then on it cannot be reactivated. */
export const getRetentionEnd = (cancelledAt: Date, retentionDays: number): Date =>
  addMs(cancelledAt, retentionDays * DAY)
