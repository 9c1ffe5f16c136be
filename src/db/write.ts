// Writes are values. They are built here, on a database that cannot run anything, and have neither `then` nor `run`: only the
// writers in `core/` take them, so that no change can be made past its trail, its events and its idempotency mark.
import { type Column, getTableColumns, type Placeholder, SQL, type SQLChunk, sql, type Table } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import type {
  SelectedFieldsFlat,
  SQLiteColumn,
  SQLiteInsertValue,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from "drizzle-orm/sqlite-core"

declare const ANSWER: unique symbol

/** A statement that changes rows; `Answer` is what the database answers to it. */
export interface Write<Answer = unknown> {
  readonly [ANSWER]: Answer
}

type Row<T extends Table> = T["$inferSelect"]

/** The rows that `returning({…})` answers. */
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

/** A write that can answer the rows it touched. */
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

/** What an update puts into a row; in a compiled one, a value may be `given` later. */
type Changed<T extends SQLiteTable> = {
  [K in keyof SQLiteUpdateSetSource<T>]: SQLiteUpdateSetSource<T>[K] | Placeholder
}

/** The rows are named always: a table is never changed as a whole by an oversight. */
interface Where<Next> {
  /** @throws Error without a condition, which is what conditions that were all left out come to */
  where(condition: SQL | undefined): Next
}

const ofRows = <Next>(statement: { where(condition: SQL): unknown }): Where<Next> => ({
  where(condition) {
    if (!condition) throw new Error("A write that names no rows would change all of them")
    return statement.where(condition) as Next
  },
})

const unbound = drizzle({
  prepare: () => ({
    bind(): never {
      throw new Error("A write runs in a commit only")
    },
  }),
} as unknown as D1Database)

/** `insert(table).values(row or rows)`, then `.onConflict…` and `.returning(…)` where wanted. */
export const insert = <T extends SQLiteTable>(
  table: T,
): { values(rows: SQLiteInsertValue<T> | SQLiteInsertValue<T>[]): Insert<T> } => unbound.insert(table) as never

/** `update(table).set(values).where(condition)`, then `.returning(…)` where wanted. */
export const update = <T extends SQLiteTable>(table: T): { set(values: Changed<T>): Where<Returning<T>> } => ({
  set: (values) => ofRows(unbound.update(table).set(values as SQLiteUpdateSetSource<T>)),
})

/** `remove(table).where(condition)`, then `.returning(…)` where wanted. */
export const remove = <T extends SQLiteTable>(table: T): Where<Returning<T>> => ofRows(unbound.delete(table))

/** A statement written by hand, for what the builders cannot say. */
export const writeSql = (statement: SQL): Write<D1Result> => unbound.run(statement) as never

/** A column's value, or an expression over the rows that an `insert … select` reads. */
type Selected<T extends Table> = { [K in keyof T["$inferInsert"]]: T["$inferInsert"][K] | SQL | Placeholder }

/**
 * `insert … select`, each value beside the name of its column, so that the order of columns in a schema says nothing.
 * @param values what stands in each column; one left out is null, or numbers itself
 * @param from the rest of the select: `from …`, `where …`; end it with a `where` before an `onConflict…`, as SQLite asks
 */
export function insertSelect<T extends SQLiteTable>(table: T, values: Selected<T>, from: SQL): Insert<T> {
  const given = values as Record<string, unknown>
  const columns = Object.entries<Column>(getTableColumns(table)).map(([name, column]) =>
    expression(given[name], column),
  )
  return unbound.insert(table).select(sql`select ${sql.join(columns, sql`, `)} ${from}`) as never
}

function expression(value: unknown, column: Column): SQLChunk {
  if (value === undefined || value === null) return sql`null`
  return value instanceof SQL ? value : sql.param(value, column)
}

/** Ends the whole batch, with nothing written, where the statement before it touched no row. */
export const abortUnlessTouched: Write = writeSql(sql`insert into abort_batch select 'lost_race' where changes() = 0`)

/**
 * Ends the whole batch, with nothing written, where a row is found.
 * @param from a `from … where …` that finds it
 */
export const abortWhere = (from: SQL): Write =>
  writeSql(sql`insert into abort_batch select 'lost_race' ${from} limit 1`)
