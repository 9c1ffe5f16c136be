// Deletes stores. The API treats a store as deleted immediately; the queue then purges its site rows and files, and its
// subdomain stays blocked until they are gone.
import { and, eq, isNull, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Precondition } from "../../core/http/precondition"
import { isUnlocked } from "../../core/queue/lock"
import type { Job } from "../../core/queue/messages"
import { mediaStore } from "../../core/storage/media"
import { applyChange, type Change, writeUnaudited } from "../../core/write/commit"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { forwardOutboxes } from "../../core/write/site-commit"
import { type SiteDatabase, siteDatabase } from "../../db/client"
import { storeBackups } from "../../db/schema/central/backups"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { domains } from "../../db/schema/central/domains"
import { storeExports } from "../../db/schema/central/exports"
import { billingDetails } from "../../db/schema/central/invoices"
import { orders } from "../../db/schema/central/orders"
import { siteMigrations } from "../../db/schema/central/site-migrations"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { webhookEndpoints } from "../../db/schema/central/webhooks"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { inSite } from "../../db/site-scope"
import { insert, remove, update } from "../../db/write"
import { addMs } from "../../lib/time"
import { setStoreHostnamesUndesired } from "../domains/hostnames"
import { insertStoreCancellations } from "../payments/cancel"
import { expireStoreMessages } from "../payments/receive"
import { subscriptionResource } from "../subscriptions/schemas"
import { deleteObjects, deleteSiteRows } from "./delete-site-rows"
import { enqueuePurge } from "./enqueue"
import { loadStore } from "./queries"
import { assertDeletable } from "./rules"
import { type StoreDetails, storeResource } from "./schemas"
import { guardedUpdate, storeTag } from "./service"
import { listSiteTables } from "./site-tables"

/**
 * Deletes a store with its domains, subscription and usage. Its audit log and its deliveries stay.
 * @param input `reason` is published as `meta.reason` of `store.deleted`
 * @throws Refusal `not_found`, `precondition_failed`, `confirm_mismatch`, `still_provisioning`
 */
export async function removeStore(
  ctx: Ctx,
  id: string,
  input: { confirm: string; reason: "api" | "console" | "retention" },
  precondition?: Precondition,
): Promise<void> {
  const seq = await applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      precondition?.(storeTag(facts))
      assertDeletable(facts.store, input.confirm, ctx.now)
      return { result: facts.store.seq, change: buildStoreRemoval(ctx, facts, input.reason) }
    },
  )
  enqueuePurge(ctx, { id, seq })
}

/** Builds the change that deletes a store. */
export function buildStoreRemoval(ctx: Ctx, facts: StoreDetails, reason: "api" | "console" | "retention"): Change {
  const { subscription, store } = facts
  const { id } = store
  return {
    guard: guardedUpdate(facts, {}),
    writes: [
      insert(purges).values({ storeId: id, storeSeq: store.seq, database: store.database, createdAt: ctx.now }),
      setStoreHostnamesUndesired(ctx, id),
      insertStoreCancellations(ctx, store),
    ],
    auditLog: [
      {
        audit: { storeId: id, type: "store_deleted", from: store.status, data: { reason } },
        events: [
          {
            type: "store.deleted",
            data: {
              store: storeResource(ctx.settings, facts),
              subscription: subscription && subscriptionResource(subscription),
            },
            meta: { reason },
          },
        ],
      },
    ],
    last: [
      // A deleted store's pending orders cannot be paid any more, so they leave the review queue.
      update(storeBackups).set({ storeDeletedAt: ctx.now }).where(eq(storeBackups.storeSeq, store.seq)),
      update(storeExports).set({ expiresAt: ctx.now, dueAt: null }).where(eq(storeExports.storeSeq, store.seq)),
      update(orders)
        .set({ status: "withdrawn", updatedAt: ctx.now })
        .where(and(eq(orders.storeSeq, store.seq), eq(orders.status, "pending"))),
      expireStoreMessages(ctx, store.seq),
      update(webhookEndpoints)
        .set({ isActive: false, deletedAt: ctx.now })
        .where(
          and(
            eq(webhookEndpoints.storeId, id),
            eq(webhookEndpoints.storeSeq, store.seq),
            isNull(webhookEndpoints.deletedAt),
          ),
        ),
      remove(billingDetails).where(eq(billingDetails.storeSeq, store.seq)),
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
 * Runs one step of a deleted store's purge: its site rows, then its files. Idempotent; does nothing for a store that is
 * not waiting to be purged.
 * @param seq the incarnation to purge; any when absent
 * @returns the next step; null when the purge is complete
 */
export async function purgeStore(ctx: Ctx, id: string, seq?: number): Promise<Job | null> {
  const [purge] = await ctx.db.select().from(purges).where(eq(purges.storeId, id))
  if (!purge || (seq ?? purge.storeSeq) !== purge.storeSeq) return null
  const [migration] = await ctx.db.select().from(siteMigrations).where(eq(siteMigrations.storeId, id))
  // A store that was being migrated has rows in both databases.
  const databases = migration ? [migration.source, migration.target] : purge.database ? [purge.database] : []
  if (!(await deleteSiteData(ctx, id, databases))) return { job: "purge", store: id, seq }
  await writeUnaudited(ctx, "progress", [
    remove(siteMigrations).where(
      and(eq(siteMigrations.storeId, id), eq(siteMigrations.migrationId, migration?.migrationId ?? "")),
    ),
    remove(purges).where(and(eq(purges.storeId, id), sql`${purges.storeSeq} is ${purge.storeSeq}`)),
  ])
  return null
}

async function deleteSiteData(ctx: Ctx, id: string, databases: readonly string[]): Promise<boolean> {
  const purgedTables = listSiteTables().filter((name) => name !== "site_incarnations")
  const { endsAt } = ctx.run
  // lint: each site database
  for (const database of databases) {
    const db = siteDatabase(ctx.env, database, id)
    if (!(await deleteSiteRows(db, id, ["held_sites"], endsAt))) return false
    await markDeleted(db, id)
    // Only now can no request add to the outboxes any more.
    while (await forwardOutboxes(ctx, db, inSite(id))) if (ctx.run.isOutOfTime()) return false
    if (!(await deleteSiteRows(db, id, purgedTables, endsAt))) return false
  }
  return deleteObjects(mediaStore(ctx.env), `${id}/`, endsAt)
}

/**
 * Marks the store as deleted before its rows go, so writes of slow requests are refused (core/write/site-commit.ts).
 */
async function markDeleted(db: SiteDatabase, siteId: string): Promise<void> {
  const row = { storeSeq: null }
  await writeUnaudited({ db }, "audited_elsewhere", [
    inSite(siteId)
      .insert(siteIncarnations)
      .values(row)
      .onConflictDoUpdate({ target: siteIncarnations.siteId, set: row }),
  ])
}

/** Lists the purges with no message in flight, because it was lost or its run died, oldest first. */
export const listOverduePurges = (ctx: Ctx, limit: number): Promise<{ store: string; seq: number | null }[]> =>
  ctx.db
    .select({ store: purges.storeId, seq: purges.storeSeq })
    .from(purges)
    .where(
      and(
        lte(purges.createdAt, addMs(ctx.now, -QUEUE_GRACE_MS)),
        isUnlocked(sql`'site:' || ${purges.storeId}`, ctx.now),
      ),
    )
    .orderBy(sql`rowid`)
    .limit(limit)
