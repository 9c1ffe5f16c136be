// Fills the tables of a database with copies of their rows, to assert that the cost of a page does not grow with them.

interface Column {
  name: string
  type: string
  pk: number
}

/** Tables of the runtime and of search indexes. */
const INTERNAL_TABLES = /^(sqlite_|_cf_|d1_)|_(data|idx|content|docsize|config)$/

interface CopyOptions {
  /** Tables that do not grow. */
  skippedTables?: readonly string[]
  /** The only tables that grow; by default all. */
  onlyTables?: readonly string[]
  /** Columns that also differ in the copies, so that these belong to other owners: table -> column. */
  ownerColumns?: Readonly<Record<string, string>>
}

/**
 * Multiplies the rows of every table by `times`. A copy differs from its row in one column of each unique key,
 * preferably neither a foreign key nor the site, so the rows of one parent grow too. Copies that violate a constraint are skipped.
 * @returns the tables that have rows but did not grow by the factor
 */
export async function multiplyRows(
  database: D1Database,
  times: number,
  { skippedTables = [], onlyTables, ownerColumns = {} }: CopyOptions = {},
): Promise<string[]> {
  const query = async <Row>(sql: string) => (await database.prepare(sql).all<Row>()).results
  const tables = await query<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'table'")
  const notGrown: string[] = []
  for (const { name, sql } of tables) {
    if (
      INTERNAL_TABLES.test(name) ||
      skippedTables.includes(name) ||
      onlyTables?.includes(name) === false ||
      /^create virtual/i.test(sql)
    )
      continue
    const columns = (await query<Column>(`select * from pragma_table_info('${name}')`)).map((column) => ({ ...column }))
    const parents = await query<{ from: string }>(`select "from" from pragma_foreign_key_list('${name}')`)
    const indexes = await query<{ name: string }>(`select name from pragma_index_list('${name}') where "unique"`)
    const keys = await Promise.all(
      indexes.map(async (index) =>
        (await query<{ name: string | null }>(`select name from pragma_index_info('${index.name}')`)).map(
          ({ name: column }) => column,
        ),
      ),
    )
    const primary = columns.filter(({ pk }) => pk > 0)
    const autoIncrement = primary.length === 1 && primary[0]?.type.toUpperCase() === "INTEGER" ? primary[0].name : null
    if (primary.length && !autoIncrement) keys.push(primary.map((column) => column.name))
    const isParent = (column: string | null) => parents.some(({ from }) => from === column)
    const changed = new Set(
      keys
        .filter((key) => !key.includes(autoIncrement))
        .map((key) => key.findLast((column) => !isParent(column) && column !== "site_id") ?? key.at(-1)),
    )
    if (ownerColumns[name]) changed.add(ownerColumns[name])
    const copied = columns.filter((column) => column.name !== autoIncrement)
    if (!copied.length) continue
    const values = copied.map(({ name: column, type }) => {
      if (!changed.has(column)) return `t."${column}"`
      return /INT|REAL/i.test(type) ? `t."${column}" + n.i * 1000003` : `t."${column}" || '-' || n.i`
    })
    const before = await countRows(database, name)
    if (!before) continue
    const names = copied.map((column) => `"${column.name}"`).join(", ")
    await database
      .prepare(
        `insert or ignore into "${name}" (${names}) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${times - 1})
         select ${values.join(", ")} from "${name}" t, n`,
      )
      .run()
    if ((await countRows(database, name)) < before * times) notGrown.push(name)
  }
  return notGrown
}

const countRows = async (database: D1Database, table: string): Promise<number> =>
  (await database.prepare(`select count(*) as n from "${table}"`).first<{ n: number }>())?.n ?? 0
