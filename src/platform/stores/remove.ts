// Deleting a store. For the caller it is gone at once; its site rows and files follow on the queue, and until they are gone
// its name cannot be taken again.
import { and, asc, eq, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { runJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import { writeUnaudited, type Change, change } from "../../core/write/commit"
import { QUEUE_GRACE } from "../../core/write/events"
import { forwardTrail } from "../../core/write/site-commit"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { domains } from "../../db/schema/central/domains"
import { orders } from "../../db/schema/central/orders"
import { storeMoves } from "../../db/schema/central/site-migrations"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { insert, remove, update } from "../../db/write"
import { later } from "../../lib/time"
import { dropHostnamesOf } from "../domains/hostnames"
import { cancelOfStore } from "../payments/cancel"
import { forgetMessagesOf } from "../payments/receive"
import { subscriptionResource } from "../subscriptions/schemas"
import { deleteObjects, deleteSiteRows } from "./delete-site-rows"
import { enqueuePurge } from "./enqueue"
import { loadStore } from "./queries"
import { assertDeletable } from "./rules"
import { type StoreFacts, storeResource } from "./schemas"
import { guardedUpdate } from "./service"
import { allSiteTables } from "./site-tables"

/**
 * Deletes a store with its domains, subscription and usage. Its audit trail and its deliveries stay.
 * @param reason why, as `meta.reason` of `store.deleted` says it
 * @throws Refusal `not_found`, `confirm_mismatch`, `still_provisioning`
 */
export async function removeStore(
  ctx: Ctx,
  id: string,
  input: { confirm: string; reason: "api" | "console" | "retention" },
): Promise<void> {
  const seq = await change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      assertDeletable(facts.store, input.confirm, ctx.now)
      return { answer: facts.store.seq, change: removal(ctx, facts, input.reason) }
    },
  )
  enqueuePurge(ctx, { id, seq })
}

/** The commit that deletes a store. */
export function removal(ctx: Ctx, facts: StoreFacts, reason: "api" | "console" | "retention"): Change {
  const { subscription, store } = facts
  const { id } = store
  return {
    guard: guardedUpdate(facts, {}),
    writes: [
      insert(purges).values({ storeId: id, storeSeq: store.seq, database: store.database, createdAt: ctx.now }),
      dropHostnamesOf(ctx, id),
      cancelOfStore(ctx, store),
    ],
    trail: [
      {
        audit: { storeId: id, type: "store_deleted", from: store.status, data: { reason } },
        events: [
          {
            type: "store.deleted",
            store: storeResource(ctx.settings, facts),
            data: { subscription: subscription && subscriptionResource(subscription) },
            meta: { reason },
          },
        ],
      },
    ],
    last: [
      // What nobody can pay for any more nobody has to decide on.
      update(orders)
        .set({ status: "withdrawn", updatedAt: ctx.now })
        .where(and(eq(orders.storeSeq, store.seq), eq(orders.status, "pending"))),
      forgetMessagesOf(ctx, store.seq),
      remove(cardCheckouts).where(eq(cardCheckouts.storeSeq, store.seq)),
      remove(subscriptions).where(eq(subscriptions.storeId, id)),
      remove(usageSnapshots).where(eq(usageSnapshots.storeId, id)),
      remove(domains).where(eq(domains.storeId, id)),
      remove(siteSettings).where(eq(siteSettings.siteId, id)),
      remove(serverTokens).where(eq(serverTokens.siteId, id)),
      remove(stores).where(eq(stores.id, id)),
    ],
  }
}

/**
 * Takes one step in removing what a deleted store left behind, its rows in the site database and then its files, and enqueues the next.
 * Can be run again at any point; does nothing for a store that is not waiting to be purged, or while another run is at it.
 * @param message the incarnation that is to be purged, and the token of the job's lease, as the queue's message has them
 */
export const purgeStore = (
  ctx: Ctx,
  id: string,
  { seq, lease }: { seq?: number; lease?: string } = {},
): Promise<void> =>
  // A run of the store's move would copy rows behind the purge: both jobs have one lease.
  runJob(ctx, { job: "purge", store: id, seq, lease }, async () => {
    const [purge] = await ctx.db.select().from(purges).where(eq(purges.storeId, id))
    if (!purge || (seq ?? purge.storeSeq) !== purge.storeSeq) return null
    const [move] = await ctx.db.select().from(storeMoves).where(eq(storeMoves.storeId, id))
    // A store that was being moved has rows in both databases.
    const databases = move ? [move.source, move.target] : purge.database ? [purge.database] : []
    if (!(await isEmptied(ctx, id, databases))) return { job: "purge", store: id, seq }
    await writeUnaudited(ctx, "the purge is done", [
      remove(storeMoves).where(and(eq(storeMoves.storeId, id), eq(storeMoves.move, move?.move ?? ""))),
      remove(purges).where(and(eq(purges.storeId, id), sql`${purges.storeSeq} is ${purge.storeSeq}`)),
    ])
    return null
  })

async function isEmptied(ctx: Ctx, id: string, databases: readonly string[]): Promise<boolean> {
  for (const database of databases) {
    const db = siteDatabase(ctx.env, database)
    while (await forwardTrail(ctx, db));
    if (!(await deleteSiteRows(db, id, ["held_sites"]))) return false
    await markDeleted(db, id)
    if (
      !(await deleteSiteRows(
        db,
        id,
        allSiteTables().filter((name) => name !== "site_incarnations"),
      ))
    )
      return false
  }
  return deleteObjects(ctx.env.MEDIA, `${id}/`)
}

/** Refuses what slow requests to the store still write (core/site-commit.ts), before its rows are deleted. */
async function markDeleted(db: SiteDatabase, siteId: string): Promise<void> {
  const mark = { siteId, storeSeq: null }
  await writeUnaudited({ db }, "the mark of a deleted store, whose deletion is in the trail", [
    insert(siteIncarnations).values(mark).onConflictDoUpdate({ target: siteIncarnations.siteId, set: mark }),
  ])
}

/** Purges whose message was lost or whose run died, oldest first, at most `limit`: no message of theirs is in flight. */
export const overduePurges = (ctx: Ctx, limit: number): Promise<{ store: string; seq: number | null }[]> =>
  ctx.db
    .select({ store: purges.storeId, seq: purges.storeSeq })
    .from(purges)
    .where(
      and(lte(purges.createdAt, later(ctx.now, -QUEUE_GRACE)), isUnlocked(sql`'site:' || ${purges.storeId}`, ctx.now)),
    )
    .orderBy(asc(purges.createdAt))
    .limit(limit)
