// Public exports of the JavaScript client of the platform's APIs. Requires only fetch and Web Crypto.
export type { ApiClient } from "./api-client.ts"
export { type ContentClient, type ContentOptions, createContentClient } from "./content.ts"
export type * as Content from "./content-openapi.ts"
export { type ErrorCode, TenancyError, type TransportCode, type WaitCode } from "./error.ts"
export type * as Licenses from "./license-openapi.ts"
export { createLicenseClient, type LicenseClient, type LicenseOptions } from "./licenses.ts"
export type { List, Page } from "./list.ts"
export type { DomainsMeta } from "./resources/domains.ts"
export type { EventStream } from "./resources/events.ts"
export { type SignedWebhook, signWebhook } from "./sign-webhook.ts"
export { Tenancy } from "./tenancy.ts"
export type {
  ReadOptions,
  RequestInfo,
  ResponseInfo,
  RetryInfo,
  TenancyOptions,
  TransportOptions,
  WriteOptions,
} from "./transport.ts"
export type {
  AcceptedStore,
  ApiKey,
  App,
  AssignPlan,
  AuditEntry,
  CancelSubscription,
  Coupon,
  CreateApiKey,
  CreateCoupon,
  CreatedApiKey,
  CreatedWebhookEndpoint,
  CreatePlan,
  CreateStore,
  CreateWebhookEndpoint,
  Domain,
  DomainVerification,
  EventFilter,
  EventOf,
  EventPage,
  EventType,
  EventWithDeliveries,
  ListCoupons,
  ListDeliveries,
  ListedStore,
  ListPlans,
  ListStores,
  Operation,
  PageMeta,
  PageQuery,
  Plan,
  PlanTerms,
  Platform,
  RecoverWebhookEndpoint,
  RefusalCode,
  ResumeStore,
  Store,
  StoreStatus,
  StoreUsage,
  Subscription,
  SuspendStore,
  TenancyEvent,
  Timestamp,
  UpdateCoupon,
  UpdatePlan,
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
