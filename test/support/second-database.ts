// Creates a second site database, for tests of several databases.
import { env } from "cloudflare:workers"
import { isolate } from "./app"
import { checkedEnv } from "./checked-database"
import { recreateSchema } from "./schema"

/** Creates an empty second database unless the test already has it, and configures the Worker to use it. */
export async function makeSecondDatabase(): Promise<void> {
  const databases = "SITES_1,SITES_2"
  if (Reflect.get(isolate.env, "SITE_DATABASES") !== databases)
    await recreateSchema(env.SITES_2, env.TEST_MIGRATIONS_SITES)
  isolate.env = checkedEnv({ SITE_DATABASES: databases })
}
