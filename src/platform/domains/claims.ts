// Claims on verified domains: DNS names another store, and no longer the one that verified the domain. The holder has three days to
// restore its record before the domain passes to the claiming store.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { commit, WriteConflict } from "../../core/write/commit"
import { domains } from "../../db/schema/central/domains"
import { update, type Write } from "../../db/write"
import { DAY, later, timestamp } from "../../lib/time"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { mailWrite, postMails } from "../../mails/outbox"
import type { StoreFacts } from "../stores/schemas"
import { ownerMail } from "../subscriptions/mail"
import { loadDomains } from "./queries"
import { type Domain, TXT_PREFIX } from "./schemas"

const GRACE_DAYS = 3

/** Hours between the first sight of a claim and the hand-over. */
export const GRACE_HOURS = GRACE_DAYS * 24

/**
 * Whether a store's claim on a domain has outlasted the grace.
 * @param claimant the store's `seq`
 */
export const isClaimDue = (domain: Domain, claimant: number, now: Date): boolean =>
  domain.claimSeq === claimant && domain.claimedAt !== null && later(domain.claimedAt, GRACE_DAYS * DAY) <= now

/**
 * Records a claim, and warns the holder's owner and the operators by mail, at most once a day for a domain.
 * @throws LostRace when the domain or its claim changed meanwhile
 */
export async function beginClaim(ctx: Ctx, holder: Domain, claimant: StoreFacts["store"]): Promise<void> {
  const [facts, operators] = await Promise.all([loadDomains(ctx, holder.storeId), listOperatorRecipients(ctx)])
  const record = { domain: holder.domain, record: TXT_PREFIX + holder.domain, value: holder.verificationToken }
  const about = `${holder.id}:${ctx.now.toISOString().slice(0, 10)}`
  const until = timestamp(later(ctx.now, GRACE_DAYS * DAY))
  const warning = ownerMail(ctx.settings, facts, "domain_claimed", about, { ...record, until })
  const copies = operators.map(({ id, email }) => ({
    ...warning,
    key: `${warning.key}:${id}`,
    to: email,
    storeId: null,
    locale: "en",
  }))
  await commit(ctx, {
    guard: setClaim(holder, { claimSeq: claimant.seq, claimedAt: ctx.now }),
    writes: [warning, ...copies].map((draft) => mailWrite(ctx, draft)),
    trail: [{ audit: { ...aboutDomain(holder), deed: "claimed", data: { by: claimant.id } } }],
  })
  postMails(ctx)
}

/** Ends the claim that a domain was read with. Does nothing when it changed meanwhile. */
export async function endClaim(ctx: Ctx, domain: Domain): Promise<void> {
  try {
    await commit(ctx, {
      guard: setClaim(domain, { claimSeq: null, claimedAt: null }),
      trail: [{ audit: { ...aboutDomain(domain), deed: "claim_ended" } }],
    })
  } catch (cause) {
    if (!(cause instanceof WriteConflict)) throw cause
  }
}

const aboutDomain = ({ domain, storeId }: Domain) => ({ subject: "domain", id: domain, siteId: storeId }) as const

/** Changes the claim on a verified domain, if it is still the one that the domain was read with. */
const setClaim = (domain: Domain, claim: Pick<Domain, "claimSeq" | "claimedAt">): Write =>
  update(domains)
    .set(claim)
    .where(and(eq(domains.id, domain.id), isNotNull(domains.verifiedAt), isClaimedBy(domain.claimSeq)))

const isClaimedBy = (seq: number | null): SQL => sql`${domains.claimSeq} is ${seq}`
