// The rules of bank-transfer orders, and the transition that a payment causes. Pure functions.
import { Refusal } from "../../core/http/refusal"
import type { StoreStatus } from "../../db/schema/central/stores"
import type { PlanTerms } from "../../db/schema/central/subscriptions"
import { formatTimestamp } from "../../lib/time"
import { applyDiscount } from "../coupons/discounts"
import { buildPlanTerms, type Plan } from "../plans/schemas"
import { assertProvisioned } from "../stores/rules"
import type { StoreDetails } from "../stores/schemas"
import { buildInitialTransition, buildSubscription } from "../subscriptions/actions"
import { getPeriodEnd } from "../subscriptions/periods"
import { assertBilledLocally, isLive, type LiveStatus } from "../subscriptions/rules"
import { buildTransition, type Transition } from "../subscriptions/transition"
import type { Order } from "./schemas"
import type { OfflineSettings } from "./settings"

/** Whether a plan can be ordered: it exists, is active and is not free. */
export const isOrderable = (plan: Plan | undefined): plan is Plan => plan?.isActive === true && plan.priceCents > 0

/**
 * Asserts that a store may place an order.
 * @param open the store's pending order
 * @throws Refusal `offline_disabled`, `stripe_managed`, `order_already_open`, in that order
 */
export function assertCanOrder(
  { subscription }: Pick<StoreDetails, "subscription">,
  offline: OfflineSettings,
  open: Order | undefined,
): void {
  if (!offline.enabled) throw new Refusal("offline_disabled")
  if (subscription) assertBilledLocally(subscription)
  if (open) throw new Refusal("order_already_open")
}

/** @throws Refusal `order_not_pending` */
export function assertPending({ status }: Pick<Order, "status">): void {
  if (status !== "pending") throw new Refusal("order_not_pending")
}

/** Builds the terms of an order: the plan's current terms at the price of the order. */
function buildOrderTerms(plan: Plan, order: Order, now: Date): PlanTerms {
  const { amountCents: price_cents, currency, interval } = order
  return { ...buildPlanTerms(plan, now), price_cents, currency, interval }
}

/** Returns when the period begins that a payment for a plan is for: at the end of what is paid, else now. */
export function getPeriodStart(subscription: StoreDetails["subscription"], plan: string, now: Date): Date {
  const end =
    subscription?.status === "active" && subscription.plan?.slug === plan ? subscription.currentPeriodEndsAt : null
  return end && end > now ? end : now
}

/** How a payment for the current plan changes a live subscription. */
const PAID_TRANSITION: Record<LiveStatus, "extended" | "activated"> = {
  trialing: "activated",
  active: "extended",
  past_due: "activated",
}

/**
 * Builds the transition of a paid order: assigns the plan to a store without an active subscription, changes the plan
 * and starts a new period, or extends the same plan by a period. Never starts a trial.
 * @throws Refusal `stripe_managed`; `not_provisioned` for a store without an active subscription
 */
export function buildPaymentTransition(
  { store, subscription }: StoreDetails,
  plan: Plan,
  order: Order,
  now: Date,
): Transition {
  const terms = buildOrderTerms(plan, order, now)
  const newPeriodEnd = getPeriodEnd(order.interval, now)
  if (subscription) assertBilledLocally(subscription)
  if (!subscription || !isLive(subscription)) {
    assertProvisioned(store)
    const next = {
      ...buildSubscription(store.id, plan, 0, now),
      ...{
        plan: terms,
        currentPeriodEndsAt: newPeriodEnd,
        discount: subscription && applyDiscount(subscription, order.tax, now),
      },
    }
    return attachOrder(
      buildInitialTransition(store.id, subscription ? getReopenedStatus(store) : store.status, next, subscription),
      order,
    )
  }
  const discount = applyDiscount(subscription, order.tax, getPeriodStart(subscription, plan.slug, now))
  const paid = { status: "active", pastDueSince: null, cancelAt: null, plan: terms, discount } as const
  const trial = subscription.status === "trialing" ? { trialEndsAt: now } : {}
  if (subscription.plan?.slug !== plan.slug) {
    const transition = buildTransition({ store, subscription }, now, {
      type: "plan_changed",
      values: { ...paid, ...trial, currentPeriodEndsAt: newPeriodEnd },
      data: { plan: plan.slug, from_plan: subscription.plan?.slug, until: formatTimestamp(newPeriodEnd) },
    })
    return attachOrder(transition, order)
  }
  const { currentPeriodEndsAt: end } = subscription
  const until =
    subscription.status !== "trialing" && end && end > now ? getPeriodEnd(order.interval, end) : newPeriodEnd
  const transition = buildTransition({ store, subscription }, now, {
    type: PAID_TRANSITION[subscription.status],
    values: { ...paid, ...trial, currentPeriodEndsAt: until },
    data: { plan: plan.slug, until: formatTimestamp(until) },
  })
  return attachOrder(transition, order)
}

/** A payment reopens every store except one that an operator suspended. */
const getReopenedStatus = ({ status, operatorSuspendedAt }: StoreDetails["store"]): StoreStatus =>
  operatorSuspendedAt ? status : "ready"

/** Adds the order's reference to the audit data of a transition. */
const attachOrder = (transition: Transition, { reference }: Order): Transition => ({
  ...transition,
  audit: { ...transition.audit, data: { ...transition.audit.data, order: reference } },
})
