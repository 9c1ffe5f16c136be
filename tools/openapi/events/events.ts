// Every event with its payload's schema: the documents show them, and what is emitted in a test is held to them.
import * as z from "zod"
import type { LICENSE_EVENTS, PING, SUBSCRIBABLE_EVENTS } from "../../../src/core/write/event-types.ts"
import { appEvents } from "./apps.ts"
import { domainEvents } from "./domains.ts"
import { type EventDoc, payload } from "./event.ts"
import { licenseEvents } from "./licenses.ts"
import { orderEvents } from "./orders.ts"
import { storeEvents } from "./stores.ts"
import { subscriptionEvents } from "./subscriptions.ts"

type EventType = (typeof SUBSCRIBABLE_EVENTS)[number] | (typeof LICENSE_EVENTS)[number] | typeof PING

export const EVENTS: Record<EventType, EventDoc> = {
  ...storeEvents,
  ...subscriptionEvents,
  ...domainEvents,
  ...appEvents,
  ...orderEvents,
  ...licenseEvents,
  ping: {
    summary: "The test button was pressed, or `POST /webhooks/{id}/test` called.",
    payload: payload("ping", { message: z.string(), endpoint_id: z.int() }),
  },
}
