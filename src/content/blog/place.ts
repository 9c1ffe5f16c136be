// Whose blog it is, and who may see more of it than the public.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/refusal"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { CENTRAL_SITE, type SiteCtx } from "../site"

/** A site whose content is written. */
export interface Place {
  /** The store's id, or `central`. */
  id: string
  db: SiteDatabase
}

/** Whether a named server token came along; the site's API key does not count, because every copy of an app carries it. */
export const isServer = ({ key }: SiteCtx): boolean => key !== null && key.id !== null

/** @throws Refusal `unauthenticated` for a caller without a key, `forbidden` for one whose key is not a server's */
export function assertServer(ctx: SiteCtx): void {
  if (isServer(ctx)) return
  throw new Refusal(ctx.key ? "forbidden" : "unauthenticated")
}

/**
 * The site of that id, whatever its state: content may be written before a store opens and while it is suspended.
 * @param id a store's id, or `central`
 * @throws Refusal `validation_failed` about `site` when there is no such store, `store_unavailable` when it has no database yet
 */
export async function placeOf(ctx: Ctx, id: string): Promise<Place> {
  const [central = ""] = ctx.settings.SITE_DATABASES
  if (id === CENTRAL_SITE) return { id, db: siteDatabase(ctx.env, central) }
  const [store] = await ctx.db.select({ database: stores.database }).from(stores).where(eq(stores.id, id))
  if (!store) throw invalid("site", "selected")
  if (!store.database) throw new Refusal("store_unavailable")
  return { id, db: siteDatabase(ctx.env, store.database) }
}
