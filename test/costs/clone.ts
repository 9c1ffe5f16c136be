// Fills a table with copies of a row that the Worker has written.
import { env } from "cloudflare:workers"

/**
 * Inserts copies of a table's newest row, in one statement; triggers run as for any other row.
 * @param differing columns that differ: SQL expressions of the row's columns and of `n`, the number of the copy from 1
 */
export async function cloneNewestRow(table: string, copies: number, differing: Record<string, string>): Promise<void> {
  const { results } = await env.DB.prepare("select name from pragma_table_info(?)").bind(table).all<{ name: string }>()
  const columns = results.map(({ name }) => name)
  await env.DB.prepare(
    `with recursive numbers (n) as (select 1 where ?1 > 0 union all select n + 1 from numbers where n < ?1)
     insert into ${table} (${columns})
     select ${columns.map((column) => differing[column] ?? column)}
     from numbers cross join (select * from ${table} order by 1 desc limit 1)`,
  )
    .bind(copies)
    .run()
}
