// Lists every event with the schema of its payload, for the documents and for the tests, which validate all sent
// events.
import * as z from "zod"
import type { TestEvent } from "../../../src/core/write/event-types.ts"
import { appEvents } from "./apps.ts"
import { domainEvents } from "./domains.ts"
import { endpointEvents } from "./endpoints.ts"
import { buildPayload, type EventDoc } from "./event.ts"
import { licenseEvents } from "./licenses.ts"
import { orderEvents } from "./orders.ts"
import { shopEvents } from "./shop.ts"
import { storeEvents } from "./stores.ts"
import { subscriptionEvents } from "./subscriptions.ts"

export const EVENTS: Record<TestEvent, EventDoc> = {
  ...storeEvents,
  ...subscriptionEvents,
  ...domainEvents,
  ...appEvents,
  ...orderEvents,
  ...licenseEvents,
  ...endpointEvents,
  ...shopEvents,
  ping: {
    summary: "A test was sent from the console or with `POST /webhooks/{id}/test`.",
    payloadSchema: buildPayload("ping", { message: z.string(), endpoint_id: z.int() }),
  },
}
