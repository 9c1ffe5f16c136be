// Moves audit entries older than TENANCY_AUDIT_HOT_DAYS to the archive in R2. Each step archives the oldest entries in
// the order of their ids, then deletes their rows. The deletion follows the transaction that records the objects, so a
// run may die anywhere: readers ignore rows that are archived, and the next run deletes them first.
import { asc, gt, sql } from "drizzle-orm"
import { shardOf } from "../../core/archive/format"
import { type ArchivableEntry, archiveEntries, type StoredGroup, selectArchiveProgress } from "../../core/archive/write"
import type { Ctx } from "../../core/context"
import { enqueueJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { writeUnaudited } from "../../core/write/commit"
import { auditEntries } from "../../db/schema/central/audit"
import { type Write, writeSql } from "../../db/write"
import { DAY } from "../../lib/time"
import { type AuditEntry, serializeEntry } from "./archived-entry"

const nextStep = (at: number): Job => ({ job: "archive", log: "audit", at })

/** Entries and characters of JSON per transaction. Many, so that objects are large and few. */
const MAX_ENTRIES = 40_000
const MAX_CHARACTERS = 16_000_000

/** Entries per read. */
const PAGE_SIZE = 1_000

/** Rows deleted per transaction, so that other writes are not blocked for long. */
const DELETE_CHUNK_SIZE = 1_000

/** Enqueues the archiving of the audit log, unless it is turned off. */
export async function startArchiving(ctx: Ctx): Promise<void> {
  if (ctx.settings.TENANCY_AUDIT_HOT_DAYS > 0) await enqueueJob(ctx, nextStep(ctx.now.getTime()))
}

/**
 * Archives old entries until the run is out of time. Idempotent.
 * @param at the time of the run, in milliseconds since 1970
 * @returns the next step; null when no old entry is left
 * @throws WriteConflict when another run archives the same entries
 */
export async function archiveAuditEntries(ctx: Ctx, at: number): Promise<Job | null> {
  const days = ctx.settings.TENANCY_AUDIT_HOT_DAYS
  if (days === 0) return null
  for (;;) {
    const [progress] = await selectArchiveProgress(ctx.db, "audit")
    const after = progress?.lastId ?? 0
    if (!(await deleteArchivedRows(ctx, after))) return nextStep(at)
    const entries = await readNextEntries(ctx, after, getCutoff(at, days))
    if (!entries.length) return null
    await archiveEntries(ctx, "audit", after, entries, { table: "audit_entries", id: "id" }, (stored) => [
      insertParts(stored),
    ])
    if (ctx.run.isOutOfTime()) return nextStep(at)
  }
}

/** Entries before this time are archived. Whole days, so that a repeated run stores the same objects. */
const getCutoff = (at: number, days: number): Date => new Date((Math.floor(at / DAY) - days) * DAY)

/**
 * Deletes the rows that are archived, oldest first.
 * @param last the id up to which the log is archived
 * @returns false when the run is out of time
 */
async function deleteArchivedRows(ctx: Ctx, last: number): Promise<boolean> {
  for (;;) {
    const [{ meta }] = await writeUnaudited(ctx, "cleanup", [
      writeSql(sql`delete from audit_entries where id in (
        select id from audit_entries where id <= ${last} order by id limit ${DELETE_CHUNK_SIZE})`),
    ])
    if (meta.changes < DELETE_CHUNK_SIZE) return true
    if (ctx.run.isOutOfTime()) return false
  }
}

interface AuditArchivable extends ArchivableEntry {
  storeSeq: number
}

/**
 * Reads the entries of the next transaction, in the order of their ids. An entry whose time is not yet before the
 * cutoff also keeps those behind it: ids and times differ in order by seconds, unless the test clock was ahead.
 */
async function readNextEntries(ctx: Ctx, after: number, cutoff: Date): Promise<AuditArchivable[]> {
  const entries: AuditArchivable[] = []
  const shards = new Map<string, string>()
  for (let characters = 0; entries.length < MAX_ENTRIES && characters < MAX_CHARACTERS; ) {
    const rows: AuditEntry[] = await ctx.db
      .select()
      .from(auditEntries)
      .where(gt(auditEntries.id, entries.at(-1)?.id ?? after))
      .orderBy(asc(auditEntries.id))
      .limit(PAGE_SIZE)
    for (const row of rows) {
      if (row.createdAt >= cutoff) return entries
      const shard = shards.get(row.storeId) ?? (await shardOf(row.storeId))
      shards.set(row.storeId, shard)
      const line = serializeEntry(row)
      characters += line.length
      entries.push({ id: row.id, at: row.createdAt, storeSeq: row.storeSeq, shard, line })
    }
    if (rows.length < PAGE_SIZE) break
  }
  return entries
}

/** Builds the write that records which objects contain entries of which stores. */
function insertParts(stored: readonly StoredGroup<AuditArchivable>[]): Write {
  const archived = new Map<number, number>()
  const parts: [storeSeq: number, offset: number, object: number, entries: number][] = []
  for (const { object, entries } of stored) {
    const byStore = Map.groupBy(
      entries.filter(({ storeSeq }) => storeSeq > 0),
      ({ storeSeq }) => storeSeq,
    )
    for (const [storeSeq, { length }] of byStore) {
      const offset = archived.get(storeSeq) ?? 0
      parts.push([storeSeq, offset, object.number, length])
      archived.set(storeSeq, offset + length)
    }
  }
  return writeSql(sql`insert into audit_archive_parts (store_seq, start, object, entries)
    select value ->> 0, (value ->> 1) + coalesce((select latest.start + latest.entries from audit_archive_parts as latest
      where latest.store_seq = value ->> 0 order by latest.start desc limit 1), 0), value ->> 2, value ->> 3
    from json_each(${JSON.stringify(parts)})`)
}
