// Stores with a subscription in any state, and what was said about them.
import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { subscriptions } from "../../src/db/schema/central/subscriptions"
import { makePlan, makeReadyStore } from "./factories"
import { rows } from "./rows"

/** A ready store's id; its subscription is active on a plan of its own unless the values say otherwise. */
export async function makeSubscribed(values: Partial<typeof subscriptions.$inferInsert> = {}): Promise<string> {
  const { slug } = await makePlan()
  const id = await makeReadyStore({ plan: slug })
  await setSubscription(id, values)
  return id
}

/** Puts a store's subscription where a test wants it. */
export async function setSubscription(id: string, values: Partial<typeof subscriptions.$inferInsert>): Promise<void> {
  if (!Object.keys(values).length) return
  await drizzle(env.DB).update(subscriptions).set(values).where(eq(subscriptions.storeId, id))
}

/** The payloads of what was said of a store since, in order; of all that was ever said when `since` is absent. */
export const payloadsOf = async (id: string, since = "") =>
  (await rows("select payload from webhook_events where store_id = ? and id > ? order by rowid", id, since)).map(
    (row) => JSON.parse(String(row.payload)),
  )

/** Forgets all events, audit entries and mails so far, so that a test sees its own only. */
export async function forgetHistory(): Promise<void> {
  await env.DB.exec("delete from webhook_events")
  await env.DB.exec("delete from audit_entries")
  await env.DB.exec("delete from mails")
}
