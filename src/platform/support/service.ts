// Support access: an operator asks for a link with a reason, uses it once within a minute, and is then at the store as its staff for
// a quarter of an hour. The trail has both ends, and the owner is told by mail.
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
import { later, MINUTE } from "../../lib/time"
import { mailWrite, postMails } from "../../mails/outbox"
import { isAdmin } from "../operators/queries"
import { loadStore } from "../stores/queries"
import { ownerMail } from "../subscriptions/mail"
import { logInAsStaff, logOutSupport } from "./login"
import type { OpenSupport, SupportAccess, SupportRef } from "./schemas"

/** How long a link waits to be used. */
const LINK_LASTS = MINUTE

/** How long one is at the store. */
const SUPPORT_LASTS = 15 * MINUTE

/** The latest that a store's page shows. */
const SHOWN = 5

/** The statement that reads the latest support accesses of a store. */
export const selectSupport = (ctx: Ctx, storeSeq: SQL) =>
  ctx.db
    .select()
    .from(supportAccesses)
    .where(sql`${supportAccesses.storeSeq} = ${storeSeq}`)
    .orderBy(desc(supportAccesses.id))
    .limit(SHOWN)

/**
 * Makes a link to a store for the operator who asks.
 * @returns what the link holds, which is nowhere else
 * @throws Refusal `not_found`; `store_unavailable` for a store without a database; `forbidden` for anybody but an operator
 */
export async function openSupport(
  ctx: Ctx,
  storeId: string,
  { reason }: z.output<typeof OpenSupport>,
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
    trail: [{ audit: { subject: "support_access", id, deed: "created", siteId: storeId, data: { reason } } }],
  })
  return token
}

/** Whether the store that an access was opened for still exists, rather than a later store of the same name. */
const isOfPresentStore = sql`exists (select 1 from ${stores}
  where ${stores.id} = ${supportAccesses.storeId} and ${stores.seq} = ${supportAccesses.storeSeq})`

/**
 * Uses a link, as long as whoever asked for it is an admin still: the session it opens ends by itself at `endsAt`.
 * @returns the token of the login at the store, and its end
 * @throws Refusal `support_over` for a link that is unknown, too old, used, or was made for another store, one of
 *   the same name that was deleted included; `forbidden` at a store without staff
 */
export async function takeSupport(ctx: Ctx, storeId: string, link: string): Promise<{ token: string; endsAt: Date }> {
  const stillAdmin = sql`exists (select 1 from ${operators} where ${and(eq(operators.id, supportAccesses.operatorId), isAdmin)})`
  const usable = and(
    eq(supportAccesses.hash, await sha256(link)),
    eq(supportAccesses.storeId, storeId),
    isNull(supportAccesses.usedAt),
    gt(supportAccesses.createdAt, later(ctx.now, -LINK_LASTS)),
    stillAdmin,
    isOfPresentStore,
  )
  const [found] = await ctx.db.select().from(supportAccesses).where(usable)
  if (!found) throw new Refusal("support_over")
  const endsAt = later(ctx.now, SUPPORT_LASTS)
  const { id, reason, operatorId, operatorName } = found
  const facts = await loadStore(ctx, storeId)
  const { database, seq } = facts.store
  if (seq !== found.storeSeq) throw new Refusal("support_over")
  if (!database) throw new Refusal("store_unavailable")
  // Before the session begins, so that whoever ends it finds the login. Until then nobody is given the token.
  const token = await logInAsStaff(ctx, { id: storeId, database }, { access: id, operatorId, operatorName }, endsAt)
  const told = { operator: operatorName, reason }
  const operator: Ctx = { ...ctx, actor: { type: "admin", id: operatorId, name: operatorName }, interface: "console" }
  await commit(operator, {
    guard: update(supportAccesses).set({ usedAt: ctx.now, endsAt }).where(usable),
    writes: [mailWrite(ctx, ownerMail(ctx.settings, facts, "support_access", String(id), told))],
    trail: [{ audit: { subject: "support_access", id, deed: "signed_in", siteId: storeId, data: { reason } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("support_over") : cause
  })
  postMails(ctx)
  return { token, endsAt }
}

/**
 * Ends a session at a store, its login first; one that has ended is left as it is.
 * @throws Refusal `store_unavailable` while the store is being moved
 */
export async function endSupport(ctx: Ctx, access: SupportRef, why: string): Promise<void> {
  await logOutSupport(ctx, access)
  const { id, storeId } = access
  const open = and(eq(supportAccesses.id, id), isNull(supportAccesses.endedAt))
  await commit(ctx, {
    guard: update(supportAccesses).set({ endedAt: ctx.now }).where(open),
    trail: [{ audit: { subject: "support_access", id, deed: "signed_out", siteId: storeId, data: { reason: why } } }],
  }).catch((cause) => {
    if (!(cause instanceof WriteConflict)) throw cause
  })
}

/** Ends sessions at stores. One at a store that cannot be reached is the cron's, which asks for it until it has ended. */
export const endSupports = (ctx: Ctx, accesses: SupportRef[], why: string) =>
  forEachItem(
    ctx,
    "support access that is over",
    accesses,
    (access) => endSupport(ctx, access, why),
    ({ id }) => id,
  )

const ENDED = { id: supportAccesses.id, storeId: supportAccesses.storeId, storeSeq: supportAccesses.storeSeq }

/** That a session began, and is not written down as ended. */
const isOpen = sql`ended_at is null and ends_at is not null`

/** The write after which an operator's time at the stores is over. It answers the sessions, for `endSupports`. */
export const cutSupport = (ctx: Ctx, operatorId: number) =>
  update(supportAccesses)
    .set({ endsAt: ctx.now })
    .where(and(isOpen, gt(supportAccesses.endsAt, ctx.now), eq(supportAccesses.operatorId, operatorId)))
    .returning(ENDED)

/** Sessions that one run closes. */
const BATCH = 50

/** Ends the sessions whose time is over, in any order: one that fails keeps none of the others waiting. */
export async function endOverdueSupport(ctx: Ctx): Promise<void> {
  const over = await ctx.db
    .select(ENDED)
    .from(supportAccesses)
    .where(and(isOpen, lte(supportAccesses.endsAt, ctx.now)))
    .orderBy(sql`random()`)
    .limit(BATCH)
  await endSupports(ctx, over, "over")
}

/**
 * Finds a support access of a store that has not ended, to be ended by an operator.
 * @throws Refusal `not_found`, also for an access to a deleted store of the same name
 */
export async function openAccess(ctx: Ctx, storeId: string, id: number): Promise<SupportAccess> {
  const [found] = await ctx.db
    .select()
    .from(supportAccesses)
    .where(
      and(
        eq(supportAccesses.id, id),
        eq(supportAccesses.storeId, storeId),
        isNull(supportAccesses.endedAt),
        isOfPresentStore,
      ),
    )
  if (!found) throw new Refusal("not_found")
  return found
}
