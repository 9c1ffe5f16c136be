// Statements whose SQL is written once an isolate. Drizzle composes a query anew for every request, and looks at every column of
// every row to find out how it is read; on a hot path both cost more CPU than the query itself.
import { Column, is, Param, Placeholder, SQL, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import type { CentralDatabase } from "./client"
import type { Write } from "./write"

/** A read with its values filled in: it stands in a `batch` as any other, or is made alone by `read`. */
export interface CompiledRead<Row = unknown> {
  readonly sql: string
  readonly params: readonly unknown[]
  /** The rows as the query's columns describe them, made of their values in the columns' order. */
  rows(found: readonly unknown[][]): Row[]
}

/** A write with its values filled in. Its type is a `Write`'s alone, so that it goes where writes go and nowhere else. */
export interface CompiledWrite {
  readonly sql: string
  readonly params: readonly unknown[]
  /** The rows that it answers; null for one that answers none. */
  readonly rows: ((found: readonly unknown[][]) => unknown[]) | null
}

/** What Drizzle composed. */
export interface Query<Row> {
  all(): Promise<Row[]>
  prepare(): unknown
}

/** What Drizzle keeps of a prepared query, though its types do not tell. */
interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
  fields?: { path: string[]; field: unknown }[]
}

/** The placeholder of a value that a request fills in: `eq(posts.siteId, given("site"))`. */
export const given = (name: string): Placeholder => sql.placeholder(name)

/** Composes queries for no database in particular. */
const composer = drizzle({ prepare: () => null } as unknown as D1Database)

/**
 * A read that is composed when it is first asked for, and never again.
 * @param compose the query, with `given(name)` wherever a request's value belongs; its columns are flat, or those of tables that
 *   `named` gave names of their own
 * @returns a function from those values to the read
 */
export function compiled<Row, Given extends object>(
  compose: (db: CentralDatabase) => Query<Row>,
): (values: Given) => CompiledRead<Row> {
  let known: ((values: Given) => CompiledRead<Row>) | undefined
  return (values) => {
    known ??= compile<Row, Given>(compose(composer)) as (values: Given) => CompiledRead<Row>
    return known(values)
  }
}

/**
 * A write that is composed when it is first made, and never again. It is a value like any other: only a writer of `core/` runs it.
 * @param compose the write, with `given(name)` wherever its values belong
 * @returns a function from those values to the write
 */
export function compiledWrite<Answer, Given extends object>(
  compose: () => Write<Answer>,
): (values: Given) => Write<Answer> {
  let known: ((values: Given) => CompiledWrite) | undefined
  return (values) => {
    known ??= compile(compose() as unknown as Query<unknown>)
    return known(values) as unknown as Write<Answer>
  }
}

/** Where a column of the answer goes in the row that is made of it, and how it is read. */
interface Place {
  /** The table it is of, in a row of several tables. */
  table: string | null
  name: string
  decode: ((value: unknown) => unknown) | undefined
}

interface Compiled<Row> {
  sql: string
  params: unknown[]
  rows: ((found: readonly unknown[][]) => Row[]) | null
}

function compile<Row, Given extends object>(query: Query<Row>): (values: Given) => Compiled<Row> {
  const prepared = query.prepare() as Prepared
  const drafted = prepared.getQuery()
  const { sql: text, params } = planned(drafted.sql, drafted.params)
  const fill = params.map(filler)
  const places = prepared.fields?.map(placeOf)
  const rows = places ? (found: readonly unknown[][]) => found.map((row) => shaped(row, places) as Row) : null
  return (values) => ({ sql: text, params: fill.map((one) => one(values as Record<string, unknown>)), rows })
}

/** What stands in a text by itself: literals and names in quotes, and the marks of parameters. */
const MARKS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|(\b(?:limit|offset) )?\?/gi

/**
 * A statement that SQLite plans once. Of a parameter that it plans by, which are those compared with what a partial index is about and
 * bare limits and offsets, it looks at the value, and parses and plans the statement anew each time that one is bound. So constants stand in the
 * text, and a limit is a sum.
 */
function planned(text: string, given: unknown[]): { sql: string; params: unknown[] } {
  const params: unknown[] = []
  let at = 0
  const sql = text.replace(MARKS, (mark, bound: string | undefined) => {
    if (!mark.endsWith("?")) return mark
    const param = given[at++]
    const literal = literalOf(param)
    if (literal === null) params.push(param)
    const shown = literal ?? "?"
    return bound ? `${bound}(${shown} + 0)` : shown
  })
  return { sql, params }
}

/** A constant as SQL; null for what a request brings, and for what is no text or whole number. */
function literalOf(param: unknown): string | null {
  if (is(param, Placeholder) || (is(param, Param) && is(param.value, Placeholder))) return null
  const value = is(param, Param) ? param.encoder.mapToDriverValue(param.value) : param
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`
  return Number.isSafeInteger(value) ? String(value) : null
}

function placeOf({ path, field }: { path: string[]; field: unknown }): Place {
  const [first = "", second] = path
  const decode = decoder(field)
  if (second === undefined) return { table: null, name: first, decode }
  // D1 answers with rows keyed by bare column names: of two tables' `id` only one would arrive.
  if (!is(field, SQL.Aliased)) throw new Error("A compiled read of several tables has named columns")
  return { table: first, name: second, decode }
}

/** A row of the answer, of its values in the order of the query's columns. */
function shaped(values: readonly unknown[], places: readonly Place[]): Record<string, unknown> {
  if (values.length !== places.length) throw new Error("A compiled read has two columns of one name")
  const made: Record<string, unknown> = {}
  let table: string | null = null
  let into = made
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as Place
    const value = values[at]
    if (place.table !== table) {
      table = place.table
      into = made
      if (table !== null) {
        into = {}
        made[table] = into
      }
    }
    into[place.name] = place.decode && value !== null ? place.decode(value) : value
  }
  return made
}

/** How one parameter gets its value: from the request, or once for all. */
function filler(param: unknown): (values: Record<string, unknown>) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name]
  if (!is(param, Param)) return () => param
  const { value, encoder } = param
  if (is(value, Placeholder)) {
    return ({ [value.name]: one }) => (one === null ? null : encoder.mapToDriverValue(one))
  }
  const encoded = encoder.mapToDriverValue(value)
  return () => encoded
}

/** How a column's values are read; undefined where they are as they come. */
function decoder(field: unknown): ((value: unknown) => unknown) | undefined {
  const source = is(field, Column)
    ? field
    : is(field, SQL)
      ? (field as unknown as { decoder: unknown }).decoder
      : (field as { sql: { decoder: unknown } }).sql.decoder
  const { mapFromDriverValue } = source as { mapFromDriverValue(value: unknown): unknown }
  const decode = (value: unknown) => mapFromDriverValue.call(source, value)
  return ["x", 1].every((plain) => isAsItComes(decode, plain)) ? undefined : decode
}

/** Whether a plain value is read as it is; JSON does not even read every text. */
function isAsItComes(decode: (value: unknown) => unknown, plain: unknown): boolean {
  try {
    return decode(plain) === plain
  } catch {
    return false
  }
}
