// What may be done to a subscription, and from where. Pure.

import { Refusal } from "../../core/http/refusal"
import type { BillingProvider, PlanTerms, SubscriptionStatus } from "../../db/schema/central/subscriptions"
import { DAY, later } from "../../lib/time"
import type { Subscription } from "./schemas"

/** What an operator does to a subscription. */
export type Action = "change_plan" | "extend" | "cancel" | "reactivate" | "assign"

/** What time and payments do to it. */
export type Step = "activate" | "fall_due" | "suspend" | "remind"

/** From which statuses each is legal; the actions in the order in which `allowed_actions` lists them. */
const ACTIONS: Record<Action, readonly SubscriptionStatus[]> = {
  change_plan: ["trialing", "active", "past_due"],
  extend: ["trialing", "active", "past_due"],
  cancel: ["trialing", "active", "past_due", "suspended"],
  reactivate: ["suspended", "cancelled"],
  assign: ["suspended", "cancelled"],
}
const STEPS: Record<Step, readonly SubscriptionStatus[]> = {
  activate: ["trialing", "past_due", "suspended"],
  fall_due: ["trialing", "active"],
  suspend: ["trialing", "active", "past_due"],
  remind: ["trialing"],
}
const LEGAL = { ...ACTIONS, ...STEPS }

/** Actions that work on the terms of the plan a store has. */
const NEEDS_PLAN: ReadonlySet<Action | Step> = new Set(["change_plan", "extend", "reactivate"])

/** The actions legal now; none while the payment provider manages the subscription. */
export const allowedActions = ({
  status,
  provider,
  plan,
}: Pick<Subscription, "status" | "provider" | "plan">): Action[] =>
  provider === "stripe"
    ? []
    : (Object.keys(ACTIONS) as Action[]).filter(
        (action) => ACTIONS[action].includes(status) && (plan !== null || !NEEDS_PLAN.has(action)),
      )

/**
 * Holds a subscription to what may become of it from where it stands.
 * @throws Refusal `illegal_transition`, `no_plan`, in that order
 */
export function assertLegal(what: Action | Step, { status, plan }: Pick<Subscription, "status" | "plan">): void {
  if (!LEGAL[what].includes(status)) throw new Refusal("illegal_transition")
  if (plan === null && NEEDS_PLAN.has(what)) throw new Refusal("no_plan")
}

/**
 * Keeps everybody but the payment provider away from a subscription that it manages.
 * @throws Refusal `stripe_managed`
 */
export function assertOurs({ provider }: { provider: BillingProvider }): void {
  if (provider === "stripe") throw new Refusal("stripe_managed")
}

/** Whether what was bought costs nothing, so that a trial of it converts by itself and its period never ends. */
export const isFree = (terms: PlanTerms | null): boolean => !terms || terms.price_cents === 0

/** When a cancelled store is purged, and can no longer be brought back. */
export const retentionEnd = (cancelledAt: Date, retentionDays: number): Date => later(cancelledAt, retentionDays * DAY)
