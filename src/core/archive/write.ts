// Moves the oldest entries of a log to objects in R2, in the order of their ids. The objects are stored first, and one
// transaction then records them together with the position up to which the log is archived. A run that dies before it
// stores the same objects again; readers use an object only once it is recorded.
import { eq, sql } from "drizzle-orm"
import type { CentralDatabase } from "../../db/client"
import { type ArchivedLog, archiveObjects, archives } from "../../db/schema/central/archives"
import { abortUnlessTouched, abortWhere, type Write, writeSql } from "../../db/write"
import { yearMonth } from "../../lib/time"
import type { Ctx } from "../context"
import { archiveStore } from "../storage/archive"
import { toWriteConflict, writeUnaudited } from "../write/commit"
import { type ArchiveObject, encodeObject, objectKey } from "./format"

/** An entry of a log. */
export interface ArchivableEntry {
  id: number
  at: Date
  /** The shard whose objects contain it. */
  shard: string
  /** Its JSON text. */
  line: string
}

/** Selects how far a log is archived; no row when nothing is. */
export const selectArchiveProgress = (db: CentralDatabase, log: ArchivedLog) =>
  db.select({ lastId: archives.lastId, lastAt: archives.lastAt }).from(archives).where(eq(archives.log, log))

/** Characters of JSON per object: readers have several in memory. A longer entry has its own object. */
const MAX_OBJECT_CHARACTERS = 1_000_000

/** The entries of one object. */
interface EntryGroup<Entry> {
  month: string
  shard: string
  entries: Entry[]
}

/**
 * Groups entries by month and shard, in several groups if they are long. The groups of a shard are in the order of ids,
 * so an entry whose time is earlier than that of the entry before it may be in the object of the next month.
 * @param entries in the order of their ids
 */
function groupEntries<Entry extends ArchivableEntry>(entries: readonly Entry[]): EntryGroup<Entry>[] {
  const groups: EntryGroup<Entry>[] = []
  const open = new Map<string, { group: EntryGroup<Entry>; characters: number }>()
  let month = ""
  for (const entry of entries) {
    const { at, shard, line } = entry
    if (yearMonth(at) > month) month = yearMonth(at)
    const key = `${month}/${shard}`
    const current = open.get(key)
    if (current && current.characters + line.length <= MAX_OBJECT_CHARACTERS) {
      current.group.entries.push(entry)
      current.characters += line.length
    } else {
      const group = { month, shard, entries: [entry] }
      groups.push(group)
      open.set(key, { group, characters: line.length })
    }
  }
  return groups
}

/** A stored object with its entries. */
export interface StoredGroup<Entry> {
  object: ArchiveObject
  entries: readonly Entry[]
}

/** Objects stored in parallel; an invocation has six connections. */
const MAX_CONNECTIONS = 5

/**
 * Archives the entries that follow the archived ones. Idempotent: of two runs with the same entries, one is recorded.
 * @param after the id up to which the log is archived
 * @param entries all entries that follow, up to the last one, in the order of their ids
 * @param source the table and the column of the ids, to count the entries in the transaction
 * @param extraWrites further writes of the transaction; the objects of a shard are in the order of their numbers
 * @throws WriteConflict when another run archived them, or when the log has other entries
 */
export async function archiveEntries<Entry extends ArchivableEntry>(
  ctx: Ctx,
  log: ArchivedLog,
  after: number,
  entries: readonly Entry[],
  source: { table: "audit_entries" | "webhook_events"; id: "id" | "seq" },
  extraWrites: (stored: readonly StoredGroup<Entry>[]) => Write[] = () => [],
): Promise<void> {
  const last = entries.at(-1)
  if (!last) return
  const stored = await storeObjects(ctx, log, groupEntries(entries))
  const objects = stored.map(({ object }) => object)
  const id = sql.identifier(source.id)
  const counted = sql`select count(*) as found from ${sql.identifier(source.table)} where ${id} > ${after} and ${id} <= ${last.id}`
  await toWriteConflict(
    writeUnaudited(ctx, "cleanup", [
      writeSql(sql`insert into archives (log, last_id, last_at, objects, entries)
        values (${log}, ${last.id}, ${last.at.getTime()}, ${objects.length}, ${entries.length})
        on conflict (log) do update set last_id = excluded.last_id, last_at = excluded.last_at,
          objects = archives.objects + excluded.objects, entries = archives.entries + excluded.entries
        where archives.last_id = ${after}`),
      abortUnlessTouched,
      abortWhere(sql`from (${counted}) where found <> ${entries.length}`),
      insertObjects(objects),
      ...extraWrites(stored),
    ]),
  )
}

/** Builds the write that records objects. */
const insertObjects = (objects: readonly ArchiveObject[]): Write =>
  writeSql(sql`insert into archive_objects
      (log, shard, number, month, first_id, last_id, first_at, last_at, entries, bytes, sha256)
    select value ->> 'log', value ->> 'shard', value ->> 'number', value ->> 'month', value ->> 'firstId',
      value ->> 'lastId', value ->> 'firstAt', value ->> 'lastAt', value ->> 'entries', value ->> 'bytes',
      value ->> 'sha256'
    from json_each(${JSON.stringify(objects.map((row) => ({ ...row, firstAt: row.firstAt.getTime(), lastAt: row.lastAt.getTime() })))})`)

/** Stores an object for each group, those of one shard one after the other. */
async function storeObjects<Entry extends ArchivableEntry>(
  ctx: Ctx,
  log: ArchivedLog,
  groups: readonly EntryGroup<Entry>[],
): Promise<StoredGroup<Entry>[]> {
  const chains = [...Map.groupBy(groups, ({ shard }) => shard)]
  const heads = await readChainHeads(
    ctx,
    log,
    chains.map(([shard]) => shard),
  )
  const stored: StoredGroup<Entry>[] = []
  const storeNextChain = async (): Promise<void> => {
    for (let chain = chains.pop(); chain; chain = chains.pop()) {
      const [shard, members] = chain
      let head = heads.get(shard) ?? { number: 0, sha256: null }
      for (const group of members) {
        const object = await storeObject(ctx, log, group, head)
        stored.push({ object, entries: group.entries })
        head = object
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_CONNECTIONS }, storeNextChain))
  return stored
}

interface ChainHead {
  number: number
  sha256: string | null
}

/** Reads the last object of each shard: one row per shard. */
async function readChainHeads(ctx: Ctx, log: ArchivedLog, shards: readonly string[]): Promise<Map<string, ChainHead>> {
  const { shard, number, sha256 } = archiveObjects
  const last = sql`(select max(latest.number) from archive_objects as latest
    where latest.log = ${log} and latest.shard = listed.value)`
  const rows = await ctx.db
    .select({ shard, number, sha256 })
    .from(sql`json_each(${JSON.stringify(shards)}) as listed`)
    .innerJoin(archiveObjects, sql`${archiveObjects.log} = ${log} and ${shard} = listed.value and ${number} = ${last}`)
  return new Map(rows.map((row) => [row.shard, row]))
}

async function storeObject(
  ctx: Ctx,
  log: ArchivedLog,
  { month, shard, entries }: EntryGroup<ArchivableEntry>,
  head: ChainHead,
): Promise<ArchiveObject> {
  const ids = entries.map(({ id }) => id)
  const times = entries.map(({ at }) => at.getTime())
  const number = head.number + 1
  const [firstId, lastId] = [Math.min(...ids), Math.max(...ids)]
  const { bytes, sha256 } = await encodeObject(
    { log, shard, month, number, previous: head.sha256, first_id: firstId, last_id: lastId, entries: entries.length },
    entries.map(({ line }) => line),
  )
  await archiveStore(ctx.env).putVerified(
    objectKey({ log, month, shard, number, sha256 }),
    bytes,
    sha256,
    "application/gzip",
  )
  return {
    log,
    shard,
    number,
    month,
    firstId,
    lastId,
    firstAt: new Date(Math.min(...times)),
    lastAt: new Date(Math.max(...times)),
    entries: entries.length,
    bytes: bytes.length,
    sha256,
  }
}
