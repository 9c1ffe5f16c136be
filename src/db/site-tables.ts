// What holds for every table of a site database: each row belongs to one site.
import { is } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as schema from "./schema/sites"

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))

/** The names of the tables of a site database that are no app's. */
export const siteTableNames = (): string[] => tables.map((table) => getTableConfig(table).name)

const keys = new Map(
  tables.map((table) => {
    const { name, primaryKeys } = getTableConfig(table)
    return [name, primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name))]
  }),
)

/** The columns by which a table's rows are told apart; one without a rowid has no other. */
export const keyColumns = (name: string): string[] => {
  const key = keys.get(name) ?? []
  return key.length ? key : ["rowid"]
}
