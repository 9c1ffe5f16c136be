// Compares the price of a plan with the card provider's price.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { providerPrices } from "../../db/schema/central/provider-prices"
import { insert, type Write } from "../../db/write"
import { SECOND } from "../../lib/time"
import type { Message, ProviderPrice } from "./message"
import { findCheckoutProvider } from "./providers"

/** The price of a plan, and the provider's price that it is sold at by card. */
interface PlanPrice {
  stripe_price: string | null
  price_cents: number
  currency: string
  interval: "month" | "year"
}

/**
 * Reads what the provider charges: from the provider, or without credentials from its last message about the price.
 * @returns null for an unknown price, and while the provider is down
 */
export async function readProviderPrice(ctx: Ctx, id: string | null): Promise<ProviderPrice | null> {
  if (id === null) return null
  const provider = findCheckoutProvider(ctx.settings)
  if (!provider) return readReportedPrice(ctx, id)
  try {
    return await provider.readPrice(ctx, id)
  } catch (thrown) {
    if (thrown instanceof Refusal) return null
    throw thrown
  }
}

async function readReportedPrice(ctx: Ctx, id: string): Promise<ProviderPrice | null> {
  const { amountCents, currency, interval } = providerPrices
  const [reported] = await ctx.db
    .select({ amountCents, currency, interval })
    .from(providerPrices)
    .where(eq(providerPrices.price, id))
  return reported ?? null
}

/** Builds the write that stores what the price of a message charges, unless that is known. */
export function buildPriceWrites({ charged, created }: Message): Write[] {
  if (!charged) return []
  const { amountCents, currency, interval } = providerPrices
  const isDifferent = sql`(${amountCents}, ${currency}, ${interval}) <> (excluded.amount_cents, excluded.currency, excluded.interval)`
  const reported = { ...charged, reportedAt: new Date(created * SECOND) }
  return [
    insert(providerPrices)
      .values(reported)
      .onConflictDoUpdate({
        target: providerPrices.price,
        set: reported,
        setWhere: sql`excluded.reported_at >= ${providerPrices.reportedAt} and ${isDifferent}`,
      }),
  ]
}

/** Whether the provider charges another price than the plan's. */
export const isMismatch = (plan: Omit<PlanPrice, "stripe_price">, charged: ProviderPrice): boolean =>
  charged.amountCents !== plan.price_cents || charged.currency !== plan.currency || charged.interval !== plan.interval

/**
 * Returns what the provider charges if it differs from the plan. An unreadable price does not count as a difference.
 */
export async function findPriceMismatch(ctx: Ctx, plan: PlanPrice): Promise<ProviderPrice | null> {
  const charged = await readProviderPrice(ctx, plan.stripe_price)
  return charged && isMismatch(plan, charged) ? charged : null
}
