// Rows past their time, deleted in steps that any database bears.
import { type SQL, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import { writeSql } from "../../db/write"
import type { Ctx } from "../context"
import { writeUnaudited } from "../write/commit"

/** Rows that one statement deletes, and statements a run: what is left, the next run deletes. */
const CHUNK = 500
const CHUNKS_PER_RUN = 100

/**
 * Deletes the rows of a table that are past their time.
 * @param reason what they are, for the reader
 * @param chosen the `select …` of the key that finds at most so many of them; it reads no more rows than a few times that, however large
 *   the table is
 * @param key what tells a row; a clustered table has no `rowid`
 */
export async function deleteExpired(
  ctx: Pick<Ctx, "db">,
  reason: string,
  table: SQLiteTable,
  chosen: (limit: number) => SQL,
  key: SQL = sql`rowid`,
): Promise<void> {
  for (let chunk = 0; chunk < CHUNKS_PER_RUN; chunk++) {
    const [{ meta }] = await writeUnaudited(ctx, reason, [
      writeSql(sql`delete from ${table} where ${key} in (${chosen(CHUNK)})`),
    ])
    if (meta.changes < CHUNK) return
  }
}
