// Lists the stores of an owner, for the mail that /sign-in sends.
import { and, eq, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { domains } from "../db/schema/central/domains"
import { stores } from "../db/schema/central/stores"
import { publicUrl } from "../env"

/** Stores in a mail. */
const MAX_STORES = 50

/** Lists the names and billing pages of an owner's stores as text; null for an address without a store. */
export async function listStoresOf(ctx: Ctx, email: string): Promise<string | null> {
  const owned = await ctx.db
    .select({ name: stores.name, host: domains.domain })
    .from(stores)
    .innerJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .where(sql`lower(${stores.ownerEmail}) = ${email.toLowerCase()}`)
    .limit(MAX_STORES)
  if (!owned.length) return null
  return owned.map(({ name, host }) => `${name}\n${publicUrl(ctx.settings, host, "/billing")}`).join("\n\n")
}
