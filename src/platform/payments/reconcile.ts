// Recovers from lost messages: every night, fetches the subscriptions whose message is two days overdue from the
// provider and applies them like a message. Without an API key, an operator can detach a store from the provider
// instead.
import { and, asc, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { forEachItem } from "../../core/queue/for-each-item"
import { applyChange } from "../../core/write/commit"
import { isBilledBy, subscriptions } from "../../db/schema/central/subscriptions"
import { addMs, DAY, SECOND } from "../../lib/time"
import { loadStore } from "../stores/queries"
import { resolvePeriodEnd } from "../subscriptions/actions"
import { buildTransitionChange } from "../subscriptions/commit-transition"
import { isBilledByCard } from "../subscriptions/rules"
import { buildTransition, type SubscribedStore } from "../subscriptions/transition"
import type { CardProvider } from "./provider"
import { listConfiguredProviders } from "./providers"
import { receiveMessage } from "./receive"
import { replaceContentIds, resolveReference } from "./references"

/** Time after its expected arrival at which a message counts as lost, in milliseconds. */
const OVERDUE_AFTER_MS = 2 * DAY

/** Subscriptions per night and provider. */
const BATCH_SIZE = 100

const { currentPeriodEndsAt: period, trialEndsAt: trial, updatedAt } = subscriptions

/**
 * When the next message is expected: at the end of the period; if that is unknown, at the end of the trial, or
 * immediately.
 */
const messageExpectedAt = sql`case when ${period} is not null then ${period} when ${trial} is not null then ${trial} else ${updatedAt} end`

/**
 * Fetches the overdue subscriptions from their providers. The response sets their period, so the next night does not
 * fetch them again.
 */
export async function reconcileSubscriptions(ctx: Ctx): Promise<void> {
  // lint: each provider is queried separately
  for (const provider of listConfiguredProviders(ctx.settings)) await reconcileProvider(ctx, provider)
}

async function reconcileProvider(ctx: Ctx, { name }: CardProvider): Promise<void> {
  const overdue = await ctx.db
    .select({ subscription: subscriptions.cardSubscription })
    .from(subscriptions)
    .where(and(isBilledBy(name), lte(messageExpectedAt, addMs(ctx.now, -OVERDUE_AFTER_MS).getTime())))
    .orderBy(asc(messageExpectedAt))
    .limit(BATCH_SIZE)
  const references = overdue.flatMap(({ subscription }) => subscription ?? [])
  await forEachItem(ctx, "subscription-reconciliation", references, (subscription) => reconcile(ctx, subscription))
}

async function reconcile(ctx: Ctx, subscription: string): Promise<void> {
  const { provider, id } = resolveReference(subscription)
  const content = await provider.readSubscription(ctx, id)
  await receiveMessage(ctx, {
    ...replaceContentIds(provider, content),
    id: `reconciled:${subscription}:${ctx.now.toISOString().slice(0, 10)}`,
    created: Math.floor(ctx.now.getTime() / SECOND),
  })
}

/**
 * Detaches a store from the payment provider: from now on the platform bills it, and the provider's messages no longer
 * change it.
 * @throws Refusal `not_found`, `no_subscription`; `illegal_transition` for a store that the provider does not bill
 */
export const detachStore = (ctx: Ctx, storeId: string): Promise<SubscribedStore> =>
  applyChange(
    ctx,
    () => loadStore(ctx, storeId),
    ({ subscription, ...facts }) => {
      if (!subscription) throw new Refusal("no_subscription")
      if (!isBilledByCard(subscription)) throw new Refusal("illegal_transition")
      const transition = buildTransition({ ...facts, subscription }, ctx.now, {
        type: "billing_updated",
        values: {
          provider: "local",
          cardSubscription: null,
          currentPeriodEndsAt: resolvePeriodEnd(subscription, subscription.plan, ctx.now),
        },
        data: { manual: true },
      })
      return buildTransitionChange(ctx, { ...facts, subscription }, transition)
    },
  )
