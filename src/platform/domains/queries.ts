// Reads of domains, each one round trip.
import { asc, desc, eq, isNull } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { oneStore, selectStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import type { Domain } from "./schemas"

/** A store with all its domains, the fallback first. */
export interface DomainFacts extends StoreFacts {
  attached: Domain[]
}

const selectDomains = (ctx: Ctx, storeId: string) =>
  ctx.db.select().from(domains).where(eq(domains.storeId, storeId)).orderBy(desc(domains.isFallback), asc(domains.id))

/** @throws Refusal `not_found` */
export async function loadDomains(ctx: Ctx, storeId: string): Promise<DomainFacts> {
  const [store, attached] = await batch(ctx.db, [selectStore(ctx.db, storeId), selectDomains(ctx, storeId)])
  return { ...oneStore(store), attached: attached }
}

/**
 * A store with its domains, and whether a hostname is registered to anyone.
 * @throws Refusal `not_found`
 */
export async function loadForAttaching(
  ctx: Ctx,
  storeId: string,
  hostname: string,
): Promise<DomainFacts & { taken: boolean }> {
  const [store, attached, holders] = await batch(ctx.db, [
    selectStore(ctx.db, storeId),
    selectDomains(ctx, storeId),
    ctx.db.select({ id: domains.id }).from(domains).where(eq(domains.domain, hostname)),
  ])
  return { ...oneStore(store), attached: attached, taken: holders.length > 0 }
}

/** Domains that wait to be verified, those asked for longest ago first. */
export const unverifiedDomains = (ctx: Ctx, limit: number): Promise<Pick<Domain, "id" | "storeId">[]> =>
  ctx.db
    .select({ id: domains.id, storeId: domains.storeId })
    .from(domains)
    .where(isNull(domains.verifiedAt))
    .orderBy(asc(domains.checkedAt), asc(domains.id))
    .limit(limit)
