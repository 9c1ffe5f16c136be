// Handles claims on verified domains: DNS names another store and no longer the one that verified the domain. The
// current store has three days to restore its record before the domain passes to the claiming store.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { commit, WriteConflict } from "../../core/write/commit"
import { domains } from "../../db/schema/central/domains"
import { update, type Write } from "../../db/write"
import { addMs, DAY, formatTimestamp } from "../../lib/time"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import type { StoreDetails } from "../stores/schemas"
import { buildOwnerMail } from "../subscriptions/mail"
import { loadDomains } from "./queries"
import { type Domain, TXT_PREFIX } from "./schemas"

const GRACE_DAYS = 3

/** Hours between the detection of a claim and the transfer. */
export const GRACE_HOURS = GRACE_DAYS * 24

/**
 * Whether a store's claim on a domain has outlasted the grace period.
 * @param claimantSeq the claiming store's `seq`
 */
export const isClaimDue = (domain: Domain, claimantSeq: number, now: Date): boolean =>
  domain.claimSeq === claimantSeq && domain.claimedAt !== null && addMs(domain.claimedAt, GRACE_DAYS * DAY) <= now

/**
 * Records a claim and warns the current owner and the operators by mail, at most once per day and domain.
 * @throws WriteConflict when the domain or its claim changed in the meantime
 */
export async function startClaim(ctx: Ctx, holder: Domain, claimingStore: StoreDetails["store"]): Promise<void> {
  const [facts, operators] = await Promise.all([loadDomains(ctx, holder.storeId), listOperatorRecipients(ctx)])
  const record = { domain: holder.domain, record: TXT_PREFIX + holder.domain, value: holder.verificationToken }
  const mailKey = `${holder.id}:${ctx.now.toISOString().slice(0, 10)}`
  const until = formatTimestamp(addMs(ctx.now, GRACE_DAYS * DAY))
  const warning = buildOwnerMail(ctx.settings, facts, "domain_claimed", mailKey, { ...record, until })
  const copies = operators.map(({ id, email }) => ({
    ...warning,
    key: `${warning.key}:${id}`,
    to: email,
    storeId: null,
    locale: "en",
  }))
  await commit(ctx, {
    guard: setClaim(holder, { claimSeq: claimingStore.seq, claimedAt: ctx.now }),
    writes: [warning, ...copies].map((draft) => buildMailWrite(ctx, draft)),
    auditLog: [{ audit: { ...auditSubject(holder), action: "claimed", data: { by: claimingStore.id } } }],
  })
  enqueueMailRun(ctx)
}

/** Ends a claim. Does nothing when the claim has changed since the domain was read. */
export async function endClaim(ctx: Ctx, domain: Domain): Promise<void> {
  try {
    await commit(ctx, {
      guard: setClaim(domain, { claimSeq: null, claimedAt: null }),
      auditLog: [{ audit: { ...auditSubject(domain), action: "claim_ended" } }],
    })
  } catch (cause) {
    if (!(cause instanceof WriteConflict)) throw cause
  }
}

const auditSubject = ({ domain, storeId }: Domain) => ({ subject: "domain", id: domain, siteId: storeId }) as const

/** Updates the claim on a verified domain if it has not changed since the domain was read. */
const setClaim = (domain: Domain, claim: Pick<Domain, "claimSeq" | "claimedAt">): Write =>
  update(domains)
    .set(claim)
    .where(and(eq(domains.id, domain.id), isNotNull(domains.verifiedAt), isClaimedBy(domain.claimSeq)))

const isClaimedBy = (seq: number | null): SQL => sql`${domains.claimSeq} is ${seq}`
