// A shop that has every app.
import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { availableApps } from "../../src/apps/registry"
import { stores } from "../../src/db/schema/central/stores"
import { makeReadyStore } from "../support/factories"

/** Creates a store with every app; returns its id. */
export async function makeShop(): Promise<string> {
  const store = await makeReadyStore()
  const apps = availableApps.map(({ slug }) => slug)
  await drizzle(env.DB).update(stores).set({ apps }).where(eq(stores.id, store))
  return store
}
