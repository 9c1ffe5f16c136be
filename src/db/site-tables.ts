// Lists the tables of a site database and their primary keys. Every row belongs to one site.
import { is } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as schema from "./schema/sites"

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))

/** The tables of a site database that do not belong to an app. */
export const siteTableNames = (): string[] => tables.map((table) => getTableConfig(table).name)

const keys = new Map(
  tables.map((table) => {
    const { name, primaryKeys } = getTableConfig(table)
    return [name, primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name))]
  }),
)

/** The primary key columns of a table, or `rowid` for a table without a composite key. */
export const keyColumns = (name: string): string[] => {
  const key = keys.get(name) ?? []
  return key.length ? key : ["rowid"]
}
