// How time and payments move a subscription: the verbs of the platform itself, whoever manages the billing.
import { change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { loadStore } from "../stores/queries"
import { type SubscribedFacts, subscriptionChange } from "./change"
import type { Move } from "./move"
import { activate, fallDue, remindOfTrial, type SuspensionReason, suspend } from "./steps"

/**
 * A trial converted, or a payment cleared.
 * @param input `until`: the end of the period that begins; null for a plan that costs nothing
 * @throws Refusal `not_found`, `no_subscription`, `illegal_transition`
 */
export const activateSubscription = (ctx: Ctx, storeId: string, input: { until: Date | null }) =>
  moveSubscription(ctx, storeId, (facts) => activate(facts, input.until, ctx.now))

/**
 * A payment failed, or a period ended unpaid: the grace period starts.
 * @throws Refusal `not_found`, `no_subscription`, `illegal_transition`
 */
export const letFallDue = (ctx: Ctx, storeId: string) =>
  moveSubscription(ctx, storeId, (facts) => fallDue(facts, ctx.settings.TENANCY_BILLING_GRACE_DAYS, ctx.now))

/**
 * The grace period or the trial ran out: the store goes offline.
 * @throws Refusal `not_found`, `no_subscription`, `illegal_transition`
 */
export const suspendSubscription = (ctx: Ctx, storeId: string, input: { reason: SuspensionReason }) =>
  moveSubscription(ctx, storeId, (facts) => suspend(facts, input.reason, ctx.now))

/**
 * The owner was reminded of the trial's end.
 * @throws Refusal `not_found`, `no_subscription`, `illegal_transition`
 */
export const noteTrialReminder = (ctx: Ctx, storeId: string) =>
  moveSubscription(ctx, storeId, (facts) => remindOfTrial(facts, ctx.now))

/**
 * Commits a move that is decided on the store as it stands.
 * @throws Refusal `not_found`, `no_subscription`, and what `decide` refuses
 */
const moveSubscription = (
  ctx: Ctx,
  storeId: string,
  decide: (facts: SubscribedFacts) => Move,
): Promise<SubscribedFacts> =>
  change(
    ctx,
    () => loadStore(ctx, storeId),
    ({ subscription, ...facts }) => {
      if (!subscription) throw new Refusal("no_subscription")
      const subscribed = { ...facts, subscription }
      return subscriptionChange(ctx, subscribed, decide(subscribed))
    },
  )
