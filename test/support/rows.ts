// Queries the databases directly, for tests that assert stored rows as well as responses.
import { env } from "cloudflare:workers"
import { decompressText } from "../../src/db/compressed-text"

type Row = Record<string, string | number | null>

/** Selects rows from the central database. A column `payload` is decompressed. */
export const rows = async (sql: string, ...params: unknown[]): Promise<Row[]> => {
  const { results } = await env.DB.prepare(sql)
    .bind(...params)
    .all<Row>()
  return results.map((row) =>
    typeof row.payload === "string" ? { ...row, payload: decompressText(row.payload) } : row,
  )
}

/** Selects rows from the first site database. */
export const siteRows = async (sql: string, ...params: unknown[]): Promise<Row[]> =>
  (
    await env.SITES_1.prepare(sql)
      .bind(...params)
      .all<Row>()
  ).results

/** Counts the rows of a table or join of the central database. */
export const count = async (table: string): Promise<number> =>
  Number((await rows(`select count(*) as n from ${table}`))[0]?.n)
