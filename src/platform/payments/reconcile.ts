// Recovers from lost messages: every night, fetches the subscriptions whose message is two days overdue from the
// provider and applies them like a message. Without an API key, an operator can detach a store from the provider
// instead.
import { and, asc, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { applyChange } from "../../core/write/commit"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { addMs, DAY, SECOND } from "../../lib/time"
import { loadStore } from "../stores/queries"
import { resolvePeriodEnd } from "../subscriptions/actions"
import { buildTransitionChange } from "../subscriptions/commit-transition"
import { buildTransition, type SubscribedStore } from "../subscriptions/transition"
import { parseMessage } from "./message"
import { acceptsCards, readProviderSubscription } from "./provider"
import { receiveMessage } from "./receive"

/** How long after its expected time a message counts as lost, in milliseconds. */
const OVERDUE_AFTER_MS = 2 * DAY

/** Subscriptions per night. */
const BATCH_SIZE = 100

const { currentPeriodEndsAt: period, trialEndsAt: trial, updatedAt } = subscriptions

/**
 * When the next message is expected: at the end of the period; if that is unknown, at the end of the trial, or
 * immediately.
 */
const messageExpectedAt = sql`case when ${period} is not null then ${period} when ${trial} is not null then ${trial} else ${updatedAt} end`

/**
 * Fetches the overdue subscriptions from the provider. The response sets their period, so the next night does not fetch
 * them again.
 */
export async function reconcileSubscriptions(ctx: Ctx): Promise<void> {
  if (!acceptsCards(ctx)) return
  const overdue = await ctx.db
    .select({ id: subscriptions.stripeSubscription })
    .from(subscriptions)
    .where(
      and(
        // Has to match the condition of the partial index literally.
        sql`${subscriptions.provider} = 'stripe' and ${subscriptions.status} <> 'cancelled'`,
        lte(messageExpectedAt, addMs(ctx.now, -OVERDUE_AFTER_MS).getTime()),
      ),
    )
    .orderBy(asc(messageExpectedAt))
    .limit(BATCH_SIZE)
  for (const { id } of overdue) {
    if (id) await reconcile(ctx, id).catch((cause) => ctx.log.error("reconciling failed", cause, { subscription: id }))
  }
}

async function reconcile(ctx: Ctx, id: string): Promise<void> {
  const remote = await readProviderSubscription(ctx, id)
  const isOver = !remote || remote.status === "canceled" || remote.status === "incomplete_expired"
  const message = parseMessage({
    id: `reconciled:${id}:${ctx.now.toISOString().slice(0, 10)}`,
    type: isOver ? "customer.subscription.deleted" : "customer.subscription.updated",
    created: Math.floor(ctx.now.getTime() / SECOND),
    data: { object: remote ?? { id, status: "canceled" } },
  })
  if (typeof message === "string") throw new Error(`the provider's response is ${message}`)
  await receiveMessage(ctx, message)
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
      if (subscription.provider !== "stripe") throw new Refusal("illegal_transition")
      const transition = buildTransition({ ...facts, subscription }, ctx.now, {
        type: "billing_updated",
        values: {
          provider: "local",
          stripeSubscription: null,
          currentPeriodEndsAt: resolvePeriodEnd(subscription, subscription.plan, ctx.now),
        },
        data: { manual: true },
      })
      return buildTransitionChange(ctx, { ...facts, subscription }, transition)
    },
  )
