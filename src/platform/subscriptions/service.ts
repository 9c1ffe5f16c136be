// Implements the operator's actions on subscriptions. All of them refuse a subscription that the payment provider
// manages.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { applyChange, type Change } from "../../core/write/commit"
import { batch } from "../../db/client"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { enqueueMailRun } from "../../mails/outbox"
import { createPlanGuard, isPlanUnchanged, selectActivePlan } from "../plans/service"
import { enqueueProvisioning } from "../stores/enqueue"
import { loadStore, requireStore, selectStore } from "../stores/queries"
import type { StoreDetails } from "../stores/schemas"
import { countStoreUsage, getUsage } from "../usage/collect"
import {
  assign,
  cancel,
  changePlan,
  extend,
  getRemainingEnd,
  reactivate,
  resync,
  scheduleCancellation,
  withdrawCancellation,
} from "./actions"
import { buildTransitionChange } from "./commit-transition"
import { assertBilledLocally } from "./rules"
import { withdrawScheduledPlan } from "./scheduled-plan"
import type { AssignPlan, CancelSubscription, ChangePlan } from "./schemas"
import type { SubscribedStore, Transition } from "./transition"

/** @throws Refusal `not_found`; `no_subscription` (404 here, because the requested resource itself is missing) */
export async function readSubscription(ctx: Ctx, storeId: string): Promise<Subscription> {
  const { subscription } = await loadStore(ctx, storeId)
  if (!subscription) throw new Refusal("no_subscription", { status: 404 })
  return subscription
}

/**
 * Assigns a plan to a store. A store whose subscription is suspended or cancelled reopens.
 * @param input `trial_days`: 0 for no trial, absent for the plan's own
 * @throws Refusal `not_found`, `validation_failed` for an unknown or inactive plan, `stripe_managed`,
 *   `not_provisioned`, `illegal_transition`, `plan_unavailable`
 */
export function assignPlan(ctx: Ctx, storeId: string, input: Input<typeof AssignPlan>): Promise<SubscribedStore> {
  const requireActive = createPlanGuard(input)
  return applyChange(
    ctx,
    () => loadWithPlan(ctx, storeId, input.valid.plan),
    ({ facts, plan: storedPlan }) => {
      const plan = requireActive(storedPlan)
      const { trial_days: trialDays = null } = input.complete({ plan: null })
      if (facts.subscription) assertBilledLocally(facts.subscription)
      const transition = assign(facts, plan, trialDays, ctx.now)
      return buildTransitionChange(ctx, facts, transition, isPlanUnchanged(plan))
    },
  )
}

/**
 * Moves a store to another plan. The store's current usage has to fit the plan's limits.
 * @throws Refusal `not_found`, `validation_failed` for an unknown or inactive plan, `no_subscription`,
 *   `stripe_managed`, `illegal_transition`, `no_plan`, `same_plan`, `usage_unavailable`, `plan_too_small`,
 *   `plan_unavailable`
 */
export function changeToPlan(ctx: Ctx, storeId: string, input: Input<typeof ChangePlan>): Promise<SubscribedStore> {
  const requireActive = createPlanGuard(input)
  return applyChange(
    ctx,
    async () => {
      const [loaded, counts] = await Promise.all([
        loadWithPlan(ctx, storeId, input.valid.plan),
        countStoreUsage(ctx, storeId),
      ])
      return { ...loaded, counts }
    },
    ({ facts, plan: storedPlan, counts }) => {
      const plan = requireActive(storedPlan)
      const transition = changePlan(requireOperable(facts), plan, () => getUsage(facts.store, counts), ctx.now)
      return buildTransitionChange(ctx, facts, transition, isPlanUnchanged(plan))
    },
  )
}

/**
 * Updates the frozen terms to the plan's current ones.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`, `no_plan`, `plan_unavailable`
 *   for an inactive plan, `usage_unavailable`, `plan_too_small`
 */
export const resyncPlan = (ctx: Ctx, storeId: string): Promise<SubscribedStore> =>
  applyChange(
    ctx,
    async () => {
      const [facts, counts] = await Promise.all([loadStore(ctx, storeId), countStoreUsage(ctx, storeId)])
      const slug = facts.subscription?.plan?.slug
      const [plan] = slug ? await selectActivePlan(ctx, slug) : []
      return { facts, counts, plan }
    },
    ({ facts, counts, plan }) => {
      const transition = resync(requireOperable(facts), plan, () => getUsage(facts.store, counts), ctx.now)
      return buildTransitionChange(ctx, facts, transition, plan && isPlanUnchanged(plan))
    },
  )

/**
 * Adds days to the trial or to the billing period.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`, `no_plan`
 */
export const extendSubscription = (ctx: Ctx, storeId: string, input: { days: number }): Promise<SubscribedStore> =>
  applyAction(ctx, storeId, (facts) => extend(facts, input.days, ctx.now))

/**
 * Cancels the subscription, now or at the end of its period. Its store then goes offline and is purged after the
 * retention period. A subscription of which nothing is left, such as a past-due one, always ends now.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`
 */
export async function cancelSubscription(
  ctx: Ctx,
  storeId: string,
  { at_period_end: isAtPeriodEnd, ...options }: z.output<typeof CancelSubscription>,
): Promise<SubscribedStore> {
  const facts = await applyChange(
    ctx,
    () => loadStore(ctx, storeId),
    (loaded): { change?: Change; result: SubscribedStore } => {
      const state = requireOperable(loaded)
      const { subscription } = state
      const at = isAtPeriodEnd ? getRemainingEnd(subscription, ctx.now) : null
      if (at && subscription.cancelAt?.getTime() === at.getTime()) return { result: state }
      const transition = at
        ? scheduleCancellation(state, at, ctx.now, options)
        : cancel(state, ctx.settings.TENANCY_RETENTION_DAYS, ctx.now, options)
      return buildTransitionChange(ctx, loaded, transition)
    },
  )
  enqueueMailRun(ctx)
  return facts
}

/**
 * Reactivates a suspended subscription, or a cancelled one within its retention period, and reopens its store.
 * Withdraws a scheduled cancellation.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`, `no_plan`
 */
export async function reactivateSubscription(ctx: Ctx, storeId: string): Promise<SubscribedStore> {
  const facts = await applyAction(ctx, storeId, (loaded) =>
    reactivate(loaded, ctx.settings.TENANCY_RETENTION_DAYS, ctx.now),
  )
  if (facts.store.status === "pending") enqueueProvisioning(ctx, facts.store)
  return facts
}

/**
 * Withdraws a scheduled cancellation for the owner, who may not start a period without paying.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`; `illegal_transition` when none is scheduled
 */
export const withdrawScheduledCancellation = (ctx: Ctx, storeId: string): Promise<SubscribedStore> =>
  applyAction(ctx, storeId, (loaded) => withdrawCancellation(loaded, ctx.now))

/**
 * Withdraws a change of plan that is scheduled and not paid.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`; `illegal_transition` when there is none
 */
export const withdrawPlanChange = (ctx: Ctx, storeId: string): Promise<SubscribedStore> =>
  applyAction(ctx, storeId, (loaded) => withdrawScheduledPlan(loaded, ctx.now))

const applyAction = (
  ctx: Ctx,
  storeId: string,
  decide: (facts: SubscribedStore) => Transition,
): Promise<SubscribedStore> =>
  applyChange(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => buildTransitionChange(ctx, facts, decide(requireOperable(facts))),
  )

/** @throws Refusal `no_subscription`, `stripe_managed` */
function requireOperable({ subscription, ...facts }: StoreDetails): SubscribedStore {
  if (!subscription) throw new Refusal("no_subscription")
  assertBilledLocally(subscription)
  return { ...facts, subscription }
}

async function loadWithPlan(ctx: Ctx, storeId: string, slug = "") {
  const [store, plans] = await batch(ctx.db, [selectStore(ctx.db, storeId), selectActivePlan(ctx, slug)])
  return { facts: requireStore(ctx, store), plan: plans[0] }
}
