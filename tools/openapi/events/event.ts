// What every event has: who it is, when it was, who did it.
import * as z from "zod"
import { AuditEntryResource } from "../../../src/platform/audit/schemas.ts"
import { StoreResource } from "../../../src/platform/stores/schemas.ts"
import { SubscriptionResource } from "../../../src/platform/subscriptions/schemas.ts"
import { sparse } from "./sparse.ts"

/** An event as the documents and the tests know it. */
export interface EventDoc {
  /** When it is sent. */
  summary: string
  payload: z.ZodType
}

const Actor = z
  .strictObject({
    type: z.enum(["api_key", "admin", "system", "customer"]),
    id: z.int().optional(),
    name: z.string(),
  })
  .meta({ id: "EventActor" })

const EventStore = sparse(StoreResource).meta({ id: "EventStore" })
export const EventSubscription = sparse(SubscriptionResource).meta({ id: "EventSubscription" })

/** `meta.log`: the entry of the trail that the event was committed with. */
export const log = { log: sparse(AuditEntryResource).meta({ id: "EventLog" }) }

/**
 * The payload of an event.
 * @param data what stands in `data`
 * @param meta what stands in `meta` beside the actor
 */
export const payload = (type: string, data: z.ZodRawShape, meta: z.ZodRawShape = {}) =>
  z.strictObject({
    id: z.string(),
    type: z.literal(type),
    created_at: z.string(),
    api_version: z.string(),
    data: z.strictObject(data),
    // `test` is there on an example that somebody asked for.
    meta: z.strictObject({ actor: Actor, ...meta, test: z.literal(true).optional() }),
  })

/** An event about a store. */
export const aboutStore = (
  type: string,
  summary: string,
  data: z.ZodRawShape = {},
  meta: z.ZodRawShape = {},
): EventDoc => ({
  summary,
  payload: payload(type, { store: EventStore, ...data }, meta),
})
