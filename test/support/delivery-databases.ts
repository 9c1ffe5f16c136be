// Creates two delivery databases, for tests of deliveries outside of the central database.
import { env } from "cloudflare:workers"
import { isolate } from "./app"
import { checkedEnv } from "./checked-database"
import { recreateSchema } from "./schema"

/** The delivery databases, by their bindings. */
export const DELIVERY_DATABASES = { WEBHOOKS_1: env.WEBHOOKS_1, WEBHOOKS_2: env.WEBHOOKS_2 }

/**
 * Creates empty delivery databases unless the test already has them, and configures the Worker to use them.
 * @param names the value of WEBHOOK_DATABASES
 */
export async function makeDeliveryDatabases(names = Object.keys(DELIVERY_DATABASES).join()): Promise<void> {
  await Promise.all(
    Object.values(DELIVERY_DATABASES).map(async (database) => {
      if (Reflect.get(isolate.env, "WEBHOOK_DATABASES")) return
      await recreateSchema(database, env.TEST_MIGRATIONS_CENTRAL)
    }),
  )
  isolate.env = checkedEnv({ WEBHOOK_DATABASES: names })
}
