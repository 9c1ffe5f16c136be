// Reads audit entries from the archive: the pages of a store's audit log, and searches.
import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm"
import type * as z from "zod"
import { type ArchiveObject, shardOf } from "../../core/archive/format"
import { readObjects } from "../../core/archive/read"
import type { Ctx } from "../../core/context"
import { archiveObjects, auditArchiveParts } from "../../db/schema/central/archives"
import { addMs, DAY, yearMonth } from "../../lib/time"
import { type AuditEntry, parseEntry } from "./archived-entry"
import { ARCHIVE_START, type SearchAuditLog } from "./schemas"

/**
 * Reads archived entries of a store, newest first. It reads the objects that contain them, and no others.
 * @param newest the position of the first entry: one more than the number of older archived entries of the store
 * @param limit number of entries; all of them must be archived
 * @throws Refusal `temporarily_unavailable` when an object cannot be read
 */
export async function readStoreArchive(
  ctx: Ctx,
  store: { id: string; seq: number },
  newest: number,
  limit: number,
): Promise<AuditEntry[]> {
  const { storeSeq, start, object, entries } = auditArchiveParts
  // A part has at least one entry, so this many contain the page.
  const found = await ctx.db
    .select({ start, entries, object: archiveObjects })
    .from(auditArchiveParts)
    .innerJoin(
      archiveObjects,
      and(
        eq(archiveObjects.log, "audit"),
        eq(archiveObjects.shard, await shardOf(store.id)),
        eq(archiveObjects.number, object),
      ),
    )
    .where(and(eq(storeSeq, store.seq), lt(start, newest)))
    .orderBy(desc(start))
    .limit(limit)
  const oldest = newest - limit
  const parts = found.filter((part) => part.start + part.entries > oldest)
  const read: AuditEntry[] = []
  await readObjects(
    ctx,
    parts.map(({ object: stored, start: first }) => ({ ...stored, first })),
    (lines, { first }) => {
      const own = lines.map(parseEntry).filter((entry) => entry.storeSeq === store.seq)
      read.push(...own.slice(Math.max(0, oldest - first), newest - first).reverse())
    },
  )
  return read
}

/** Objects and entries that a page of a search reads at most. */
const MAX_OBJECTS = 64
export const MAX_SCANNED_ARCHIVE_ENTRIES = 5_000

/** An object's month is that of its latest entries. It may contain older ones that were recorded later. */
const MAX_DELAY_MS = 31 * DAY

interface ArchiveSearchPage {
  /** The matches, newest first. */
  rows: AuditEntry[]
  /** Where the next page starts; null at the end of the archive. */
  next: string | null
}

/**
 * Searches a page of the archive: the matches in the next objects, newest first. With a store, it reads the objects of
 * its shard only.
 * @param input `archive`: the `next` of the previous page
 * @throws Refusal `temporarily_unavailable` when an object cannot be read
 */
export async function searchArchive(ctx: Ctx, input: z.output<typeof SearchAuditLog>): Promise<ArchiveSearchPage> {
  const { store, since, until, archive } = input
  const { log, shard, number, month, firstId, firstAt, lastAt } = archiveObjects
  const before = archive && archive !== ARCHIVE_START ? parsePosition(archive) : null
  // The objects of a shard are numbered in the order of their months.
  const isOlder =
    before &&
    (store
      ? lt(number, before.number)
      : sql`(${month}, ${firstId}) < (select last.month, last.first_id from archive_objects as last
          where last.log = 'audit' and last.shard = ${before.shard} and last.number = ${before.number})`)
  const candidates = await ctx.db
    .select()
    .from(archiveObjects)
    .where(
      and(
        eq(log, "audit"),
        store ? eq(shard, await shardOf(store)) : undefined,
        isOlder ?? undefined,
        since ? and(gte(month, yearMonth(since)), gte(lastAt, since)) : undefined,
        until ? and(lte(month, yearMonth(addMs(until, MAX_DELAY_MS))), lt(firstAt, until)) : undefined,
      ),
    )
    .orderBy(...(store ? [desc(number)] : [desc(month), desc(firstId)]))
    .limit(MAX_OBJECTS + 1)
  const objects = takeObjects(candidates)
  const rows: AuditEntry[] = []
  await readObjects(ctx, objects, (lines) => {
    rows.push(...lines.map(parseEntry).filter((entry) => matchesSearch(entry, input)))
  })
  const last = objects.at(-1)
  return {
    rows: rows.sort((one, other) => other.id - one.id),
    next: last && objects.length < candidates.length ? formatPosition(last) : null,
  }
}

/** A position in the archive: the last object that was read. */
type Position = Pick<ArchiveObject, "shard" | "number">

const formatPosition = ({ shard, number }: Position): string => `${shard}-${number}`

function parsePosition(text: string): Position {
  const [shard = "", number = ""] = text.split("-")
  return { shard, number: Number(number) }
}

/** Takes as many objects as a page may read, and at least one. */
function takeObjects(candidates: readonly ArchiveObject[]): ArchiveObject[] {
  const taken: ArchiveObject[] = []
  let entries = 0
  for (const object of candidates.slice(0, MAX_OBJECTS)) {
    entries += object.entries
    if (taken.length && entries > MAX_SCANNED_ARCHIVE_ENTRIES) break
    taken.push(object)
  }
  return taken
}

/** Whether an entry matches a search, as the query of the database does. */
function matchesSearch(entry: AuditEntry, input: z.output<typeof SearchAuditLog>): boolean {
  const { actor, interface: viaInterface, type, store, q, since, until } = input
  return (
    (!actor || entry.actorName === actor) &&
    (!viaInterface || entry.interface === viaInterface) &&
    (!type || entry.type === type) &&
    (!store || entry.storeId === store) &&
    (!q || [entry.subjectId, entry.requestId, entry.storeId, entry.actorName].includes(q)) &&
    (!since || entry.createdAt >= since) &&
    (!until || entry.createdAt < until)
  )
}
