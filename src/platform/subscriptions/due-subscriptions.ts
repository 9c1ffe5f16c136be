// Which stores the billing clock has something to do for: each kind of step looked up in its own index, the rest left unread.
import { and, asc, eq, gt, gte, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import { subscriptions as s } from "../../db/schema/central/subscriptions"
import { DAY, later, SECOND } from "../../lib/time"

/**
 * A batch of the subscriptions that have a step due at `ctx.now`; whoever was changed after it is left out.
 * @param after the id of the last one of the batch before
 */
export async function waitingSubscriptions(
  ctx: Ctx,
  after: number,
  limit: number,
): Promise<{ id: number; storeId: string }[]> {
  const { db, now, settings } = ctx
  const daysAgo = (days: number) => later(now, -days * DAY)
  const daysAhead = (days: number) => later(now, days * DAY)
  const columns = { id: s.id, storeId: s.storeId }
  const due = (...conditions: (SQL | undefined)[]) =>
    db
      .select(columns)
      .from(s)
      .where(and(...conditions, gt(s.id, after), lt(s.updatedAt, later(now, SECOND))))

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
  const grace = daysAgo(settings.TENANCY_BILLING_GRACE_DAYS)
  const retained = settings.TENANCY_RETENTION_DAYS
  const warned = daysAgo(Math.max(0, retained - settings.TENANCY_RETENTION_WARNING_DAYS))
  return unionAll(
    due(eq(s.status, "trialing"), lte(s.trialEndsAt, now), eq(s.provider, "local")),
    due(
      eq(s.status, "trialing"),
      gt(s.trialEndsAt, now),
      lte(s.trialEndsAt, daysAhead(Math.max(0, ...reminders))),
      or(...reminderDue, sql`0`),
    ),
    due(
      eq(s.status, "active"),
      lte(s.currentPeriodEndsAt, now),
      eq(s.provider, "local"),
      sql`${s.plan} ->> '$.price_cents' > 0`,
    ),
    due(eq(s.status, "past_due"), lte(s.pastDueSince, now), or(lte(s.pastDueSince, grace), ...dunning)),
    due(
      eq(s.status, "cancelled"),
      lte(s.cancelledAt, warned),
      or(isNull(s.retentionWarnedAt), lte(s.cancelledAt, daysAgo(retained))),
    ),
  )
    .orderBy(asc(s.id))
    .limit(limit)
}
