// Deleting a store. For the caller it is gone at once; its site rows and files follow on the queue, and until they are gone
// its name cannot be taken again.
import { and, asc, eq, lte } from "drizzle-orm"
import { bookkeep, type Change, change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { QUEUE_GRACE } from "../../core/events"
import { forwardTrail } from "../../core/site-commit"
import { siteDatabase } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { orders } from "../../db/schema/central/orders"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { siteTableNames } from "../../db/site-tables"
import { insert, remove, update } from "../../db/write"
import { later } from "../../lib/time"
import { plugins } from "../../plugins/catalog"
import { dropHostnamesOf } from "../domains/hostnames"
import { cancelOfStore } from "../payments/cancel"
import { forgetMessagesOf } from "../payments/receive"
import { subscriptionResource } from "../subscriptions/schemas"
import { loadStore } from "./queries"
import { assertDeletable } from "./rules"
import { type StoreFacts, storeResource } from "./schemas"
import { guardedUpdate } from "./service"
import { deleteObjects, deleteSiteRows } from "./site-rows"

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
      remove(subscriptions).where(eq(subscriptions.storeId, id)),
      remove(usageSnapshots).where(eq(usageSnapshots.storeId, id)),
      remove(domains).where(eq(domains.storeId, id)),
      remove(siteSettings).where(eq(siteSettings.siteId, id)),
      remove(serverTokens).where(eq(serverTokens.siteId, id)),
      remove(stores).where(eq(stores.id, id)),
    ],
  }
}

/** Every table of a site database. */
const tables = (): string[] => [...siteTableNames(), ...plugins.flatMap((plugin) => plugin.tables)]

/**
 * Takes one step in removing what a deleted store left behind: its rows in the site database, then its files; and asks for the next
 * while there is one. Can be run again at any point; does nothing for a store that is not waiting to be purged.
 */
export async function purgeStore(ctx: Ctx, id: string): Promise<void> {
  const [purge] = await ctx.db.select().from(purges).where(eq(purges.storeId, id))
  if (!purge) return
  if (!(await isEmptied(ctx, id, purge.database))) return purgeSoon(ctx, id)
  await bookkeep(ctx, "the purge is done", [remove(purges).where(eq(purges.storeId, id))])
}

async function isEmptied(ctx: Ctx, id: string, database: string | null): Promise<boolean> {
  if (database) {
    const db = siteDatabase(ctx.env, database)
    while (await forwardTrail(ctx, db));
    if (!(await deleteSiteRows(db, id, tables()))) return false
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
