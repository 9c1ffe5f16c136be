// Reads the triggers that a directory of migrations leaves in the database.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Migration {
  name: string
  sql: string
}

/** Reads the migrations of a directory in the order in which they are applied. */
export const readMigrations = (directory: string): Migration[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(directory, name), "utf8") }))

/** A trigger, with the table it belongs to and its text in one line. */
export interface ExistingTrigger {
  table: string
  sql: string
}

const TRIGGER_STATEMENT = /^\s*(?:(DROP TRIGGER) `(\w+)`|CREATE TRIGGER `(\w+)`[\s\S]*?\sON `(\w+)`[\s\S]*?^END;)/gm

/** Finds the triggers that exist after all migrations, by name. */
export function findTriggers(migrations: readonly Migration[]): Map<string, ExistingTrigger> {
  const found = new Map<string, ExistingTrigger>()
  for (const { sql } of migrations) {
    for (const [text, isDrop, dropped = "", created = "", table = ""] of sql.matchAll(TRIGGER_STATEMENT)) {
      if (isDrop) found.delete(dropped)
      else found.set(created, { table, sql: inOneLine(text) })
    }
  }
  return found
}

/** Collapses white space, in which equal triggers may differ. */
export const inOneLine = (sql: string): string => sql.trim().replace(/\s+/g, " ")
