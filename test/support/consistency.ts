// A write under faults: whichever trip to a database fails, before it did what it was asked or after, there is all of the write or
// nothing of it. What a write comes to is found by looking at every table of both databases, so that no part of it can be forgotten.
import { env } from "cloudflare:workers"
import { expect } from "vitest"
import type { Answer } from "./app"
import { type Fault, failTrips } from "./faults"
import { rows, siteRows } from "./rows"

/** How the rows of each table that changed did: by how many there are more, and whether any is other than it was. */
export type Made = Record<string, number>

/** Tables that stand for no change of anybody's, and those of the trail, which are looked at as one. */
const LEFT_OUT = ["locks", "cron_runs", "audit_entries", "site_trail", "sqlite_sequence", "_cf_KV", "_cf_METADATA"]

/** The central totals count the entries of the trail, which may come behind the answer. */
const CENTRAL_LEFT_OUT = [...LEFT_OUT, "counters"]

interface Table {
  rows: number
  text: string
}

const DATABASES = [
  { of: "central", database: () => env.DB, leftOut: CENTRAL_LEFT_OUT },
  { of: "site", database: () => env.SITES_1, leftOut: LEFT_OUT },
]

async function tablesOf(database: D1Database, leftOut: string[]): Promise<string[]> {
  const { results } = await database
    .prepare("select name from sqlite_master where type = 'table' and sql not like 'CREATE VIRTUAL%'")
    .all<{ name: string }>()
  return results.map(({ name }) => name).filter((name) => !leftOut.includes(name) && !/_search(_|$)/.test(name))
}

/** The entries of the trail, those that wait beside their change and those that were brought over, each once. */
async function trail(): Promise<string[]> {
  const [central, waiting] = await Promise.all([
    rows("select id, origin from audit_entries order by id"),
    siteRows("select id from site_trail order by id"),
  ])
  const brought = central.map(({ id, origin }) => String(origin ?? id))
  return [...new Set([...brought, ...waiting.map(({ id }) => String(id))])]
}

/** Every table of both databases as it is now, but for `ignored`. */
export async function snapshot(ignored: readonly string[] = []): Promise<Map<string, Table>> {
  const found = new Map<string, Table>()
  for (const { of, database, leftOut } of DATABASES) {
    const db = database()
    const names = await tablesOf(db, [...leftOut, ...ignored])
    const answers = await db.batch(names.map((name) => db.prepare(`select * from "${name}"`)))
    for (const [index, name] of names.entries()) {
      const { results = [] } = answers[index] ?? {}
      found.set(`${of} ${name}`, { rows: results.length, text: JSON.stringify(results) })
    }
  }
  const entries = await trail()
  return found.set("auditLog", { rows: entries.length, text: "" })
}

const NONE: Table = { rows: 0, text: "" }

/** How two snapshots differ. */
export function difference(from: Map<string, Table>, to: Map<string, Table>): Made {
  const made: Made = {}
  for (const [name, table] of to) {
    const before = from.get(name) ?? NONE
    if (table.rows !== before.rows || table.text !== before.text) made[name] = table.rows - before.rows
  }
  return made
}

/**
 * Makes a write again and again, with each of its trips failing once before and once after.
 * @param make makes what a write is about, new each time, and answers the write
 * @param ignored tables that hold what a write leaves on its way
 * @returns what the write comes to
 */
export async function holdWhole(
  make: () => Promise<() => Promise<Answer>>,
  { ignored = [] }: { ignored?: readonly string[] } = {},
): Promise<Made> {
  const run = async (fault: Fault, at: number) => {
    const write = await make()
    const from = await snapshot(ignored)
    let trips = 0
    const spy = failTrips(() => (trips++ === at ? fault : null))
    const { status, text } = await write().finally(() => spy.mockRestore())
    return { status, text, trips, made: difference(from, await snapshot(ignored)) }
  }

  // The first write of its kind opens the rows that count it.
  await run(null, -1)
  const whole = await run(null, -1)
  expect([whole.status < 300, whole.text]).toEqual([true, whole.text])
  const seen = new Set<string>()
  for (let at = 0; at < whole.trips; at++) {
    for (const fault of ["before", "after"] as const) {
      const { status, made } = await run(fault, at)
      const isNothing = Object.keys(made).length === 0
      if (!isNothing) expect(made, `${fault} ${at}`).toEqual(whole.made)
      // What was told to be done is done; what nothing is left of was told to have failed.
      if (status < 300 || isNothing) expect(status, `${fault} ${at}`).toEqual(isNothing ? 500 : status)
      seen.add(isNothing ? "nothing" : "all")
    }
  }
  expect([...seen].sort()).toEqual(["all", "nothing"])
  return whole.made
}
