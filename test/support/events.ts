// What was emitted is held to its event's schema, after every test.
import { env } from "cloudflare:workers"
import { EVENTS } from "../../tools/openapi/events/events"

/**
 * Holds the events of a test to what the document says of them. Those that tests make up are about no store.
 * @throws Error that says which payload differs, and where
 */
export async function holdEvents(): Promise<void> {
  const { results } = await env.DB.prepare(
    "select type, payload from webhook_events where store_id is not null or type like 'license.%' or type = 'ping'",
  ).all<{ type: string; payload: string }>()
  for (const { type, payload } of results) {
    const known = Object.hasOwn(EVENTS, type) ? EVENTS[type as keyof typeof EVENTS] : undefined
    if (!known) throw new Error(`The event ${type} has no schema`)
    const { error } = known.payload.safeParse(JSON.parse(payload))
    if (error) throw new Error(`An event ${type} differs from its schema: ${error.message}\n${payload}`)
  }
}
