// Records and lists the platform's daily metrics. Conversions and cancellations are counted from the audit log,
// starting where the previous row ended, so a missed night is included in the next one.
import { and, asc, desc, eq, gt, isNull, lt, ne, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import { literal } from "../../db/literal"
import { auditEntries } from "../../db/schema/central/audit"
import { counters } from "../../db/schema/central/counters"
import { metrics, type Recurring } from "../../db/schema/central/metrics"
import { insert } from "../../db/write"

export type DailyMetrics = typeof metrics.$inferSelect

/** Rows per statement: D1 ends a statement after 30 seconds, however large the table is. */
const PAGE_SIZE = 5_000

/** The counts of a run so far. */
type Counted = Pick<DailyMetrics, "recurring" | "trials" | "conversions" | "cancellations" | "countedUntil"> & {
  /** The last counted subscription. */
  subscription: number
}

/**
 * Upserts the row of the current day. A run that is out of time stores what it has counted, and the next one continues.
 */
export async function recordMetrics(ctx: Ctx): Promise<void> {
  const day = ctx.now.toISOString().slice(0, 10)
  const [[today], [before], byStatus] = await batch(ctx.db, [
    ctx.db.select().from(metrics).where(eq(metrics.day, day)),
    ctx.db
      .select({ countedUntil: metrics.countedUntil })
      .from(metrics)
      .where(and(lt(metrics.day, day), isNull(metrics.progress)))
      .orderBy(desc(metrics.day))
      .limit(1),
    ctx.db
      .select({ status: counters.filter, total: counters.total })
      .from(counters)
      .where(and(eq(counters.list, "stores"), ne(counters.filter, ""), gt(counters.total, 0))),
  ])
  const counted: Counted = today?.progress
    ? { ...today, ...today.progress }
    : {
        recurring: [],
        trials: 0,
        conversions: 0,
        cancellations: 0,
        countedUntil: before?.countedUntil ?? 0,
        subscription: 0,
      }
  const isComplete = (await countSubscriptions(ctx, counted)) && (await countAuditEntries(ctx, counted))
  const { subscription, recurring, trials, conversions, cancellations, countedUntil } = counted
  const row = {
    // Fractions of cents, from yearly prices, are rounded at the end.
    recurring: isComplete ? recurring.map((total) => ({ ...total, cents: Math.round(total.cents) })) : recurring,
    stores: Object.fromEntries(byStatus.map(({ status, total }) => [status, total])),
    trials,
    conversions,
    cancellations,
    countedUntil,
    createdAt: ctx.now,
    progress: isComplete ? null : { subscription },
  }
  await writeUnaudited(ctx, "statistics", [
    insert(metrics)
      .values({ day, ...row })
      .onConflictDoUpdate({ target: metrics.day, set: row }),
  ])
}

/**
 * Counts running trials and recurring revenue, page by page.
 * @param counted is added to
 * @returns whether all are counted; otherwise the run is out of time
 */
async function countSubscriptions(ctx: Ctx, counted: Counted): Promise<boolean> {
  // The frozen terms: the price that a store pays, not the plan's current one.
  const term = (name: string) => sql`plan ->> ${literal(`$.${name}`)}`
  for (;;) {
    const page = sql`(select id, status, plan from subscriptions where id > ${counted.subscription} order by id limit ${PAGE_SIZE})`
    const [[totals], recurring] = await batch(ctx.db, [
      ctx.db
        .select({
          last: sql<number | null>`max(id)`,
          rows: sql<number>`count(*)`,
          trials: sql<number>`coalesce(sum(status = 'trialing'), 0)`,
        })
        .from(page),
      ctx.db
        .select({
          plan: sql<string>`${term("slug")}`.as("slug"),
          currency: sql<string>`${term("currency")}`.as("currency"),
          cents: sql<number>`sum(case ${term("interval")} when 'year' then ${term("price_cents")} / 12.0 else ${term("price_cents")} end)`,
          subscriptions: sql<number>`count(*)`,
        })
        .from(page)
        .where(sql`status in ('active', 'past_due') and ${term("price_cents")} > 0`)
        .groupBy(sql`1`, sql`2`),
    ])
    counted.trials += totals?.trials ?? 0
    counted.recurring = addRecurring([...counted.recurring, ...recurring])
    counted.subscription = totals?.last ?? counted.subscription
    if ((totals?.rows ?? 0) < PAGE_SIZE) return true
    if (ctx.run.isOutOfTime()) return false
  }
}

/** Adds up the revenue of each plan and currency. */
function addRecurring(parts: readonly Recurring[]): Recurring[] {
  const totals = new Map<string, Recurring>()
  for (const part of parts) {
    const key = JSON.stringify([part.plan, part.currency])
    const total = totals.get(key)
    if (!total) totals.set(key, { ...part })
    else {
      total.cents += part.cents
      total.subscriptions += part.subscriptions
    }
  }
  return [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total)
}

/**
 * Counts conversions and cancellations in the audit log, page by page.
 * @param counted is added to
 * @returns whether all are counted; otherwise the run is out of time
 */
async function countAuditEntries(ctx: Ctx, counted: Counted): Promise<boolean> {
  for (;;) {
    const { id, type, fromStatus, toStatus } = auditEntries
    const page = ctx.db
      .select({ id, type, fromStatus, toStatus })
      .from(auditEntries)
      .where(gt(id, counted.countedUntil))
      .orderBy(asc(id))
      .limit(PAGE_SIZE)
      .as("page")
    const [totals] = await ctx.db
      .select({
        conversions: sql<number>`coalesce(sum(${page.fromStatus} = 'trialing' and ${page.toStatus} = 'active'), 0)`,
        cancellations: sql<number>`coalesce(sum(${page.type} = 'cancelled'), 0)`,
        last: sql<number | null>`max(${page.id})`,
        rows: sql<number>`count(*)`,
      })
      .from(page)
    counted.conversions += totals?.conversions ?? 0
    counted.cancellations += totals?.cancellations ?? 0
    counted.countedUntil = totals?.last ?? counted.countedUntil
    if ((totals?.rows ?? 0) < PAGE_SIZE) return true
    if (ctx.run.isOutOfTime()) return false
  }
}

/**
 * Lists the metrics of the latest days, newest first.
 * @param days maximum number of days
 */
export const listMetrics = (ctx: Pick<Ctx, "db">, days: number): Promise<DailyMetrics[]> =>
  ctx.db.select().from(metrics).where(isNull(metrics.progress)).orderBy(desc(metrics.day)).limit(days)
