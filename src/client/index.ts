// The client of Tenancy's control plane. It needs nothing but what every JavaScript runtime has: fetch and Web Crypto.
export { type ErrorCode, TenancyError, type TransportCode, type WaitCode } from "./error.ts"
export type { List, Page, PageMeta } from "./list.ts"
export type { DomainsMeta } from "./resources/domains.ts"
export type { EventStream, EventWithDeliveries } from "./resources/events.ts"
export { Tenancy } from "./tenancy.ts"
export type { ReadOptions, TenancyOptions, WriteOptions } from "./transport.ts"
export type {
  AcceptedStore,
  ApiKey,
  App,
  AssignPlan,
  AuditEntry,
  CreatedWebhookEndpoint,
  CreateStore,
  CreateWebhookEndpoint,
  Domain,
  DomainVerification,
  EventFilter,
  EventOf,
  EventPage,
  EventType,
  License,
  LicenseActivation,
  ListDeliveries,
  ListedStore,
  ListStores,
  Operation,
  Order,
  PageQuery,
  Plan,
  PlanLimits,
  PlanTerms,
  Platform,
  RecoverWebhookEndpoint,
  RefusalCode,
  Store,
  StoreStatus,
  StoreUsage,
  Subscription,
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
} from "./types.ts"
export { type ReceivedWebhook, verifyWebhook, type WebhookRefusal, WebhookVerificationError } from "./verify-webhook.ts"
