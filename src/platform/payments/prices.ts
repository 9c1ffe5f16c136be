// Compares the price of a plan with what the card provider charges for it.
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import type { ProviderPrice } from "./provider"
import { findCheckoutProvider } from "./providers"

/** The price of a plan, and the provider's price that it is sold at by card. */
interface PlanPrice {
  stripe_price: string | null
  price_cents: number
  currency: string
  interval: "month" | "year"
}

/** Reads what the provider charges; null without credentials, for an unknown price, and while the provider is down. */
export async function readProviderPrice(ctx: Ctx, id: string | null): Promise<ProviderPrice | null> {
  const provider = findCheckoutProvider(ctx.settings)
  if (!provider || id === null) return null
  try {
    return await provider.readPrice(ctx, id)
  } catch (thrown) {
    if (thrown instanceof Refusal) return null
    throw thrown
  }
}

/** Whether the provider charges something else than the plan says. */
export const isMismatch = (plan: Omit<PlanPrice, "stripe_price">, charged: ProviderPrice): boolean =>
  charged.amountCents !== plan.price_cents || charged.currency !== plan.currency || charged.interval !== plan.interval

/**
 * Returns what the provider charges if it differs from the plan. An unreadable price does not count as a difference.
 */
export async function findPriceMismatch(ctx: Ctx, plan: PlanPrice): Promise<ProviderPrice | null> {
  const charged = await readProviderPrice(ctx, plan.stripe_price)
  return charged && isMismatch(plan, charged) ? charged : null
}
