// Records the operating metrics every minute and lists them. A slot of five minutes or an hour has the worst of its
// minutes.
import { and, asc, between, eq, gt, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeDataPoint } from "../../core/metrics/analytics"
import { FIVE_MINUTES, HOURS, isSameSlot, LATEST_SLOT, slotsOf } from "../../core/metrics/slots"
import { selectDeadLetters } from "../../core/queue/dead-letters"
import { selectFailingJobs, toFailingJobs } from "../../core/queue/leased-jobs"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import { type SystemDetail, type SystemMetrics, systemMetrics } from "../../db/schema/central/system-metrics"
import { insert } from "../../db/write"
import { addMs, DAY } from "../../lib/time"
import { listAlertStatuses, selectAlerts } from "../alerts/service"
import { selectRuns, toRuns } from "../cron/service"
import { measureSystem, type ScheduleState } from "./measure"

/** The last 24 hours in slots of five minutes, or the last 7 or 30 days in hours. */
export type MetricsSpan = "day" | "week" | "month"

const SPANS: Record<MetricsSpan, { resolution: typeof HOURS; days: number }> = {
  day: { resolution: FIVE_MINUTES, days: 1 },
  week: { resolution: HOURS, days: 7 },
  month: { resolution: HOURS, days: 30 },
}

/** The metrics of a slot. */
export interface SystemSlot {
  at: Date
  faults: Record<string, number>
  metrics: SystemMetrics
}

/** The latest metrics; null before the first run. */
export interface LatestMetrics {
  at: Date
  metrics: SystemMetrics
  detail: SystemDetail
}

/**
 * Measures the platform and stores the result in a table of fixed size: the latest minute, and the slots of which it is
 * the worst so far.
 * @param readSchedule reads the state of the scheduled jobs
 */
export async function recordSystemMetrics(
  ctx: Ctx,
  readSchedule: () => Promise<ScheduleState>,
): Promise<LatestMetrics> {
  const { metrics, detail } = await measureSystem(ctx, readSchedule)
  const slots = slotsOf(ctx.now)
  const selectSlot = (id: number) => ctx.db.select().from(systemMetrics).where(eq(systemMetrics.id, id))
  const earlier = (await batch(ctx.db, [selectSlot(slots[0].id), selectSlot(slots[1].id)])).flat()
  const latest = { at: ctx.now, data: metrics, detail }
  await writeUnaudited(ctx, "statistics", [
    insert(systemMetrics)
      .values({ id: LATEST_SLOT, faults: {}, ...latest })
      .onConflictDoUpdate({ target: systemMetrics.id, set: latest }),
    ...slots.flatMap(({ id, at }) => {
      const row = earlier.find((one) => one.id === id && one.at.getTime() === at.getTime())
      const data = row?.data ? worstOf(row.data, metrics) : metrics
      if (row?.data && isEqual(row.data, data)) return []
      return insert(systemMetrics)
        .values({ id, at, faults: {}, data })
        .onConflictDoUpdate({
          target: systemMetrics.id,
          set: { at, data, faults: sql`iif(${isSameSlot}, ${systemMetrics.faults}, excluded.faults)` },
        })
    }),
  ])
  writeDataPoint(ctx, "platform", Object.values(metrics))
  return { at: ctx.now, metrics, detail }
}

/** Returns the higher value of each metric. */
function worstOf(earlier: SystemMetrics, latest: SystemMetrics): SystemMetrics {
  const worst = { ...latest }
  for (const name of Object.keys(latest) as (keyof SystemMetrics)[]) {
    const values = [earlier[name] ?? null, latest[name]].filter((value) => value !== null)
    if (values.length) worst[name] = Math.max(...values)
  }
  return worst
}

const isEqual = (one: SystemMetrics, other: SystemMetrics): boolean =>
  (Object.keys(other) as (keyof SystemMetrics)[]).every((name) => one[name] === other[name])

type Row = typeof systemMetrics.$inferSelect

/** Selects the row of the latest minute, for `toLatest`. */
export const selectLatest = (ctx: Pick<Ctx, "db">) =>
  ctx.db.select().from(systemMetrics).where(eq(systemMetrics.id, LATEST_SLOT))

function selectSlots(ctx: Pick<Ctx, "db" | "now">, span: MetricsSpan) {
  const { resolution, days } = SPANS[span]
  const { first, count } = resolution
  const isRecent = gt(systemMetrics.at, addMs(ctx.now, -days * DAY))
  return ctx.db
    .select()
    .from(systemMetrics)
    .where(and(between(systemMetrics.id, first, first + count - 1), isRecent))
    .orderBy(asc(systemMetrics.at))
}

/** Converts the row of the latest minute; null before the first run. */
export const toLatest = (row: Row | undefined): LatestMetrics | null =>
  row?.data && row.detail ? { at: row.at, metrics: row.data, detail: row.detail } : null

/** Reads the metrics of the latest minute. */
export const readLatestMetrics = async (ctx: Pick<Ctx, "db">): Promise<LatestMetrics | null> =>
  toLatest((await selectLatest(ctx))[0])

/** Reads what the system page shows of the central database, in one round trip. The slots are in ascending order. */
export async function readSystemPage(ctx: Ctx, span: MetricsSpan) {
  const [slots, [latest], runs, failingJobs, deadLetters, alerts] = await batch(ctx.db, [
    selectSlots(ctx, span),
    selectLatest(ctx),
    selectRuns(ctx),
    selectFailingJobs(ctx),
    selectDeadLetters(ctx),
    selectAlerts(ctx),
  ])
  const measured = toLatest(latest)
  return {
    slots: slots.flatMap(({ at, faults, data }): SystemSlot[] => (data ? [{ at, faults, metrics: data }] : [])),
    latest: measured,
    runs: toRuns(runs),
    failingJobs: toFailingJobs(failingJobs),
    deadLetters,
    alerts: listAlertStatuses(alerts, measured?.metrics ?? null),
  }
}
