// Which actions and steps are legal in which subscription status. Pure functions.

import { Refusal } from "../../core/http/refusal"
// layers: names without a database
import { BILLING_KINDS, type BillingKind, type BillingProvider } from "../../db/schema/central/billing-providers"
import type { PlanTerms, Subscription, SubscriptionStatus } from "../../db/schema/central/subscriptions"
import { assertNever } from "../../lib/assert-never"
import { addMs, DAY } from "../../lib/time"

/** Returns who moves a subscription of this provider between its statuses. */
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

/** An operator's action. */
export type Action = "change_plan" | "extend" | "cancel" | "reactivate" | "assign"

/** A change caused by the billing clock or a payment. */
export type Step = "activate" | "mark_past_due" | "suspend" | "remind"

/** The statuses in which each action is legal, in the order of `allowed_actions`. */
const STATUSES_BY_ACTION: Record<Action, readonly SubscriptionStatus[]> = {
  change_plan: ["trialing", "active", "past_due"],
  extend: ["trialing", "active", "past_due"],
  cancel: ["trialing", "active", "past_due", "suspended"],
  reactivate: ["suspended", "cancelled"],
  assign: ["suspended", "cancelled"],
}
const STATUSES_BY_STEP: Record<Step, readonly SubscriptionStatus[]> = {
  activate: ["trialing", "past_due", "suspended"],
  mark_past_due: ["trialing", "active"],
  suspend: ["trialing", "active", "past_due"],
  remind: ["trialing"],
}
const STATUSES_BY_OPERATION = { ...STATUSES_BY_ACTION, ...STATUSES_BY_STEP }

/** Actions that need the terms of the current plan. */
const REQUIRES_PLAN: ReadonlySet<Action | Step> = new Set(["change_plan", "extend", "reactivate"])

/** Lists the actions that are legal now; none while a card provider manages the subscription. */
export function listAllowedActions({
  status,
  provider,
  plan,
}: Pick<Subscription, "status" | "provider" | "plan">): Action[] {
  const kind = getBillingKind(provider)
  switch (kind) {
    case "card":
      return []
    case "local":
      return (Object.keys(STATUSES_BY_ACTION) as Action[]).filter(
        (action) => STATUSES_BY_ACTION[action].includes(status) && (plan !== null || !REQUIRES_PLAN.has(action)),
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
  if (!STATUSES_BY_OPERATION[operation].includes(status)) throw new Refusal("illegal_transition")
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

/** Whether the terms cost nothing: their trial converts without a payment, and their period never ends. */
export const isFreePlan = (terms: PlanTerms | null): boolean => !terms || terms.price_cents === 0

/** Returns when a cancelled store is purged; from then on it cannot be reactivated. */
export const getRetentionEnd = (cancelledAt: Date, retentionDays: number): Date =>
  addMs(cancelledAt, retentionDays * DAY)
