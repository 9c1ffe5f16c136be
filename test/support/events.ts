// Validates every emitted event against its schema, after each test.
import { env } from "cloudflare:workers"
import { EVENTS } from "../../tools/openapi/events/events"
import { withListedProvider } from "./card-providers/names"

/**
 * Validates the events of a test. Events that tests invent have no store and are skipped.
 * @throws Error with the payload and the first difference
 */
export async function validateEmittedEvents(): Promise<void> {
  const { results } = await env.DB.prepare(
    "select type, payload from webhook_events where store_id is not null or type like 'license.%' or type = 'ping'",
  ).all<{ type: string; payload: string }>()
  for (const { type, payload } of results) {
    const schema = Object.hasOwn(EVENTS, type) ? EVENTS[type as keyof typeof EVENTS] : undefined
    if (!schema) throw new Error(`The event ${type} has no schema`)
    const { error } = schema.payloadSchema.safeParse(JSON.parse(withListedProvider(payload)))
    if (error) throw new Error(`An event ${type} differs from its schema: ${error.message}\n${payload}`)
  }
}
