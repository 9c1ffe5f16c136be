// Public exports of the JavaScript client for the control-plane API. Requires only fetch and Web Crypto.
export { type ErrorCode, TenancyError, type TransportCode, type WaitCode } from "./error.ts"
export type { List, Page } from "./list.ts"
export type { DomainsMeta } from "./resources/domains.ts"
export type { EventStream } from "./resources/events.ts"
export { Tenancy } from "./tenancy.ts"
export type { ReadOptions, TenancyOptions, WriteOptions } from "./transport.ts"
export type {
  AcceptedStore,
  ApiKey,
  App,
  AssignPlan,
  AuditEntry,
  CancelSubscription,
  CreatedWebhookEndpoint,
  CreateStore,
  CreateWebhookEndpoint,
  Domain,
  DomainVerification,
  EventFilter,
  EventOf,
  EventPage,
  EventType,
  EventWithDeliveries,
  ListDeliveries,
  ListedStore,
  ListStores,
  Operation,
  PageMeta,
  PageQuery,
  Plan,
  PlanTerms,
  Platform,
  RecoverWebhookEndpoint,
  RefusalCode,
  Store,
  StoreStatus,
  StoreUsage,
  Subscription,
  SuspendStore,
  TenancyEvent,
  Timestamp,
  UpdateStore,
  UpdateWebhookEndpoint,
  Usage,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookRecovery,
  WebhookStats,
  WebhookSubscription,
} from "./types.ts"
export { type ReceivedWebhook, verifyWebhook, type WebhookRefusal, WebhookVerificationError } from "./verify-webhook.ts"
