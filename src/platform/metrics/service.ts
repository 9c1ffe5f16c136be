// Records and lists the platform's daily metrics. Conversions and cancellations are counted from the audit log,
// starting where the previous row ended, so a missed night is included in the next one.
import { and, desc, eq, gt, inArray, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { metrics, type Recurring } from "../../db/schema/central/metrics"
import { stores } from "../../db/schema/central/stores"
import { subscriptions as s } from "../../db/schema/central/subscriptions"
import { insert } from "../../db/write"

export type DailyMetrics = typeof metrics.$inferSelect

/** Statuses of subscriptions that count towards recurring revenue. */
const PAYING_STATUSES = ["active", "past_due"] as const

/** Upserts the row of the current day. */
export async function recordMetrics(ctx: Ctx): Promise<void> {
  const day = ctx.now.toISOString().slice(0, 10)
  const [before] = await ctx.db
    .select({ countedUntil: metrics.countedUntil })
    .from(metrics)
    .where(sql`${metrics.day} < ${day}`)
    .orderBy(desc(metrics.day))
    .limit(1)
  const term = (name: string) => sql`${s.plan} ->> ${`$.${name}`}`
  const [byStatus, recurring, [trials], [totals]] = await batch(ctx.db, [
    ctx.db.select({ status: stores.status, count: sql<number>`count(*)` }).from(stores).groupBy(stores.status),
    // Uses the frozen terms: the price that a store pays, not the plan's current one.
    ctx.db
      .select({
        plan: sql<string>`${term("slug")}`.as("slug"),
        currency: sql<string>`${term("currency")}`.as("currency"),
        cents: sql<number>`cast(round(sum(case ${term("interval")} when 'year' then ${term("price_cents")} / 12.0 else ${term("price_cents")} end)) as integer)`,
        subscriptions: sql<number>`count(*)`,
      })
      .from(s)
      .where(and(inArray(s.status, [...PAYING_STATUSES]), sql`${term("price_cents")} > 0`))
      .groupBy(sql`1`, sql`2`)
      .orderBy(sql`1`, sql`2`),
    ctx.db.select({ count: sql<number>`count(*)` }).from(s).where(eq(s.status, "trialing")),
    ctx.db
      .select({
        conversions: sql<number>`coalesce(sum(${auditEntries.fromStatus} = 'trialing' and ${auditEntries.toStatus} = 'active'), 0)`,
        cancellations: sql<number>`coalesce(sum(${auditEntries.type} = 'cancelled'), 0)`,
        until: sql<number>`coalesce(max(${auditEntries.id}), ${before?.countedUntil ?? 0})`,
      })
      .from(auditEntries)
      .where(gt(auditEntries.id, before?.countedUntil ?? 0)),
  ])
  const row = {
    stores: Object.fromEntries(byStatus.map(({ status, count }) => [status, count])),
    recurring: recurring satisfies Recurring[],
    trials: trials?.count ?? 0,
    conversions: totals?.conversions ?? 0,
    cancellations: totals?.cancellations ?? 0,
    countedUntil: totals?.until ?? 0,
    createdAt: ctx.now,
  }
  await writeUnaudited(ctx, "statistics", [
    insert(metrics)
      .values({ day, ...row })
      .onConflictDoUpdate({ target: metrics.day, set: row }),
  ])
}

/**
 * Lists the metrics of the latest days, newest first.
 * @param days maximum number of days
 */
export const listMetrics = (ctx: Pick<Ctx, "db">, days: number): Promise<DailyMetrics[]> =>
  ctx.db.select().from(metrics).orderBy(desc(metrics.day)).limit(days)
