// The verbs of a subscription that an operator has. One that the payment provider manages refuses every one of them.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { change } from "../../core/write/commit"
import { batch } from "../../db/client"
import { postMails } from "../../mails/outbox"
import { activePlan, offeredPlan, stillOffered } from "../plans/service"
import { enqueueProvisioning } from "../stores/enqueue"
import { loadStore, oneStore, selectStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import { countSite, usageOf } from "../usage/collect"
import { assign, cancel, changePlan, extend, reactivate, resync } from "./actions"
import { type SubscribedFacts, subscriptionChange } from "./commit-transition"
import { assertOurs } from "./rules"
import type { AssignPlan, Subscription } from "./schemas"
import type { Move } from "./transition"

/** @throws Refusal `not_found`; `no_subscription` (404 here: it is the thing asked for that is missing) */
export async function readSubscription(ctx: Ctx, storeId: string): Promise<Subscription> {
  const { subscription } = await loadStore(ctx, storeId)
  if (!subscription) throw new Refusal("no_subscription", { status: 404 })
  return subscription
}

/**
 * Gives a store a plan; one whose subscription was suspended or cancelled opens again.
 * @param input `trial_days` 0 is no trial, absent is the plan's own
 * @throws Refusal `not_found`, `validation_failed` for a plan that is not on offer, `stripe_managed`, `not_provisioned`,
 *   `illegal_transition`, `plan_unavailable`
 */
export function assignPlan(ctx: Ctx, storeId: string, input: z.output<typeof AssignPlan>): Promise<SubscribedFacts> {
  const offered = offeredPlan()
  return change(
    ctx,
    () => loadWithPlan(ctx, storeId, input.plan),
    ({ facts, plan: found }) => {
      const plan = offered(found)
      if (facts.subscription) assertOurs(facts.subscription)
      const move = assign(facts, plan, input.trial_days ?? null, ctx.now)
      return subscriptionChange(ctx, facts, move, stillOffered(plan))
    },
  )
}

/**
 * Moves a store to another plan, whose limits must hold what the store uses at this moment.
 * @throws Refusal `not_found`, `validation_failed` for a plan that is not on offer, `no_subscription`, `stripe_managed`,
 *   `illegal_transition`, `no_plan`, `same_plan`, `usage_unavailable`, `plan_too_small`, `plan_unavailable`
 */
export function changeToPlan(ctx: Ctx, storeId: string, input: { plan: string }): Promise<SubscribedFacts> {
  const offered = offeredPlan()
  return change(
    ctx,
    async () => {
      const [loaded, counted] = await Promise.all([loadWithPlan(ctx, storeId, input.plan), countSite(ctx, storeId)])
      return { ...loaded, counted }
    },
    ({ facts, plan: found, counted }) => {
      const plan = offered(found)
      const move = changePlan(operable(facts), plan, () => usageOf(facts.store, counted), ctx.now)
      return subscriptionChange(ctx, facts, move, stillOffered(plan))
    },
  )
}

/**
 * Brings the frozen terms up to what the same plan is sold with today.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`, `no_plan`, `plan_unavailable` for a plan
 *   that is not sold any more, `usage_unavailable`, `plan_too_small`
 */
export const resyncPlan = (ctx: Ctx, storeId: string): Promise<SubscribedFacts> =>
  change(
    ctx,
    async () => {
      const [facts, counted] = await Promise.all([loadStore(ctx, storeId), countSite(ctx, storeId)])
      const slug = facts.subscription?.plan?.slug
      const [plan] = slug ? await activePlan(ctx, slug) : []
      return { facts, counted, plan }
    },
    ({ facts, counted, plan }) => {
      const move = resync(operable(facts), plan, () => usageOf(facts.store, counted), ctx.now)
      return subscriptionChange(ctx, facts, move, plan && stillOffered(plan))
    },
  )

/**
 * Adds days to the trial or to the period.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`, `no_plan`
 */
export const extendSubscription = (ctx: Ctx, storeId: string, input: { days: number }): Promise<SubscribedFacts> =>
  act(ctx, storeId, (facts) => extend(facts, input.days, ctx.now))

/**
 * Ends the subscription and takes its store offline, to be purged when the retention is over.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`
 */
export async function cancelSubscription(ctx: Ctx, storeId: string): Promise<SubscribedFacts> {
  const facts = await act(ctx, storeId, (loaded) => cancel(loaded, ctx.settings.TENANCY_RETENTION_DAYS, ctx.now))
  postMails(ctx)
  return facts
}

/**
 * Revives a suspended subscription, or a cancelled one within the retention, and opens its store again.
 * @throws Refusal `not_found`, `no_subscription`, `stripe_managed`, `illegal_transition`, `no_plan`
 */
export async function reactivateSubscription(ctx: Ctx, storeId: string): Promise<SubscribedFacts> {
  const facts = await act(ctx, storeId, (loaded) => reactivate(loaded, ctx.settings.TENANCY_RETENTION_DAYS, ctx.now))
  if (facts.store.status === "pending") enqueueProvisioning(ctx, facts.store)
  return facts
}

const act = (ctx: Ctx, storeId: string, decide: (facts: SubscribedFacts) => Move): Promise<SubscribedFacts> =>
  change(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => subscriptionChange(ctx, facts, decide(operable(facts))),
  )

/** The store as one whose subscription an operator may act upon. */
function operable({ subscription, ...facts }: StoreFacts): SubscribedFacts {
  if (!subscription) throw new Refusal("no_subscription")
  assertOurs(subscription)
  return { ...facts, subscription }
}

async function loadWithPlan(ctx: Ctx, storeId: string, slug: string) {
  const [store, plans] = await batch(ctx.db, [selectStore(ctx.db, storeId), activePlan(ctx, slug)])
  return { facts: oneStore(ctx, store), plan: plans[0] }
}
