// Runs backfills. Each step stores its progress in the transaction of its changes, so that a run that dies is resumed
// where it stopped, and two concurrent runs only repeat each other's checks.
import { eq, inArray, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited } from "../../core/write/commit"
import { settings } from "../../db/schema/central/settings"
import { insert, type Write } from "../../db/write"
import type { Backfill } from "./backfill"
import { compressEvents } from "./compress-events"

/** All backfills by name. One is removed when no platform can have such rows now. */
export const BACKFILLS: Record<string, Backfill> = {
  "compress-events": compressEvents,
}

/** Rows read per step. */
const ROWS_PER_STEP = 200

const Progress = z.object({
  /** The position of the last checked row. */
  position: z.number(),
  /** Rows that were checked, and changed. */
  checked: z.number(),
  changed: z.number(),
  done: z.boolean(),
})

type Progress = z.output<typeof Progress>

const INITIAL_PROGRESS: Progress = { position: 0, checked: 0, changed: 0, done: false }

const settingOf = (name: string): string => `backfill:${name}`

/** The progress of a backfill, and the highest position of its table. */
export type BackfillProgress = Progress & { name: string; last: number }

/**
 * Resumes a backfill, or starts it; one that was done is checked again from the start.
 * @param limit maximum number of rows to read
 * @returns `done` once all rows are checked; call again until then
 * @throws Refusal `not_found`
 */
export async function runBackfill(ctx: Ctx, name: string, limit: number): Promise<BackfillProgress> {
  const backfill = Object.hasOwn(BACKFILLS, name) ? BACKFILLS[name] : undefined
  if (!backfill) throw new Refusal("not_found")
  const [row] = await ctx.db
    .select()
    .from(settings)
    .where(eq(settings.name, settingOf(name)))
  const stored = Progress.safeParse(row?.value).data
  const last = await backfill.readLast(ctx)
  let progress = !stored || stored.done ? INITIAL_PROGRESS : stored
  for (let left = limit; left > 0 && !progress.done; left -= ROWS_PER_STEP) {
    const size = Math.min(left, ROWS_PER_STEP)
    const { checked, position, changed, write } = await backfill.prepareStep(ctx, progress.position, size)
    progress = {
      position: checked < size ? Math.max(last, position) : position,
      checked: progress.checked + checked,
      changed: progress.changed + changed,
      done: checked < size,
    }
    await writeUnaudited(ctx, "progress", [...(write ? [write] : []), saveProgress(name, progress)])
  }
  return { name, ...progress, last }
}

const saveProgress = (name: string, value: Progress): Write =>
  insert(settings)
    .values({ name: settingOf(name), value })
    .onConflictDoUpdate({ target: settings.name, set: { value } })

/** Lists all backfills with their progress; null for one that never ran. */
export async function listBackfills(ctx: Ctx): Promise<{ name: string; summary: string; progress: Progress | null }[]> {
  const names = Object.keys(BACKFILLS)
  const rows = await ctx.db
    .select()
    .from(settings)
    .where(inArray(settings.name, sql`(select value from json_each(${JSON.stringify(names.map(settingOf))}))`))
  return Object.entries(BACKFILLS).map(([name, { summary }]) => ({
    name,
    summary,
    progress: Progress.safeParse(rows.find((row) => row.name === settingOf(name))?.value).data ?? null,
  }))
}
