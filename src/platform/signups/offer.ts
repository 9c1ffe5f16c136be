// Reads what the front page offers: the plans on sale, the demo store, and how owners can pay.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { accessState } from "../../core/http/store-access"
import { batch } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { getFallbackHost, publicUrl } from "../../env"
import { parseOfflineSettings, selectOfflineSettings } from "../orders/settings"
import { findCheckoutProvider } from "../payments/providers"
import type { Plan } from "../plans/schemas"
import { selectActivePlans } from "../plans/service"

export interface Offer {
  /** The plans on sale, in their order. */
  plans: Plan[]
  /** The demo store; null while none is set or it is not being served. */
  demoUrl: string | null
  payment: { card: boolean; transfer: boolean }
  /** Days after which the data of a store that was cancelled or not paid for is deleted. */
  retentionDays: number
}

/** Reads the offer, in one round trip. */
export async function readOffer(ctx: Ctx): Promise<Offer> {
  const { settings } = ctx
  const demo = settings.TENANCY_DEMO_STORE
  const [plans, offline, [store]] = await batch(ctx.db, [
    selectActivePlans({}),
    selectOfflineSettings({}),
    ctx.db.select({ status: stores.status }).from(stores).where(eq(stores.id, demo)),
  ])
  const isServed = store !== undefined && accessState(store.status) === "serving"
  return {
    plans,
    demoUrl: isServed ? publicUrl(settings, getFallbackHost(settings, demo), "/") : null,
    payment: { card: findCheckoutProvider(settings) !== null, transfer: parseOfflineSettings(offline).enabled },
    retentionDays: settings.TENANCY_RETENTION_DAYS,
  }
}
