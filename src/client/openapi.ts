// Made by `npm run docs` of openapi/platform.json: what each operation takes, answers and refuses with, and what each event holds.
// Additive fields are no change of the API's version, so answers may hold more than is named here.

/** ISO 8601 with an offset, whole seconds: `2026-09-02T10:15:00+00:00`. */
export type Timestamp = string

export interface ApiKey {
  id: number
  name: string
  /** The visible beginning of the key. */
  key_prefix: string
  scopes: ("read" | "write")[]
  /** Neither revoked nor expired. */
  is_usable: boolean
  /** Who issued it. */
  created_by_name: string
  /** To the minute. */
  last_used_at: Timestamp | null
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
  /** When it was made. */
  created_at: Timestamp
}

export interface App {
  slug: string
  name: string
  enabled: boolean
  /** Slugs of installed apps that cannot be without it. */
  required_by: string[]
}

export interface AuditEntry {
  id: number
  /** What happened. */
  type: string
  from_status: string | null
  to_status: string | null
  /** What there is to say of it. */
  data: Record<string, unknown>
  /** Who did it. */
  actor: {
    /** What happened. */
    type: string
    id: number | null
    name: string
  }
  /** When it was made. */
  created_at: Timestamp
}

export interface Domain {
  id: number
  /** The host name, in lower case; other scripts in their ASCII form. */
  domain: string
  /** The store's id. */
  tenant_id: string
  /** The one that the store's root URL names. */
  is_primary: boolean
  /** The platform's own host for the store, which cannot be removed. */
  is_fallback: boolean
  /** Attached by somebody. */
  is_custom: boolean
  verified_at: Timestamp | null
  /** Whether the store answers on it. */
  is_routable: boolean
  /** When it was made. */
  created_at: Timestamp
  /** The records to set; there while the domain is custom and not verified. */
  verification?: {
    /** Name of the TXT record that proves it. */
    txt_name: string
    /** Value of the TXT record. */
    txt_value: string
    /** Where the domain's CNAME points. */
    cname_target: string
  }
}

export interface Event {
  id: string
  type: string
  /** When it was made. */
  created_at: Timestamp
  api_version: string
  data: Record<string, unknown>
  meta: Record<string, unknown>
}

export interface EventActivation {
  id?: number
  /** The host name, in lower case; other scripts in their ASCII form. */
  domain?: string
  ip?: string
  /** The customer, where the license names one. */
  client_name?: string
  activated_at?: Timestamp
}

export interface EventActor {
  type: "api_key" | "admin" | "system" | "customer"
  id?: number
  name: string
}

export interface EventDomain {
  id: number
  /** The host name, in lower case; other scripts in their ASCII form. */
  domain: string
  /** The store's id. */
  tenant_id: string
  /** The one that the store's root URL names. */
  is_primary: boolean
  /** The platform's own host for the store, which cannot be removed. */
  is_fallback: boolean
  /** Attached by somebody. */
  is_custom: boolean
  verified_at?: Timestamp
  /** Whether the store answers on it. */
  is_routable: boolean
  /** When it was made. */
  created_at: Timestamp
  /** The records to set; there while the domain is custom and not verified. */
  verification?: {
    /** Name of the TXT record that proves it. */
    txt_name: string
    /** Value of the TXT record. */
    txt_value: string
    /** Where the domain's CNAME points. */
    cname_target: string
  }
}

export interface EventLicense {
  id: number
  product_reference_id: string
  license_code: string
  type: string
  is_envato: boolean
  is_marketplace: boolean
  invoice?: string
  /** The customer's name. */
  customer_id?: string
  email?: string
  comments?: string
  /** Addresses it may be used from; `10.0.0.*` matches the last part. */
  ips: string[]
  /** Where it may be used; `*.` matches any depth below. */
  domains: string[]
  support_until?: Timestamp
  /** Versions released later are not served. */
  updates_until?: Timestamp
  expires_at?: Timestamp
  /** Days from the first activation. */
  expiry_days?: number
  /** Kept for the vendor's books. */
  uses?: number
  /** How many activations at a time; null is unlimited. */
  parallel_uses?: number
  /** False while it is blocked. */
  is_valid: boolean
  active_activations_count: number
  activations_count: number
  /** When it was made. */
  created_at?: Timestamp
  /** When it last changed. */
  updated_at?: Timestamp
}

export interface EventLog {
  id: number
  type: string
  from_status?: string
  to_status?: string
  data: Record<string, unknown>
  /** Who did it. */
  actor: {
    type: string
    id?: number
    name: string
  }
  /** When it was made. */
  created_at: Timestamp
}

export interface EventOrder {
  reference: string
  /** Its state. */
  status: "pending" | "paid" | "rejected" | "withdrawn"
  /** Slug of a plan that is on sale. */
  plan: string
  amount_cents: number
  /** ISO 4217. */
  currency: string
  note?: string
  reason?: string
  number?: string
  /** When it was made. */
  created_at: Timestamp
  paid_at?: Timestamp
}

export interface EventStore {
  id: string
  name: string
  /** Its state. */
  status: "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"
  /** What a visitor gets now. */
  access_state: "serving" | "preparing" | "suspended" | "unavailable"
  /** Slug of the theme. */
  theme: string
  /** A variant of the theme. */
  preset: string
  /** The owner's address, and the administrator's login. */
  owner_email: string
  /** Where the store's front page is. */
  root_url: string
  /** Null until the store is ready. */
  provisioned_at?: Timestamp
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
  /** Who moves the subscription: the payment provider, operators, or nobody. */
  billing_provider: "stripe" | "local" | "none"
  /** As last counted. */
  usage: {
    /** The month that orders are counted in. */
    period: string
    products: number
    /** In the period. */
    orders: number
    /** Bytes of its files. */
    storage_bytes: number
    /** Users who are staff. */
    staff_users: number
    /** When it was counted. */
    collected_at: Timestamp
  }
  subscription?: {
    /** Its state. */
    status: "trialing" | "active" | "past_due" | "suspended" | "cancelled"
    /** Slug of a plan that is on sale. */
    plan?: {
      id: number
      slug: string
      name: string
      /** In the currency's smallest unit: cents of a euro, whole yen. */
      price_cents: number
      /** ISO 4217. */
      currency: string
      /** How long a period is. */
      interval: "month" | "year"
      /** Days of trial before the first period. */
      trial_days: number
      /** What the plan allows; 0 is unlimited. */
      limits: {
        products: number
        /** In the period. */
        orders: number
        storage_mb: number
        /** Users who are staff. */
        staff_users: number
      }
      /** Whether the plan has a feature, by its key. */
      features: Record<string, boolean>
      /** Whether stores may attach domains of their own. */
      allows_custom_domain: boolean
      /** When these terms were frozen. */
      taken_at: Timestamp
    }
    /** The coupon it began with. */
    coupon_code?: string
    trial_ends_at?: Timestamp
    current_period_ends_at?: Timestamp
    /** When a payment first failed. */
    past_due_since?: Timestamp
    suspended_at?: Timestamp
    cancelled_at?: Timestamp
    /** When it was made. */
    created_at: Timestamp
    /** When it last changed. */
    updated_at: Timestamp
    /** What is legal now. */
    allowed_actions: string[]
  }
}

export interface EventSubscription {
  /** Its state. */
  status: "trialing" | "active" | "past_due" | "suspended" | "cancelled"
  /** Slug of a plan that is on sale. */
  plan?: {
    id: number
    slug: string
    name: string
    /** In the currency's smallest unit: cents of a euro, whole yen. */
    price_cents: number
    /** ISO 4217. */
    currency: string
    /** How long a period is. */
    interval: "month" | "year"
    /** Days of trial before the first period. */
    trial_days: number
    /** What the plan allows; 0 is unlimited. */
    limits: {
      products: number
      /** In the period. */
      orders: number
      storage_mb: number
      /** Users who are staff. */
      staff_users: number
    }
    /** Whether the plan has a feature, by its key. */
    features: Record<string, boolean>
    /** Whether stores may attach domains of their own. */
    allows_custom_domain: boolean
    /** When these terms were frozen. */
    taken_at: Timestamp
  }
  /** The coupon it began with. */
  coupon_code?: string
  trial_ends_at?: Timestamp
  current_period_ends_at?: Timestamp
  /** When a payment first failed. */
  past_due_since?: Timestamp
  suspended_at?: Timestamp
  cancelled_at?: Timestamp
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
  /** What is legal now. */
  allowed_actions: string[]
}

export interface ListedStore {
  /** Its subdomain, for good. */
  id: string
  name: string
  /** Its state. */
  status: "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"
  /** What a visitor gets now. */
  access_state: "serving" | "preparing" | "suspended" | "unavailable"
  /** Slug of the theme. */
  theme: string
  /** A variant of the theme. */
  preset: string
  /** The owner's address, and the administrator's login. */
  owner_email: string
  /** Where the store's front page is. */
  root_url: string
  /** Null until the store is ready. */
  provisioned_at: Timestamp | null
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
  /** Who moves the subscription: the payment provider, operators, or nobody. */
  billing_provider: "stripe" | "local" | "none"
  /** As last counted. */
  usage?: Usage
}

export interface Plan {
  id: number
  slug: string
  name: string
  /** A note for people. */
  description: string
  /** In the currency's smallest unit: cents of a euro, whole yen. */
  price_cents: number
  /** ISO 4217. */
  currency: string
  /** How long a period is. */
  interval: "month" | "year"
  /** Days of trial before the first period. */
  trial_days: number
  /** What the plan allows; 0 is unlimited. */
  limits: {
    products: number
    /** In the period. */
    orders: number
    storage_mb: number
    /** Users who are staff. */
    staff_users: number
  }
  /** Whether the plan has a feature, by its key. */
  features: Record<string, boolean>
  /** Whether stores may attach domains of their own. */
  allows_custom_domain: boolean
  /** Whether it is on sale. */
  is_active: boolean
  /** Its place in lists. */
  sort_order: number
}

export interface PlanTerms {
  id: number
  slug: string
  name: string
  /** In the currency's smallest unit: cents of a euro, whole yen. */
  price_cents: number
  /** ISO 4217. */
  currency: string
  /** How long a period is. */
  interval: "month" | "year"
  /** Days of trial before the first period. */
  trial_days: number
  /** What the plan allows; 0 is unlimited. */
  limits: {
    products: number
    /** In the period. */
    orders: number
    storage_mb: number
    /** Users who are staff. */
    staff_users: number
  }
  /** Whether the plan has a feature, by its key. */
  features: Record<string, boolean>
  /** Whether stores may attach domains of their own. */
  allows_custom_domain: boolean
  /** When these terms were frozen. */
  taken_at: Timestamp
}

export interface Platform {
  /** Changes only when an answer or a payload breaks its shape. */
  api_version: string
  /** Days from a failed payment to the suspension. */
  grace_days: number
  /** Days from a cancellation to the purge. */
  retention_days: number
  /** The host of this API. */
  central_domain: string
  /** The features a plan can have, by key. */
  features: Record<string, {
    label: string
    description: string
    default: boolean
    column: string
  }>
  /** The events an endpoint may subscribe to. */
  webhook_events: string[]
  /** The license manager's events, which may be subscribed to as well. */
  license_events: string[]
}

export interface Store {
  /** Its subdomain, for good. */
  id: string
  name: string
  /** Its state. */
  status: "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"
  /** What a visitor gets now. */
  access_state: "serving" | "preparing" | "suspended" | "unavailable"
  /** Slug of the theme. */
  theme: string
  /** A variant of the theme. */
  preset: string
  /** The owner's address, and the administrator's login. */
  owner_email: string
  /** Where the store's front page is. */
  root_url: string
  /** Null until the store is ready. */
  provisioned_at: Timestamp | null
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
  /** Who moves the subscription: the payment provider, operators, or nobody. */
  billing_provider: "stripe" | "local" | "none"
  /** As last counted. */
  usage: Usage
  subscription: Subscription | null
}

export interface StoreUsage {
  store_id: string
  /** The month that orders are counted in. */
  period: string
  /** Whether it was counted for this answer. */
  live: boolean
  /** As last counted. */
  usage: Usage
}

export interface Subscription {
  /** Its state. */
  status: "trialing" | "active" | "past_due" | "suspended" | "cancelled"
  /** The terms as the store bought them, whatever became of the plan. */
  plan: PlanTerms | null
  /** The coupon it began with. */
  coupon_code: string | null
  trial_ends_at: Timestamp | null
  current_period_ends_at: Timestamp | null
  /** When a payment first failed. */
  past_due_since: Timestamp | null
  suspended_at: Timestamp | null
  cancelled_at: Timestamp | null
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
  /** What is legal now. */
  allowed_actions: string[]
}

export interface Usage {
  /** The month that orders are counted in. */
  period: string
  products: number
  /** In the period. */
  orders: number
  /** Bytes of its files. */
  storage_bytes: number
  /** Users who are staff. */
  staff_users: number
  /** When it was counted. */
  collected_at: Timestamp
}

export interface WebhookAttempt {
  number: number
  kind: "first" | "retry" | "manual"
  started_at: Timestamp
  duration_ms: number
  response_status: number | null
  /** `http_<status>`, `endpoint_disabled`, `unsafe_host`, `timeout`, or a fault's class and message. */
  error: string | null
}

export interface WebhookDelivery {
  id: number
  /** The webhook endpoint's id. */
  endpoint_id: number
  /** Equals the payload's `id`, on every attempt. */
  event_id: string
  event: string
  /** The store's id. */
  tenant_id: string | null
  /** How many attempts were made. */
  attempt: number
  /** Its state. */
  status: "pending" | "delivered" | "failed" | "exhausted"
  response_status: number | null
  /** The first kilobyte of the receiver's answer. */
  response_excerpt: string | null
  /** `http_<status>`, `endpoint_disabled`, `unsafe_host`, `timeout`, or a fault's class and message. */
  error: string | null
  /** When it is tried again. */
  next_attempt_at: Timestamp | null
  delivered_at: Timestamp | null
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
  /** The event as it was sent; with `include=payload`, and on a retry. */
  payload?: Record<string, unknown>
}

export interface WebhookEndpoint {
  id: number
  /** Where deliveries go: HTTPS, on a public address. */
  url: string
  /** Names, wildcards such as `store.*`, or `*` for all there are and will be. */
  events: string[]
  /** A note for people. */
  description: string | null
  stores: string[] | null
  /** The operator's switch. */
  is_active: boolean
  /** False while it is switched off by too many failures. */
  is_receiving: boolean
  /** Failures since the last success, over all events. */
  consecutive_failures: number
  /** When it was switched off by failures. */
  disabled_at: Timestamp | null
  last_success_at: Timestamp | null
  last_failure_at: Timestamp | null
  previous_secret_valid_until: Timestamp | null
  recovery: WebhookRecovery | null
  /** Who issued it. */
  created_by_name: string
  /** When it was made. */
  created_at: Timestamp
  /** When it last changed. */
  updated_at: Timestamp
}

export interface WebhookRecovery {
  queued: number
  done: number
  failed: number
  since: string
  until: string
}

export interface WebhookStats {
  attempts: number
  delivered: number
  failed: number
  statuses: {
    "2xx": number
    "3xx": number
    "4xx": number
    "5xx": number
    none: number
  }
  latency_ms: {
    p50: number | null
    p95: number | null
    p99: number | null
  }
  buckets: {
    hour: string
    attempts: number
    delivered: number
    failed: number
  }[]
}

export type WebhookSubscription =
  | "*"
  | "store.created"
  | "store.ready"
  | "store.provisioning_failed"
  | "store.updated"
  | "store.theme_changed"
  | "store.suspended"
  | "store.resumed"
  | "store.cancelled"
  | "store.deleted"
  | "subscription.assigned"
  | "subscription.plan_changed"
  | "subscription.extended"
  | "subscription.activated"
  | "subscription.past_due"
  | "subscription.suspended"
  | "subscription.cancelled"
  | "subscription.reactivated"
  | "subscription.trial_ending"
  | "domain.added"
  | "domain.verified"
  | "domain.primary_changed"
  | "domain.removed"
  | "app.enabled"
  | "app.disabled"
  | "order.requested"
  | "order.paid"
  | "order.rejected"
  | "license.expiring"
  | "license.expired"
  | "license.update_support_expired"
  | "license.activated"
  | "license.deactivated"
  | "license.blocked"
  | "store.*"
  | "subscription.*"
  | "domain.*"
  | "app.*"
  | "order.*"
  | "license.*"

/** What every operation may refuse with. */
export type CommonCode = 
  | "unauthenticated"
  | "invalid_key"
  | "key_revoked"
  | "key_expired"
  | "insufficient_scope"
  | "rate_limited"
  | "server_error"
  | "api_disabled"

/** What a write may refuse with because of its Idempotency-Key. */
export type KeyedCode = "http_error" | "idempotency_in_progress" | "validation_failed" | "idempotency_mismatch"

/** Each operation: its query, its body, what it answers, and the codes it may refuse with beside the common ones. */
export interface Operations {
  /** Retrieve the platform's constants */
  "platform.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Platform
    }
    code: never
  }
  /** Retrieve the current API key */
  "me.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: ApiKey
    }
    code: never
  }
  /** List plans */
  "plans.list": {
    query: {
      /** Also the plans that are retired. */
      include_inactive?: boolean
    }
    body: undefined
    answer: {
      data: Plan[]
      meta: {
        /** How many there are. */
        total: number
      }
    }
    code: "validation_failed"
  }
  /** Retrieve a plan */
  "plans.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Plan
    }
    code: "not_found"
  }
  /** List stores, newest first */
  "stores.list": {
    query: {
      /** Which page, from 1. */
      page?: number
      /** How many a page. */
      per_page?: number
      /** Its state. */
      status?: "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"
      /** Any part of name, subdomain or owner's address, in any case. */
      q?: string
      /** What else each entry carries. */
      include?: "usage"
    }
    body: undefined
    answer: {
      data: ListedStore[]
      meta: {
        /** Which page, from 1. */
        page: number
        /** How many a page. */
        per_page: number
        /** How many there are. */
        total: number
        /** The number of the last page; 1 when there is nothing. */
        last_page: number
      }
    }
    code: "validation_failed"
  }
  /** Create a store; provisioning is asynchronous */
  "stores.create": {
    query: Record<never, never>
    body: {
      /** Its name under the platform's domain; it becomes the store's id. */
      subdomain: string
      name: string
      /** The owner's address, and the administrator's login. */
      owner_email: string
      /** The store administrator's. It is hashed before anything is stored. */
      password: string
      /** The platform's default when left out. */
      theme?: string | null
      /** A variant of the theme. */
      preset?: string | null
      /** Slug of a plan that is on sale; without one the store is not billed. */
      plan?: string | null
      /** In place of the plan's own. */
      trial_days?: number | null
    }
    answer: {
      data: {
        id: string
        /** Its state. */
        status: "pending" | "provisioning" | "ready" | "failed" | "suspended" | "cancelled"
        /** What a visitor gets now. */
        access_state: "serving" | "preparing" | "suspended" | "unavailable"
      }
      links: {
        self: string
      }
    }
    code: "subdomain_reserved" | "subdomain_taken" | "plan_unavailable"
  }
  /** Retrieve a store with its usage and subscription */
  "stores.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Store
    }
    code: "not_found"
  }
  /** Update a store */
  "stores.update": {
    query: Record<never, never>
    body: {
      name?: string
      /** The owner's address, and the administrator's login. */
      owner_email?: string
      /** Slug of the theme. */
      theme?: string
    }
    answer: {
      data: Store
    }
    code: 
      | "not_found"
      | "theme_unavailable"
      | "theme_not_entitled"
      | "theme_requirement_not_entitled"
      | "store_unavailable"
  }
  /** Delete a store and its data */
  "stores.delete": {
    query: Record<never, never>
    body: {
      /** The store's id. */
      confirm: string
    }
    answer: undefined
    code: "not_found" | "confirm_mismatch" | "still_provisioning"
  }
  /** Suspend a store */
  "stores.suspend": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Store
    }
    code: "not_found" | "not_provisioned" | "illegal_transition"
  }
  /** Resume a suspended store */
  "stores.resume": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Store
    }
    code: "not_found" | "not_provisioned" | "illegal_transition"
  }
  /** Cancel a store's subscription; the data is deleted after the retention period */
  "stores.cancel": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: {
        store: Store
        subscription: Subscription
      }
    }
    code: "not_found" | "no_subscription" | "stripe_managed" | "illegal_transition"
  }
  /** Change a store's theme and enable the apps it requires */
  "stores.setTheme": {
    query: Record<never, never>
    body: {
      /** Slug of the theme. */
      theme: string
    }
    answer: {
      data: Store
    }
    code: 
      | "not_found"
      | "theme_unavailable"
      | "theme_not_entitled"
      | "theme_requirement_not_entitled"
      | "store_unavailable"
  }
  /** Retrieve a store's subscription */
  "subscriptions.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Subscription
    }
    code: "not_found" | "no_subscription"
  }
  /** Assign a plan to a store */
  "subscriptions.assign": {
    query: Record<never, never>
    body: {
      /** Slug of a plan that is on sale. */
      plan: string
      /** Days of trial before the first period. */
      trial_days?: number | null
    }
    answer: {
      data: Subscription
    }
    code: 
      | "not_found"
      | "stripe_managed"
      | "not_provisioned"
      | "illegal_transition"
      | "plan_unavailable"
  }
  /** Change a store's plan */
  "subscriptions.changePlan": {
    query: Record<never, never>
    body: {
      /** Slug of a plan that is on sale. */
      plan: string
    }
    answer: {
      data: Subscription
    }
    code: 
      | "not_found"
      | "no_subscription"
      | "stripe_managed"
      | "illegal_transition"
      | "no_plan"
      | "same_plan"
      | "usage_unavailable"
      | "plan_unavailable"
      | "plan_too_small"
  }
  /** Extend a store's trial or billing period */
  "subscriptions.extend": {
    query: Record<never, never>
    body: {
      /** How many days are added. */
      days: number
    }
    answer: {
      data: Subscription
    }
    code: "not_found" | "no_subscription" | "stripe_managed" | "illegal_transition" | "no_plan"
  }
  /** Reactivate a suspended subscription, or a cancelled one within the retention period */
  "subscriptions.reactivate": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Subscription
    }
    code: "not_found" | "no_subscription" | "stripe_managed" | "illegal_transition" | "no_plan"
  }
  /** Cancel a store's subscription; the data is deleted after the retention period */
  "subscriptions.cancel": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Subscription
    }
    code: "not_found" | "no_subscription" | "stripe_managed" | "illegal_transition"
  }
  /** Retrieve a store's usage, cached or live */
  "usage.get": {
    query: {
      /** Count now. */
      refresh?: boolean
    }
    body: undefined
    answer: {
      data: StoreUsage
    }
    code: "not_found" | "usage_unavailable" | "validation_failed"
  }
  /** List a store's audit log, newest first */
  "audit.list": {
    query: {
      /** Which page, from 1. */
      page?: number
      /** How many a page. */
      per_page?: number
    }
    body: undefined
    answer: {
      data: AuditEntry[]
      meta: {
        /** Which page, from 1. */
        page: number
        /** How many a page. */
        per_page: number
        /** How many there are. */
        total: number
        /** The number of the last page; 1 when there is nothing. */
        last_page: number
      }
    }
    code: "not_found" | "validation_failed"
  }
  /** List a store's domains */
  "domains.list": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Domain[]
      meta: {
        /** Whether the store's plan has them. */
        plan_allows_custom_domains: boolean
        /** How many a store may have. */
        max_custom_domains: number
      }
    }
    code: "not_found"
  }
  /** Attach a custom domain */
  "domains.create": {
    query: Record<never, never>
    body: {
      /** The host name, in lower case; other scripts in their ASCII form. */
      domain: string
    }
    answer: {
      data: Domain
    }
    code: "not_found" | "plan_upgrade_required" | "limit_reached" | "already_taken"
  }
  /** Verify a domain by its TXT record */
  "domains.verify": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: {
        id: number
        verified_at: Timestamp | null
        /** Whether the store answers on it. */
        is_routable: boolean
      }
      verification_result: {
        verified: boolean
        method: "txt"
        reason: "record_not_found" | "value_mismatch" | "dns_error" | null
      }
    }
    code: "not_found"
  }
  /** Make a domain the store's primary domain */
  "domains.makePrimary": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Domain
    }
    code: "not_found" | "verify_first"
  }
  /** Detach a custom domain */
  "domains.delete": {
    query: Record<never, never>
    body: undefined
    answer: undefined
    code: "not_found" | "not_removable"
  }
  /** List a store's apps */
  "apps.list": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: App[]
      meta: {
        store_id: string
        /** How many there are. */
        total: number
      }
    }
    code: "not_found" | "store_unavailable"
  }
  /** Enable an app and the apps it requires */
  "apps.enable": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: App[]
      meta: {
        store_id: string
        /** How many there are. */
        total: number
      }
    }
    code: "not_found" | "store_unavailable" | "not_entitled" | "requirement_not_entitled"
  }
  /** Disable an app */
  "apps.disable": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: App[]
      meta: {
        store_id: string
        /** How many there are. */
        total: number
      }
    }
    code: "not_found" | "store_unavailable" | "still_required"
  }
  /** List an endpoint's deliveries, newest first */
  "deliveries.list": {
    query: {
      /** Which page, from 1. */
      page?: number
      /** How many a page. */
      per_page?: number
      /** Its state. */
      status?: "pending" | "delivered" | "failed" | "exhausted"
      event?: 
        | "ping"
        | "store.created"
        | "store.ready"
        | "store.provisioning_failed"
        | "store.updated"
        | "store.theme_changed"
        | "store.suspended"
        | "store.resumed"
        | "store.cancelled"
        | "store.deleted"
        | "subscription.assigned"
        | "subscription.plan_changed"
        | "subscription.extended"
        | "subscription.activated"
        | "subscription.past_due"
        | "subscription.suspended"
        | "subscription.cancelled"
        | "subscription.reactivated"
        | "subscription.trial_ending"
        | "domain.added"
        | "domain.verified"
        | "domain.primary_changed"
        | "domain.removed"
        | "app.enabled"
        | "app.disabled"
        | "order.requested"
        | "order.paid"
        | "order.rejected"
        | "license.expiring"
        | "license.expired"
        | "license.update_support_expired"
        | "license.activated"
        | "license.deactivated"
        | "license.blocked"
      /** What else each entry carries. */
      include?: "payload"
    }
    body: undefined
    answer: {
      data: WebhookDelivery[]
      meta: {
        /** Which page, from 1. */
        page: number
        /** How many a page. */
        per_page: number
        /** How many there are. */
        total: number
        /** The number of the last page; 1 when there is nothing. */
        last_page: number
      }
    }
    code: "not_found" | "validation_failed"
  }
  /** Retrieve a delivery */
  "deliveries.get": {
    query: {
      /** What else each entry carries. */
      include?: "payload"
    }
    body: undefined
    answer: {
      data: WebhookDelivery
    }
    code: "not_found" | "validation_failed"
  }
  /** List a delivery's attempts, newest first */
  "deliveries.attempts": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: WebhookAttempt[]
      meta: {
        /** How many there are. */
        total: number
      }
    }
    code: "not_found"
  }
  /** Retry a delivery now; the response contains the result */
  "deliveries.retry": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: WebhookDelivery
    }
    code: "not_found" | "delivery_not_retryable"
  }
  /** List webhook endpoints, newest first */
  "webhooks.list": {
    query: {
      /** Which page, from 1. */
      page?: number
      /** How many a page. */
      per_page?: number
    }
    body: undefined
    answer: {
      data: WebhookEndpoint[]
      meta: {
        /** Which page, from 1. */
        page: number
        /** How many a page. */
        per_page: number
        /** How many there are. */
        total: number
        /** The number of the last page; 1 when there is nothing. */
        last_page: number
      }
    }
    code: "validation_failed"
  }
  /** Create a webhook endpoint; its signing secret is returned only once */
  "webhooks.create": {
    query: Record<never, never>
    body: {
      /** Where deliveries go: HTTPS, on a public address. */
      url: string
      /** Names, wildcards such as `store.*`, or `*` for all there are and will be. */
      events: WebhookSubscription[]
      /** A note for people. */
      description?: string | null
      stores?: string[] | null
    }
    answer: {
      data: {
        id: number
        /** Where deliveries go: HTTPS, on a public address. */
        url: string
      }
      /** The signing secret. It is shown here and never again. */
      secret: string
    }
    code: never
  }
  /** Retrieve a webhook endpoint */
  "webhooks.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: WebhookEndpoint
    }
    code: "not_found"
  }
  /** Update a webhook endpoint */
  "webhooks.update": {
    query: Record<never, never>
    body: {
      /** Where deliveries go: HTTPS, on a public address. */
      url?: string
      /** Names, wildcards such as `store.*`, or `*` for all there are and will be. */
      events?: WebhookSubscription[]
      /** A note for people. */
      description?: string | null
      stores?: string[] | null
      /** Whether it is on. */
      is_active?: boolean
    }
    answer: {
      data: WebhookEndpoint
    }
    code: "not_found"
  }
  /** Delete a webhook endpoint and its deliveries */
  "webhooks.delete": {
    query: Record<never, never>
    body: undefined
    answer: undefined
    code: "not_found"
  }
  /** Rotate a signing secret; the new one is returned only once, the old one can overlap */
  "webhooks.rotateSecret": {
    query: Record<never, never>
    body: {
      grace_seconds?: number | null
    }
    answer: {
      data: {
        id: number
        /** The signing secret. It is shown here and never again. */
        secret: string
      }
    }
    code: "not_found" | "illegal_transition"
  }
  /** Send a ping or a test event; the response contains the result */
  "webhooks.test": {
    query: Record<never, never>
    body: {
      event?: 
        | "ping"
        | "store.created"
        | "store.ready"
        | "store.provisioning_failed"
        | "store.updated"
        | "store.theme_changed"
        | "store.suspended"
        | "store.resumed"
        | "store.cancelled"
        | "store.deleted"
        | "subscription.assigned"
        | "subscription.plan_changed"
        | "subscription.extended"
        | "subscription.activated"
        | "subscription.past_due"
        | "subscription.suspended"
        | "subscription.cancelled"
        | "subscription.reactivated"
        | "subscription.trial_ending"
        | "domain.added"
        | "domain.verified"
        | "domain.primary_changed"
        | "domain.removed"
        | "app.enabled"
        | "app.disabled"
        | "order.requested"
        | "order.paid"
        | "order.rejected"
        | "license.expiring"
        | "license.expired"
        | "license.update_support_expired"
        | "license.activated"
        | "license.deactivated"
        | "license.blocked" | null
    }
    answer: {
      data: WebhookDelivery
    }
    code: "not_found"
  }
  /** Retrieve an endpoint's hourly delivery statistics */
  "webhooks.stats": {
    query: {
      hours?: number
    }
    body: undefined
    answer: {
      data: WebhookStats
    }
    code: "not_found" | "validation_failed"
  }
  /** Recover failed or missed events in their original order; the endpoint shows the progress */
  "webhooks.recover": {
    query: Record<never, never>
    body: {
      since: Timestamp
      until?: Timestamp | null
      /** Names, wildcards such as `store.*`, or `*` for all there are and will be. */
      events?: WebhookSubscription[] | null
      mode: "failed" | "missed" | "all"
    }
    answer: {
      data: {
        queued: number
      }
    }
    code: "not_found" | "recovery_running"
  }
  /** List events in commit order, optionally waiting for the next one (long polling) */
  "events.list": {
    query: {
      after?: string
      types?: WebhookSubscription[]
      store?: string
      limit?: number
      wait?: number
    }
    body: undefined
    answer: {
      data: Event[]
      meta: {
        next_cursor: string
        has_more: boolean
      }
    }
    code: "cursor_expired" | "validation_failed"
  }
  /** Retrieve an event and its deliveries */
  "events.get": {
    query: Record<never, never>
    body: undefined
    answer: {
      data: Event
      meta: {
        deliveries: WebhookDelivery[]
      }
    }
    code: "not_found"
  }
}

/** Each event, as it is delivered. */
export interface Events {
  /** A store's row is there; it is not provisioned yet. */
  "store.created": {
    id: string
    type: "store.created"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
    }
    meta: {
      actor: EventActor
      source: "api" | "console" | "signup" | "system"
      test?: true
    }
  }
  /** A store is provisioned and open. */
  "store.ready": {
    id: string
    type: "store.ready"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      provisioning: {
        preset: string
        theme: string
        apps: string[]
        plugin_migration_paths: number
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A store could not be provisioned. */
  "store.provisioning_failed": {
    id: string
    type: "store.provisioning_failed"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      error: {
        message: string
        class: string
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A store's name or its owner's address changed. */
  "store.updated": {
    id: string
    type: "store.updated"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      changes: {
        name?: {
          from: string
          to: string
        }
        owner_email?: {
          from: string
          to: string
        }
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A store has another theme. */
  "store.theme_changed": {
    id: string
    type: "store.theme_changed"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      theme: {
        from: string
        to: string
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A store was taken offline. */
  "store.suspended": {
    id: string
    type: "store.suspended"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription?: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A store is back online. */
  "store.resumed": {
    id: string
    type: "store.resumed"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription?: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A store's subscription ended; its retention begins. */
  "store.cancelled": {
    id: string
    type: "store.cancelled"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
      retention_days: number
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A store and its data are gone. */
  "store.deleted": {
    id: string
    type: "store.deleted"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription?: EventSubscription
    }
    meta: {
      actor: EventActor
      reason: "api" | "console" | "retention"
      test?: true
    }
  }
  /** A store was given a plan. */
  "subscription.assigned": {
    id: string
    type: "subscription.assigned"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A subscription moved to another plan. */
  "subscription.plan_changed": {
    id: string
    type: "subscription.plan_changed"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** Days were added to a trial or a period. */
  "subscription.extended": {
    id: string
    type: "subscription.extended"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A trial became a paid period, or a payment came in. */
  "subscription.activated": {
    id: string
    type: "subscription.activated"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A payment failed; the grace period begins. */
  "subscription.past_due": {
    id: string
    type: "subscription.past_due"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** The grace period is over, or a trial ended unpaid. */
  "subscription.suspended": {
    id: string
    type: "subscription.suspended"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A subscription ended. */
  "subscription.cancelled": {
    id: string
    type: "subscription.cancelled"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** A subscription was revived within its retention. */
  "subscription.reactivated": {
    id: string
    type: "subscription.reactivated"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      log: EventLog
      test?: true
    }
  }
  /** The owner was reminded that the trial ends. */
  "subscription.trial_ending": {
    id: string
    type: "subscription.trial_ending"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      subscription: EventSubscription
      trial: {
        ends_at: Timestamp
        days_left: number
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A custom domain was attached. */
  "domain.added": {
    id: string
    type: "domain.added"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      domain: EventDomain
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A domain was verified, for the first time. */
  "domain.verified": {
    id: string
    type: "domain.verified"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      domain: EventDomain
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** The store's root URL names another domain. */
  "domain.primary_changed": {
    id: string
    type: "domain.primary_changed"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      domain: EventDomain
      previous_primary?: string
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A domain was detached. */
  "domain.removed": {
    id: string
    type: "domain.removed"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      domain: EventDomain
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** An app was switched on. */
  "app.enabled": {
    id: string
    type: "app.enabled"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      app: {
        slug: string
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** An app was switched off. */
  "app.disabled": {
    id: string
    type: "app.disabled"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      app: {
        slug: string
      }
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A bank transfer was requested. */
  "order.requested": {
    id: string
    type: "order.requested"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      order: EventOrder
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A bank transfer came in and was approved. */
  "order.paid": {
    id: string
    type: "order.paid"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      order: EventOrder
      subscription: EventSubscription
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A bank transfer was rejected. */
  "order.rejected": {
    id: string
    type: "order.rejected"
    created_at: Timestamp
    api_version: string
    data: {
      store: EventStore
      order: EventOrder
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A license ends in 30, 7 or 1 days. */
  "license.expiring": {
    id: string
    type: "license.expiring"
    created_at: Timestamp
    api_version: string
    data: {
      license: EventLicense
      days: number
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A license has ended. */
  "license.expired": {
    id: string
    type: "license.expired"
    created_at: Timestamp
    api_version: string
    data: {
      license: EventLicense
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A license gets no later versions. */
  "license.update_support_expired": {
    id: string
    type: "license.update_support_expired"
    created_at: Timestamp
    api_version: string
    data: {
      license: EventLicense
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A license was activated somewhere. */
  "license.activated": {
    id: string
    type: "license.activated"
    created_at: Timestamp
    api_version: string
    data: {
      license: EventLicense
      activation: EventActivation
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** An activation ended; or all of a license, and how many they were. */
  "license.deactivated": {
    id: string
    type: "license.deactivated"
    created_at: Timestamp
    api_version: string
    data: {
      license: EventLicense
      activation?: EventActivation
      activations?: number
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** A license was blocked. */
  "license.blocked": {
    id: string
    type: "license.blocked"
    created_at: Timestamp
    api_version: string
    data: {
      license: EventLicense
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
  /** The test button was pressed, or `POST /webhooks/{id}/test` called. */
  "ping": {
    id: string
    type: "ping"
    created_at: Timestamp
    api_version: string
    data: {
      message: string
      endpoint_id: number
    }
    meta: {
      actor: EventActor
      test?: true
    }
  }
}
