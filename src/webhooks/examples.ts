// Example payloads of every event for the test button, so an integration can be built before anything has happened.
import type * as z from "zod"
import { availableApps } from "../apps/registry"
import type { EventPayloads } from "../core/write/event-payloads"
import { type EventType, isShopEvent, type ShopEvent } from "../core/write/event-types"
import type { Complete } from "../lib/every-field"
import { addMs, DAY, formatTimestamp } from "../lib/time"
import type { LicenseResource } from "../license/licenses/schemas"
import type { AuditEntryResource } from "../platform/audit/schemas"
import type { DomainResource } from "../platform/domains/schemas"
import type { OrderResource } from "../platform/orders/schemas"
import type { PlanTermsResource } from "../platform/plans/schemas"
import type { StoreResource } from "../platform/stores/schemas"
import type { SubscriptionResource } from "../platform/subscriptions/schemas"
import type { UsageResource } from "../platform/usage/schemas"
import type { DeliveryResource } from "./deliveries/schemas"
import type { EndpointResource } from "./endpoints/schemas"
import { buildShopExample } from "./shop-examples"

/** An example payload: the event's, with `meta.log` as `log`. */
type Example<Type extends EventType> = Omit<EventPayloads[Type], "withLog"> &
  (EventPayloads[Type] extends { withLog: true } ? { log: object } : unknown)

interface AnyExample {
  data: object
  meta?: object
  log?: object
}

/**
 * Builds an example of an event.
 * @param now the time of the event; other times are relative to it
 */
export function buildExample(event: EventType, now: Date): AnyExample {
  return isShopEvent(event) ? buildShopExample(event, now) : EXAMPLES[event](buildFixtures(now))
}

type Fixtures = ReturnType<typeof buildFixtures>

/** A resource with all of its fields. Those that are null or undefined are not sent. */
type Resource<Schema extends z.ZodType> = Complete<z.input<Schema>>

/** Builds the resources that the examples contain. */
function buildFixtures(now: Date) {
  const [at, soon, past] = [
    formatTimestamp(now),
    formatTimestamp(addMs(now, 14 * DAY)),
    formatTimestamp(addMs(now, -DAY)),
  ]
  const plan: Resource<typeof PlanTermsResource> = {
    id: 1,
    slug: "starter",
    name: "Starter",
    price_cents: 1900,
    currency: "EUR",
    interval: "month",
    trial_days: 14,
    limits: { products: 100, orders: 500, storage_mb: 1024, staff_users: 3 },
    features: { custom_domain: true, api_access: true, remove_branding: false },
    allows_custom_domain: true,
    taken_at: past,
  }
  const subscription: Resource<typeof SubscriptionResource> = {
    status: "active",
    plan,
    coupon_code: null,
    discount: null,
    scheduled_plan: null,
    trial_ends_at: null,
    current_period_ends_at: soon,
    past_due_since: null,
    suspended_at: null,
    cancelled_at: null,
    cancel_at: null,
    created_at: past,
    updated_at: at,
    allowed_actions: ["change_plan", "extend", "cancel"],
  }
  const usage: Resource<typeof UsageResource> = {
    period: at.slice(0, 7),
    products: 12,
    orders: 3,
    storage_bytes: 73_400_320,
    staff_users: 1,
    collected_at: past,
  }
  const store: Resource<typeof StoreResource> = {
    id: "example",
    name: "Example Shop",
    status: "ready",
    access_state: "serving",
    theme: "atelier",
    preset: "linen",
    owner_email: "owner@example.com",
    root_url: "https://example.shops.example.com",
    provisioned_at: past,
    created_at: past,
    updated_at: at,
    billing_provider: "local",
    usage,
    subscription,
  }
  const domain: Resource<typeof DomainResource> = {
    id: 1,
    domain: "shop.example.net",
    tenant_id: store.id,
    is_primary: false,
    is_fallback: false,
    is_custom: true,
    verified_at: at,
    is_routable: true,
    created_at: past,
    verification: undefined,
  }
  const order: Resource<typeof OrderResource> = {
    reference: "PO-000001",
    status: "pending",
    plan: plan.slug,
    amount_cents: plan.price_cents,
    currency: plan.currency,
    note: null,
    reason: null,
    number: null,
    created_at: at,
    paid_at: null,
  }
  const license: Resource<typeof LicenseResource> = {
    id: 1,
    product_reference_id: "EXAMPLE1",
    license_code: "EXAMPLE-CODE-0001",
    type: "regular",
    is_envato: false,
    is_marketplace: false,
    invoice: null,
    customer_id: null,
    email: null,
    comments: null,
    ips: [],
    domains: [],
    support_until: null,
    updates_until: null,
    expires_at: soon,
    expiry_days: null,
    uses: null,
    parallel_uses: null,
    is_valid: true,
    active_activations_count: 1,
    activations_count: 1,
    created_at: past,
    updated_at: at,
  }
  const activation = { domain: "installed.example.net", ip: "203.0.113.7", client_name: "Example", activated_at: at }
  const endpoint: Resource<typeof EndpointResource> = {
    id: 1,
    store_id: null,
    url: "https://hooks.example/tenancy",
    events: ["*"],
    description: null,
    stores: null,
    filter: null,
    payload: "full",
    headers: null,
    max_per_second: null,
    ordered: false,
    reconcile: false,
    receiver_cursor: null,
    behind_since: null,
    is_active: true,
    is_receiving: true,
    consecutive_failures: 13,
    disabled_at: null,
    disabled_reason: null,
    last_success_at: null,
    last_failure_at: at,
    previous_secret_valid_until: null,
    recovery: null,
    created_by_name: "Example",
    created_at: past,
    updated_at: past,
  }
  const delivery: Resource<typeof DeliveryResource> = {
    id: 1,
    endpoint_id: endpoint.id,
    event_id: "01K4YQZ0M8T3V6N9R2B5C7D1EF",
    event: "store.created",
    tenant_id: store.id,
    attempt: 6,
    status: "exhausted",
    response_status: 500,
    response_excerpt: null,
    error: "http_500",
    error_hint: null,
    next_attempt_at: null,
    waiting_for: null,
    delivered_at: null,
    created_at: past,
    updated_at: at,
    payload: undefined,
  }
  const log = (type: AuditType): Resource<typeof AuditEntryResource> => ({
    id: 1,
    type,
    from_status: null,
    to_status: null,
    data: {},
    actor: { type: "system", id: null, name: "system" },
    created_at: at,
  })
  return { now, soon, store, subscription, domain, order, license, activation, endpoint, delivery, log }
}

type AuditType = Resource<typeof AuditEntryResource>["type"]

const buildSubscriptionExample =
  (type: AuditType, status = "active") =>
  ({ store, subscription, log }: Fixtures) => ({
    data: { store: { ...store, subscription: { ...subscription, status } }, subscription: { ...subscription, status } },
    log: log(type),
  })

/** An installed app, for the examples that name one. */
const SAMPLE_APP = availableApps[0]?.slug ?? "app"

const buildDomainExample = ({ store, domain }: Fixtures) => ({ data: { store, domain } })
const buildAppExample = ({ store }: Fixtures) => ({ data: { store, app: { slug: SAMPLE_APP } } })
const buildLicenseExample = ({ license }: Fixtures) => ({ data: { license } })

const EXAMPLES: { [Type in Exclude<EventType, ShopEvent>]: (fixtures: Fixtures) => Example<Type> } = {
  "store.created": ({ store }) => ({
    data: { store: { ...store, status: "pending", access_state: "preparing" } },
    meta: { source: "api" },
  }),
  "store.ready": ({ store }) => ({
    data: {
      store,
      provisioning: { preset: store.preset, theme: store.theme, apps: [SAMPLE_APP], plugin_migration_paths: 1 },
    },
  }),
  "store.provisioning_failed": ({ store }) => ({
    data: {
      store: { ...store, status: "failed", access_state: "unavailable" },
      error: { message: "The site database could not be reached", class: "Error" },
    },
  }),
  "store.updated": ({ store }) => ({ data: { store, changes: { name: { from: "Example", to: store.name } } } }),
  "store.theme_changed": ({ store }) => ({ data: { store, theme: { from: "vitrine", to: store.theme } } }),
  "store.suspended": ({ store, subscription, log }) => ({
    data: { store: { ...store, status: "suspended", access_state: "suspended" }, subscription },
    log: log("suspended"),
  }),
  "store.resumed": ({ store, subscription, log }) => ({ data: { store, subscription }, log: log("resumed") }),
  "store.cancelled": ({ store, subscription }) => ({
    data: {
      store: { ...store, status: "cancelled", access_state: "suspended" },
      subscription: { ...subscription, status: "cancelled" },
      retention_days: 30,
    },
  }),
  "store.deleted": ({ store, subscription }) => ({ data: { store, subscription }, meta: { reason: "api" } }),
  "subscription.assigned": buildSubscriptionExample("assigned"),
  "subscription.plan_changed": buildSubscriptionExample("plan_changed"),
  "subscription.extended": buildSubscriptionExample("extended"),
  "subscription.activated": buildSubscriptionExample("activated"),
  "subscription.past_due": buildSubscriptionExample("past_due", "past_due"),
  "subscription.suspended": buildSubscriptionExample("suspended", "suspended"),
  "subscription.cancelled": buildSubscriptionExample("cancelled", "cancelled"),
  "subscription.reactivated": buildSubscriptionExample("reactivated"),
  "subscription.trial_ending": ({ store, subscription, soon }) => ({
    data: {
      store,
      subscription: { ...subscription, status: "trialing", trial_ends_at: soon },
      trial: { ends_at: soon, days_left: 14 },
    },
  }),
  "domain.added": buildDomainExample,
  "domain.verified": buildDomainExample,
  "domain.primary_changed": ({ store, domain }) => ({
    data: { store, domain: { ...domain, is_primary: true }, previous_primary: "example.shops.example.com" },
  }),
  "domain.removed": buildDomainExample,
  "app.enabled": buildAppExample,
  "app.disabled": buildAppExample,
  "order.requested": ({ store, order }) => ({ data: { store, order } }),
  "order.paid": ({ store, order, subscription, now }) => ({
    data: {
      store,
      order: { ...order, status: "paid", number: `INV-${now.getUTCFullYear()}-000001`, paid_at: formatTimestamp(now) },
      subscription,
    },
  }),
  "order.rejected": ({ store, order }) => ({
    data: { store, order: { ...order, status: "rejected", reason: "The amount does not match." } },
  }),
  "license.expiring": ({ license }) => ({ data: { license, days: 7 } }),
  "license.expired": buildLicenseExample,
  "license.update_support_expired": buildLicenseExample,
  "license.activated": ({ license, activation }) => ({ data: { license, activation } }),
  "license.deactivated": ({ license, activation }) => ({ data: { license, activation: { id: 1, ...activation } } }),
  "license.blocked": ({ license }) => ({ data: { license: { ...license, is_valid: false } } }),
  "endpoint.failing": ({ endpoint }) => ({ data: { endpoint, failures: 13, disabled_after: 25 } }),
  "endpoint.disabled": ({ endpoint, delivery }) => ({
    data: {
      endpoint: {
        ...endpoint,
        is_receiving: false,
        consecutive_failures: 25,
        disabled_at: delivery.updated_at,
        disabled_reason: "failures",
      },
    },
  }),
  "endpoint.recovered": ({ endpoint, delivery }) => ({
    data: { endpoint: { ...endpoint, consecutive_failures: 0, last_success_at: delivery.updated_at } },
  }),
  "endpoint.behind": ({ endpoint, delivery }) => ({
    data: {
      endpoint: { ...endpoint, consecutive_failures: 0, receiver_cursor: "ev1_2s", behind_since: delivery.updated_at },
      after: "ev1_2s",
    },
  }),
  "delivery.exhausted": ({ endpoint, delivery }) => ({ data: { endpoint, delivery } }),
}
