// Deleting a store. For the caller it is gone at once; its site rows and files follow on the queue, and until they are gone
// its name cannot be taken again.
import { and, asc, eq, lte } from "drizzle-orm"
import { bookkeep, type Change, change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { QUEUE_GRACE } from "../../core/events"
import { forwardTrail } from "../../core/site-commit"
import { siteDatabase } from "../../db/client"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { domains } from "../../db/schema/central/domains"
import { storeMoves } from "../../db/schema/central/moves"
import { orders } from "../../db/schema/central/orders"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { insert, remove, update } from "../../db/write"
import { later } from "../../lib/time"
import { dropHostnamesOf } from "../domains/hostnames"
import { alone } from "../moves/alone"
import { cancelOfStore } from "../payments/cancel"
import { forgetMessagesOf } from "../payments/receive"
import { subscriptionResource } from "../subscriptions/schemas"
import { loadStore } from "./queries"
import { assertDeletable } from "./rules"
import { type StoreFacts, storeResource } from "./schemas"
import { guardedUpdate } from "./service"
import { deleteObjects, deleteSiteRows } from "./site-rows"
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
  await change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      assertDeletable(facts.store, input.confirm, ctx.now)
      return { answer: null, change: removal(ctx, facts, input.reason) }
    },
  )
  purgeSoon(ctx, id)
}

/** Has the queue remove what a deleted store left behind. */
export const purgeSoon = (ctx: Ctx, id: string): void => ctx.after(ctx.env.JOB_QUEUE.send({ job: "purge", store: id }))

/** The commit that deletes a store. */
export function removal(ctx: Ctx, facts: StoreFacts, reason: "api" | "console" | "retention"): Change {
  const { subscription, store } = facts
  const { id } = store
  return {
    guard: guardedUpdate(facts, {}),
    writes: [
      insert(purges).values({ storeId: id, database: store.database, createdAt: ctx.now }),
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
 * Takes one step in removing what a deleted store left behind: its rows in the site database, then its files; and asks for the next
 * while there is one. Can be run again at any point; does nothing for a store that is not waiting to be purged.
 */
export async function purgeStore(ctx: Ctx, id: string): Promise<void> {
  const [purge] = await ctx.db.select().from(purges).where(eq(purges.storeId, id))
  if (!purge) return
  const [move] = await ctx.db.select().from(storeMoves).where(eq(storeMoves.storeId, id))
  const isDone = move
    ? // A store that was on its way has rows in both. A run of its move that is still at it would hold it anew: the cron asks again.
      await alone(ctx, id, () => isEmptied(ctx, id, [move.source, move.target]))
    : await isEmptied(ctx, id, purge.database ? [purge.database] : [])
  if (isDone === null) return
  if (!isDone) return purgeSoon(ctx, id)
  await bookkeep(ctx, "the purge is done", [
    remove(storeMoves).where(eq(storeMoves.storeId, id)),
    remove(purges).where(eq(purges.storeId, id)),
  ])
}

async function isEmptied(ctx: Ctx, id: string, databases: readonly string[]): Promise<boolean> {
  for (const database of databases) {
    const db = siteDatabase(ctx.env, database)
    while (await forwardTrail(ctx, db));
    if (!(await deleteSiteRows(db, id, allSiteTables()))) return false
  }
  return deleteObjects(ctx.env.MEDIA, `${id}/`)
}

/** The stores whose purge the queue had long enough, oldest first, at most `limit`: its message was lost, or its run died. */
export async function overduePurges(ctx: Ctx, limit: number): Promise<string[]> {
  const waiting = await ctx.db
    .select({ id: purges.storeId })
    .from(purges)
    .where(lte(purges.createdAt, later(ctx.now, -QUEUE_GRACE)))
    .orderBy(asc(purges.createdAt))
    .limit(limit)
  return waiting.map(({ id }) => id)
}
