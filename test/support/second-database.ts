// Creates a second site database, for tests of several databases.
import { env } from "cloudflare:workers"
import { isolate } from "./app"
import { checkedEnv } from "./checked-database"

/** Migrates the second database unless it already is, and configures the Worker to use it. */
export async function makeSecondDatabase(): Promise<void> {
  const { results } = await env.SITES_2.prepare("select 1 from sqlite_master where name = 'held_sites'").all()
  if (!results.length) {
    const statements = env.TEST_MIGRATIONS_SITES.flatMap(({ queries }) => queries)
    await env.SITES_2.batch(statements.map((statement) => env.SITES_2.prepare(statement)))
  }
  isolate.env = checkedEnv({ SITE_DATABASES: "SITES_1,SITES_2" })
}
