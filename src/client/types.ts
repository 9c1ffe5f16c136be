// The names by which callers know what the control plane takes and answers; their shapes are in openapi.ts, made of its document.
import type { CommonCode, Events, KeyedCode, Operations, WebhookDelivery, WebhookSubscription } from "./openapi.ts"

export type {
  ApiKey,
  App,
  AuditEntry,
  Domain,
  ListedStore,
  Plan,
  PlanTerms,
  Platform,
  Store,
  StoreUsage,
  Subscription,
  Timestamp,
  Usage,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookRecovery,
  WebhookStats,
  WebhookSubscription,
} from "./openapi.ts"

/** An operation's name: `<resource>.<verb>` of this client. */
export type Operation = keyof Operations

/** The codes that an operation's error may carry when the platform answered. */
export type RefusalCode<Name extends Operation = Operation> =
  | CommonCode
  | KeyedCode
  | Operations[Name]["code"]
  | "http_error"

/** What an operation's body is. */
export type Body<Name extends Operation> = Operations[Name]["body"]

/** What an operation's query may say. */
export type Query<Name extends Operation> = Operations[Name]["query"]

/** What an operation answers, with what stands beside the resource. */
export type Answer<Name extends Operation> = Operations[Name]["answer"]

/** The resource that an operation answers. */
export type Data<Name extends Operation> = Answer<Name> extends { data: infer Resource } ? Resource : never

export type CreateStore = Body<"stores.create">
export type UpdateStore = Body<"stores.update">
export type AssignPlan = Body<"subscriptions.assign">
export type CreateWebhookEndpoint = Body<"webhooks.create">
export type UpdateWebhookEndpoint = Body<"webhooks.update">
export type RecoverWebhookEndpoint = Body<"webhooks.recover">

/** A store that was accepted; provisioning follows. */
export type AcceptedStore = Data<"stores.create">
export type StoreStatus = Data<"stores.get">["status"]

/** A domain as it is after a look at its DNS record, and what that look found. */
export type DomainVerification = Data<"domains.verify"> & Pick<Answer<"domains.verify">, "verification_result">

/** A new endpoint with its signing secret, which is shown this once. */
export type CreatedWebhookEndpoint = Data<"webhooks.create"> & Pick<Answer<"webhooks.create">, "secret">

/** Where a list begins, and in what portions it comes. */
export type PageQuery = Query<"webhooks.list">
export type ListStores = Query<"stores.list">
export type ListDeliveries = Query<"deliveries.list">

/** The `meta` of a page. */
export type PageMeta = Answer<"stores.list">["meta"]

/** Every event's name. */
export type EventType = keyof Events

/** One event, as webhooks deliver it; its `id` is stable across retries, and tells what is to be handled once. */
export type EventOf<Type extends EventType> = Events[Type]

/** Any event; `switch (event.type)` narrows it. */
export type TenancyEvent = EventOf<EventType>

/** Which events are wanted. */
export interface EventFilter {
  /** A cursor, an event's id, or `now`; without it the oldest event that is kept. */
  after?: string
  /** Event names, `<resource>.*`, or `*`. */
  types?: WebhookSubscription[]
  /** Only events about this store. */
  store?: string
}

/** A part of the log, the oldest event first. */
export interface EventPage {
  data: TenancyEvent[]
  /** Where the next page begins, and whether there is one already. */
  meta: Answer<"events.list">["meta"]
}

/** An event with its deliveries. */
export interface EventWithDeliveries {
  event: TenancyEvent
  deliveries: WebhookDelivery[]
}
