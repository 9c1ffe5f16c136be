// Validates every emitted event against its schema, after each test.
import { EVENTS } from "../../tools/openapi/events/events"
import { withListedProvider } from "./card-providers/names"
import { rows } from "./rows"

/**
 * Validates the events of a test. Events that tests invent have no store and are skipped.
 * @throws Error with the payload and the first difference
 */
export async function validateEmittedEvents(): Promise<void> {
  const events = await rows(
    "select type, payload from webhook_events where store_id is not null or type like 'license.%' or type = 'ping'",
  )
  for (const [type, payload] of events.map((event) => [String(event.type), String(event.payload)] as const)) {
    const schema = Object.hasOwn(EVENTS, type) ? EVENTS[type as keyof typeof EVENTS] : undefined
    if (!schema) throw new Error(`The event ${type} has no schema`)
    const { error } = schema.payloadSchema.safeParse(JSON.parse(withListedProvider(payload)))
    if (error) throw new Error(`An event ${type} differs from its schema: ${error.message}\n${payload}`)
  }
}
