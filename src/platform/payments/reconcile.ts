// A message that never came must not freeze a store: every night the provider is asked about the subscriptions of which one was
// expected two days ago and more, and what it answers is taken in like a message of its own. Without a key an operator can let a store go.
import { and, asc, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { change } from "../../core/write/commit"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { DAY, later, SECOND } from "../../lib/time"
import { loadStore } from "../stores/queries"
import { paidUntil } from "../subscriptions/actions"
import { type SubscribedFacts, subscriptionChange } from "../subscriptions/commit-transition"
import { moved } from "../subscriptions/transition"
import { readMessage } from "./message"
import { readProviderSubscription, takesCards } from "./provider"
import { receiveMessage } from "./receive"

/** How long after the moment at which it is expected a message is taken for lost. */
const OVERDUE = 2 * DAY

/** Subscriptions a night asks about at most. */
const BATCH = 100

const { currentPeriodEndsAt: period, trialEndsAt: trial, updatedAt } = subscriptions

/** When a message is expected: as the period ends. Of one that only a checkout told of none is known: as its trial ends, or at once. */
const expectedAt = sql`case when ${period} is not null then ${period} when ${trial} is not null then ${trial} else ${updatedAt} end`

/** Asks the provider about the subscriptions that nothing was heard of; its answer names a period, so that it is not asked again the next night. */
export async function reconcileSubscriptions(ctx: Ctx): Promise<void> {
  if (!takesCards(ctx)) return
  const silent = await ctx.db
    .select({ id: subscriptions.stripeSubscription })
    .from(subscriptions)
    .where(
      and(
        // In so many words, which are those of the index.
        sql`${subscriptions.provider} = 'stripe' and ${subscriptions.status} <> 'cancelled'`,
        lte(expectedAt, later(ctx.now, -OVERDUE).getTime()),
      ),
    )
    .orderBy(asc(expectedAt))
    .limit(BATCH)
  for (const { id } of silent) {
    if (id) await reconcile(ctx, id).catch((cause) => ctx.log.error("reconciling failed", cause, { subscription: id }))
  }
}

async function reconcile(ctx: Ctx, id: string): Promise<void> {
  const found = await readProviderSubscription(ctx, id)
  const isOver = !found || found.status === "canceled" || found.status === "incomplete_expired"
  const message = readMessage({
    id: `reconciled:${id}:${ctx.now.toISOString().slice(0, 10)}`,
    type: isOver ? "customer.subscription.deleted" : "customer.subscription.updated",
    created: Math.floor(ctx.now.getTime() / SECOND),
    data: { object: found ?? { id, status: "canceled" } },
  })
  if (typeof message === "string") throw new Error(`the provider's answer is ${message}`)
  await receiveMessage(ctx, message)
}

/**
 * Makes a store that the provider bills one of the platform's own books, whatever the provider goes on doing.
 * @throws Refusal `not_found`, `no_subscription`; `illegal_transition` for a store that the provider does not bill
 */
export const detachStore = (ctx: Ctx, storeId: string): Promise<SubscribedFacts> =>
  change(
    ctx,
    () => loadStore(ctx, storeId),
    ({ subscription, ...facts }) => {
      if (!subscription) throw new Refusal("no_subscription")
      if (subscription.provider !== "stripe") throw new Refusal("illegal_transition")
      const move = moved({ ...facts, subscription }, ctx.now, {
        type: "billing_updated",
        values: {
          provider: "local",
          stripeSubscription: null,
          currentPeriodEndsAt: paidUntil(subscription, subscription.plan, ctx.now),
        },
        data: { manual: true },
      })
      return subscriptionChange(ctx, { ...facts, subscription }, move)
    },
  )
