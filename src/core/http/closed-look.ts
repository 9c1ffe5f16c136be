// Reads the look of a closed shop: what its page shows, and which files it needs. Open shops read theirs with the page.
import { nearestReplica, read } from "../../db/client"
import { prepareSiteRead } from "../../db/prepared"
import { type ShopLook, type StoredShopSettings, shopSettings } from "../../db/schema/sites/shop-settings"
import { cachedSite } from "../cache/edge-cache"
import type { Ctx } from "../context"

const selectSettings = prepareSiteRead<{ settings: Partial<StoredShopSettings> }, { site: string }>((db) =>
  db.select({ settings: shopSettings.settings }).from(shopSettings),
)

/** The site of a closed shop. */
interface ClosedSite {
  id: string
  /** Null for a store that has no database yet, or none any more. */
  database: string | null
}

/** Returns the look of a closed shop, cached in the isolate; null if it has none. */
export async function readClosedLook(
  { env, now, log }: Pick<Ctx, "env" | "now" | "log">,
  { id, database }: ClosedSite,
): Promise<ShopLook | null> {
  if (!database) return null
  try {
    return await cachedSite(
      `look:${id}`,
      async () => {
        const [row] = await read(nearestReplica(env, database, { siteId: id, now }), selectSettings({ site: id }))
        return row?.settings.look ?? null
      },
      () => id,
    )
  } catch (cause) {
    log.error("the look of a closed shop could not be read", cause, { store: id })
    return null
  }
}
