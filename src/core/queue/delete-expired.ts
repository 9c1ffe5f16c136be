// Deletes expired rows in chunks that a busy database tolerates, until the run is out of time.
import { type SQL, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import { writeSql } from "../../db/write"
import type { Ctx } from "../context"
import { writeUnaudited } from "../write/commit"

/** Rows per statement, and statements per run, because an invocation may run 1,000. The next run continues. */
const CHUNK_SIZE = 500
const CHUNKS_PER_RUN = 100

/**
 * Deletes the expired rows of a table.
 * @param chosen builds the `select …` that finds at most `limit` keys. It must use an index, so that its cost does not
 *   depend on the table's size
 * @param key the key column; a table without rowid needs its own
 */
export async function deleteExpired(
  ctx: Pick<Ctx, "db" | "run">,
  table: SQLiteTable,
  chosen: (limit: number) => SQL,
  key: SQL = sql`rowid`,
): Promise<void> {
  for (let chunk = 0; chunk < CHUNKS_PER_RUN; chunk++) {
    const [{ meta }] = await writeUnaudited(ctx, "cleanup", [
      writeSql(sql`delete from ${table} where ${key} in (${chosen(CHUNK_SIZE)})`),
    ])
    if (meta.changes < CHUNK_SIZE || ctx.run.isOutOfTime()) return
  }
  ctx.run.stop()
}
