// The schema that all event payloads share: identity, time, data and actor.
import * as z from "zod"
import { documentFields, type FieldDocs, redocumentFields } from "../../../src/core/http/field-docs.ts"
import type { EventPayloads } from "../../../src/core/write/event-payloads.ts"
import type { EventType } from "../../../src/core/write/event-types.ts"
import { AuditEntryResource } from "../../../src/platform/audit/schemas.ts"
import { StoreResource } from "../../../src/platform/stores/schemas.ts"
import { SubscriptionResource } from "../../../src/platform/subscriptions/schemas.ts"
import { sparse } from "./sparse.ts"

/** An event in the documents and the tests. */
export interface EventDoc {
  /** When it is sent. */
  summary: string
  payloadSchema: z.ZodType
}

/** Documents the fields of a schema whose shape is derived at run time. */
export function documentEvent(schema: z.ZodType, docs: FieldDocs): void {
  redocumentFields(schema as z.ZodObject, docs)
}

const Actor = z
  .strictObject({
    type: z.enum(["api_key", "admin", "system", "customer"]),
    id: z.int().optional(),
    name: z.string(),
  })
  .meta({ id: "EventActor" })

documentFields(Actor, {
  type: { description: "`admin` is an operator." },
  id: { description: "Id of the API key or operator.", example: 7 },
  name: { description: "Name of the API key, operator or customer.", example: "Fulfilment" },
})

const EventStore = sparse(StoreResource).meta({ id: "EventStore" })

documentEvent(EventStore, { provisioned_at: { description: "When the store became ready; absent before." } })

export const EventSubscription = sparse(SubscriptionResource).meta({ id: "EventSubscription" })

documentEvent(EventSubscription, {
  status: { description: "Status in the subscription's life cycle.", example: "active" },
  coupon_code: { description: "Coupon that the store was created with.", omitFromExample: true },
  trial_ends_at: { description: "When the trial ends.", omitFromExample: true },
  current_period_ends_at: {
    description: "When the current billing period ends.",
    example: "2026-10-02T10:15:00+00:00",
  },
  past_due_since: { description: "Start of the grace period.", omitFromExample: true },
  suspended_at: { description: "When the subscription was suspended.", omitFromExample: true },
  cancelled_at: { description: "When the subscription was cancelled.", omitFromExample: true },
})

const EventLog = sparse(AuditEntryResource).meta({ id: "EventLog" })

documentEvent(EventLog, {
  type: { description: "What happened.", example: "assigned" },
  from_status: { description: "Status before the change.", omitFromExample: true },
  data: { description: "Details, which depend on the type.", example: { plan: "starter" } },
})

/** `meta.log`: the audit entry that was committed with the event. */
export const log = { log: EventLog }

/**
 * Builds the schema of an event's payload.
 * @param data fields of `data`
 * @param meta fields of `meta` in addition to the actor
 */
export function buildPayload(type: string, data: z.ZodRawShape, meta: z.ZodRawShape = {}) {
  const schema = z.strictObject({
    id: z.string(),
    type: z.literal(type),
    created_at: z.string(),
    api_version: z.string(),
    data: z.strictObject(data),
    meta: z.strictObject({ actor: Actor, ...meta, test: z.literal(true).optional() }),
  })
  documentFields(schema, {
    id: { description: "Id of the event, which is the same in every attempt.", example: "01K4YQZ0M8T3V6N9R2B5C7D1EF" },
    type: { description: "Event type.", example: type },
    created_at: { description: "When the event happened.", example: "2026-09-02T10:15:00+00:00" },
    api_version: { description: "API version of the payload.", example: "2026-09-02" },
    data: { description: "The resources that the event is about." },
    meta: { description: "The actor who caused the event, and other context." },
  })
  documentFields(schema.shape.meta, {
    actor: { description: "Who caused the event." },
    test: { description: "Present in test events only.", omitFromExample: true },
  })
  return schema
}

type KeyOf<T> = T extends unknown ? keyof T : never

/** A schema for each key of an event's `data`, except the given ones. */
export type DataSchemas<Type extends EventType, Except> = Record<
  Exclude<KeyOf<EventPayloads[Type]["data"]>, Except>,
  z.ZodType
>

/** The keys of an event's `meta` in addition to the actor. */
type MetaKey<Type extends EventType> =
  | (EventPayloads[Type] extends { meta: infer Meta } ? keyof Meta : never)
  | (EventPayloads[Type] extends { withLog: true } ? "log" : never)

/** Builds an event about a store. */
export const storeEvent = <Type extends EventType>(
  type: Type,
  summary: string,
  data: DataSchemas<Type, "store">,
  ...[meta]: [MetaKey<Type>] extends [never] ? [] : [Record<MetaKey<Type>, z.ZodType>]
): EventDoc => ({
  summary,
  payloadSchema: buildPayload(type, { store: EventStore, ...data }, meta),
})
