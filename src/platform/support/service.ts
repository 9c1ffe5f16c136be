// Support access: an operator asks for a link with a reason, uses it once within a minute, and is then at the store as its staff for
// a quarter of an hour. The trail has both ends, and the owner is told by mail.
import { and, asc, desc, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { commit, LostRace } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { eachOf } from "../../core/each-of"
import { Refusal } from "../../core/refusal"
import { supportAccesses } from "../../db/schema/central/support"
import { insert, update } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { later, MINUTE } from "../../lib/time"
import { mailWrite, postMails } from "../mails/outbox"
import { ownerMail } from "../mails/owner"
import { loadStore } from "../stores/queries"
import type { OpenSupport, SupportAccess } from "./schemas"

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

/**
 * Uses a link: the session it opens ends by itself at `endsAt`.
 * @throws Refusal `support_over` for a link that is unknown, too old, used, or another store's
 */
export async function takeSupport(ctx: Ctx, storeId: string, token: string): Promise<SupportAccess & { endsAt: Date }> {
  const usable = and(
    eq(supportAccesses.hash, await sha256(token)),
    eq(supportAccesses.storeId, storeId),
    isNull(supportAccesses.usedAt),
    gt(supportAccesses.createdAt, later(ctx.now, -LINK_LASTS)),
  )
  const [found] = await ctx.db.select().from(supportAccesses).where(usable)
  if (!found) throw new Refusal("support_over")
  const endsAt = later(ctx.now, SUPPORT_LASTS)
  const { id, reason, operatorId, operatorName } = found
  const facts = await loadStore(ctx, storeId)
  const told = { operator: operatorName, reason }
  const operator: Ctx = { ...ctx, actor: { type: "admin", id: operatorId, name: operatorName }, interface: "console" }
  await commit(operator, {
    guard: update(supportAccesses).set({ usedAt: ctx.now, endsAt }).where(usable),
    writes: [mailWrite(ctx, ownerMail(ctx.settings, facts, "support_access", String(id), told))],
    trail: [{ audit: { subject: "support_access", id, deed: "signed_in", siteId: storeId, data: { reason } } }],
  }).catch((cause) => {
    throw cause instanceof LostRace ? new Refusal("support_over") : cause
  })
  postMails(ctx)
  return { ...found, usedAt: ctx.now, endsAt }
}

/** Ends a session at a store; one that has ended is left as it is. */
export async function endSupport(ctx: Ctx, access: Pick<SupportAccess, "id" | "storeId">, why: string): Promise<void> {
  const { id, storeId } = access
  const open = and(eq(supportAccesses.id, id), isNull(supportAccesses.endedAt))
  await commit(ctx, {
    guard: update(supportAccesses).set({ endedAt: ctx.now }).where(open),
    trail: [{ audit: { subject: "support_access", id, deed: "signed_out", siteId: storeId, data: { reason: why } } }],
  }).catch((cause) => {
    if (!(cause instanceof LostRace)) throw cause
  })
}

/** Sessions that one run closes. */
const BATCH = 50

/** Writes down the end of those whose time is over; their tokens count no more anyway. */
export async function endOverdueSupport(ctx: Ctx): Promise<void> {
  const over = await ctx.db
    .select({ id: supportAccesses.id, storeId: supportAccesses.storeId })
    .from(supportAccesses)
    .where(and(sql`ended_at is null and ends_at is not null`, lte(supportAccesses.endsAt, ctx.now)))
    .orderBy(asc(supportAccesses.endsAt))
    .limit(BATCH)
  await eachOf(ctx, "support access that is over", over, (access) => endSupport(ctx, access, "over"))
}

/**
 * The support access of a store that has not ended, to be ended by an operator.
 * @throws Refusal `not_found`
 */
export async function openAccess(ctx: Ctx, storeId: string, id: number): Promise<SupportAccess> {
  const [found] = await ctx.db
    .select()
    .from(supportAccesses)
    .where(and(eq(supportAccesses.id, id), eq(supportAccesses.storeId, storeId), isNull(supportAccesses.endedAt)))
  if (!found) throw new Refusal("not_found")
  return found
}
