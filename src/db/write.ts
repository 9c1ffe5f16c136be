// Builds writes as values. The builder has no connection, and a write has neither `then` nor `run`: only the writers in
// `core/write` take it, so no change can bypass its audit entry, its events or its idempotency record.
import {
  and,
  type Column,
  eq,
  getTableColumns,
  isNull,
  type Placeholder,
  SQL,
  type SQLChunk,
  sql,
  type Table,
} from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import type {
  SelectedFieldsFlat,
  SQLiteColumn,
  SQLiteInsertValue,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from "drizzle-orm/sqlite-core"
import type { CentralTable } from "./schema/site-table"

declare const RESULT: unique symbol

/** A statement that changes rows; `Result` is the type of its result. */
export interface Write<Result = unknown> {
  readonly [RESULT]: Result
}

type Row<T extends Table> = T["$inferSelect"]

/** The rows that `returning({…})` yields. */
type Returned<Fields extends SelectedFieldsFlat> = {
  [K in keyof Fields]: Fields[K] extends SQLiteColumn
    ? Fields[K]["_"]["notNull"] extends true
      ? Fields[K]["_"]["data"]
      : Fields[K]["_"]["data"] | null
    : Fields[K] extends SQL.Aliased<infer Value>
      ? Value
      : Fields[K] extends SQL<infer Value>
        ? Value
        : never
}

/** A write that can return the rows it touched. */
export interface Returning<T extends SQLiteTable> extends Write<D1Result> {
  returning(): Write<Row<T>[]>
  returning<Fields extends SelectedFieldsFlat>(fields: Fields): Write<Returned<Fields>[]>
}

interface Conflict {
  target: SQLiteColumn | SQLiteColumn[]
}

export interface Insert<T extends SQLiteTable> extends Returning<T> {
  onConflictDoNothing(conflict?: Conflict & { where?: SQL }): Insert<T>
  onConflictDoUpdate(
    conflict: Conflict & { set: SQLiteUpdateSetSource<T>; targetWhere?: SQL; setWhere?: SQL | undefined },
  ): Insert<T>
}

/** The values of an update; in a prepared one, a value may be a `param`. */
export type UpdateValues<T extends SQLiteTable> = {
  [K in keyof SQLiteUpdateSetSource<T>]: SQLiteUpdateSetSource<T>[K] | Placeholder
}

/** Requires a condition, so that a whole table is never changed by mistake. */
interface Where<Next> {
  /** @throws Error when the condition is undefined, which `and(undefined, …)` also yields */
  where(condition: SQL | undefined): Next
}

const requireCondition = <Next>(statement: Where<Next>): Where<Next> => ({
  where(condition) {
    if (!condition) throw new Error("A write without a condition would change every row")
    return statement.where(condition)
  },
})

const builder = drizzle({
  prepare: () => ({
    bind(): never {
      throw new Error("A write runs in a commit only")
    },
  }),
} as unknown as D1Database)

/** The rows of inserts. They tell which rows a lost response was about. */
const insertedRows = new WeakMap<object, { table: SQLiteTable; rows: Record<string, unknown>[] }>()

/** Builds an insert into any table, for `db/site-scope.ts`. */
export const buildInsert = <T extends SQLiteTable>(
  table: T,
): { values(rows: SQLiteInsertValue<T> | SQLiteInsertValue<T>[]): Insert<T> } => ({
  values(rows) {
    const write = builder.insert(table).values(rows as SQLiteInsertValue<T>[])
    insertedRows.set(write, { table, rows: [rows].flat() as Record<string, unknown>[] })
    return write as never
  },
})

/**
 * Returns a read of what a write inserts: one row with the time of its creation, or those of a select. All columns
 * whose value the write names identify them. The read has the columns that the write returns, and the newest row first.
 * @returns a Drizzle select; null for any other write
 */
export function selectInserted(write: object): object | null {
  const { table, rows } = insertedRows.get(write) ?? { rows: [] }
  const [row] = rows
  if (!table || !row || rows.length > 1 || !(row.createdAt instanceof Date)) return null
  const columns = getTableColumns(table)
  const isSame = Object.entries(row).map(([name, value]) => {
    const column = columns[name]
    if (!column || value === undefined || value instanceof SQL) return undefined
    return value === null ? isNull(column) : eq(column, value)
  })
  return builder
    .select(returnedFields(write) ?? columns)
    .from(table)
    .where(and(...isSame))
    .limit(1)
}

/** The fields of `returning`. */
function returnedFields(write: object): Record<string, SQLiteColumn> | undefined {
  const { returning } = (write as { config: { returning?: { path: string[]; field: SQLiteColumn }[] } }).config
  return returning && Object.fromEntries(returning.map(({ path, field }) => [path.join("."), field]))
}

/** Builds an update of any table, for `db/site-scope.ts`. */
export const buildUpdate = <T extends SQLiteTable>(table: T, values: UpdateValues<T>): Where<Returning<T>> =>
  builder.update(table).set(values as SQLiteUpdateSetSource<T>) as unknown as Where<Returning<T>>

/** Builds a delete from any table, for `db/site-scope.ts`. */
export const buildRemove = <T extends SQLiteTable>(table: T): Where<Returning<T>> => builder.delete(table) as never

/**
 * Builds `insert(table).values(row or rows)`, with optional `.onConflict…` and `.returning(…)`. `inSite` of
 * `db/site-scope.ts` builds the writes to a site's tables.
 */
export const insert = <T extends CentralTable>(
  table: T,
): { values(rows: SQLiteInsertValue<T> | SQLiteInsertValue<T>[]): Insert<T> } => buildInsert(table)

/** Builds `update(table).set(values).where(condition)`, with optional `.returning(…)`. */
export const update = <T extends CentralTable>(table: T): { set(values: UpdateValues<T>): Where<Returning<T>> } => ({
  set: (values) => requireCondition(buildUpdate(table, values)),
})

/** Builds `delete from table where condition`, with optional `.returning(…)`. */
export const remove = <T extends CentralTable>(table: T): Where<Returning<T>> => requireCondition(buildRemove(table))

/** A write in plain SQL, for statements that the builders cannot express. */
export const writeSql = (statement: SQL): Write<D1Result> => builder.run(statement) as never

/** A column's value, or an expression over the rows that an `insert … select` reads. */
export type SelectedValues<T extends Table> = {
  [K in keyof T["$inferInsert"]]: T["$inferInsert"][K] | SQL | Placeholder
}

/**
 * Builds `insert … select` with values by column name, so that column order does not matter.
 * @param values a value or expression per column; an omitted column is null, or autoincremented
 * @param from the rest of the select: `from …`, `where …`. SQLite requires a `where` before `on conflict`
 */
export const insertSelect = <T extends CentralTable>(table: T, values: SelectedValues<T>, from: SQL): Insert<T> =>
  buildInsertSelect(table, values, from)

/** Builds `insert … select` into any table, for `db/site-scope.ts`. */
export function buildInsertSelect<T extends SQLiteTable>(table: T, values: SelectedValues<T>, from: SQL): Insert<T> {
  const byColumn = values as Record<string, unknown>
  const columns = Object.entries<Column>(getTableColumns(table)).map(([name, column]) =>
    expression(byColumn[name], column),
  )
  const write = builder.insert(table).select(sql`select ${sql.join(columns, sql`, `)} ${from}`)
  insertedRows.set(write, { table, rows: [byColumn] })
  return write as never
}

function expression(value: unknown, column: Column): SQLChunk {
  if (value === undefined || value === null) return sql`null`
  return value instanceof SQL ? value : sql.param(value, column)
}

/** Aborts the batch and rolls it back when the preceding statement touched no row. */
export const abortUnlessTouched: Write = writeSql(sql`insert into abort_batch select 'lost_race' where changes() = 0`)

/** Aborts the batch when the preceding statement, which marks the claim of an idempotency key, touched no row. */
export const abortIfClaimLost: Write = writeSql(
  sql`insert into abort_claim_lost select 'claim_lost' where changes() = 0`,
)

/**
 * Aborts the batch and rolls it back when a row exists.
 * @param from a `from … where …` that selects it
 */
export const abortWhere = (from: SQL): Write =>
  writeSql(sql`insert into abort_batch select 'lost_race' ${from} limit 1`)
