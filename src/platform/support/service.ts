// Manages support access: an operator creates a single-use link with a reason, redeems it within a minute, and is then
// logged in at the store as staff for 15 minutes. Both ends are audited, and the owner is notified by mail.
import { and, desc, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { forEachItem } from "../../core/queue/for-each-item"
import { commit, WriteConflict } from "../../core/write/commit"
import { operators } from "../../db/schema/central/operators"
import { stores } from "../../db/schema/central/stores"
import { supportAccesses } from "../../db/schema/central/support"
import { insert, update } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { addMs, MINUTE } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { isActiveAdmin } from "../operators/queries"
import { loadStore } from "../stores/queries"
import { buildOwnerMail } from "../subscriptions/mail"
import { logInAsStaff, logOutSupport } from "./login"
import type { CreateSupportAccess, SupportAccess, SupportRef } from "./schemas"

/** Lifetime of an unused link. */
const LINK_TTL = MINUTE

/** Lifetime of the login at the store. */
const SUPPORT_SESSION_TTL = 15 * MINUTE

/** Support accesses shown on a store's page. */
const PAGE_SIZE = 5

/** Selects the latest support accesses of a store. */
export const selectSupportAccesses = (ctx: Ctx, storeSeq: SQL) =>
  ctx.db
    .select()
    .from(supportAccesses)
    .where(sql`${supportAccesses.storeSeq} = ${storeSeq}`)
    .orderBy(desc(supportAccesses.id))
    .limit(PAGE_SIZE)

/**
 * Creates a single-use link to a store for the current operator.
 * @returns the link's token, which is not stored anywhere
 * @throws Refusal `not_found`; `store_unavailable` for a store without a database; `forbidden` unless the actor is an
 *   operator
 */
export async function createSupportAccess(
  ctx: Ctx,
  storeId: string,
  { reason }: z.output<typeof CreateSupportAccess>,
): Promise<string> {
  const { actor } = ctx
  if (actor.type !== "admin") throw new Refusal("forbidden")
  const { store } = await loadStore(ctx, storeId)
  if (!store.database) throw new Refusal("store_unavailable")
  const token = randomBase62(43)
  const hash = await sha256(token)
  const row = {
    storeId,
    storeSeq: store.seq,
    operatorId: actor.id,
    operatorName: actor.name,
    reason,
    hash,
    createdAt: ctx.now,
  }
  const id = sql`(select ${supportAccesses.id} from ${supportAccesses} where ${supportAccesses.hash} = ${hash})`
  await commit(ctx, {
    guard: insert(supportAccesses).values(row),
    auditLog: [{ audit: { subject: "support_access", id, action: "created", siteId: storeId, data: { reason } } }],
  })
  return token
}

/** Matches accesses whose store still exists, rather than a later store of the same subdomain. */
const isOfCurrentStore = sql`exists (select 1 from ${stores}
  where ${stores.id} = ${supportAccesses.storeId} and ${stores.seq} = ${supportAccesses.storeSeq})`

/**
 * Redeems a link while its operator is still an admin. The session ends at `endsAt`.
 * @returns the token of the login at the store, and its end
 * @throws Refusal `support_over` for a link that is unknown, expired, used, or was created for another store, including
 *   a deleted one of the same subdomain; `forbidden` at a store without staff
 */
export async function redeemSupportAccess(
  ctx: Ctx,
  storeId: string,
  link: string,
): Promise<{ token: string; endsAt: Date }> {
  const isStillAdmin = sql`exists (select 1 from ${operators} where ${and(eq(operators.id, supportAccesses.operatorId), isActiveAdmin)})`
  const isUsable = and(
    eq(supportAccesses.hash, await sha256(link)),
    eq(supportAccesses.storeId, storeId),
    isNull(supportAccesses.usedAt),
    gt(supportAccesses.createdAt, addMs(ctx.now, -LINK_TTL)),
    isStillAdmin,
    isOfCurrentStore,
  )
  const [access] = await ctx.db.select().from(supportAccesses).where(isUsable)
  if (!access) throw new Refusal("support_over")
  const endsAt = addMs(ctx.now, SUPPORT_SESSION_TTL)
  const { id, reason, operatorId, operatorName } = access
  const facts = await loadStore(ctx, storeId)
  const { database, seq } = facts.store
  if (seq !== access.storeSeq) throw new Refusal("support_over")
  if (!database) throw new Refusal("store_unavailable")
  // Logged in before the session starts, so that ending the session always finds the login. The token is returned only
  // after the commit.
  const token = await logInAsStaff(ctx, { id: storeId, database }, { access: id, operatorId, operatorName }, endsAt)
  const mailFacts = { operator: operatorName, reason }
  const operator: Ctx = { ...ctx, actor: { type: "admin", id: operatorId, name: operatorName }, interface: "console" }
  await commit(operator, {
    guard: update(supportAccesses).set({ usedAt: ctx.now, endsAt }).where(isUsable),
    writes: [buildMailWrite(ctx, buildOwnerMail(ctx.settings, facts, "support_access", String(id), mailFacts))],
    auditLog: [{ audit: { subject: "support_access", id, action: "signed_in", siteId: storeId, data: { reason } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("support_over") : cause
  })
  enqueueMailRun(ctx)
  return { token, endsAt }
}

/**
 * Ends a support session, its login first. Does nothing for one that has ended.
 * @throws Refusal `store_unavailable` during a site migration
 */
export async function endSupportAccess(ctx: Ctx, access: SupportRef, reason: string): Promise<void> {
  await logOutSupport(ctx, access)
  const { id, storeId } = access
  const isNotEnded = and(eq(supportAccesses.id, id), isNull(supportAccesses.endedAt))
  await commit(ctx, {
    guard: update(supportAccesses).set({ endedAt: ctx.now }).where(isNotEnded),
    auditLog: [{ audit: { subject: "support_access", id, action: "signed_out", siteId: storeId, data: { reason } } }],
  }).catch((cause) => {
    if (!(cause instanceof WriteConflict)) throw cause
  })
}

/** Ends support sessions. The cron retries those at stores that cannot be reached. */
export const endSupportAccesses = (ctx: Ctx, accesses: SupportRef[], reason: string) =>
  forEachItem(
    ctx,
    "support-access-expiry",
    accesses,
    (access) => endSupportAccess(ctx, access, reason),
    ({ id }) => id,
  )

const ACCESS_COLUMNS = { id: supportAccesses.id, storeId: supportAccesses.storeId, storeSeq: supportAccesses.storeSeq }

/** Matches sessions that started and are not recorded as ended. */
const isOpen = sql`ended_at is null and ends_at is not null`

/** Builds the write that expires an operator's support sessions; it returns them for `endSupportAccesses`. */
export const revokeSupportAccesses = (ctx: Ctx, operatorId: number) =>
  update(supportAccesses)
    .set({ endsAt: ctx.now })
    .where(and(isOpen, gt(supportAccesses.endsAt, ctx.now), eq(supportAccesses.operatorId, operatorId)))
    .returning(ACCESS_COLUMNS)

/** Sessions ended per run. */
const BATCH_SIZE = 50

/** Ends overdue support sessions, the latest first, so that new ones do not wait for one that keeps failing. */
export async function endOverdueSupportAccesses(ctx: Ctx): Promise<void> {
  const overdue = await ctx.db
    .select(ACCESS_COLUMNS)
    .from(supportAccesses)
    .where(and(isOpen, lte(supportAccesses.endsAt, ctx.now)))
    .orderBy(desc(supportAccesses.endsAt))
    .limit(BATCH_SIZE)
  await endSupportAccesses(ctx, overdue, "over")
}

/**
 * Finds a support access that has not ended.
 * @throws Refusal `not_found`, also for an access to a deleted store of the same subdomain
 */
export async function findOpenSupportAccess(ctx: Ctx, storeId: string, id: number): Promise<SupportAccess> {
  const [access] = await ctx.db
    .select()
    .from(supportAccesses)
    .where(
      and(
        eq(supportAccesses.id, id),
        eq(supportAccesses.storeId, storeId),
        isNull(supportAccesses.endedAt),
        isOfCurrentStore,
      ),
    )
  if (!access) throw new Refusal("not_found")
  return access
}
