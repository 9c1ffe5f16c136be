// Reads the look of a closed shop: what its page shows, and which files it needs. Open shops read theirs with the page.
import { cachedSite } from "../../core/cache/edge-cache"
import type { Ctx } from "../../core/context"
import { batch, nearestReplica } from "../../db/client"
import type { ShopLook } from "../../db/schema/sites/shop-settings"
import { selectShopSettings, toShop } from "./settings"

/** The site of a closed shop. */
interface ClosedSite {
  id: string
  /** Null for a store that has no database yet, or none any more. */
  database: string | null
}

/** Returns the look of a closed shop, cached in the isolate; null when it cannot be read. */
export async function readClosedLook(
  { env, now, log }: Pick<Ctx, "env" | "now" | "log">,
  { id, database }: ClosedSite,
): Promise<ShopLook | null> {
  if (!database) return null
  try {
    return await cachedSite(
      `look:${id}`,
      async () => {
        const [[row]] = await batch(nearestReplica(env, database, { siteId: id, now }), [
          selectShopSettings({ site: id }),
        ])
        return toShop({ subscription: null }, row).look
      },
      () => id,
    )
  } catch (cause) {
    log.error("the look of a closed shop could not be read", cause, { store: id })
    return null
  }
}
