// Reads whose SQL is written once an isolate. Drizzle composes a query anew for every request, and looks at every column of
// every row to find out how it is read; on a hot path both cost more CPU than the query itself.
import { Column, is, Param, Placeholder, SQL, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import type { SiteDatabase } from "./client"

/** A read with its values filled in, for `readAll`. */
export interface CompiledRead<Row> {
  readonly sql: string
  readonly params: readonly unknown[]
  /** The rows as the query's columns describe them. */
  rows(found: readonly Record<string, unknown>[]): Row[]
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
 * @param compose the query, of flat columns, with `given(name)` wherever a request's value belongs
 * @returns a function from those values to the read
 */
export function compiled<Row, Given extends object>(
  compose: (db: SiteDatabase) => Query<Row>,
): (values: Given) => CompiledRead<Row> {
  let known: ((values: Given) => CompiledRead<Row>) | undefined
  return (values) => {
    known ??= compile(compose(composer))
    return known(values)
  }
}

function compile<Row, Given extends object>(query: Query<Row>): (values: Given) => CompiledRead<Row> {
  const prepared = query.prepare() as Prepared
  const { sql: text, params } = prepared.getQuery()
  const fill = params.map(filler)
  const columns = (prepared.fields ?? []).map(({ path, field }) => {
    const [name = "", ...deeper] = path
    if (deeper.length) throw new Error("A compiled read has flat columns")
    return { name, decode: decoder(field) }
  })
  const rows = (found: readonly Record<string, unknown>[]): Row[] =>
    found.map((row) => {
      const values = Object.values(row)
      const shaped: Record<string, unknown> = {}
      for (const [index, { name, decode }] of columns.entries()) {
        const value = values[index]
        shaped[name] = decode && value !== null ? decode(value) : value
      }
      return shaped as Row
    })
  return (values) => ({ sql: text, params: fill.map((one) => one(values as Record<string, unknown>)), rows })
}

/** How one parameter gets its value: from the request, or once for all. */
function filler(param: unknown): (values: Record<string, unknown>) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name]
  if (!is(param, Param)) return () => param
  const { value, encoder } = param
  if (is(value, Placeholder)) return (values) => encoder.mapToDriverValue(values[value.name])
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
  const plain = { text: "x", number: 1 }
  const asTheyCome =
    mapFromDriverValue.call(source, plain.text) === plain.text &&
    mapFromDriverValue.call(source, plain.number) === plain.number
  return asTheyCome ? undefined : (value) => mapFromDriverValue.call(source, value)
}

/** The rows of each of several reads. */
export type CompiledAnswers<Reads extends readonly CompiledRead<unknown>[]> = {
  [Index in keyof Reads]: Reads[Index] extends CompiledRead<infer Row> ? Row[] : never
}

/**
 * Runs reads in one round trip, on one state of the database.
 * @param database a binding, or a session of one
 */
export async function readAll<const Reads extends readonly CompiledRead<unknown>[]>(
  database: Pick<D1Database, "prepare" | "batch">,
  reads: Reads,
): Promise<CompiledAnswers<Reads>> {
  if (!reads.length) return [] as unknown as CompiledAnswers<Reads>
  const results = await database.batch<Record<string, unknown>>(
    reads.map((read) => database.prepare(read.sql).bind(...read.params)),
  )
  return reads.map((read, index) => read.rows(results[index]?.results ?? [])) as CompiledAnswers<Reads>
}
