// Gives a store the same rows as another one, so that only `site_id` and the generated row ids tell the two apart.
import { env } from "cloudflare:workers"
import { listSiteTables } from "../../src/platform/stores/site-tables"
import { siteRows } from "./rows"

/** Added to row ids, which are unique within a database. */
export const ID_OFFSET = 1_000_000

/** Tables that triggers fill, that are unique to a store, or whose rows move to the central database. */
const NOT_COPIED = [
  "counters",
  "inbox_counts",
  "held_sites",
  "site_incarnations",
  "site_trail",
  "site_events",
  "account_mails",
]

/** Integer columns with the id of a row. */
const ROW_ID_COLUMNS = /^(id|\w+_id|reached_user|reached_device|last_device|first_recipient)$/

/** Columns that people read. */
const TEXT_COLUMNS =
  /^(name|title|content|message|comment|description|note|caption|subject|first_name|last_name|created_by_name|search_text)$/

/** Hashes of mailed tokens, which are unique within a database. */
const UNIQUE_HASH = /^(reset_tokens|mailed_tokens)\.hash$/

interface ColumnInfo {
  name: string
  type: string
}

function copiedValue(table: string, { name, type }: ColumnInfo): string {
  if (name === "site_id") return "?2"
  if (type.toUpperCase() === "INTEGER" && ROW_ID_COLUMNS.test(name))
    return `case when "${name}" > 0 then "${name}" + ${ID_OFFSET} else "${name}" end`
  if (UNIQUE_HASH.test(`${table}.${name}`)) return `"${name}" || '-'`
  return TEXT_COLUMNS.test(name) ? `iif("${name}" is null, null, ?3)` : `"${name}"`
}

/**
 * Replaces the rows and files of a store by copies of those of another one.
 * @param marker replaces every text that people read, and the bytes of files
 */
export async function duplicateSite(from: string, to: string, marker: string): Promise<void> {
  const statements: D1PreparedStatement[] = []
  for (const table of listSiteTables()) {
    if (table !== "site_incarnations")
      statements.push(env.SITES_1.prepare(`delete from "${table}" where site_id = ?`).bind(to))
  }
  for (const table of listSiteTables().filter((name) => !NOT_COPIED.includes(name))) {
    const columns = (await siteRows(`select name, type from pragma_table_info('${table}')`)) as unknown as ColumnInfo[]
    const names = columns.map(({ name }) => `"${name}"`).join()
    const values = columns.map((column) => copiedValue(table, column)).join()
    const insert = `insert into "${table}" (${names}) select ${values} from "${table}" where site_id = ?1 and ?3 is not null`
    statements.push(env.SITES_1.prepare(insert).bind(from, to, marker))
  }
  await env.SITES_1.batch(statements)
  const { objects } = await env.MEDIA.list({ prefix: `${from}/` })
  for (const { key } of objects) await env.MEDIA.put(`${to}/${key.slice(from.length + 1)}`, marker)
}
