// What is in the tables, for tests that assert the stored row as well as the answer.
import { env } from "cloudflare:workers"

type Row = Record<string, string | number | null>

/** Rows of the central database. */
export const rows = async (sql: string, ...params: unknown[]): Promise<Row[]> =>
  (
    await env.DB.prepare(sql)
      .bind(...params)
      .all<Row>()
  ).results

/** Rows of the first site database. */
export const siteRows = async (sql: string, ...params: unknown[]): Promise<Row[]> =>
  (
    await env.SITES_1.prepare(sql)
      .bind(...params)
      .all<Row>()
  ).results

/** How many rows a query of the central database counts. */
export const count = async (table: string): Promise<number> =>
  Number((await rows(`select count(*) as n from ${table}`))[0]?.n)
