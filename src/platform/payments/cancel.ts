// Whoever deletes a store ends what is paid for it: its subscriptions at the provider wait in a row of their own, written with the
// deletion, until the provider has ended them. A provider that does not answer is asked again, ever more seldom, and never given up.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm"
import { bookkeep, commit } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { eachOf } from "../../core/each-of"
import { auditEntries, isAboutStore } from "../../db/schema/central/audit"
import { providerCancellations } from "../../db/schema/central/provider-cancellations"
import { providerMessages } from "../../db/schema/central/provider-messages"
import { insertSelect, remove, update, type Write } from "../../db/write"
import { DAY, later, MINUTE } from "../../lib/time"
import { endProviderSubscription } from "./provider"

/** Subscriptions that a run ends at most: each may take the provider ten seconds. */
const BATCH = 5

/** The longest pause between two attempts. */
const LONGEST = DAY

/** After so many attempts in vain somebody has to look: about a day. */
const PATIENT = 11

const waiting = (ctx: Ctx, subscription: SQL | string, storeId: string, from: SQL): Write =>
  insertSelect(
    providerCancellations,
    { subscription, storeId, attempts: 0, dueAt: ctx.now, createdAt: ctx.now },
    from,
  ).onConflictDoNothing()

/** Has all that is paid for a store ended, also what was detached from it; belongs into the commit that deletes the store. */
export const cancelOfStore = (ctx: Ctx, { id, seq }: { id: string; seq: number }): Write =>
  waiting(
    ctx,
    sql`paid.subscription`,
    id,
    sql`from ${providerMessages} as paid where paid.store_seq = ${seq} and not exists (select 1 from ${providerMessages} as ended
      where ended.subscription = paid.subscription and ended.type = 'customer.subscription.deleted')`,
  )

/** Has a subscription ended that was paid for in the moment its store was deleted; belongs into the commit of that message. */
export const cancelOfDeleted = (ctx: Ctx, subscription: string, storeId: string): Write =>
  waiting(
    ctx,
    subscription,
    storeId,
    sql`where exists (select 1 from ${auditEntries} where ${isAboutStore(storeId)} and ${auditEntries.type} = 'store_deleted')`,
  )

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
  const failed = await eachOf(
    ctx,
    "subscriptions of deleted stores",
    due,
    (row) => end(ctx, row),
    ({ storeId }) => storeId,
  )
  const stuck = failed.find(({ attempts }) => attempts >= PATIENT)
  if (stuck) throw new Error(`The provider still bills for the deleted store ${stuck.storeId}`)
}

type Cancellation = typeof providerCancellations.$inferSelect

async function end(ctx: Ctx, { subscription, storeId, attempts }: Cancellation): Promise<void> {
  const isRow = eq(providerCancellations.subscription, subscription)
  const pause = Math.min(2 ** attempts * MINUTE, LONGEST)
  // Put off first: whoever dies at it leaves it for later, and a second run leaves it alone.
  const [[claimed]] = await bookkeep(ctx, "an attempt; its end is told", [
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
