// Copies events to the archive in R2 before they are pruned, if TENANCY_EVENTS_ARCHIVE is set. All events form one
// chain, in the order of their sequence numbers; pruning deletes only what is archived.
import { asc, gt } from "drizzle-orm"
import { type ArchivableEntry, archiveEntries, selectArchiveProgress } from "../../core/archive/write"
import type { Ctx } from "../../core/context"
import { enqueueJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { getEventRetentionDays } from "../../core/write/event-log"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { DAY } from "../../lib/time"

/** The shard of all events. */
export const EVENTS_SHARD = "all"

/** Events and characters of JSON per object. */
const MAX_EVENTS = 1_000
const MAX_CHARACTERS = 1_000_000

/** Events per read. */
const PAGE_SIZE = 250

const nextStep = (at: number): Job => ({ job: "archive", log: "events", at })

/** Enqueues the archiving of events, if it is turned on. */
export async function startArchivingEvents(ctx: Ctx): Promise<void> {
  if (ctx.settings.TENANCY_EVENTS_ARCHIVE) await enqueueJob(ctx, nextStep(ctx.now.getTime()))
}

/** An event in the archive. */
export interface ArchivedEvent {
  seq: number
  id: string
  type: string
  store_id: string | null
  /** The incarnation of the store of a shop's event; null for others. */
  store_seq: number | null
  is_test: boolean
  entry_id: number | null
  created_at: string
  /** The exact text that was signed and sent. */
  payload: string
}

/**
 * Archives the events that may be pruned, until the run is out of time. Idempotent.
 * @param at the time of the run, in milliseconds since 1970
 * @returns the next step; null when no such event is left
 * @throws WriteConflict when another run archives the same events
 */
export async function archiveEvents(ctx: Ctx, at: number): Promise<Job | null> {
  const days = getEventRetentionDays(ctx.settings)
  if (!ctx.settings.TENANCY_EVENTS_ARCHIVE || days === 0) return null
  // Whole days, so that a repeated run stores the same objects.
  const cutoff = new Date((Math.floor(at / DAY) + 1 - days) * DAY)
  for (;;) {
    const [progress] = await selectArchiveProgress(ctx.db, "events")
    const after = progress?.lastId ?? 0
    const entries = await readNextEvents(ctx, after, cutoff)
    if (!entries.length) return null
    await archiveEntries(ctx, "events", after, entries, { table: "webhook_events", id: "seq" })
    if (ctx.run.isOutOfTime()) return nextStep(at)
  }
}

async function readNextEvents(ctx: Ctx, after: number, cutoff: Date): Promise<ArchivableEntry[]> {
  const entries: ArchivableEntry[] = []
  for (let characters = 0; entries.length < MAX_EVENTS && characters < MAX_CHARACTERS; ) {
    const rows = await ctx.db
      .select()
      .from(webhookEvents)
      .where(gt(webhookEvents.seq, entries.at(-1)?.id ?? after))
      .orderBy(asc(webhookEvents.seq))
      .limit(PAGE_SIZE)
    for (const row of rows) {
      if (row.createdAt >= cutoff) return entries
      const line = serializeEvent(row)
      characters += line.length
      entries.push({ id: row.seq, at: row.createdAt, shard: EVENTS_SHARD, line })
    }
    if (rows.length < PAGE_SIZE) break
  }
  return entries
}

const serializeEvent = (row: typeof webhookEvents.$inferSelect): string =>
  JSON.stringify({
    seq: row.seq,
    id: row.id,
    type: row.type,
    store_id: row.storeId,
    store_seq: row.storeSeq,
    is_test: row.isTest,
    entry_id: row.entryId,
    created_at: row.createdAt.toISOString(),
    payload: row.payload,
  } satisfies ArchivedEvent)

/** Reads the `seq` up to which events are archived; null without TENANCY_EVENTS_ARCHIVE. */
export async function readArchivedSeq(ctx: Ctx): Promise<number | null> {
  if (!ctx.settings.TENANCY_EVENTS_ARCHIVE) return null
  const [progress] = await selectArchiveProgress(ctx.db, "events")
  return progress?.lastId ?? 0
}
