// Changes the plan of a store for its owner, as far as nothing has to be paid: to a free plan, or during the trial. A
// paid plan is ordered or bought by card.
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { applyChange } from "../../core/write/commit"
import { batch } from "../../db/client"
import { getPaidEnd } from "../orders/quote"
import { buildPlanTerms, type Plan } from "../plans/schemas"
import { isPlanUnchanged, selectActivePlan } from "../plans/service"
import { requireStore, selectStore } from "../stores/queries"
import type { StoreDetails } from "../stores/schemas"
import { countStoreUsage, getUsage } from "../usage/collect"
import { assertWithinLimits } from "../usage/rules"
import { assign, changePlan } from "./actions"
import { buildTransitionChange } from "./commit-transition"
import { assertBilledLocally, getReopenedStatus, isFreePlan, isLive } from "./rules"
import { scheduleFreePlan } from "./scheduled-plan"
import { buildTransition, type SubscribedStore, type Transition } from "./transition"

/**
 * Changes to another plan without a payment: during the trial, or to a free plan. While a period is paid, a free plan
 * begins at its end.
 * @throws Refusal `not_found`, `validation_failed` about `plan`, `stripe_managed`, `usage_unavailable`,
 *   `plan_too_small`; `illegal_transition` for a plan that has to be paid, and for the current one
 */
export const changeToUnpaidPlan = (ctx: Ctx, storeId: string, slug: string): Promise<SubscribedStore> =>
  applyChange(
    ctx,
    async () => {
      const [[rows, [plan]], counts] = await Promise.all([
        batch(ctx.db, [selectStore(ctx.db, storeId), selectActivePlan(ctx, slug)]),
        countStoreUsage(ctx, storeId),
      ])
      return { facts: requireStore(ctx, rows), plan, counts }
    },
    ({ facts, plan, counts }) => {
      if (!plan) throw invalid("plan", "selected")
      if (facts.subscription) assertBilledLocally(facts.subscription)
      assertWithinLimits(getUsage(facts.store, counts), plan.limits)
      return buildTransitionChange(ctx, facts, decideUnpaidChange(facts, plan, ctx.now), isPlanUnchanged(plan))
    },
  )

/**
 * Decides how a store gets a plan without a payment.
 * @throws Refusal `illegal_transition`
 */
function decideUnpaidChange({ store, subscription }: StoreDetails, plan: Plan, now: Date): Transition {
  const isFree = plan.priceCents === 0
  if (!store.provisionedAt) throw new Refusal("illegal_transition")
  if (!subscription || !isLive(subscription)) {
    if (!isFree) throw new Refusal("illegal_transition")
    const opened = assign({ store, subscription }, plan, 0, now)
    const { couponCode = null, discount = null } = subscription ?? {}
    return { ...opened, subscription: { ...opened.subscription, couponCode, discount } }
  }
  const state = { store, subscription }
  if (subscription.plan?.slug === plan.slug) throw new Refusal("illegal_transition")
  if (subscription.status === "trialing") return changePlan(state, plan, () => ({}), now)
  if (!isFree || subscription.scheduledPlan?.ends_at) throw new Refusal("illegal_transition")
  const paidEnd = getPaidEnd(subscription, now)
  if (paidEnd) return scheduleFreePlan(state, plan, paidEnd, now)
  if (isFreePlan(subscription.plan)) return changePlan(state, plan, () => ({}), now)
  return buildTransition(state, now, {
    type: "plan_changed",
    values: {
      ...{ plan: buildPlanTerms(plan, now), status: "active", currentPeriodEndsAt: null, pastDueSince: null },
      ...{ cancelAt: null, scheduledPlan: null },
    },
    store: getReopenedStatus(store),
    data: { plan: plan.slug, from_plan: subscription.plan?.slug },
  })
}
