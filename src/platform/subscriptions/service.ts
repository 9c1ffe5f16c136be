// The verbs of a subscription.
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { loadStore } from "../stores/queries"
import type { Subscription } from "./schemas"

/** @throws Refusal `not_found`; `no_subscription` (404 here: it is the thing asked for that is missing) */
export async function readSubscription(ctx: Ctx, storeId: string): Promise<Subscription> {
  const { subscription } = await loadStore(ctx, storeId)
  if (!subscription) throw new Refusal("no_subscription", { status: 404 })
  return subscription
}
