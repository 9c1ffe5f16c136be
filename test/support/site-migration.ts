// Migrates sites between databases, and reads the rows of a site.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { MINUTE } from "../../src/lib/time"
import { listCopiedTables } from "../../src/platform/site-migration/rows"
import { runSiteMigration } from "../../src/platform/site-migration/service"
import { run } from "./app"
import { makeSite, type Site, WRITES } from "./content-writes"
import { type Fault, failRoundTrips } from "./faults"
import { rows } from "./rows"
import { withoutFaults } from "./test-faults"

const DATABASES = { SITES_1: env.SITES_1, SITES_2: env.SITES_2 }
export type DatabaseName = keyof typeof DATABASES

/** Reads all rows of a site in a database, by table. */
export async function readSiteRows(
  name: DatabaseName,
  site: string,
  tables = listCopiedTables(),
): Promise<Record<string, string[]>> {
  const db = DATABASES[name]
  const results = await db.batch(
    tables.map((table) => db.prepare(`select * from "${table}" where site_id = ?`).bind(site)),
  )
  const entries = tables.map((table, index) => [
    table,
    (results[index]?.results ?? []).map((row) => JSON.stringify(row)).sort(),
  ])
  return Object.fromEntries(entries.filter(([, all]) => all?.length))
}

/** Makes a store with the rows of every content write, in the state that each write ends in. */
export const makeSiteWithData = (): Promise<Site> =>
  withoutFaults(async () => {
    const site = await makeSite()
    for (const make of Object.values(WRITES)) await (await make(site))()
    return site
  })

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && (/network connection lost/.test(error.message) || isConnectionLost(error.cause))

/** Runs all steps of a migration like the queue and the cron do. */
export async function finishMigration(
  store: string,
  decide: (statements: string[]) => Fault = () => null,
): Promise<void> {
  for (let step = 0; (await rows("select 1 from store_moves")).length; step++) {
    if (step > 20) throw new Error("the migration does not end")
    const now = new Date(Date.now() + step * 16 * MINUTE)
    vi.useFakeTimers({ toFake: ["Date"], now })
    const faults = failRoundTrips(decide)
    await run((ctx) => runSiteMigration(ctx, store)).catch((cause) => {
      if (!isConnectionLost(cause)) throw cause
    })
    faults.mockRestore()
    vi.useRealTimers()
  }
}

export const readDatabase = async (store: string) =>
  (await rows("select database from stores where id = ?", store))[0]?.database
