// The verbs of a store's domains. All of them are guarded by the store's version, so that limits and the one primary hold
// whoever else is at work.

import { and, eq, sql } from "drizzle-orm"
import { isRoutable } from "../../core/access"
import { change, commit, type TrailRecord, untilSettled } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { EventDraft } from "../../core/events"
import { Refusal } from "../../core/refusal"
import type { StoreAuditType } from "../../db/schema/central/audit"
import { domains } from "../../db/schema/central/domains"
import { insert, remove, update } from "../../db/write"
import { randomBase62 } from "../../lib/hash"
import { storeResource } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { assertClaimed } from "./check"
import { dropHostname, settleSoon } from "./hostnames"
import { type DomainFacts, loadDomains, loadForAttaching } from "./queries"
import { assertAttachable, assertForeign, assertPrimaryable, assertRemovable, domainIn } from "./rules"
import { type Domain, domainResource } from "./schemas"

/** @throws Refusal `not_found` */
export const readDomains = (ctx: Ctx, storeId: string): Promise<DomainFacts> => loadDomains(ctx, storeId)

/**
 * Attaches a custom domain, to be verified before it leads anywhere. One that another store attached and never verified goes to the
 * store that can set the record.
 * @param hostname in canonical form
 * @throws Refusal `validation_failed` for one of the platform's own names; `not_found`, `plan_upgrade_required`,
 *   `limit_reached`, `already_taken`, in that order
 */
export async function attachDomain(ctx: Ctx, storeId: string, hostname: string): Promise<Domain> {
  assertForeign(hostname, ctx.settings)
  return untilSettled(async () => {
    const facts = await loadForAttaching(ctx, storeId, hostname)
    const { subscription, attached, holder, store } = facts
    const isUnproved = holder !== null && !isRoutable(holder) && holder.storeId !== store.id
    const taken = holder !== null && !isUnproved
    assertAttachable(subscription, attached, { max: ctx.settings.TENANCY_MAX_CUSTOM_DOMAINS, taken })
    const claimed = isUnproved ? await assertClaimed(ctx.settings, store.seq, hostname) : null
    if (isUnproved) await releaseUnproved(ctx, holder)
    const values = {
      domain: hostname,
      storeId,
      isPrimary: false,
      isFallback: false,
      verificationToken: claimed ?? `tenancy-verify-${randomBase62(32)}`,
      verifiedAt: null,
      checkedAt: null,
      createdAt: ctx.now,
    }
    const added = happened(ctx, facts, { id: 0, ...values }, "domain_added", "domain.added", { to: hostname })
    const [[row]] = await commit(ctx, {
      guard: guardedUpdate(facts, {}),
      writes: [insert(domains).values(values).returning()],
      trail: [withNewId(added, hostname)],
    })
    if (!row) throw new Error("The domain was not stored")
    return row
  })
}

/** The event of a domain whose id the very batch gives it. */
const withNewId = ({ audit, events = [] }: TrailRecord, hostname: string): TrailRecord => ({
  audit,
  events: events.map((event) => ({
    ...event,
    fill: { "$.data.domain.id": sql`(select ${domains.id} from ${domains} where ${domains.domain} = ${hostname})` },
  })),
})

/**
 * Makes a domain the one that the store's root URL names. Changes nothing when it is.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`, `verify_first`
 */
export const makePrimary = (ctx: Ctx, storeId: string, segment: string): Promise<Domain> =>
  change(
    ctx,
    () => loadDomains(ctx, storeId),
    (facts) => {
      const domain = domainIn(facts.attached, segment)
      if (domain.isPrimary) return { answer: domain }
      assertPrimaryable(domain)
      const primary = { ...domain, isPrimary: true }
      const next = { ...facts, primary, store: { ...facts.store, updatedAt: ctx.now } }
      const previous = facts.primary?.domain
      const data = { from: previous, to: domain.domain }
      return {
        answer: primary,
        change: {
          guard: guardedUpdate(facts, { updatedAt: ctx.now }),
          writes: [
            update(domains)
              .set({ isPrimary: sql`${domains.id} = ${domain.id}` })
              .where(eq(domains.storeId, storeId)),
          ],
          trail: [
            happened(ctx, next, primary, "primary_changed", "domain.primary_changed", data, {
              previous_primary: previous,
            }),
          ],
        },
      }
    },
  )

/**
 * Detaches a custom domain, and has Cloudflare forget it.
 * @param segment the domain's row id or hostname
 * @throws Refusal `not_found`, `not_removable`
 */
export const removeDomain = (ctx: Ctx, storeId: string, segment: string): Promise<void> =>
  detach(ctx, storeId, segment, assertRemovable)

/**
 * Detaches a domain that its store has not proved: another store has, or it had its time. One that was proved or went meanwhile stays
 * as it is.
 */
export const releaseUnproved = (ctx: Ctx, { id, storeId }: Pick<Domain, "id" | "storeId">): Promise<void> =>
  detach(ctx, storeId, String(id), (domain) => {
    if (isRoutable(domain)) throw new Refusal("not_removable")
  }).catch((cause) => {
    if (!(cause instanceof Refusal)) throw cause
  })

async function detach(ctx: Ctx, storeId: string, segment: string, assertMay: (domain: Domain) => void): Promise<void> {
  const hostname = await change(
    ctx,
    () => loadDomains(ctx, storeId),
    (facts) => {
      const domain = domainIn(facts.attached, segment)
      assertMay(domain)
      return {
        answer: domain.domain,
        change: {
          guard: guardedUpdate(facts, {}),
          writes: [dropHostname(ctx, domain.domain)],
          trail: [happened(ctx, facts, domain, "domain_removed", "domain.removed", { from: domain.domain })],
          last: [remove(domains).where(and(eq(domains.id, domain.id), eq(domains.storeId, storeId)))],
        },
      }
    },
  )
  settleSoon(ctx, hostname)
}

/**
 * What happened to a domain, for the trail and for those who listen.
 * @param facts the store once it has happened
 * @param data what the trail says of it
 * @param more the event's keys beside `domain`
 */
export function happened(
  ctx: Ctx,
  facts: DomainFacts,
  domain: Domain,
  type: StoreAuditType,
  event: EventDraft["type"],
  data: Record<string, unknown>,
  more: Record<string, unknown> = {},
): TrailRecord {
  return {
    audit: { storeId: facts.store.id, type, data },
    events: [
      {
        type: event,
        store: storeResource(ctx.settings, facts),
        data: { domain: domainResource(ctx.settings, domain), ...more },
      },
    ],
  }
}
