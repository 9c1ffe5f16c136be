// What holds for every table of a site database: each row belongs to one site.
import { is } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as schema from "./schema/sites"

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))

/** The names of the tables of a site database that are no app's. */
export const siteTableNames = (): string[] => tables.map((table) => getTableConfig(table).name)
