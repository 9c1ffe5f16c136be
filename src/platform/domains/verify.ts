// Verifies domains on request and hourly, and reviews the claims on verified domains.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import { forEachItem, runItem } from "../../core/queue/for-each-item"
import { applyChange, writeUnaudited } from "../../core/write/commit"
import { domains } from "../../db/schema/central/domains"
import { update } from "../../db/write"
import { addMs, DAY, MINUTE } from "../../lib/time"
import { guardedUpdate } from "../stores/service"
import { checkClaim, checkDomain } from "./check"
import { endClaim, isClaimDue } from "./claims"
import { reconcileHostnames, reconcileInBackground, requestHostname } from "./hostnames"
import {
  type DomainDetails,
  listClaimedDomains,
  listExpiredDomains,
  listUnverifiedDomains,
  loadDomains,
} from "./queries"
import { requireDomain } from "./rules"
import type { Domain, VerificationReason } from "./schemas"
import { attachDomain, buildDomainRecord, releaseUnverified } from "./service"

/** A domain after a check; `reason` is null when it is verified. */
interface Verification {
  domain: Domain
  reason: VerificationReason | null
}

/**
 * Verifies a domain by a DNS lookup. A verified domain stays so and is not looked up again.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`
 */
export async function verifyDomain(ctx: Ctx, storeId: string, segment: string): Promise<Verification> {
  const verification = await verify(ctx, storeId, segment)
  if (verification.reason === null) reconcileInBackground(ctx, verification.domain.domain)
  return verification
}

/** Verifies a domain without calling Cloudflare: the caller decides when connections are available for that. */
async function verify(ctx: Ctx, storeId: string, segment: string): Promise<Verification> {
  // At most one DNS lookup per row, even if the commit is retried.
  let lookup: { id: number; reason: VerificationReason | null } | undefined
  return applyChange<DomainDetails, Verification>(
    ctx,
    () => loadDomains(ctx, storeId),
    async (facts) => {
      const domain = requireDomain(facts.attached, segment)
      const { id } = domain
      if (isRoutable(domain)) return { result: { domain, reason: null } }
      if (lookup?.id !== id) lookup = { id, reason: await checkDomain(ctx.settings, domain) }
      const { reason } = lookup
      if (reason) {
        await writeUnaudited(ctx, "progress", [update(domains).set({ checkedAt: ctx.now }).where(eq(domains.id, id))])
        return { result: { domain, reason } }
      }
      const verified = { ...domain, verifiedAt: ctx.now }
      return {
        result: { domain: verified, reason },
        change: {
          guard: guardedUpdate(facts, {}),
          writes: [
            update(domains).set({ verifiedAt: ctx.now }).where(eq(domains.id, id)),
            requestHostname(ctx, domain.domain),
          ],
          auditLog: [
            buildDomainRecord(ctx, facts, verified, "domain_verified", "domain.verified", { to: domain.domain }),
          ],
        },
      }
    },
  )
}

/** Domains per run, and verified in parallel: an invocation has six connections. */
const DOMAINS_PER_RUN = 200
const CONCURRENCY = 4

/** A domain is not checked again within this time, so that a run that ran out of time continues with the others. */
const MIN_INTERVAL = 20 * MINUTE

/**
 * Runs the hourly maintenance: verifies pending domains, releases expired ones and reconciles custom hostnames with
 * Cloudflare. It reviews claims at the same time, so that slow lookups of one do not use up the time of the other.
 */
export async function runDomainMaintenance(ctx: Ctx): Promise<void> {
  const maintain = async () => {
    await verifyPending(ctx)
    await releaseExpired(ctx)
    await reconcileHostnames(ctx)
  }
  await Promise.all([reviewClaims(ctx), maintain()])
}

/** Ends claims that DNS no longer confirms, and transfers the domains whose grace period is over. */
async function reviewClaims(ctx: Ctx): Promise<void> {
  const claimed = await listClaimedDomains(ctx, DOMAINS_PER_RUN)
  await forEachItem(
    ctx,
    "domain-claims",
    claimed,
    (row) => reviewClaim(ctx, row),
    ({ domain }) => domain.id,
  )
}

async function reviewClaim(ctx: Ctx, { domain, claimant }: Awaited<ReturnType<typeof listClaimedDomains>>[number]) {
  const seq = domain.claimSeq ?? 0
  if (claimant === null) return endClaim(ctx, domain)
  const { state } = await checkClaim(ctx.settings, domain, seq)
  // A failed lookup says nothing about either store.
  if (state === "unknown") return
  if (state !== "valid") return endClaim(ctx, domain)
  if (!isClaimDue(domain, seq, ctx.now)) return
  try {
    await attachDomain(ctx, claimant, domain.domain)
    await verify(ctx, claimant, domain.domain)
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    // A store whose plan or limits no longer allow the domain loses its claim. If DNS changed just now, the next run
    // decides.
    if (cause.code !== "already_taken") await endClaim(ctx, domain)
  }
}

/** Days that a store has to verify a domain. */
const VERIFICATION_DEADLINE_DAYS = 14

/** Releases the domains that were not verified before the deadline. */
async function releaseExpired(ctx: Ctx): Promise<void> {
  const lapsed = await listExpiredDomains(ctx, addMs(ctx.now, -VERIFICATION_DEADLINE_DAYS * DAY), DOMAINS_PER_RUN)
  await forEachItem(
    ctx,
    "domain-expiry",
    lapsed,
    (domain) => releaseUnverified(ctx, domain),
    ({ id }) => id,
  )
}

/** Verifies pending domains, least recently checked first; the next run continues with the rest. */
async function verifyPending(ctx: Ctx): Promise<void> {
  const pending = await listUnverifiedDomains(ctx, addMs(ctx.now, -MIN_INTERVAL), DOMAINS_PER_RUN)
  for (let start = 0; start < pending.length; start += CONCURRENCY) {
    if (ctx.run.isOutOfTime()) return
    const group = pending.slice(start, start + CONCURRENCY)
    await Promise.all(
      // lint: each domain is looked up and recorded separately
      group.map(({ id, storeId }) => runItem(ctx, "domain-verification", () => verify(ctx, storeId, String(id)), id)),
    )
  }
}
