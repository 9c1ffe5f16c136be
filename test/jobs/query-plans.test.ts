// Query plans of the statements of the scheduled jobs, and of the queued jobs that they start: D1 ends a statement
// after 30 seconds, so none reads a whole table that grows without bound.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { SCHEDULED_JOBS } from "../../src/jobs/cron"
import { makeReadyStore } from "../support/factories"
import { cronWithJobs } from "../support/jobs"
import { captureStatements } from "../support/round-trips"

/** Tables that contain only present work, or a number of rows that the platform's operators determine. */
const SMALL_TABLES = ["alerts", "endpoint_rehomings", "locks", "operators", "plans", "purges", "webhook_endpoints"]

/** Reads a limited number of rows in the order of the key. */
const isPage = (statement: string): boolean => /order by (id|"\w+"\."id" asc) limit \?/.test(statement)

async function listTables(database: D1Database): Promise<Set<string>> {
  const { results } = await database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all<{ name: string }>()
  return new Set(results.map(({ name }) => name))
}

/** Lists the tables that a statement reads without an index; null if it is about another database. */
async function listScans(database: D1Database, statement: string): Promise<string[] | null> {
  const parameters = (statement.match(/\?/g) ?? []).map(() => null)
  try {
    const { results } = await database
      .prepare(`explain query plan ${statement}`)
      .bind(...parameters)
      .all<{ detail: string }>()
    return results.flatMap(({ detail }) => /^SCAN (\w+)$/.exec(detail)?.[1] ?? [])
  } catch {
    return null
  }
}

test("reads no whole table that grows without bound", async () => {
  await makeReadyStore()
  // A tenth minute, in which the sweep looks at every endpoint.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(Date.now() - (Date.now() % 600_000) + 600_000) })
  const statements = await captureStatements(async () => {
    for (const schedule of new Set(SCHEDULED_JOBS.map((job) => job.schedule))) await cronWithJobs(schedule)
  })
  const scans: string[] = []
  let checked = 0
  for (const database of [env.DB, env.SITES_1]) {
    const tables = await listTables(database)
    for (const statement of new Set(statements.flat())) {
      // SQLite takes a quoted name that no table has for a text, so statements of the other database do not fail.
      const isOfSite = /site_id/.test(statement)
      const found = isOfSite === (database !== env.DB) ? await listScans(database, statement) : null
      if (found) checked++
      for (const table of found ?? [])
        if (tables.has(table) && !SMALL_TABLES.includes(table) && !isPage(statement))
          scans.push(`${table}: ${statement}`)
    }
  }
  expect(scans).toEqual([])
  expect(checked).toBeGreaterThan(60)
})
