// Public type names of the control-plane API. Their shapes are generated from the OpenAPI document in openapi.ts.
import type { CommonCode, Events, KeyedCode, Operations, WebhookDelivery, WebhookSubscription } from "./openapi.ts"

export type {
  ApiKey,
  App,
  AuditEntry,
  Coupon,
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

/** Name of an operation: `<resource>.<method>` of this client. */
export type Operation = keyof Operations

/** Error codes of an operation's error responses. */
export type RefusalCode<Name extends Operation = Operation> =
  | CommonCode
  | KeyedCode
  | Operations[Name]["code"]
  | "http_error"

/** Request body of an operation. */
export type Body<Name extends Operation> = Operations[Name]["body"]

/** Query parameters of an operation. */
export type Query<Name extends Operation> = Operations[Name]["query"]

/** Response body of an operation. */
export type ResponseBody<Name extends Operation> = Operations[Name]["response"]

/** The `data` of an operation's response. */
export type Data<Name extends Operation> = ResponseBody<Name> extends { data: infer Resource } ? Resource : never

export type CreateStore = Body<"stores.create">
export type UpdateStore = Body<"stores.update">
export type CreatePlan = Body<"plans.create">
export type UpdatePlan = Body<"plans.update">
export type CreateCoupon = Body<"coupons.create">
export type UpdateCoupon = Body<"coupons.update">
export type CreateApiKey = Body<"keys.create">
export type AssignPlan = Body<"subscriptions.assign">
export type CancelSubscription = Body<"subscriptions.cancel">
export type ResumeStore = Body<"stores.resume">
export type SuspendStore = Body<"stores.suspend">
export type CreateWebhookEndpoint = Body<"webhooks.create">
export type UpdateWebhookEndpoint = Body<"webhooks.update">
export type RecoverWebhookEndpoint = Body<"webhooks.recover">

/** A new store whose provisioning is in progress. */
export type AcceptedStore = Data<"stores.create">
export type StoreStatus = Data<"stores.get">["status"]

/** A domain after a check of its DNS record, with the result of that check. */
export type DomainVerification = Data<"domains.verify"> & Pick<ResponseBody<"domains.verify">, "verification_result">

/** A new endpoint with its signing secret, which is only returned once. */
export type CreatedWebhookEndpoint = Data<"webhooks.create"> & Pick<ResponseBody<"webhooks.create">, "secret">

/** A new API key with its plaintext, which is only returned once. */
export type CreatedApiKey = Data<"keys.create"> & Pick<ResponseBody<"keys.create">, "key">

/** Page number and page size of a list. */
export type PageQuery = Query<"webhooks.list">
export type ListPlans = Omit<Query<"plans.list">, "include_inactive"> & { include_inactive?: boolean }
export type ListCoupons = Query<"coupons.list">
export type ListStores = Query<"stores.list">
export type ListDeliveries = Query<"deliveries.list">

/** The `meta` of a page. */
export type PageMeta = ResponseBody<"stores.list">["meta"]

/** Event types. */
export type EventType = keyof Events

/** An event as webhooks deliver it. Its `id` is stable across retries, so it identifies duplicates. */
export type EventOf<Type extends EventType> = Events[Type]

/** Any event; `switch (event.type)` narrows it. */
export type TenancyEvent = EventOf<EventType>

/** Selects events. */
export interface EventFilter {
  /** A cursor, an event ID, or `now`; defaults to the oldest retained event. */
  after?: string
  /** Event names, `<resource>.*`, or `*`. */
  types?: WebhookSubscription[]
  /** Only events about this store. */
  store?: string
}

/** A page of the event log, oldest first. */
export interface EventPage {
  data: TenancyEvent[]
  /** Cursor of the next page, and whether more events exist. */
  meta: ResponseBody<"events.list">["meta"]
}

/** An event with its deliveries. */
export interface EventWithDeliveries {
  event: TenancyEvent
  deliveries: WebhookDelivery[]
}
