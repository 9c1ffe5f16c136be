// Reads of domains, each one round trip.
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lte } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { asciiHostname } from "../../lib/hostname"
import { oneStore, selectStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import { domainIn } from "./rules"
import type { Domain } from "./schemas"

/** A store with all its domains, the fallback first. */
export interface DomainFacts extends StoreFacts {
  attached: Domain[]
}

const domainsOf = compiled<Domain, { store: string }>((db) =>
  db
    .select()
    .from(domains)
    .where(eq(domains.storeId, given("store")))
    .orderBy(desc(domains.isFallback), asc(domains.id)),
)

/** @throws Refusal `not_found` */
export async function loadDomains(ctx: Ctx, storeId: string): Promise<DomainFacts> {
  const [store, attached] = await batch(ctx.db, [selectStore(ctx.db, storeId), domainsOf({ store: storeId })])
  return { ...oneStore(ctx, store), attached }
}

/**
 * One domain of a store.
 * @param segment its row id, or its hostname in any spelling
 * @throws Refusal `not_found`
 */
export async function loadDomain(ctx: Ctx, storeId: string, segment: string): Promise<Domain> {
  const isIt = /^\d{1,15}$/.test(segment)
    ? eq(domains.id, Number(segment))
    : eq(domains.domain, asciiHostname(segment) ?? "")
  const found = await ctx.db
    .select()
    .from(domains)
    .where(and(isIt, eq(domains.storeId, storeId)))
  return domainIn(found, segment)
}

/**
 * A store with its domains, and the row of a hostname that is registered to anyone.
 * @throws Refusal `not_found`
 */
export async function loadForAttaching(
  ctx: Ctx,
  storeId: string,
  hostname: string,
): Promise<DomainFacts & { holder: Domain | null }> {
  const [store, attached, holders] = await batch(ctx.db, [
    selectStore(ctx.db, storeId),
    domainsOf({ store: storeId }),
    ctx.db.select().from(domains).where(eq(domains.domain, hostname)),
  ])
  return { ...oneStore(ctx, store), attached, holder: holders[0] ?? null }
}

/** Domains that wait to be verified, those asked for longest ago first. */
export const unverifiedDomains = (ctx: Ctx, limit: number): Promise<Pick<Domain, "id" | "storeId">[]> =>
  ctx.db
    .select({ id: domains.id, storeId: domains.storeId })
    .from(domains)
    .where(isNull(domains.verifiedAt))
    .orderBy(asc(domains.checkedAt), asc(domains.id))
    .limit(limit)

/** Custom domains that were attached before a moment and never verified, the oldest first. */
export const lapsedDomains = (ctx: Ctx, before: Date, limit: number): Promise<Pick<Domain, "id" | "storeId">[]> =>
  ctx.db
    .select({ id: domains.id, storeId: domains.storeId })
    .from(domains)
    .where(and(isNull(domains.verifiedAt), eq(domains.isFallback, false), lte(domains.createdAt, before)))
    .orderBy(asc(domains.checkedAt), asc(domains.id))
    .limit(limit)

/** Domains that another store claims, the oldest claims first, and the claiming store's id; null for one that is gone. */
export const claimedDomains = (ctx: Ctx, limit: number): Promise<{ domain: Domain; claimant: string | null }[]> =>
  ctx.db
    .select({ domain: getTableColumns(domains), claimant: stores.id })
    .from(domains)
    .leftJoin(stores, eq(stores.seq, domains.claimSeq))
    .where(isNotNull(domains.claimedAt))
    .orderBy(asc(domains.claimedAt))
    .limit(limit)
