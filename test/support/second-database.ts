// Creates a second site database, for tests of several databases.
import { env } from "cloudflare:workers"
import { isolate } from "./app"
import { checkedEnv } from "./checked-database"
import { createSchema } from "./schema"

/** Migrates the second database unless it already is, and configures the Worker to use it. */
export async function makeSecondDatabase(): Promise<void> {
  const { results } = await env.SITES_2.prepare("select 1 from sqlite_master where name = 'held_sites'").all()
  if (!results.length) await createSchema(env.SITES_2, env.TEST_MIGRATIONS_SITES)
  isolate.env = checkedEnv({ SITE_DATABASES: "SITES_1,SITES_2" })
}
