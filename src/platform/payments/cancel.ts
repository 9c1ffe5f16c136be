// Cancels card subscriptions at the provider: those of deleted stores, and those superseded by a newer checkout. Each has a row until the
// provider confirms the end. Failed attempts are repeated with exponential backoff, and never abandoned.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { forEachItem } from "../../core/queue/for-each-item"
import { writeUnaudited, commit } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { auditEntries, isAboutStore } from "../../db/schema/central/audit"
import { providerCancellations } from "../../db/schema/central/provider-cancellations"
import { providerMessages } from "../../db/schema/central/provider-messages"
import { stores } from "../../db/schema/central/stores"
import { insertSelect, remove, update, type Write } from "../../db/write"
import { DAY, later, MINUTE, SECOND } from "../../lib/time"
import type { MessageFacts } from "./message"
import { endProviderSubscription } from "./provider"

/** Subscriptions that a run ends at most: each may take the provider ten seconds. */
const BATCH = 5

/** The longest pause between two attempts. */
const LONGEST = DAY

/** After so many attempts in vain somebody has to look: about a day. */
const PATIENT = 11

const insertCancellations = (ctx: Ctx, subscription: SQL | string, storeId: string, from: SQL): Write =>
  insertSelect(
    providerCancellations,
    { subscription, storeId, attempts: 0, dueAt: ctx.now, createdAt: ctx.now },
    from,
  ).onConflictDoNothing()

/** Cancels every subscription of a store, detached ones included; belongs into the commit that deletes the store. */
export const cancelOfStore = (ctx: Ctx, { id, seq }: { id: string; seq: number }): Write =>
  insertCancellations(
    ctx,
    sql`paid.subscription`,
    id,
    sql`from ${providerMessages} as paid where paid.store_seq = ${seq} and not exists (select 1 from ${providerMessages} as ended
      where ended.subscription = paid.subscription and ended.type = 'customer.subscription.deleted')`,
  )

/**
 * Cancels one subscription; belongs into the commit of the message that shows that no store is billed by it.
 * @param subscription the provider's id
 * @param storeId the store that its checkout named
 */
export const cancelSubscription = (ctx: Ctx, subscription: string, storeId: string): Write =>
  insertCancellations(ctx, subscription, storeId, sql`where true`)

/** The statement that finds out whether the store that a checkout was started for was deleted here; finds nothing for a present one. */
export function selectDeletion(db: CentralDatabase, facts: MessageFacts) {
  const { store, storeSeq, startedAt } = facts.kind === "checkout" ? facts : { store: "", storeSeq: null, startedAt: 0 }
  const isPresent =
    storeSeq !== null
      ? sql`cast(${stores.seq} as text) = ${storeSeq}`
      : sql`${stores.createdAt} < ${(startedAt + 1) * SECOND}`
  // Only where no such store is present are the entries of that name read.
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
 * Asks the provider to end what is due.
 * @throws Error when one could not be ended for about a day, so that whoever watches the crons sees it
 */
export async function endCancelled(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select()
    .from(providerCancellations)
    .where(lte(providerCancellations.dueAt, ctx.now))
    .orderBy(asc(providerCancellations.dueAt))
    .limit(BATCH)
  const failed = await forEachItem(
    ctx,
    "card subscriptions to cancel",
    due,
    (row) => end(ctx, row),
    ({ storeId }) => storeId,
  )
  const stuck = failed.find(({ attempts }) => attempts >= PATIENT)
  if (stuck) throw new Error(`The provider still bills a cancelled subscription of the store ${stuck.storeId}`)
}

type Cancellation = typeof providerCancellations.$inferSelect

async function end(ctx: Ctx, { subscription, storeId, attempts }: Cancellation): Promise<void> {
  const isRow = eq(providerCancellations.subscription, subscription)
  const pause = Math.min(2 ** attempts * MINUTE, LONGEST)
  // Put off first: whoever dies at it leaves it for later, and a second run leaves it alone.
  const [[claimed]] = await writeUnaudited(ctx, "an attempt; its end is told", [
    update(providerCancellations)
      .set({ attempts: attempts + 1, dueAt: later(ctx.now, pause) })
      .where(and(isRow, eq(providerCancellations.attempts, attempts)))
      .returning(),
  ])
  if (!claimed) return
  await endProviderSubscription(ctx, subscription)
  await commit(ctx, {
    guard: remove(providerCancellations).where(isRow),
    trail: [{ audit: { subject: "card_subscription", id: storeId, deed: "cancelled", siteId: storeId } }],
  })
}
