// Verifies domains: on request, and every hour while they wait. Reviews the claims on domains that are verified.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import { forEachItem } from "../../core/queue/for-each-item"
import { writeUnaudited, change } from "../../core/write/commit"
import { domains } from "../../db/schema/central/domains"
import { update } from "../../db/write"
import { DAY, later } from "../../lib/time"
import { guardedUpdate } from "../stores/service"
import { checkClaim, checkDomain } from "./check"
import { endClaim, isClaimDue } from "./claims"
import { settleHostnames, settleSoon, wantHostname } from "./hostnames"
import { claimedDomains, type DomainFacts, lapsedDomains, loadDomains, unverifiedDomains } from "./queries"
import { domainIn } from "./rules"
import type { Domain, VerificationReason } from "./schemas"
import { attachDomain, happened, releaseUnproved } from "./service"

/** A domain as a check left it; the reason is null when it is verified. */
interface Verification {
  domain: Domain
  reason: VerificationReason | null
}

/**
 * Looks a domain's token up in DNS, now. One that was verified before stays so and is not looked up again.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`
 */
export async function verifyDomain(ctx: Ctx, storeId: string, segment: string): Promise<Verification> {
  const verification = await verify(ctx, storeId, segment)
  if (verification.reason === null) settleSoon(ctx, verification.domain.domain)
  return verification
}

/** The same, leaving the calls to Cloudflare to whoever has the connections for them. */
async function verify(ctx: Ctx, storeId: string, segment: string): Promise<Verification> {
  // However often the commit is decided again, DNS is asked once about one row.
  let asked: { id: number; reason: VerificationReason | null } | undefined
  return change<DomainFacts, Verification>(
    ctx,
    () => loadDomains(ctx, storeId),
    async (facts) => {
      const domain = domainIn(facts.attached, segment)
      const { id } = domain
      if (isRoutable(domain)) return { answer: { domain, reason: null } }
      if (asked?.id !== id) asked = { id, reason: await checkDomain(ctx.settings, domain) }
      const { reason } = asked
      if (reason) {
        await writeUnaudited(ctx, "when the waiting domain was last looked up", [
          update(domains).set({ checkedAt: ctx.now }).where(eq(domains.id, id)),
        ])
        return { answer: { domain, reason } }
      }
      const verified = { ...domain, verifiedAt: ctx.now }
      return {
        answer: { domain: verified, reason },
        change: {
          guard: guardedUpdate(facts, {}),
          writes: [
            update(domains).set({ verifiedAt: ctx.now }).where(eq(domains.id, id)),
            wantHostname(ctx, domain.domain),
          ],
          trail: [happened(ctx, facts, verified, "domain_verified", "domain.verified", { to: domain.domain })],
        },
      }
    },
  )
}

/** Domains that one run looks up at most, and how many of them at once: an invocation has six connections. */
const DOMAINS_A_RUN = 200
const AT_ONCE = 5

/** Reviews claims, looks up the domains that wait, then tells Cloudflare of those that came out well, and of whatever else is due there. */
export async function tendDomains(ctx: Ctx): Promise<void> {
  await reviewClaims(ctx)
  await verifyWaiting(ctx)
  await releaseLapsed(ctx)
  await settleHostnames(ctx)
}

/** Ends the claims that DNS no longer confirms, and hands over the domains of those that are due. */
async function reviewClaims(ctx: Ctx): Promise<void> {
  const claimed = await claimedDomains(ctx, DOMAINS_A_RUN)
  await forEachItem(
    ctx,
    "a claim on a domain",
    claimed,
    (row) => reviewClaim(ctx, row),
    ({ domain }) => domain.id,
  )
}

async function reviewClaim(ctx: Ctx, { domain, claimant }: Awaited<ReturnType<typeof claimedDomains>>[number]) {
  const seq = domain.claimSeq ?? 0
  if (claimant === null) return endClaim(ctx, domain)
  const { state } = await checkClaim(ctx.settings, domain, seq)
  // A resolver that fails says nothing about either store.
  if (state === "unknown") return
  if (state !== "valid") return endClaim(ctx, domain)
  if (!isClaimDue(domain, seq, ctx.now)) return
  try {
    // Attached, it waits to be verified like any other, and this run goes on with those.
    await attachDomain(ctx, claimant, domain.domain)
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    // A store that may not have the domain any more takes it from nobody; DNS that changed just now is for the next run.
    if (cause.code !== "already_taken") await endClaim(ctx, domain)
  }
}

/** Days that a store has to prove a domain. */
const DAYS_TO_PROVE = 14

/** What nobody proved in its time is free again. */
async function releaseLapsed(ctx: Ctx): Promise<void> {
  const lapsed = await lapsedDomains(ctx, later(ctx.now, -DAYS_TO_PROVE * DAY), DOMAINS_A_RUN)
  await forEachItem(
    ctx,
    "an unverified domain",
    lapsed,
    (domain) => releaseUnproved(ctx, domain),
    ({ id }) => id,
  )
}

/** Those asked for longest ago come first. What a run does not come to, the next begins with. */
async function verifyWaiting(ctx: Ctx): Promise<void> {
  const waiting = await unverifiedDomains(ctx, DOMAINS_A_RUN)
  for (let start = 0; start < waiting.length; start += AT_ONCE) {
    const group = waiting.slice(start, start + AT_ONCE)
    await Promise.all(
      group.map(({ id, storeId }) =>
        verify(ctx, storeId, String(id)).catch((cause) =>
          ctx.log.error("a domain could not be verified", cause, { domain: id }),
        ),
      ),
    )
  }
}
