// Reads domains, one round trip per function.
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lte, or, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { asciiHostname } from "../../lib/hostname"
import { requireStore, selectStore } from "../stores/queries"
import type { StoreDetails } from "../stores/schemas"
import { requireDomain } from "./rules"
import type { Domain } from "./schemas"

/** A store with all its domains, fallback first. */
export interface DomainDetails extends StoreDetails {
  attached: Domain[]
}

const domainsOfStore = prepareRead<Domain, { store: string }>((db) =>
  db
    .select()
    .from(domains)
    .where(eq(domains.storeId, param("store")))
    .orderBy(desc(domains.isFallback), asc(domains.id)),
)

/** @throws Refusal `not_found` */
export async function loadDomains(ctx: Ctx, storeId: string): Promise<DomainDetails> {
  const [store, attached] = await batch(ctx.db, [selectStore(ctx.db, storeId), domainsOfStore({ store: storeId })])
  return { ...requireStore(ctx, store), attached }
}

/**
 * Loads one domain of a store.
 * @param segment its row id, or its hostname in any spelling
 * @throws Refusal `not_found`
 */
export async function loadDomain(ctx: Ctx, storeId: string, segment: string): Promise<Domain> {
  const matchesSegment = /^\d{1,15}$/.test(segment)
    ? eq(domains.id, Number(segment))
    : eq(domains.domain, asciiHostname(segment) ?? "")
  const rows = await ctx.db
    .select()
    .from(domains)
    .where(and(matchesSegment, eq(domains.storeId, storeId)))
  return requireDomain(rows, segment)
}

/**
 * Loads a store with its domains, and the row of a hostname that any store may have attached.
 * @throws Refusal `not_found`
 */
export async function loadForAttaching(
  ctx: Ctx,
  storeId: string,
  hostname: string,
): Promise<DomainDetails & { holder: Domain | null }> {
  const [store, attached, holders] = await batch(ctx.db, [
    selectStore(ctx.db, storeId),
    domainsOfStore({ store: storeId }),
    ctx.db.select().from(domains).where(eq(domains.domain, hostname)),
  ])
  return { ...requireStore(ctx, store), attached, holder: holders[0] ?? null }
}

/** Lists unverified domains that were not checked since a time, least recently checked first. */
export const listUnverifiedDomains = (
  ctx: Ctx,
  since: Date,
  limit: number,
): Promise<Pick<Domain, "id" | "storeId">[]> =>
  ctx.db
    .select({ id: domains.id, storeId: domains.storeId })
    .from(domains)
    .where(and(isNull(domains.verifiedAt), or(isNull(domains.checkedAt), lte(domains.checkedAt, since))))
    .orderBy(asc(domains.checkedAt), asc(domains.id))
    .limit(limit)

/** Lists custom domains that were attached before a date and never verified, least recently checked first. */
export const listExpiredDomains = (ctx: Ctx, before: Date, limit: number): Promise<Pick<Domain, "id" | "storeId">[]> =>
  ctx.db
    .select({ id: domains.id, storeId: domains.storeId })
    .from(domains)
    .where(and(isNull(domains.verifiedAt), eq(domains.isFallback, false), lte(domains.createdAt, before)))
    .orderBy(asc(domains.checkedAt), asc(domains.id))
    .limit(limit)

/**
 * Lists domains that another store claims, with the claiming store's id; null when that store is gone. The order is
 * random, so that a run that leaves some out does not always leave out the same.
 */
export const listClaimedDomains = (ctx: Ctx, limit: number): Promise<{ domain: Domain; claimant: string | null }[]> =>
  ctx.db
    .select({ domain: getTableColumns(domains), claimant: stores.id })
    .from(domains)
    .leftJoin(stores, eq(stores.seq, domains.claimSeq))
    .where(isNotNull(domains.claimedAt))
    .orderBy(sql`random()`)
    .limit(limit)
