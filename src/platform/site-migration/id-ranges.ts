// Gives site databases disjoint id ranges. Each database generates row ids by itself, and a migrated store keeps its
// ids, because they occur in URLs, tokens and apps' data, so no two databases may generate the same id. The first
// database starts at 1, every other in its own range. A database that receives rows with ids above its range
// continues in a new one.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { batch, type SiteDatabase, siteDatabase } from "../../db/client"
import { idRanges } from "../../db/schema/central/site-migrations"
import { acrossSites } from "../../db/site-scope"
import { insert, writeSql } from "../../db/write"
import { listSiteTables } from "../stores/site-tables"

/**
 * Ids per range: more than a 10 GB database can ever use, and small enough that the first hundred thousand ranges are
 * exact in JavaScript.
 */
export const RANGE_SIZE = 2 ** 36

/** Finds a database's range; null when none was assigned. */
async function findRange(ctx: Ctx, database: string): Promise<number | null> {
  const [row] = await ctx.db.select().from(idRanges).where(eq(idRanges.database, database))
  return row?.number ?? (database === ctx.settings.SITE_DATABASES[0] ? 0 : null)
}

/** Assigns an unused range to a database. */
async function assignRange(ctx: Ctx, database: string): Promise<number> {
  const number = sql<number>`(select coalesce(max(${idRanges.number}), 0) + 1 from ${idRanges})`
  const [[row]] = await writeUnaudited(ctx, "coordination", [
    insert(idRanges)
      .values({ database, number })
      .onConflictDoUpdate({ target: idRanges.database, set: { number } })
      .returning({ number: idRanges.number }),
  ])
  if (!row) throw new Error("The database's id range was not stored")
  return row.number
}

/** Raises a database's sequences to the start of its range; sequences beyond that are unchanged. */
async function raiseSequences(db: SiteDatabase, number: number): Promise<void> {
  const firstId = number * RANGE_SIZE
  await writeUnaudited({ db }, "coordination", [
    addMissingSequences(),
    writeSql(
      sql`update sqlite_sequence set seq = ${firstId} where seq < ${firstId} and name in (${selectGeneratedTables()})`,
    ),
  ])
}

/**
 * Reserves row ids in every table of a database, so that no row will be generated with one of them.
 * @param count number of ids
 * @returns the first reserved id
 */
export async function reserveIds(ctx: Ctx, database: string, count: number): Promise<number> {
  await ensureDisjointIdRange(ctx, database)
  const db = siteDatabase(ctx.env, database, acrossSites("id_ranges"))
  const highest = sql`(select max(seq) from sqlite_sequence where name in (${selectGeneratedTables()}))`
  const [, , [last]] = await writeUnaudited({ db }, "coordination", [
    addMissingSequences(),
    writeSql(sql`update sqlite_sequence set seq = ${highest} + ${count} where name in (${selectGeneratedTables()})`),
    db.select({ seq: sql<number>`max(seq)` }).from(sql`sqlite_sequence where name in (${selectGeneratedTables()})`),
  ])
  if (!last) throw new Error("No row ids were reserved")
  await ensureDisjointIdRange(ctx, database, last.seq)
  return last.seq - count + 1
}

/** Selects the names of the tables with generated ids. */
const selectGeneratedTables =
  () => sql`select name from sqlite_master where type = 'table' and sql like '%AUTOINCREMENT%'
    and name in (select value from json_each(${JSON.stringify(listSiteTables())}))`

const addMissingSequences = () =>
  writeSql(sql`insert into sqlite_sequence (name, seq)
      select name, 0 from (${selectGeneratedTables()}) where name not in (select name from sqlite_sequence)`)

/**
 * Whether a database's ids are disjoint from all others': it was assigned a range before it had rows, or has none yet.
 * @returns false for one that generated ids in the first database's range
 */
export async function hasDisjointIds(ctx: Ctx, database: string): Promise<boolean> {
  if ((await findRange(ctx, database)) !== null) return true
  const db = siteDatabase(ctx.env, database, acrossSites("id_ranges"))
  const [[used]] = await batch(db, [
    db
      .select({ rows: sql<number>`count(*)` })
      .from(sql`sqlite_sequence`)
      .where(sql`seq > 0 and name in (select value from json_each(${JSON.stringify(listSiteTables())}))`),
  ])
  return used?.rows === 0
}

/**
 * Ensures that a database generates no id that another one generates, if that is still possible. Idempotent.
 * @param highest the highest id among the rows that it is about to receive
 */
export async function ensureDisjointIdRange(ctx: Ctx, database: string, highest = 0): Promise<void> {
  const range = await findRange(ctx, database)
  if (range === null && !(await hasDisjointIds(ctx, database))) return
  const isWithin = range !== null && highest < (range + 1) * RANGE_SIZE
  const number = isWithin ? range : await assignRange(ctx, database)
  if (number > 0) await raiseSequences(siteDatabase(ctx.env, database, acrossSites("id_ranges")), number)
}
