// What the control plane takes, answers, refuses with and sends: the shapes of API version 2026-09-02. Additive fields are no
// change of version, so answers may hold more than is named here.

/** ISO 8601 with an offset, whole seconds: `2026-09-02T10:15:00+00:00`. */
export type Timestamp = string

export interface Platform {
  api_version: string
  /** Days from a failed payment to the suspension. */
  grace_days: number
  /** Days from a cancellation to the purge. */
  retention_days: number
  central_domain: string
  features: Record<string, { label: string; description: string; default: boolean; column: string }>
  webhook_events: string[]
  license_events: string[]
}

export interface ApiKey {
  id: number
  name: string
  key_prefix: string
  scopes: ("read" | "write")[]
  is_usable: boolean
  created_by_name: string
  last_used_at: Timestamp | null
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
  created_at: Timestamp
}

/** What a plan allows; 0 is unlimited. */
export interface PlanLimits {
  products: number
  orders: number
  storage_mb: number
  staff_users: number
}

export interface Plan {
  id: number
  slug: string
  name: string
  description: string
  price_cents: number
  currency: string
  interval: "month" | "year"
  trial_days: number
  limits: PlanLimits
  features: Record<string, boolean>
  allows_custom_domain: boolean
  is_active: boolean
  sort_order: number
}

/** A plan as it was when a subscription took it. */
export interface PlanTerms {
  id: number
  slug: string
  name: string
  price_cents: number
  currency: string
  interval: "month" | "year"
  trial_days: number
  limits: PlanLimits
  features: Record<string, boolean>
  allows_custom_domain: boolean
  taken_at: Timestamp
}

export type StoreStatus = "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"

export interface Usage {
  /** The month that orders are counted in, `2026-09`. */
  period: string
  products: number
  orders: number
  storage_bytes: number
  staff_users: number
  collected_at: Timestamp
}

/** A store in a list; its usage only with `include: "usage"`. */
export interface ListedStore {
  id: string
  name: string
  status: StoreStatus
  /** What a visitor gets now. */
  access_state: "serving" | "preparing" | "suspended" | "unavailable"
  theme: string
  preset: string
  owner_email: string
  root_url: string
  provisioned_at: Timestamp | null
  created_at: Timestamp
  updated_at: Timestamp
  billing_provider: "stripe" | "local" | "none"
  usage?: Usage
}

export interface Store extends Omit<ListedStore, "usage"> {
  usage: Usage
  subscription: Subscription | null
}

/** A store that was accepted; provisioning follows. */
export interface AcceptedStore {
  id: string
  status: StoreStatus
  access_state: ListedStore["access_state"]
}

export interface StoreUsage {
  store_id: string
  period: string
  /** Whether it was counted for this answer. */
  live: boolean
  usage: Usage
}

export interface Subscription {
  status: "trialing" | "active" | "past_due" | "suspended" | "cancelled"
  plan: PlanTerms | null
  coupon_code: string | null
  trial_ends_at: Timestamp | null
  current_period_ends_at: Timestamp | null
  past_due_since: Timestamp | null
  suspended_at: Timestamp | null
  cancelled_at: Timestamp | null
  created_at: Timestamp
  updated_at: Timestamp
  allowed_actions: string[]
}

export interface AuditEntry {
  id: number
  type: string
  from_status: string | null
  to_status: string | null
  data: Record<string, unknown>
  actor: { type: string; id: number | null; name: string }
  created_at: Timestamp
}

export interface Domain {
  id: number
  domain: string
  tenant_id: string
  is_primary: boolean
  is_fallback: boolean
  is_custom: boolean
  verified_at: Timestamp | null
  is_routable: boolean
  created_at: Timestamp
  /** How to prove it, while that is still to be done. */
  verification?: { txt_name: string; txt_value: string; cname_target: string }
}

export interface DomainVerification {
  id: number
  verified_at: Timestamp | null
  is_routable: boolean
  verification_result: {
    verified: boolean
    method: "txt"
    reason: "record_not_found" | "value_mismatch" | "dns_error" | null
  }
}

export interface App {
  slug: string
  name: string
  enabled: boolean
  required_by: string[]
}

export interface WebhookEndpoint {
  id: number
  url: string
  events: string[]
  description: string | null
  /** Only events about these stores; null for all, and for those about none. */
  stores: string[] | null
  /** The operator's switch. */
  is_active: boolean
  /** False while a run of failures keeps it switched off. */
  is_receiving: boolean
  consecutive_failures: number
  disabled_at: Timestamp | null
  last_success_at: Timestamp | null
  last_failure_at: Timestamp | null
  /** While a rotation's grace runs, both secrets sign. */
  previous_secret_valid_until: Timestamp | null
  /** The last recovery, done once `done` and `failed` make `queued`; null when there was none. */
  recovery: WebhookRecovery | null
  created_by_name: string
  created_at: Timestamp
  updated_at: Timestamp
}

/** A new endpoint with its signing secret, which is shown this once. */
export interface CreatedWebhookEndpoint {
  id: number
  url: string
  secret: string
}

export interface WebhookDelivery {
  id: number
  endpoint_id: number
  event_id: string
  event: string
  tenant_id: string | null
  attempt: number
  status: "pending" | "delivered" | "failed" | "exhausted"
  response_status: number | null
  response_excerpt: string | null
  error: string | null
  next_attempt_at: Timestamp | null
  delivered_at: Timestamp | null
  created_at: Timestamp
  updated_at: Timestamp
  /** With `include: "payload"`, and on a retry. */
  payload?: Record<string, unknown>
}

/** How far a recovery is. */
export interface WebhookRecovery {
  queued: number
  done: number
  failed: number
  since: Timestamp
  until: Timestamp
}

export interface RecoverWebhookEndpoint {
  since: Timestamp
  /** Now unless said otherwise. */
  until?: Timestamp | null
  /** Event names, `<resource>.*`, or `*`; all unless said otherwise. */
  events?: string[] | null
  /** What failed, what the endpoint listens to and has no delivery of, or both. */
  mode: "failed" | "missed" | "all"
}

/** One attempt of a delivery. */
export interface WebhookAttempt {
  number: number
  kind: "first" | "retry" | "manual"
  started_at: Timestamp
  duration_ms: number
  response_status: number | null
  error: string | null
}

/** What an endpoint's attempts came to. */
export interface WebhookStats {
  attempts: number
  delivered: number
  failed: number
  /** Attempts by the class of the answer's status. */
  statuses: { "2xx": number; "3xx": number; "4xx": number; "5xx": number; none: number }
  /** Latencies that so many of a hundred attempts did not exceed; null without attempts. */
  latency_ms: { p50: number | null; p95: number | null; p99: number | null }
  /** One an hour, the oldest first. */
  buckets: { hour: Timestamp; attempts: number; delivered: number; failed: number }[]
}

export interface CreateStore {
  subdomain: string
  name: string
  owner_email: string
  /** The store administrator's, at least 8 characters. */
  password: string
  theme?: string | null
  preset?: string | null
  /** A plan's slug; without one the store is not billed. */
  plan?: string | null
  trial_days?: number | null
}

export interface UpdateStore {
  name?: string
  owner_email?: string
  theme?: string
}

export interface AssignPlan {
  plan: string
  trial_days?: number | null
}

export interface CreateWebhookEndpoint {
  /** HTTPS, on a public address. */
  url: string
  /** Event names, `<resource>.*`, or `*`. */
  events: string[]
  description?: string | null
  /** Only events about these stores, at most 100. */
  stores?: string[] | null
}

export interface UpdateWebhookEndpoint {
  url?: string
  events?: string[]
  description?: string | null
  /** Null lifts the filter. */
  stores?: string[] | null
  /** True also switches on again what a run of failures switched off. */
  is_active?: boolean
}

/** Where a list begins, and in what portions it comes. */
export interface PageQuery {
  page?: number
  per_page?: number
}

export interface ListStores extends PageQuery {
  status?: StoreStatus
  /** Any part of the name, subdomain or owner's e-mail. */
  q?: string
  include?: "usage"
}

export interface ListDeliveries extends PageQuery {
  status?: WebhookDelivery["status"]
  event?: string
  include?: "payload"
}

/** Which events are wanted. */
export interface EventFilter {
  /** A cursor, an event's id, or `now`; without it the oldest event that is kept. */
  after?: string
  /** Event names, `<resource>.*`, or `*`. */
  types?: string[]
  /** Only events about this store. */
  store?: string
}

export interface EventPage {
  data: TenancyEvent[]
  meta: {
    /** Where the next page begins. */
    next_cursor: string
    has_more: boolean
  }
}

/** What every operation may refuse with. */
export const COMMON_CODES = [
  "api_disabled",
  "rate_limited",
  "unauthenticated",
  "invalid_key",
  "key_revoked",
  "key_expired",
  "insufficient_scope",
  "http_error",
  "server_error",
] as const

/** What a write may refuse with because of its Idempotency-Key. */
export const KEYED_CODES = ["idempotency_mismatch", "idempotency_in_progress", "validation_failed"] as const

/** What each operation may refuse with beside those. */
export const CODES = {
  "platform.get": [],
  "me.get": [],
  "plans.list": ["validation_failed"],
  "plans.get": ["not_found"],
  "stores.list": ["validation_failed"],
  "stores.create": ["validation_failed", "subdomain_reserved", "subdomain_taken", "plan_unavailable"],
  "stores.get": ["not_found"],
  "stores.update": [
    "validation_failed",
    "not_found",
    "theme_unavailable",
    "theme_not_entitled",
    "theme_requirement_not_entitled",
    "store_unavailable",
  ],
  "stores.delete": ["validation_failed", "not_found", "confirm_mismatch", "still_provisioning"],
  "stores.suspend": ["not_found", "not_provisioned", "illegal_transition"],
  "stores.resume": ["not_found", "not_provisioned", "illegal_transition"],
  "stores.cancel": ["not_found", "no_subscription", "stripe_managed", "illegal_transition"],
  "stores.setTheme": [
    "validation_failed",
    "not_found",
    "theme_unavailable",
    "theme_not_entitled",
    "theme_requirement_not_entitled",
    "store_unavailable",
  ],
  "subscriptions.get": ["not_found", "no_subscription"],
  "subscriptions.assign": [
    "validation_failed",
    "not_found",
    "stripe_managed",
    "not_provisioned",
    "illegal_transition",
    "plan_unavailable",
  ],
  "subscriptions.changePlan": [
    "validation_failed",
    "not_found",
    "no_subscription",
    "stripe_managed",
    "illegal_transition",
    "no_plan",
    "same_plan",
    "usage_unavailable",
    "plan_too_small",
    "plan_unavailable",
  ],
  "subscriptions.extend": [
    "validation_failed",
    "not_found",
    "no_subscription",
    "stripe_managed",
    "illegal_transition",
    "no_plan",
  ],
  "subscriptions.reactivate": ["not_found", "no_subscription", "stripe_managed", "illegal_transition", "no_plan"],
  "subscriptions.cancel": ["not_found", "no_subscription", "stripe_managed", "illegal_transition"],
  "usage.get": ["validation_failed", "not_found", "usage_unavailable"],
  "audit.list": ["validation_failed", "not_found"],
  "domains.list": ["not_found"],
  "domains.create": ["validation_failed", "not_found", "plan_upgrade_required", "limit_reached", "already_taken"],
  "domains.verify": ["not_found"],
  "domains.makePrimary": ["not_found", "verify_first"],
  "domains.delete": ["not_found", "not_removable"],
  "apps.list": ["not_found", "store_unavailable"],
  "apps.enable": ["not_found", "store_unavailable", "not_entitled", "requirement_not_entitled"],
  "apps.disable": ["not_found", "store_unavailable", "still_required"],
  "webhooks.list": ["validation_failed"],
  "webhooks.create": ["validation_failed"],
  "webhooks.get": ["not_found"],
  "webhooks.update": ["validation_failed", "not_found"],
  "webhooks.delete": ["not_found"],
  "webhooks.rotateSecret": ["validation_failed", "not_found"],
  "webhooks.test": ["validation_failed", "not_found"],
  "webhooks.recover": ["validation_failed", "not_found", "recovery_running"],
  "webhooks.stats": ["validation_failed", "not_found"],
  "deliveries.list": ["validation_failed", "not_found"],
  "deliveries.get": ["validation_failed", "not_found"],
  "deliveries.attempts": ["not_found"],
  "events.list": ["validation_failed", "cursor_expired"],
  "events.get": ["not_found"],
  "deliveries.retry": ["not_found", "delivery_not_retryable"],
} as const

/** An operation's name: `<resource>.<verb>` of this client. */
export type Operation = keyof typeof CODES

/** The codes that an operation's error may carry when the platform answered. */
export type RefusalCode<Name extends Operation = Operation> =
  | (typeof COMMON_CODES)[number]
  | (typeof KEYED_CODES)[number]
  | (typeof CODES)[Name][number]

/** A value as an event carries it: what is null is left out. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? Sent<Item>[]
  : Value extends object
    ? { [Key in keyof Value as null extends Value[Key] ? never : Key]: Sent<Value[Key]> } & {
        [Key in keyof Value as null extends Value[Key] ? Key : never]?: Sent<NonNullable<Value[Key]>>
      }
    : Value

/** A bank-transfer order. */
export interface Order {
  reference: string
  status: string
  plan: string
  amount_cents: number
  currency: string
  note: string | null
  reason: string | null
  number: string | null
  created_at: Timestamp
  paid_at: Timestamp | null
}

export interface LicenseActivation {
  id?: number
  domain: string | null
  ip: string | null
  client_name: string | null
  activated_at: Timestamp
}

/** A license of the license manager, as its internal API shows it. */
export interface License {
  id: number
  product_reference_id: string
  license_code: string
  type: string
  is_valid: boolean
  customer_id: string | null
  email: string | null
  expires_at: Timestamp | null
  updates_until: Timestamp | null
  support_until: Timestamp | null
}

interface OfStore {
  store: Store
}

interface OfSubscription extends OfStore {
  subscription: Subscription
}

interface OfDomain extends OfStore {
  domain: Domain
}

interface OfOrder extends OfStore {
  order: Order
}

interface OfLicense {
  license: License
}

/** What each event's `data` holds, before what is null is left out. */
interface EventData {
  "store.created": OfStore
  "store.ready": OfStore & {
    provisioning: { preset: string; theme: string; apps: string[]; plugin_migration_paths: number }
  }
  "store.provisioning_failed": OfStore & { error: { message: string; class: string } }
  "store.updated": OfStore & { changes: Record<string, { from: string; to: string }> }
  "store.theme_changed": OfStore & { theme: { from: string; to: string } }
  "store.suspended": OfStore & { subscription: Subscription | null }
  "store.resumed": OfStore & { subscription: Subscription | null }
  "store.cancelled": OfSubscription & { retention_days: number }
  "store.deleted": OfStore & { subscription: Subscription | null }
  "subscription.assigned": OfSubscription
  "subscription.plan_changed": OfSubscription
  "subscription.extended": OfSubscription
  "subscription.activated": OfSubscription
  "subscription.past_due": OfSubscription
  "subscription.suspended": OfSubscription
  "subscription.cancelled": OfSubscription
  "subscription.reactivated": OfSubscription
  "subscription.trial_ending": OfSubscription & { trial: { ends_at: Timestamp; days_left: number } }
  "domain.added": OfDomain
  "domain.verified": OfDomain
  "domain.primary_changed": OfDomain & { previous_primary: string | null }
  "domain.removed": OfDomain
  "app.enabled": OfStore & { app: { slug: string } }
  "app.disabled": OfStore & { app: { slug: string } }
  "order.requested": OfOrder
  "order.paid": OfOrder & OfSubscription
  "order.rejected": OfOrder
  "license.expiring": OfLicense
  "license.expired": OfLicense
  "license.update_support_expired": OfLicense
  "license.activated": OfLicense & { activation: LicenseActivation }
  "license.deactivated": OfLicense & { activation?: LicenseActivation; activations?: number }
  "license.blocked": OfLicense
  ping: { message: string; endpoint_id: number }
}

/** Every event's name. */
export type EventType = keyof EventData

interface EventMeta {
  actor: { type: "api_key" | "admin" | "system" | "customer"; id?: number; name: string }
  /** The audit entry that the event was committed with. */
  log?: Sent<AuditEntry>
  /** Of `store.created`: who asked for it. */
  source?: string
  /** Of `store.deleted`. */
  reason?: "api" | "console" | "retention"
  /** True of an example that was sent on purpose. */
  test?: boolean
}

/** One event, as webhooks deliver it. */
export interface EventOf<Type extends EventType> {
  /** Stable across retries: what is to be handled once is told by it. */
  id: string
  type: Type
  created_at: Timestamp
  api_version: string
  data: Sent<EventData[Type]>
  meta: EventMeta
}

/** Any event; `switch (event.type)` narrows it. */
export type TenancyEvent = { [Type in EventType]: EventOf<Type> }[EventType]
