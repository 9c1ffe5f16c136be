// Creates a second site database, for tests of several databases.
import { env } from "cloudflare:workers"
import { isolate } from "./app"
import { checkedEnv } from "./checked-database"
import { createSchema, dropTables } from "./schema"

/**
 * Creates an empty second database unless the test already has it, and configures the Worker to use it. `reset` may have
 * missed the database of an earlier test, which hibernated.
 */
export async function makeSecondDatabase(): Promise<void> {
  const databases = "SITES_1,SITES_2"
  if (Reflect.get(isolate.env, "SITE_DATABASES") !== databases) {
    await dropTables(env.SITES_2)
    await createSchema(env.SITES_2, env.TEST_MIGRATIONS_SITES)
  }
  isolate.env = checkedEnv({ SITE_DATABASES: databases })
}
