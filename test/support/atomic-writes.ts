// Asserts that a write is atomic when any of its database round trips fails before or after it takes effect. Compares
// every table of both databases, so no part of a write is missed.
import { env } from "cloudflare:workers"
import { expect } from "vitest"
import type { TestResponse } from "./app"
import type { Fault } from "./faults"
import { interceptRoundTrips, type RoundTripResult } from "./round-trips"

/** The change in the number of rows of each changed table; 0 when only values changed. */
export type RowChanges = Record<string, number>

/** Bookkeeping tables, and the two tables of the audit log and of events, which are compared as one. */
const IGNORED_TABLES = [
  ...["locks", "cron_runs", "system_metrics", "sqlite_sequence"],
  ...["audit_entries", "site_trail", "webhook_events", "site_events"],
]

/** The central counters include audit log entries that may be copied after the response. */
const IGNORED_CENTRAL_TABLES = [...IGNORED_TABLES, "counters"]

interface Table {
  rows: number
  text: string
}

const DATABASES = [
  {
    prefix: "central",
    database: () => env.DB,
    ignored: IGNORED_CENTRAL_TABLES,
    auditIds: "select coalesce(origin, id) as id from audit_entries",
    eventIds: "select id from webhook_events",
  },
  {
    prefix: "site",
    database: () => env.SITES_1,
    ignored: IGNORED_TABLES,
    auditIds: "select id from site_trail",
    eventIds: "select event_id as id from site_events",
  },
]

/** An expression for each table of a database, by its name: its number of rows, and all values. No test changes them. */
const tableExpressions = new Map<string, [name: string, expression: string][]>()

async function listTables(prefix: string, database: D1Database): Promise<[name: string, expression: string][]> {
  const known = tableExpressions.get(prefix)
  if (known) return known
  const { results } = await database
    .prepare("select name from sqlite_master where type = 'table' and sql not like 'CREATE VIRTUAL%'")
    .all<{ name: string }>()
  const names = results.map(({ name }) => name).filter((name) => !/_search(_|$)|^_cf_/.test(name))
  const columns = await database.batch<{ name: string }>(
    names.map((name) => database.prepare(`pragma table_info("${name}")`)),
  )
  const tables = names.map((name, index): [string, string] => {
    const values = concatenate((columns[index]?.results ?? []).map((column) => `quote("${column.name}")`))
    return [name, `(select count(*) || ':' || coalesce(group_concat(${values}, char(10)), '') from "${name}")`]
  })
  tableExpressions.set(prefix, tables)
  return tables
}

/** Concatenates terms with commas, as a tree, because D1 limits the depth of expressions. */
const concatenate = (terms: string[]): string =>
  terms.length < 2
    ? terms.join()
    : `(${concatenate(terms.slice(0, terms.length / 2))} || ',' || ${concatenate(terms.slice(terms.length / 2))})`

/**
 * Reads every table of both databases except `ignored`. Audit entries and events count once, whether they are still in the site
 * database, already in the central one, or in both.
 */
export async function snapshot(ignored: readonly string[] = []): Promise<Map<string, Table>> {
  const tables = new Map<string, Table>()
  const auditIds = new Set<unknown>()
  const eventIds = new Set<unknown>()
  const read = async ({
    prefix,
    database,
    ignored: ownIgnored,
    auditIds: auditSql,
    eventIds: eventSql,
  }: (typeof DATABASES)[number]) => {
    const db = database()
    const listed = (await listTables(prefix, db)).filter(([name]) => ![...ownIgnored, ...ignored].includes(name))
    // One statement for all tables: a statement for each takes three times as long.
    const columns = listed.map(([name, expression]) => `${expression} as "${name}"`)
    const [audit, events, contents] = await db.batch<Record<string, unknown>>(
      [auditSql, eventSql, `select ${columns.join()}`].map((sql) => db.prepare(sql)),
    )
    for (const { id } of audit?.results ?? []) auditIds.add(id)
    for (const { id } of events?.results ?? []) eventIds.add(id)
    for (const [name, content] of Object.entries(contents?.results[0] ?? {})) {
      const text = String(content)
      tables.set(`${prefix} ${name}`, { rows: Number.parseInt(text, 10), text })
    }
  }
  await Promise.all(DATABASES.map(read))
  tables.set("events", { rows: eventIds.size, text: "" })
  return tables.set("auditLog", { rows: auditIds.size, text: "" })
}

const EMPTY_TABLE: Table = { rows: 0, text: "" }

/** Compares two snapshots. */
export function diffSnapshots(before: Map<string, Table>, after: Map<string, Table>): RowChanges {
  const changes: RowChanges = {}
  for (const [name, table] of after) {
    const old = before.get(name) ?? EMPTY_TABLE
    if (table.rows !== old.rows || table.text !== old.text) changes[name] = table.rows - old.rows
  }
  return changes
}

const CONNECTION_LOST = "D1_ERROR: network connection lost"

/** Returns whether a statement of a round trip changed a row. A failed one throws, and changes none. */
const isChange = (result: RoundTripResult): boolean => [result].flat().some(({ meta }) => meta?.changed_db ?? true)

/**
 * Returns the faults of a round trip. Alternately it fails once, which a repetition hides, or together with all later
 * ones. One that writes also fails after it took effect; for a read it is the same whether it or its response was lost.
 */
const getFaults = (at: number, isRead: boolean): ("before" | "down" | "after")[] => [
  at % 2 ? "before" : "down",
  ...(isRead ? [] : ["after" as const]),
]

/**
 * Repeats a write with each of its round trips failing: once or together with all later ones, and those that write also
 * after they took effect.
 * @param make creates new preconditions and returns a function that sends the write
 * @param ignored tables that a failed write may change
 * @returns the row changes of the complete write
 */
export async function assertAtomicWrite(
  make: () => Promise<() => Promise<TestResponse>>,
  { ignored = [] }: { ignored?: readonly string[] } = {},
): Promise<RowChanges> {
  /** Preconditions that the last write left unchanged, for the next one. */
  let unused: { write: () => Promise<TestResponse>; before: Map<string, Table> } | undefined
  const run = async (fault: Fault | "down", at: number) => {
    const write = unused?.write ?? (await make())
    const before = unused?.before ?? (await snapshot(ignored))
    const roundTrips: { isRead: boolean }[] = []
    let hasChanged = false
    const spy = interceptRoundTrips(async (send, statements) => {
      const position = roundTrips.push({ isRead: statements.every((sql) => /^\s*select\b/i.test(sql)) }) - 1 - at
      const fails = position === 0 || (fault === "down" && position > 0)
      if (fails && (fault === "before" || fault === "down")) throw new Error(CONNECTION_LOST)
      const result = await send()
      hasChanged ||= isChange(result)
      if (fails && fault === "after") throw new Error(CONNECTION_LOST)
      return result
    })
    const { status, text } = await write().finally(() => spy.mockRestore())
    const changes = hasChanged ? diffSnapshots(before, await snapshot(ignored)) : {}
    // Rows that a failed write left in an ignored table are not preconditions.
    unused = Object.keys(changes).length || ignored.length ? undefined : { write, before }
    return { status, text, roundTrips, changes }
  }

  // The first write of its kind creates the counter rows.
  const first = await run(null, -1)
  expect(first.status, first.text).toBeLessThan(300)
  const complete = await run(null, -1)
  expect(complete.status, complete.text).toBeLessThan(300)
  const outcomes = new Set<string>()
  for (const [at, { isRead }] of complete.roundTrips.entries()) {
    for (const fault of getFaults(at, isRead)) {
      const { status, changes } = await run(fault, at)
      const isUnchanged = Object.keys(changes).length === 0
      if (!isUnchanged) expect(changes, `${fault} ${at}`).toEqual(complete.changes)
      // A successful response means a complete write; without changes the response is an error.
      if (status >= 300 || isUnchanged) expect(status, `${fault} ${at}`).toBe(503)
      outcomes.add(isUnchanged ? "nothing" : "all")
    }
  }
  expect([...outcomes].sort()).toEqual(["all", "nothing"])
  return complete.changes
}
