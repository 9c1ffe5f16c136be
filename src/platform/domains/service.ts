// Attaches, transfers and removes a store's domains. Every change is guarded by the store's version, so limits and the
// single primary domain hold under concurrency.

import { and, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import { type AuditRecord, applyChange, commit, retryOnConflict, WriteConflict } from "../../core/write/commit"
import type { StoreAuditType } from "../../db/schema/central/audit"
import { domains } from "../../db/schema/central/domains"
import { insert, remove, update, type Write } from "../../db/write"
import { randomBase62 } from "../../lib/hash"
import type { NonEmpty } from "../../lib/non-empty"
import { storeResource } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { checkClaim } from "./check"
import { GRACE_HOURS, isClaimDue, startClaim } from "./claims"
import { reconcileInBackground, requestHostnameRemoval } from "./hostnames"
import { type DomainDetails, loadDomains, loadForAttaching } from "./queries"
import { assertAttachable, assertCanBePrimary, assertNotPlatformHost, assertRemovable, requireDomain } from "./rules"
import { type Domain, domainResource, TXT_PREFIX } from "./schemas"

/** @throws Refusal `not_found` */
export const readDomains = (ctx: Ctx, storeId: string): Promise<DomainDetails> => loadDomains(ctx, storeId)

/**
 * Attaches a custom domain, which must be verified before it is routed. A domain of another store passes to the store
 * that sets the TXT record named in the refusal: immediately if it was never verified, else after a grace period (see
 * `claims.ts`).
 * @param hostname in canonical form
 * @throws Refusal `validation_failed` for one of the platform's own names; `not_found`, `plan_upgrade_required`,
 *   `limit_reached`, `already_taken`, in that order
 */
export async function attachDomain(ctx: Ctx, storeId: string, hostname: string): Promise<Domain> {
  assertNotPlatformHost(hostname, ctx.settings)
  return retryOnConflict(async () => {
    const facts = await loadForAttaching(ctx, storeId, hostname)
    const { subscription, attached, holder, store } = facts
    const isOthers = holder !== null && !holder.isFallback && holder.storeId !== store.id
    const taken = holder !== null && !isOthers
    assertAttachable(subscription, attached, { max: ctx.settings.TENANCY_MAX_CUSTOM_DOMAINS, taken })
    const claim = isOthers ? await assertClaimed(ctx, store, holder) : null
    const values = {
      domain: hostname,
      storeId,
      isPrimary: false,
      isFallback: false,
      verificationToken: claim?.token ?? `tenancy-verify-${randomBase62(32)}`,
      verifiedAt: null,
      checkedAt: null,
      claimSeq: null,
      claimedAt: null,
      createdAt: ctx.now,
    }
    const record = buildDomainRecord(ctx, facts, { id: 0, ...values }, "domain_added", "domain.added", { to: hostname })
    const removal = claim?.removal
    const [[row]] = await commit(ctx, {
      guard: [guardedUpdate(facts, {}), ...(removal ? [removal.guard, removal.deletion] : [])],
      writes: [insert(domains).values(values).returning(), ...(removal?.writes ?? [])],
      auditLog: removal ? [...removal.auditLog, fillDomainId(record, hostname)] : [fillDomainId(record, hostname)],
    })
    if (!row) throw new Error("The domain was not stored")
    if (removal) reconcileInBackground(ctx, hostname)
    return row
  })
}

/**
 * Checks a store's claim on a domain that another store attached.
 * @returns the token that proves the claim, and the removal from the other store, for the commit that attaches it
 * @throws Refusal `already_taken`, which names the record to set; WriteConflict when the domain changed in the meantime
 */
async function assertClaimed(
  ctx: Ctx,
  store: DomainDetails["store"],
  holder: Domain,
): Promise<{ token: string; removal: Removal }> {
  const isVerified = isRoutable(holder)
  const isGranted = (domain: Domain) => !isRoutable(domain) || isClaimDue(domain, store.seq, ctx.now)
  const { state, token } = await checkClaim(ctx.settings, holder, store.seq)
  const isValid = state === "valid"
  if (isValid && isGranted(holder)) {
    const facts = await loadDomains(ctx, holder.storeId).catch((cause) => {
      throw cause instanceof Refusal ? new WriteConflict("The store was deleted", { cause }) : cause
    })
    const domain = facts.attached.find(({ id }) => id === holder.id)
    if (!domain || !isGranted(domain)) throw new WriteConflict("The domain changed while its claim was checked")
    return { token, removal: buildRemoval(ctx, facts, domain) }
  }
  if (isValid && holder.claimSeq !== store.seq) await startClaim(ctx, holder, store)
  const facts = { record: TXT_PREFIX + holder.domain, value: token, ...(isVerified && { hours: GRACE_HOURS }) }
  throw new Refusal("already_taken", facts)
}

/** Fills in the id that the same batch assigns to the domain. */
const fillDomainId = ({ audit, events = [] }: AuditRecord, hostname: string): AuditRecord => ({
  audit,
  events: events.map((event) => ({
    ...event,
    fill: { "$.data.domain.id": sql`(select ${domains.id} from ${domains} where ${domains.domain} = ${hostname})` },
  })),
})

/**
 * Makes a domain the store's primary one, used in its root URL. Does nothing when it already is.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`, `verify_first`
 */
export const makePrimary = (ctx: Ctx, storeId: string, segment: string): Promise<Domain> =>
  applyChange(
    ctx,
    () => loadDomains(ctx, storeId),
    (facts) => {
      const domain = requireDomain(facts.attached, segment)
      if (domain.isPrimary) return { result: domain }
      assertCanBePrimary(domain)
      const { primary, write, record } = buildPrimaryChange(ctx, facts, domain)
      return {
        result: primary,
        change: { guard: guardedUpdate(facts, { updatedAt: ctx.now }), writes: [write], auditLog: [record] },
      }
    },
  )

/** Builds a change of the primary domain: the next state, the write, and the audit entry with its event. */
function buildPrimaryChange(
  ctx: Ctx,
  facts: DomainDetails,
  domain: Domain,
): { primary: Domain; next: DomainDetails; write: Write; record: AuditRecord } {
  const primary = { ...domain, isPrimary: true }
  const next = { ...facts, primary, store: { ...facts.store, updatedAt: ctx.now } }
  const previous = facts.primary?.domain
  return {
    primary,
    next,
    write: update(domains)
      .set({ isPrimary: sql`${domains.id} = ${domain.id}` })
      .where(eq(domains.storeId, facts.store.id)),
    record: {
      audit: { storeId: facts.store.id, type: "primary_changed", data: { from: previous, to: domain.domain } },
      events: [
        {
          type: "domain.primary_changed",
          data: { ...toEventData(ctx, next, primary), previous_primary: previous },
        },
      ],
    },
  }
}

/**
 * Detaches a custom domain and deletes its custom hostname at Cloudflare.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`, `not_removable`
 */
export const removeDomain = (ctx: Ctx, storeId: string, segment: string): Promise<void> =>
  detach(ctx, storeId, segment, assertRemovable)

/**
 * Detaches a domain that its store has not verified before the deadline. Does nothing for one that was verified or
 * removed in the meantime.
 */
export const releaseUnverified = (ctx: Ctx, { id, storeId }: Pick<Domain, "id" | "storeId">): Promise<void> =>
  detach(ctx, storeId, String(id), (domain) => {
    if (isRoutable(domain)) throw new Refusal("not_removable")
  }).catch((cause) => {
    if (!(cause instanceof Refusal)) throw cause
  })

async function detach(ctx: Ctx, storeId: string, segment: string, assertMay: (domain: Domain) => void): Promise<void> {
  const hostname = await applyChange(
    ctx,
    () => loadDomains(ctx, storeId),
    (facts) => {
      const domain = requireDomain(facts.attached, segment)
      assertMay(domain)
      const { guard, writes, auditLog, deletion } = buildRemoval(ctx, facts, domain)
      return { result: domain.domain, change: { guard, writes, auditLog, last: [deletion] } }
    },
  )
  reconcileInBackground(ctx, hostname)
}

/** The parts of a change that removes a domain from its store. */
interface Removal {
  guard: Write
  writes: Write[]
  auditLog: NonEmpty<AuditRecord>
  /** Deletes the domain's row. */
  deletion: Write
}

function buildRemoval(ctx: Ctx, facts: DomainDetails, domain: Domain): Removal {
  // Only a claim can remove the primary domain; the fallback then becomes primary.
  const fallback = domain.isPrimary && facts.attached.find(({ isFallback }) => isFallback)
  const moved = fallback && buildPrimaryChange(ctx, facts, fallback)
  const next = moved ? moved.next : facts
  const removed = { ...domain, isPrimary: false }
  const record = buildDomainRecord(ctx, next, removed, "domain_removed", "domain.removed", { from: domain.domain })
  return {
    guard: guardedUpdate(facts, moved ? { updatedAt: ctx.now } : {}),
    writes: [requestHostnameRemoval(ctx, domain.domain), ...(moved ? [moved.write] : [])],
    auditLog: moved ? [moved.record, record] : [record],
    deletion: remove(domains).where(and(eq(domains.id, domain.id), eq(domains.storeId, facts.store.id))),
  }
}

/**
 * Builds a domain's audit entry and event.
 * @param facts the store's state after the change
 * @param data the audit entry's data
 */
export function buildDomainRecord(
  ctx: Ctx,
  facts: DomainDetails,
  domain: Domain,
  type: StoreAuditType,
  event: "domain.added" | "domain.verified" | "domain.removed",
  data: Record<string, unknown>,
): AuditRecord {
  return {
    audit: { storeId: facts.store.id, type, data },
    events: [{ type: event, data: toEventData(ctx, facts, domain) }],
  }
}

const toEventData = (ctx: Ctx, facts: DomainDetails, domain: Domain) => ({
  store: storeResource(ctx.settings, facts),
  domain: domainResource(ctx.settings, domain),
})
