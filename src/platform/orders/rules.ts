// The rules of bank-transfer orders, and the transition that a payment causes. Pure functions.
import { Refusal } from "../../core/http/refusal"
import type { PlanTerms, Subscription } from "../../db/schema/central/subscriptions"
import { formatTimestamp } from "../../lib/time"
import { applyDiscount } from "../coupons/discounts"
import { buildPlanTerms, type Plan } from "../plans/schemas"
import { assertProvisioned } from "../stores/rules"
import type { StoreDetails } from "../stores/schemas"
import { buildInitialTransition, buildSubscription } from "../subscriptions/actions"
import { getPeriodEnd } from "../subscriptions/periods"
import { assertBilledLocally, getReopenedStatus, isLive, type LiveStatus } from "../subscriptions/rules"
import { buildTransition, type Transition } from "../subscriptions/transition"
import { getPaidEnd, getReplaced } from "./quote"
import type { Order } from "./schemas"
import type { OfflineSettings } from "./settings"

/** Whether a plan can be ordered: it exists, is active and is not free. */
export const isOrderable = (plan: Plan | undefined): plan is Plan => plan?.isActive === true && plan.priceCents > 0

/**
 * Asserts that a store may place an order.
 * @param open the store's pending order
 * @throws Refusal `offline_disabled`, `stripe_managed`, `order_already_open`; `illegal_transition` while the next
 *   period is paid for another plan, in that order
 */
export function assertCanOrder(
  { subscription }: Pick<StoreDetails, "subscription">,
  offline: OfflineSettings,
  open: Order | undefined,
): void {
  if (!offline.enabled) throw new Refusal("offline_disabled")
  if (subscription) assertBilledLocally(subscription)
  if (open) throw new Refusal("order_already_open")
  // The next period is paid: it begins before another order counts.
  if (subscription && isLive(subscription) && subscription.scheduledPlan?.ends_at)
    throw new Refusal("illegal_transition")
}

/** @throws Refusal `order_not_pending` */
export function assertPending({ status }: Pick<Order, "status">): void {
  if (status !== "pending") throw new Refusal("order_not_pending")
}

/** Builds the terms of an order: the plan's current terms at the price of the order. */
function buildOrderTerms(plan: Plan, order: Order, now: Date): PlanTerms {
  const { amountCents, priceCents, currency, interval } = order
  return { ...buildPlanTerms(plan, now), price_cents: priceCents ?? amountCents, currency, interval }
}

/** Whether an order pays for the rest of the current period; otherwise, it pays for a new one. */
export const paysForRestOfPeriod = (
  { plan }: Pick<Subscription, "plan">,
  { kind, interval }: Pick<Order, "kind" | "interval">,
): boolean => kind === "difference" && plan?.interval === interval

/** The change that a payment for the current plan makes to a live subscription. */
const PAID_TRANSITION: Record<LiveStatus, "extended" | "activated"> = {
  trialing: "activated",
  active: "extended",
  past_due: "activated",
}

/**
 * Builds the transition of a paid order: assigns the plan to a store without an active subscription, changes the plan
 * for the rest of the paid period, from its end, or for a new one, or extends the same plan by a period. Never starts a
 * trial, and never shortens a paid period.
 * @throws Refusal `stripe_managed`; `not_provisioned` for a store without an active subscription; `illegal_transition`
 *   for the difference of a period that has ended, or whose plan or end has changed since the order, or for a period
 *   that would have ended already
 */
export function buildPaymentTransition(
  { store, subscription }: StoreDetails,
  plan: Plan,
  order: Order,
  now: Date,
): Transition {
  const terms = buildOrderTerms(plan, order, now)
  // The price of a difference counts the days that are left when the order is placed.
  const start = order.kind === "difference" ? order.createdAt : now
  const newPeriodEnd = getPeriodEnd(order.interval, start)
  if (subscription) assertBilledLocally(subscription)
  if (!subscription || !isLive(subscription)) {
    assertProvisioned(store)
    const next = {
      ...buildSubscription(store.id, plan, 0, now),
      couponCode: subscription?.couponCode ?? null,
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
  if (order.kind === "difference" && !isStillReplaced(order, getReplaced(subscription, now)))
    throw new Refusal("illegal_transition")
  const startsLater = order.kind !== "difference" && getPaidEnd(subscription, now)
  const discount = applyDiscount(subscription, order.tax, startsLater || start)
  const paid = {
    status: "active" as const,
    ...{ pastDueSince: null, cancelAt: null, plan: terms, discount, scheduledPlan: null },
  }
  const trial = subscription.status === "trialing" ? { trialEndsAt: now } : {}
  if (subscription.plan?.slug !== plan.slug) {
    const paidEnd = getPaidEnd(subscription, now)
    if (order.kind !== "difference" && paidEnd) {
      const ends_at = getPeriodEnd(order.interval, paidEnd).toISOString()
      const transition = buildTransition({ store, subscription }, now, {
        type: "plan_change_scheduled",
        values: { scheduledPlan: { terms, ends_at }, cancelAt: null, discount: paid.discount },
        data: { plan: plan.slug, from_plan: subscription.plan?.slug, until: formatTimestamp(paidEnd) },
      })
      return attachOrder(transition, order)
    }
    const newEnd = paysForRestOfPeriod(subscription, order) && paidEnd ? paidEnd : newPeriodEnd
    if (newEnd <= now) throw new Refusal("illegal_transition")
    const transition = buildTransition({ store, subscription }, now, {
      type: "plan_changed",
      values: { ...paid, ...trial, currentPeriodEndsAt: newEnd },
      data: { plan: plan.slug, from_plan: subscription.plan?.slug, until: formatTimestamp(newEnd) },
    })
    return attachOrder(transition, order)
  }
  const { currentPeriodEndsAt: end } = subscription
  // A renewal withdraws a scheduled change to a free plan.
  const until =
    subscription.status !== "trialing" && end && end > now ? getPeriodEnd(order.interval, end) : newPeriodEnd
  const transition = buildTransition({ store, subscription }, now, {
    type: PAID_TRANSITION[subscription.status],
    values: { ...paid, ...trial, currentPeriodEndsAt: until },
    data: { plan: plan.slug, until: formatTimestamp(until) },
  })
  return attachOrder(transition, order)
}

/** Whether a difference is still one from the store's paid plan. Orders of an earlier release do not name that plan. */
const isStillReplaced = ({ replaces }: Order, current: Order["replaces"]): boolean =>
  current !== null && (replaces === null || (replaces.plan === current.plan && replaces.until === current.until))

/** Adds the order's reference to the audit data of a transition. */
const attachOrder = (transition: Transition, { reference }: Order): Transition => ({
  ...transition,
  audit: { ...transition.audit, data: { ...transition.audit.data, order: reference } },
})
