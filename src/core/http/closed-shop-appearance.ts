// Reads the appearance of a closed shop for its page and for the files that the page needs. Open shops read theirs with
// the page.
import { nearestReplica, read } from "../../db/client"
import { prepareSiteRead } from "../../db/prepared"
import { type ShopAppearance, type StoredShopSettings, shopSettings } from "../../db/schema/sites/shop-settings"
import { cachedSite } from "../cache/edge-cache"
import type { Ctx } from "../context"

const selectSettings = prepareSiteRead<{ settings: Partial<StoredShopSettings> }, { site: string }>((db) =>
  db.select({ settings: shopSettings.settings }).from(shopSettings),
)

/** The site of a closed shop. */
interface ClosedSite {
  id: string
  /** Null for a store that has no database yet, or no longer has one. */
  database: string | null
}

/** Returns the appearance of a closed shop, cached in the isolate; null if it has none. */
export async function readClosedShopAppearance(
  { env, now, log }: Pick<Ctx, "env" | "now" | "log">,
  { id, database }: ClosedSite,
): Promise<ShopAppearance | null> {
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
    log.error("the appearance of a closed shop could not be read", cause, { store: id })
    return null
  }
}
