// The nightly row of the platform's figures, and its read for a dashboard. What happened is counted from the trail, from where the
// row before ended, so that a night that was missed is counted with the next.
import { and, desc, eq, gt, inArray, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { figures, type Recurring } from "../../db/schema/central/metrics"
import { stores } from "../../db/schema/central/stores"
import { subscriptions as s } from "../../db/schema/central/subscriptions"
import { insert } from "../../db/write"

export type Figures = typeof figures.$inferSelect

/** Statuses of subscriptions that are paid for, or are about to be. */
const PAYING = ["active", "past_due"] as const

/** Writes the day's row; a second run on a day writes it anew. */
export async function recordFigures(ctx: Ctx): Promise<void> {
  const day = ctx.now.toISOString().slice(0, 10)
  const [before] = await ctx.db
    .select({ countedUntil: figures.countedUntil })
    .from(figures)
    .where(sql`${figures.day} < ${day}`)
    .orderBy(desc(figures.day))
    .limit(1)
  const term = (name: string) => sql`${s.plan} ->> ${`$.${name}`}`
  const [byStatus, recurring, [trials], [happened]] = await batch(ctx.db, [
    ctx.db.select({ status: stores.status, count: sql<number>`count(*)` }).from(stores).groupBy(stores.status),
    // Of frozen terms: what a store pays, not what its plan costs today.
    ctx.db
      .select({
        plan: sql<string>`${term("slug")}`.as("slug"),
        currency: sql<string>`${term("currency")}`.as("currency"),
        cents: sql<number>`cast(round(sum(case ${term("interval")} when 'year' then ${term("price_cents")} / 12.0 else ${term("price_cents")} end)) as integer)`,
        subscriptions: sql<number>`count(*)`,
      })
      .from(s)
      .where(and(inArray(s.status, [...PAYING]), sql`${term("price_cents")} > 0`))
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
    conversions: happened?.conversions ?? 0,
    cancellations: happened?.cancellations ?? 0,
    countedUntil: happened?.until ?? 0,
    createdAt: ctx.now,
  }
  await writeUnaudited(ctx, "the day's figures", [
    insert(figures)
      .values({ day, ...row })
      .onConflictDoUpdate({ target: figures.day, set: row }),
  ])
}

/**
 * The rows of the latest days, the newest first.
 * @param days how many at most
 */
export const listFigures = (ctx: Pick<Ctx, "db">, days: number): Promise<Figures[]> =>
  ctx.db.select().from(figures).orderBy(desc(figures.day)).limit(days)
