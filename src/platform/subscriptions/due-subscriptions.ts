// Finds the subscriptions with a due billing step. Each kind of step is looked up in its own index, so other rows are
// not read.
import { and, asc, eq, gt, gte, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import { subscriptions as s } from "../../db/schema/central/subscriptions"
import { addMs, DAY, SECOND } from "../../lib/time"

/**
 * Lists a batch of the subscriptions with a step due at `ctx.now`, without those that were changed after `ctx.now`.
 * @param after the id of the previous batch's last subscription
 */
export async function listDueSubscriptions(
  ctx: Ctx,
  after: number,
  limit: number,
): Promise<{ id: number; storeId: string }[]> {
  const { db, now, settings } = ctx
  const daysAgo = (days: number) => addMs(now, -days * DAY)
  const daysAhead = (days: number) => addMs(now, days * DAY)
  const columns = { id: s.id, storeId: s.storeId }
  const due = (...conditions: (SQL | undefined)[]) =>
    db
      .select(columns)
      .from(s)
      .where(and(...conditions, gt(s.id, after), lt(s.updatedAt, addMs(now, SECOND))))

  const reminders = settings.TENANCY_TRIAL_REMINDER_DAYS
  const reminderDue = reminders.map((day) =>
    and(
      lte(s.trialEndsAt, daysAhead(day)),
      or(isNull(s.trialReminder), gt(s.trialReminder, day)),
      gte(s.trialEndsAt, sql`${s.createdAt} + ${day * DAY}`),
    ),
  )
  const dunning = settings.TENANCY_DUNNING_DAYS.map((day) =>
    and(
      lte(s.pastDueSince, daysAgo(day)),
      or(isNull(s.dunningDay), lt(s.dunningDay, day)),
      day === 0 ? eq(s.provider, "local") : undefined,
    ),
  )
  const graceStart = daysAgo(settings.TENANCY_BILLING_GRACE_DAYS)
  const retentionDays = settings.TENANCY_RETENTION_DAYS
  const warningStart = daysAgo(Math.max(0, retentionDays - settings.TENANCY_RETENTION_WARNING_DAYS))
  // A scheduled cancellation takes effect at the end of the trial or period, so the first and the third part find it.
  // D1 allows five parts.
  return unionAll(
    due(eq(s.status, "trialing"), lte(s.trialEndsAt, now), eq(s.provider, "local")),
    due(
      eq(s.status, "trialing"),
      gt(s.trialEndsAt, now),
      lte(s.trialEndsAt, daysAhead(Math.max(0, ...reminders))),
      isNull(s.cancelAt),
      or(...reminderDue, sql`0`),
    ),

    due(
      eq(s.status, "active"),
      lte(s.currentPeriodEndsAt, now),
      eq(s.provider, "local"),
      sql`${s.plan} ->> '$.price_cents' > 0`,
    ),
    due(eq(s.status, "past_due"), lte(s.pastDueSince, now), or(lte(s.pastDueSince, graceStart), ...dunning)),
    due(
      eq(s.status, "cancelled"),
      lte(s.cancelledAt, warningStart),
      or(isNull(s.retentionWarnedAt), lte(s.cancelledAt, daysAgo(retentionDays))),
    ),
  )
    .orderBy(asc(s.id))
    .limit(limit)
}
