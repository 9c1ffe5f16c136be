// Creates stores with a subscription in any state, and reads their event payloads.
import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { subscriptions } from "../../src/db/schema/central/subscriptions"
import { makePlan, makeReadyStore } from "./factories"
import { rows } from "./rows"

/** Creates a ready store with an active subscription to a new plan, and returns its id. `values` override columns. */
export async function makeSubscribedStore(values: Partial<typeof subscriptions.$inferInsert> = {}): Promise<string> {
  const { slug } = await makePlan()
  const id = await makeReadyStore({ plan: slug })
  await setSubscription(id, values)
  return id
}

/** Overwrites columns of a store's subscription. */
export async function setSubscription(id: string, values: Partial<typeof subscriptions.$inferInsert>): Promise<void> {
  if (!Object.keys(values).length) return
  await drizzle(env.DB).update(subscriptions).set(values).where(eq(subscriptions.storeId, id))
}

/** Lists the payloads of a store's events in order, optionally only those after the event id `since`. */
export const listEventPayloads = async (id: string, since = "") =>
  (await rows("select payload from webhook_events where store_id = ? and id > ? order by rowid", id, since)).map(
    (row) => JSON.parse(String(row.payload)),
  )

/** Deletes all events, audit entries and mails, so that a test sees only its own. */
export async function clearHistory(): Promise<void> {
  await env.DB.exec("delete from webhook_events")
  await env.DB.exec("delete from audit_entries")
  await env.DB.exec("delete from mails")
}
