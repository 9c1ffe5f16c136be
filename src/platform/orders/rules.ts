// What may be done to a bank-transfer order, and what its payment makes of a subscription. Pure.
import { invalid, Refusal } from "../../core/http/refusal"
import type { PlanTerms } from "../../db/schema/central/subscriptions"
import { timestamp } from "../../lib/time"
import { type Plan, planTerms } from "../plans/schemas"
import { assertProvisioned } from "../stores/rules"
import type { StoreFacts } from "../stores/schemas"
import { firstOf, newSubscription } from "../subscriptions/actions"
import { periodEnd } from "../subscriptions/periods"
import { assertOurs } from "../subscriptions/rules"
import { type Move, moved } from "../subscriptions/transition"
import type { Order } from "./schemas"
import type { OfflineSettings } from "./settings"

/**
 * Whether a plan can be ordered.
 * @throws Refusal `validation_failed` about `plan` for one that is not on sale or costs nothing
 */
export function assertOrderable(plan: Plan | undefined): asserts plan is Plan {
  if (!plan?.isActive || plan.priceCents === 0) throw invalid("plan", "selected")
}

/**
 * Whether a store may order.
 * @throws Refusal `offline_disabled`, `stripe_managed`, `order_already_open`, in that order
 */
export function assertMayOrder(
  { subscription }: Pick<StoreFacts, "subscription">,
  offline: OfflineSettings,
  open: Order | undefined,
): void {
  if (!offline.enabled) throw new Refusal("offline_disabled")
  if (subscription) assertOurs(subscription)
  if (open) throw new Refusal("order_already_open")
}

/** @throws Refusal `order_not_pending` */
export function assertPending({ status }: Pick<Order, "status">): void {
  if (status !== "pending") throw new Refusal("order_not_pending")
}

/** The terms that an order bought: the plan of today at the price that was agreed. */
function orderedTerms(plan: Plan, order: Order, now: Date): PlanTerms {
  const { amountCents: price_cents, currency, interval } = order
  return { ...planTerms(plan, now), price_cents, currency, interval }
}

/**
 * What a paid order makes of the store: a plan where it has none or an ended one, another plan with a period that begins now, or
 * the same plan for another period. Never a trial.
 * @throws Refusal `stripe_managed`; `not_provisioned` for a store that is to get its first plan
 */
export function pay({ store, subscription }: StoreFacts, plan: Plan, order: Order, now: Date): Move {
  const terms = orderedTerms(plan, order, now)
  const fresh = periodEnd(order.interval, now)
  if (subscription) assertOurs(subscription)
  if (!subscription || subscription.status === "suspended" || subscription.status === "cancelled") {
    assertProvisioned(store)
    const next = { ...newSubscription(store.id, plan, 0, now), plan: terms, currentPeriodEndsAt: fresh }
    return withOrder(firstOf(store.id, subscription ? "ready" : store.status, next, subscription), order)
  }
  const paid = { status: "active", pastDueSince: null, plan: terms } as const
  const trial = subscription.status === "trialing" ? { trialEndsAt: now } : {}
  if (subscription.plan?.slug !== plan.slug) {
    const move = moved({ store, subscription }, now, {
      type: "plan_changed",
      values: { ...paid, ...trial, currentPeriodEndsAt: fresh },
      data: { plan: plan.slug, from_plan: subscription.plan?.slug, until: timestamp(fresh) },
    })
    return withOrder(move, order)
  }
  const { currentPeriodEndsAt: end } = subscription
  const until = subscription.status !== "trialing" && end && end > now ? periodEnd(order.interval, end) : fresh
  const move = moved({ store, subscription }, now, {
    type: subscription.status === "active" ? "extended" : "activated",
    values: { ...paid, ...trial, currentPeriodEndsAt: until },
    data: { plan: plan.slug, until: timestamp(until) },
  })
  return withOrder(move, order)
}

/** The move with the order that paid for it. */
const withOrder = (move: Move, { reference }: Order): Move => ({
  ...move,
  audit: { ...move.audit, data: { ...move.audit.data, order: reference } },
})
