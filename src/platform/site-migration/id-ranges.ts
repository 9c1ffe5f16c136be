// Where the numbers of new rows begin. Each site database numbers its rows by itself, and a store takes its rows' numbers along when it
// is moved: they are in URLs, tokens and what apps remember. So no two databases ever give the same one. The first numbers from 1, every
// other from a range of its own, and one that is given rows numbered above its range goes on in a new one.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { batch, type SiteDatabase, siteDatabase } from "../../db/client"
import { idRanges } from "../../db/schema/central/site-migrations"
import { insert, writeSql } from "../../db/write"
import { allSiteTables } from "../stores/site-tables"

/** Numbers of a range: more than a database of 10 GB can ever give, and the first hundred thousand ranges are exact in JavaScript. */
export const RANGE = 2 ** 36

/** The range that a database numbers its rows in; null for one that was never given any. */
async function rangeOf(ctx: Ctx, database: string): Promise<number | null> {
  const [given] = await ctx.db.select().from(idRanges).where(eq(idRanges.database, database))
  return given?.number ?? (database === ctx.settings.SITE_DATABASES[0] ? 0 : null)
}

/** Gives a database a range that none had before. */
async function giveRange(ctx: Ctx, database: string): Promise<number> {
  const number = sql<number>`(select coalesce(max(${idRanges.number}), 0) + 1 from ${idRanges})`
  const [[given]] = await writeUnaudited(ctx, "where a database numbers its rows from", [
    insert(idRanges)
      .values({ database, number })
      .onConflictDoUpdate({ target: idRanges.database, set: { number } })
      .returning({ number: idRanges.number }),
  ])
  if (!given) throw new Error("a database was given no range")
  return given.number
}

/** Has a database number its next rows from its range on; what is further already stays. */
async function raise(db: SiteDatabase, number: number): Promise<void> {
  const first = number * RANGE
  const ours = sql`select name from sqlite_master where type = 'table' and sql like '%AUTOINCREMENT%'
    and name in (select value from json_each(${JSON.stringify(allSiteTables())}))`
  await writeUnaudited({ db }, "where a database numbers its rows from", [
    writeSql(sql`insert into sqlite_sequence (name, seq)
      select name, 0 from (${ours}) where name not in (select name from sqlite_sequence)`),
    writeSql(sql`update sqlite_sequence set seq = ${first} where seq < ${first} and name in (${ours})`),
  ])
}

/**
 * Whether a database numbers its rows apart from all others: it was given a range before it had rows, or has none yet.
 * @returns false for one that numbered rows as the first database does
 */
export async function isApart(ctx: Ctx, database: string): Promise<boolean> {
  if ((await rangeOf(ctx, database)) !== null) return true
  const db = siteDatabase(ctx.env, database)
  const [[numbered]] = await batch(db, [
    db
      .select({ rows: sql<number>`count(*)` })
      .from(sql`sqlite_sequence`)
      .where(sql`seq > 0 and name in (select value from json_each(${JSON.stringify(allSiteTables())}))`),
  ])
  return numbered?.rows === 0
}

/**
 * Sees to it that a database gives no number that another one gives, where that is not too late. Can be run again at any point.
 * @param highest the highest number among rows that it is about to be given
 */
export async function numberApart(ctx: Ctx, database: string, highest = 0): Promise<void> {
  const known = await rangeOf(ctx, database)
  if (known === null && !(await isApart(ctx, database))) return
  const isWithin = known !== null && highest < (known + 1) * RANGE
  const number = isWithin ? known : await giveRange(ctx, database)
  if (number > 0) await raise(siteDatabase(ctx.env, database), number)
}
