// Writes the triggers of an app's table from its definition in the manifest. The SQL has the format that
// tools/lint/migration-rules.ts requires.
import { getTableColumns, getTableName } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { CounterDefinition, TableDefinition } from "../../src/apps/definition.ts"

export interface Trigger {
  name: string
  /** The table that it belongs to. */
  table: string
  sql: string
}

/** Writes all triggers of a table except its custom ones. */
export function writeTriggers(table: SQLiteTable, definition: TableDefinition): Trigger[] {
  return [
    ...writeLockTriggers(getTableName(table)),
    ...writeVersionTriggers(table, definition.visibility),
    ...writeCountTriggers(table, definition.counters),
    ...writeCascade(table, definition),
  ]
}

type Event = "INSERT" | "UPDATE" | "DELETE"

/** Rejects writes to the rows of a site that is being migrated. */
const writeLockTriggers = (table: string): Trigger[] =>
  (["INSERT", "UPDATE", "DELETE"] as const).map((event) => {
    const name = `${table}_held_${event.toLowerCase()}`
    const row = event === "INSERT" ? "NEW" : "OLD"
    return {
      name,
      table,
      sql: `CREATE TRIGGER \`${name}\` BEFORE ${event} ON \`${table}\`
  WHEN EXISTS (SELECT 1 FROM \`held_sites\` WHERE \`site_id\` = ${row}.\`site_id\` AND \`open\` = 0) BEGIN
  SELECT RAISE(ABORT, 'SITE_HELD');
END;`,
    }
  })

/**
 * Increments the version of the site's content. A delete increments it only where there is one, so that deleting a
 * whole site leaves no counter.
 */
function writeVersionTriggers(table: SQLiteTable, visibility: TableDefinition["visibility"]): Trigger[] {
  if (visibility === "private") return []
  const name = getTableName(table)
  const updated = visibility === "public" ? null : visibility.publicColumns
  const increment =
    "INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1"
  return [
    writeTrigger(name, "version", "INSERT", [increment]),
    ...(updated?.length === 0
      ? []
      : [writeTrigger(name, "version", "UPDATE", [increment], columnNames(table, updated))]),
    writeTrigger(name, "version", "DELETE", [
      "UPDATE `counters` SET `total` = `total` + 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'version' AND `filter` = ''",
    ]),
  ]
}

/** Maintains the totals. Updates are counted only for the values of `by`. */
function writeCountTriggers(table: SQLiteTable, counters: readonly CounterDefinition[]): Trigger[] {
  if (!counters.length) return []
  const name = getTableName(table)
  const lists = counters.map((counter) => new Counter(table, counter))
  const updated = lists.flatMap(({ valueColumn }) => valueColumn ?? [])
  const isChanged = updated.map((column) => `OLD.\`${column}\` <> NEW.\`${column}\``).join(" OR ")
  const update = writeTrigger(
    name,
    "count",
    "UPDATE",
    lists.filter(({ valueColumn }) => valueColumn).flatMap((list) => [list.decrementValue(), list.incrementValue()]),
    updated,
    isChanged,
  )
  return [
    writeTrigger(
      name,
      "count",
      "INSERT",
      lists.map((list) => list.increment()),
    ),
    ...(updated.length ? [update] : []),
    writeTrigger(
      name,
      "count",
      "DELETE",
      lists.map((list) => list.decrement()),
    ),
  ]
}

/** The SQL of one counter. */
class Counter {
  /** The column of `by`. */
  readonly valueColumn: string | null
  readonly #list: (row: string) => string
  readonly #value: ((row: string) => string) | null

  constructor(table: SQLiteTable, { list, per, by, byMonthOf }: CounterDefinition) {
    const value = by === undefined ? null : column(table, by)
    const month = byMonthOf === undefined ? null : column(table, byMonthOf).name
    const owner = per === undefined ? null : column(table, per).name
    this.valueColumn = value?.name ?? null
    this.#list = (row) => (owner === null ? `'${list}'` : `'${list}:' || ${row}.\`${owner}\``)
    this.#value = value
      ? (row) => (value.getSQLType() === "text" ? `${row}.\`${value.name}\`` : `CAST(${row}.\`${value.name}\` AS TEXT)`)
      : month
        ? (row) => `strftime('%Y-%m', ${row}.\`${month}\` / 1000, 'unixepoch')`
        : null
  }

  increment(): string {
    const conflict = "ON CONFLICT DO UPDATE SET `total` = `total` + 1"
    const total = `(NEW.\`site_id\`, ${this.#list("NEW")}, '', 1)`
    if (!this.#value) return `INSERT INTO \`counters\` VALUES ${total} ${conflict}`
    const value = `(NEW.\`site_id\`, ${this.#list("NEW")}, ${this.#value("NEW")}, 1)`
    return `INSERT INTO \`counters\` VALUES\n    ${total},\n    ${value}\n    ${conflict}`
  }

  decrement(): string {
    return this.#decrementWhere(this.#value ? `\`filter\` IN ('', ${this.#value("OLD")})` : "`filter` = ''")
  }

  incrementValue(): string {
    return `INSERT INTO \`counters\` VALUES (NEW.\`site_id\`, ${this.#list("NEW")}, ${this.#value?.("NEW")}, 1) ON CONFLICT DO UPDATE SET \`total\` = \`total\` + 1`
  }

  decrementValue(): string {
    return this.#decrementWhere(`\`filter\` = ${this.#value?.("OLD")}`)
  }

  #decrementWhere(filter: string): string {
    return `UPDATE \`counters\` SET \`total\` = \`total\` - 1\n    WHERE \`site_id\` = OLD.\`site_id\` AND \`list\` = ${this.#list("OLD")} AND ${filter}`
  }
}

/** Deletes the rows, and their totals per row, with the row of another table that they belong to. */
function writeCascade(table: SQLiteTable, { deletedWith, counters }: TableDefinition): Trigger[] {
  if (!deletedWith) return []
  const owner = column(table, deletedWith.column).name
  const name = `${getTableName(table)}_of_${owner.replace(/_id$/, "")}_delete`
  const lists = counters.filter(({ per }) => per === deletedWith.column).map(({ list }) => list)
  const statements = [
    `DELETE FROM \`${getTableName(table)}\` WHERE \`site_id\` = OLD.\`site_id\` AND \`${owner}\` = OLD.\`id\``,
    ...lists.map(
      (list) => `DELETE FROM \`counters\` WHERE \`site_id\` = OLD.\`site_id\` AND \`list\` = '${list}:' || OLD.\`id\``,
    ),
  ]
  const sql = formatTrigger(name, `AFTER DELETE ON \`${deletedWith.table}\``, statements)
  return [{ name, table: deletedWith.table, sql }]
}

/**
 * Writes a trigger that runs after an event.
 * @param columns of an update; null for all
 */
function writeTrigger(
  table: string,
  purpose: string,
  event: Event,
  statements: readonly string[],
  columns: readonly string[] | null = null,
  condition = "",
): Trigger {
  const name = `${table}_${purpose}_${event.toLowerCase()}`
  const of = columns?.length ? ` OF ${columns.map((one) => `\`${one}\``).join(", ")}` : ""
  const when = condition && ` WHEN ${condition}`
  return { name, table, sql: formatTrigger(name, `AFTER ${event}${of} ON \`${table}\`${when}`, statements) }
}

const formatTrigger = (name: string, event: string, statements: readonly string[]): string =>
  [`CREATE TRIGGER \`${name}\` ${event} BEGIN`, ...statements.map((statement) => `  ${statement};`), "END;"].join("\n")

/** @throws Error for a column that the table does not have */
function column(table: SQLiteTable, key: string): SQLiteColumn {
  const found = (getTableColumns(table) as Record<string, SQLiteColumn>)[key]
  if (!found) throw new Error(`${getTableName(table)} has no column ${key}`)
  return found
}

const columnNames = (table: SQLiteTable, keys: readonly string[] | null) =>
  keys?.map((key) => column(table, key).name) ?? null
