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

/** Maintains the totals. Updates are counted only for the values of `by` and `only`. */
function writeCountTriggers(table: SQLiteTable, counters: readonly CounterDefinition[]): Trigger[] {
  if (!counters.length) return []
  const name = getTableName(table)
  const lists = counters.map((counter) => new Counter(table, counter))
  const updated = [...new Set(lists.flatMap(({ updatedColumns }) => updatedColumns))]
  const isChanged = updated.map((column) => `OLD.\`${column}\` <> NEW.\`${column}\``).join(" OR ")
  const update = writeTrigger(
    name,
    "count",
    "UPDATE",
    lists.flatMap((list) => list.update()),
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

type Row = "NEW" | "OLD"

const INCREMENT_CONFLICT = "ON CONFLICT DO UPDATE SET `total` = `total` + 1"

/** The SQL of one counter. */
class Counter {
  /** The columns whose changes move rows between totals. */
  readonly updatedColumns: string[]
  readonly #hasValueColumn: boolean
  readonly #list: (row: Row) => string
  readonly #value: ((row: Row) => string) | null
  readonly #isCounted: ((row: Row) => string) | null

  constructor(table: SQLiteTable, { list, per, by, byMonthOf, only }: CounterDefinition) {
    const value = by === undefined ? null : column(table, by)
    const month = byMonthOf === undefined ? null : column(table, byMonthOf).name
    const owner = per === undefined ? null : column(table, per).name
    const condition = only && { column: column(table, only.column).name, value: only.value }
    this.updatedColumns = [value?.name ?? [], condition?.column ?? []].flat()
    this.#hasValueColumn = value !== null
    this.#list = (row) => (owner === null ? `'${list}'` : `'${list}:' || ${row}.\`${owner}\``)
    this.#value = value
      ? (row) => (value.getSQLType() === "text" ? `${row}.\`${value.name}\`` : `CAST(${row}.\`${value.name}\` AS TEXT)`)
      : month
        ? (row) => `strftime('%Y-%m', ${row}.\`${month}\` / 1000, 'unixepoch')`
        : null
    this.#isCounted = condition ? (row) => `${row}.\`${condition.column}\` = '${condition.value}'` : null
  }

  increment(): string {
    const isCounted = this.#isCounted
    const filters = ["''", ...(this.#value ? [this.#value("NEW")] : [])]
    const rows = filters.map((filter) => `(NEW.\`site_id\`, ${this.#list("NEW")}, ${filter}, 1)`)
    if (!isCounted) {
      if (rows.length === 1) return `INSERT INTO \`counters\` VALUES ${rows.join("")} ${INCREMENT_CONFLICT}`
      return `INSERT INTO \`counters\` VALUES\n    ${rows.join(",\n    ")}\n    ${INCREMENT_CONFLICT}`
    }
    return `INSERT INTO \`counters\` SELECT * FROM (VALUES ${rows.join(", ")}) WHERE ${isCounted("NEW")}\n    ${INCREMENT_CONFLICT}`
  }

  decrement(): string {
    return this.#decrementWhere(this.#value ? `\`filter\` IN ('', ${this.#value("OLD")})` : "`filter` = ''", "OLD")
  }

  /** Moves an updated row between the totals of values, and into or out of the whole. */
  update(): string[] {
    const isCounted = this.#isCounted
    if (!isCounted) return this.#hasValueColumn ? [this.#decrementValue(), this.#incrementValue()] : []
    const statements = [
      `${this.#decrementWhere("`filter` = ''", "OLD")} AND NOT ${isCounted("NEW")}`,
      this.#incrementWhere("''", `${isCounted("NEW")} AND NOT ${isCounted("OLD")}`),
    ]
    if (this.#value) statements.push(this.#decrementValue(), this.#incrementWhere(this.#value("NEW"), isCounted("NEW")))
    return statements
  }

  #incrementValue(): string {
    return `INSERT INTO \`counters\` VALUES (NEW.\`site_id\`, ${this.#list("NEW")}, ${this.#value?.("NEW")}, 1) ${INCREMENT_CONFLICT}`
  }

  #incrementWhere(filter: string, condition: string): string {
    return `INSERT INTO \`counters\` SELECT NEW.\`site_id\`, ${this.#list("NEW")}, ${filter}, 1 WHERE ${condition}\n    ${INCREMENT_CONFLICT}`
  }

  #decrementValue(): string {
    return this.#decrementWhere(`\`filter\` = ${this.#value?.("OLD")}`, "OLD")
  }

  #decrementWhere(filter: string, row: Row): string {
    const condition = this.#isCounted ? ` AND ${this.#isCounted(row)}` : ""
    return `UPDATE \`counters\` SET \`total\` = \`total\` - 1\n    WHERE \`site_id\` = OLD.\`site_id\` AND \`list\` = ${this.#list("OLD")} AND ${filter}${condition}`
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
