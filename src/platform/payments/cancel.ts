// Cancels card subscriptions at the provider: those of deleted stores, and those superseded by a newer checkout. Each
// has a row until the provider confirms the cancellation. Failed attempts are retried with exponential backoff, without
// a limit.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { forEachItem } from "../../core/queue/for-each-item"
import { commit, writeUnaudited } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { auditEntries, isAboutStore } from "../../db/schema/central/audit"
import { providerCancellations } from "../../db/schema/central/provider-cancellations"
import { providerMessages } from "../../db/schema/central/provider-messages"
import { stores } from "../../db/schema/central/stores"
import { insertSelect, remove, update, type Write } from "../../db/write"
import { addMs, DAY, MINUTE, SECOND } from "../../lib/time"
import type { ProviderMessageData } from "./message"
import { resolveReference } from "./references"

/** Cancellations per run; each request may take up to ten seconds. */
const BATCH_SIZE = 5

/** Maximum delay between two attempts, in milliseconds. */
const MAX_BACKOFF_MS = DAY

/** Failed attempts (a day and a half) after which the cron job reports an error. */
const STUCK_AFTER_ATTEMPTS = 11

const insertCancellationsFrom = (ctx: Ctx, subscription: SQL | string, storeId: string, from: SQL): Write =>
  insertSelect(
    providerCancellations,
    { subscription, storeId, attempts: 0, dueAt: ctx.now, createdAt: ctx.now },
    from,
  ).onConflictDoNothing()

/**
 * Schedules the cancellation of every subscription of a store, including detached ones; part of the commit that deletes
 * the store.
 */
export const insertStoreCancellations = (ctx: Ctx, { id, seq }: { id: string; seq: number }): Write =>
  insertCancellationsFrom(
    ctx,
    sql`paid.subscription`,
    id,
    sql`from ${providerMessages} as paid where paid.store_seq = ${seq} and not exists (select 1 from ${providerMessages} as ended
      where ended.subscription = paid.subscription and ended.facts ->> '$.kind' = 'deleted')`,
  )

/**
 * Schedules the cancellation of one subscription; part of the commit of the message that shows that it bills no store.
 * @param subscription its reference
 * @param storeId the store named by its checkout
 */
export const insertCancellation = (ctx: Ctx, subscription: string, storeId: string): Write =>
  insertCancellationsFrom(ctx, subscription, storeId, sql`where true`)

/**
 * Selects the audit log entry about the deletion of the store that a checkout was started for; nothing while the store
 * exists.
 */
export function selectStoreDeletion(db: CentralDatabase, facts: ProviderMessageData) {
  const { store, storeSeq, startedAt } = facts.kind === "checkout" ? facts : { store: "", storeSeq: null, startedAt: 0 }
  const isPresent =
    storeSeq !== null
      ? sql`cast(${stores.seq} as text) = ${storeSeq}`
      : sql`${stores.createdAt} < ${(startedAt + 1) * SECOND}`
  // The audit log is only read when that store does not exist.
  const id = sql`case when exists (select 1 from ${stores} where ${stores.id} = ${store} and ${isPresent}) then null else ${store} end`
  return db
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(
      and(
        isAboutStore(id),
        eq(auditEntries.type, "store_deleted"),
        storeSeq === null ? undefined : sql`cast(${auditEntries.storeSeq} as text) = ${storeSeq}`,
      ),
    )
    .limit(1)
}

/**
 * Cancels the due subscriptions at the provider.
 * @throws Error when one could not be cancelled for a day and a half, so that the cron run is reported as failed
 */
export async function processCancellations(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select()
    .from(providerCancellations)
    .where(lte(providerCancellations.dueAt, ctx.now))
    .orderBy(asc(providerCancellations.dueAt))
    .limit(BATCH_SIZE)
  const failed = await forEachItem(
    ctx,
    "card-cancellations",
    due,
    (row) => attemptCancellation(ctx, row),
    ({ storeId }) => storeId,
  )
  const stuck = failed.find(({ attempts }) => attempts >= STUCK_AFTER_ATTEMPTS)
  if (stuck) throw new Error(`The provider still bills a cancelled subscription of the store ${stuck.storeId}`)
}

type Cancellation = typeof providerCancellations.$inferSelect

async function attemptCancellation(ctx: Ctx, { subscription, storeId, attempts }: Cancellation): Promise<void> {
  const matchesKey = eq(providerCancellations.subscription, subscription)
  const backoff = Math.min(2 ** attempts * MINUTE, MAX_BACKOFF_MS)
  // Reschedules the row before the request: a crash leaves it for a later run, and a concurrent run skips it.
  const [[claimed]] = await writeUnaudited(ctx, "coordination", [
    update(providerCancellations)
      .set({ attempts: attempts + 1, dueAt: addMs(ctx.now, backoff) })
      .where(and(matchesKey, eq(providerCancellations.attempts, attempts)))
      .returning(),
  ])
  if (!claimed) return
  const { provider, id } = resolveReference(subscription)
  await provider.cancelSubscription(ctx, id)
  await commit(ctx, {
    guard: remove(providerCancellations).where(matchesKey),
    auditLog: [{ audit: { subject: "card_subscription", id: storeId, action: "cancelled", siteId: storeId } }],
  })
}
