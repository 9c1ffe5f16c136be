// Fills the tables of a database with copies of the rows they hold: what a page reads must not grow with them.

interface Column {
  name: string
  type: string
  pk: number
}

/** Tables that hold what the runtime or a search index keeps for itself. */
const NOT_OURS = /^(sqlite_|_cf_|d1_)|_(data|idx|content|docsize|config)$/

/** What a copy may not be, because no row like it can be there. */
interface Rules {
  /** Tables that stay as they are. */
  stay?: readonly string[]
  /** The tables that grow; all of them unless it is given. */
  only?: readonly string[]
  /** Column by which the copies of a table belong to others: table -> column. */
  elsewhere?: Readonly<Record<string, string>>
}

/**
 * Makes every table so many times as long. A copy differs from its row in one column of each key, so that what belongs to one parent
 * grows with it; copies that a rule of the table refuses are left out.
 * @returns the tables that have rows, and did not grow
 */
export async function multiply(
  database: D1Database,
  times: number,
  { stay = [], only, elsewhere = {} }: Rules = {},
): Promise<string[]> {
  const all = async <Row>(sql: string) => (await database.prepare(sql).all<Row>()).results
  const tables = await all<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'table'")
  const stuck: string[] = []
  for (const { name, sql } of tables) {
    if (NOT_OURS.test(name) || stay.includes(name) || only?.includes(name) === false || /^create virtual/i.test(sql))
      continue
    const columns = (await all<Column>(`select * from pragma_table_info('${name}')`)).map((column) => ({ ...column }))
    const parents = await all<{ from: string }>(`select "from" from pragma_foreign_key_list('${name}')`)
    const indexes = await all<{ name: string }>(`select name from pragma_index_list('${name}') where "unique"`)
    const keys = await Promise.all(
      indexes.map(async (index) =>
        (await all<{ name: string | null }>(`select name from pragma_index_info('${index.name}')`)).map(
          (one) => one.name,
        ),
      ),
    )
    const primary = columns.filter(({ pk }) => pk > 0)
    const counted = primary.length === 1 && primary[0]?.type.toUpperCase() === "INTEGER" ? primary[0].name : null
    if (primary.length && !counted) keys.push(primary.map((column) => column.name))
    const isParent = (column: string | null) => parents.some(({ from }) => from === column)
    const changed = new Set(
      keys.filter((key) => !key.includes(counted)).map((key) => key.findLast((one) => !isParent(one)) ?? key.at(-1)),
    )
    if (elsewhere[name]) changed.add(elsewhere[name])
    const copied = columns.filter((column) => column.name !== counted)
    if (!copied.length) continue
    const values = copied.map(({ name: column, type }) => {
      if (!changed.has(column)) return `t."${column}"`
      return /INT|REAL/i.test(type) ? `t."${column}" + n.i * 1000003` : `t."${column}" || '-' || n.i`
    })
    const before = await rowsOf(database, name)
    if (!before) continue
    const names = copied.map((column) => `"${column.name}"`).join(", ")
    await database
      .prepare(
        `insert or ignore into "${name}" (${names}) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${times - 1})
         select ${values.join(", ")} from "${name}" t, n`,
      )
      .run()
    if ((await rowsOf(database, name)) < before * times) stuck.push(name)
  }
  return stuck
}

const rowsOf = async (database: D1Database, table: string): Promise<number> =>
  (await database.prepare(`select count(*) as n from "${table}"`).first<{ n: number }>())?.n ?? 0
