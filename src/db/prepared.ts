// Prepares statements once per isolate. Drizzle builds a query for every request and inspects every column of every
// row; on a hot path both cost more CPU than the query itself.
import { Column, is, Param, Placeholder, SQL, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import type { CentralDatabase, SiteDatabase } from "./client"
import { inSite, limitSelects } from "./site-scope"
import type { Write } from "./write"

declare const PREPARED: unique symbol

/** A prepared read with bound parameters, for `batch` or `read`. Only `prepareRead` and `prepareSiteRead` build one. */
export interface PreparedRead<Row = unknown> {
  readonly [PREPARED]: true
  readonly sql: string
  readonly params: readonly unknown[]
  /** Maps raw values, in column order, to rows. */
  rows(found: readonly unknown[][]): Row[]
}

/**
 * A prepared write with bound parameters. `prepareWrite` returns it as a `Write`, so it can only be passed to a writer.
 */
export interface PreparedWrite {
  readonly sql: string
  readonly params: readonly unknown[]
  /** Maps the returned rows; null for a write without `returning`. */
  readonly rows: ((found: readonly unknown[][]) => unknown[]) | null
}

/** A query built by Drizzle. */
export interface Query<Row> {
  all(): Promise<Row[]>
  prepare(): unknown
}

/** Drizzle's prepared query, with members that its types do not declare. */
interface DrizzlePreparedQuery {
  getQuery(): { sql: string; params: unknown[] }
  fields?: { path: string[]; field: unknown }[]
}

/** A named parameter that every request binds: `eq(posts.siteId, param("site"))`. */
export const param = (name: string): Placeholder => sql.placeholder(name)

/** A query builder without a connection. */
const composer = drizzle({ prepare: () => null } as unknown as D1Database)

/** Builds queries of the site that the value `site` names. */
const siteComposer = limitSelects(composer, inSite(param("site"))) as SiteDatabase

/**
 * Prepares a read on first use.
 * @param compose builds the query, with `param(name)` for every bound value. Its columns are flat, or grouped by table
 *   with `aliasedColumns`
 * @returns a function that binds values
 */
export const prepareRead = <Row, Given extends object>(
  compose: (db: CentralDatabase) => Query<Row>,
): ((values: Given) => PreparedRead<Row>) => prepareOnce(() => compose(composer))

/**
 * Prepares a read of the rows of one site, which the value `site` names.
 * @param compose as for `prepareRead`; its selects are limited to the site
 */
export const prepareSiteRead = <Row, Given extends { site: string }>(
  compose: (db: SiteDatabase) => Query<Row>,
): ((values: Given) => PreparedRead<Row>) => prepareOnce(() => compose(siteComposer))

function prepareOnce<Row, Given extends object>(compose: () => Query<Row>): (values: Given) => PreparedRead<Row> {
  let known: ((values: Given) => PreparedRead<Row>) | undefined
  return (values) => {
    known ??= prepareStatement<Row, Given>(compose()) as unknown as (values: Given) => PreparedRead<Row>
    return known(values)
  }
}

/**
 * Prepares a write on first use. Like every write, it runs only in `core/write`.
 * @param compose builds the write, with `param(name)` for every bound value
 * @returns a function that binds values
 */
export function prepareWrite<Result, Given extends object>(
  compose: () => Write<Result>,
): (values: Given) => Write<Result> {
  let known: ((values: Given) => PreparedWrite) | undefined
  return (values) => {
    known ??= prepareStatement(compose() as unknown as Query<unknown>)
    return known(values) as unknown as Write<Result>
  }
}

/** Maps a result column to a property of the row. */
interface ColumnMapping {
  /** The property for its table, when rows are grouped by table. */
  table: string | null
  name: string
  decode: ((value: unknown) => unknown) | undefined
}

interface BoundStatement<Row> {
  sql: string
  params: unknown[]
  rows: ((found: readonly unknown[][]) => Row[]) | null
}

function prepareStatement<Row, Given extends object>(query: Query<Row>): (values: Given) => BoundStatement<Row> {
  const prepared = query.prepare() as DrizzlePreparedQuery
  const drafted = prepared.getQuery()
  const { sql: text, params } = inlineConstants(drafted.sql, drafted.params)
  const fill = params.map(parameterBinder)
  const mappings = prepared.fields?.map(columnMapping)
  const rows = mappings ? (found: readonly unknown[][]) => found.map((row) => mapRow(row, mappings) as Row) : null
  return (values) => ({ sql: text, params: fill.map((one) => one(values as Record<string, unknown>)), rows })
}

/** Matches string literals, quoted names, and parameters; `limit ?` and `offset ?` as one match. */
const LITERALS_AND_PARAMETERS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|(\b(?:limit|offset) )?\?/gi

/**
 * Rewrites a statement so that SQLite plans it once. SQLite plans a statement again whenever a parameter is bound that
 * can affect the plan: one compared with a partial index's column, or a bare limit or offset. Constants are therefore
 * inlined, and a limit becomes a sum.
 */
function inlineConstants(text: string, parameters: unknown[]): { sql: string; params: unknown[] } {
  const params: unknown[] = []
  let at = 0
  const sql = text.replace(LITERALS_AND_PARAMETERS, (mark, bound: string | undefined) => {
    if (!mark.endsWith("?")) return mark
    const param = parameters[at++]
    const literal = literalOf(param)
    if (literal === null) params.push(param)
    const shown = literal ?? "?"
    return bound ? `${bound}(${shown} + 0)` : shown
  })
  return { sql, params }
}

/** Returns a constant as an SQL literal; null for named parameters and for values other than text and integers. */
function literalOf(param: unknown): string | null {
  if (is(param, Placeholder) || (is(param, Param) && is(param.value, Placeholder))) return null
  const value = is(param, Param) ? param.encoder.mapToDriverValue(param.value) : param
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`
  return Number.isSafeInteger(value) ? String(value) : null
}

function columnMapping({ path, field }: { path: string[]; field: unknown }): ColumnMapping {
  const [first = "", second] = path
  const decode = decoder(field)
  if (second === undefined) return { table: null, name: first, decode }
  // D1 keys rows by bare column name, so only one of two tables' `id` would arrive.
  if (!is(field, SQL.Aliased)) throw new Error("In a prepared read of several tables, each column needs an alias")
  return { table: first, name: second, decode }
}

/** Builds a row from values in column order. */
function mapRow(values: readonly unknown[], mappings: readonly ColumnMapping[]): Record<string, unknown> {
  if (values.length !== mappings.length) throw new Error("A prepared read has two columns of the same name")
  const result: Record<string, unknown> = {}
  let table: string | null = null
  let into = result
  for (let at = 0; at < mappings.length; at += 1) {
    const mapping = mappings[at] as ColumnMapping
    const value = values[at]
    if (mapping.table !== table) {
      table = mapping.table
      into = result
      if (table !== null) {
        into = {}
        result[table] = into
      }
    }
    into[mapping.name] = mapping.decode && value !== null ? mapping.decode(value) : value
  }
  return result
}

/** Returns the function that yields a parameter's value: from the bound values, or a constant. */
function parameterBinder(param: unknown): (values: Record<string, unknown>) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name]
  if (!is(param, Param)) return () => param
  const { value, encoder } = param
  if (is(value, Placeholder)) {
    return ({ [value.name]: one }) => (one === null ? null : encoder.mapToDriverValue(one))
  }
  const encoded = encoder.mapToDriverValue(value)
  return () => encoded
}

/** Returns the decoder of a column; undefined when it returns values unchanged. */
function decoder(field: unknown): ((value: unknown) => unknown) | undefined {
  const source = is(field, Column)
    ? field
    : is(field, SQL)
      ? (field as unknown as { decoder: unknown }).decoder
      : (field as { sql: { decoder: unknown } }).sql.decoder
  const { mapFromDriverValue } = source as { mapFromDriverValue(value: unknown): unknown }
  const decode = (value: unknown) => mapFromDriverValue.call(source, value)
  return ["x", 1].every((plain) => isIdentity(decode, plain)) ? undefined : decode
}

/** Whether a decoder returns a value unchanged. A JSON decoder may throw instead. */
function isIdentity(decode: (value: unknown) => unknown, plain: unknown): boolean {
  try {
    return decode(plain) === plain
  } catch {
    return false
  }
}
