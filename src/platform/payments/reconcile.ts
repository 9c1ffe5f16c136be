// A message that never came must not freeze a store: every night the provider is asked about the subscriptions whose period ended
// two days ago and more, and what it answers is taken in like a message of its own. Without a key an operator can let a store go.
import { and, eq, lte, ne } from "drizzle-orm"
import { change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { DAY, later, SECOND } from "../../lib/time"
import { loadStore } from "../stores/queries"
import { type SubscribedFacts, subscriptionChange } from "../subscriptions/change"
import { moved } from "../subscriptions/move"
import { readMessage } from "./message"
import { readProviderSubscription, takesCards } from "./provider"
import { receiveMessage } from "./receive"

/** How long after a period's end its message is taken for lost. */
const OVERDUE = 2 * DAY

/** Subscriptions a night asks about at most. */
const BATCH = 100

/** Asks the provider about the subscriptions that nothing was heard of. */
export async function reconcileSubscriptions(ctx: Ctx): Promise<void> {
  if (!takesCards(ctx)) return
  const silent = await ctx.db
    .select({ id: subscriptions.stripeSubscription })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.provider, "stripe"),
        ne(subscriptions.status, "cancelled"),
        lte(subscriptions.currentPeriodEndsAt, later(ctx.now, -OVERDUE)),
      ),
    )
    .orderBy(subscriptions.currentPeriodEndsAt)
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
        values: { provider: "local", stripeSubscription: null },
        data: { manual: true },
      })
      return subscriptionChange(ctx, { ...facts, subscription }, move)
    },
  )
