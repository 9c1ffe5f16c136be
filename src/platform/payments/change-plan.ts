// Changes the plan of a card subscription at its provider, and applies the new state immediately.
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { SYSTEM } from "../../core/write/actor"
import { batch } from "../../db/client"
import { MINUTE, SECOND } from "../../lib/time"
import { selectActivePlan } from "../plans/service"
import { requireStore, selectStore } from "../stores/queries"
import { isPrepaid } from "../subscriptions/rules"
import { countStoreUsage, getUsage } from "../usage/collect"
import { assertWithinLimits } from "../usage/rules"
import { buildChangedDiscount } from "./purchase-discount"
import { receiveMessage } from "./receive"
import { replaceContentIds, resolveReference } from "./references"

/**
 * Changes the plan at the provider, which charges or credits the difference.
 * @throws Refusal `not_found`, `validation_failed` about `plan` for one that its provider does not sell,
 *   `usage_unavailable`, `plan_too_small`; `illegal_transition` for the current plan, for a store that is not billed by
 *   card, and until the card pays for the first period; `card_disabled`, `provider_unreachable`
 */
export async function changeCardPlan(ctx: Ctx, storeId: string, slug: string): Promise<void> {
  const [[rows, [plan]], counts] = await Promise.all([
    batch(ctx.db, [selectStore(ctx.db, storeId), selectActivePlan(ctx, slug)]),
    countStoreUsage(ctx, storeId),
  ])
  const { store, subscription } = requireStore(ctx, rows)
  if (!plan?.cardPrice || plan.priceCents === 0) throw invalid("plan", "selected")
  if (!subscription?.cardSubscription || subscription.plan?.slug === slug) throw new Refusal("illegal_transition")
  // The provider would change the plan now and charge nothing for the days that are paid.
  if (isPrepaid(subscription, ctx.now)) throw new Refusal("illegal_transition")
  assertWithinLimits(getUsage(store, counts), plan.limits)
  const { provider, id } = resolveReference(subscription.cardSubscription)
  // The minute is part of the key because the provider also replays failed responses.
  const minute = Math.floor(ctx.now.getTime() / MINUTE)
  const key = `plan:${store.seq}:${store.version}:${minute}:${plan.cardPrice}`
  const discount = buildChangedDiscount(subscription.discount, subscription.plan?.slug ?? "", plan, ctx.now)
  const content = await provider.changePrice(ctx, id, { price: plan.cardPrice, discount }, key)
  // The provider's own message about it follows, and changes nothing more.
  await receiveMessage(
    { ...ctx, actor: SYSTEM, interface: "system" },
    {
      ...replaceContentIds(provider, content),
      id: `changed:${ctx.requestId}`,
      created: Math.floor(ctx.now.getTime() / SECOND),
    },
  )
}
