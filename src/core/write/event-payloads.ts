// Declares what the payload of each event contains besides its identity and its actor. The compiler compares the
// emitters, the examples and the documents with it.
import type { Changes } from "./changes"
import type { EventType } from "./event-types"

/** A resource as its API shows it. Its fields are documented in `tools/openapi/events`. */
type Resource = object

/** A value before and after a change. */
interface Difference {
  from: string
  to: string
}

/** `data` of an event about a store: the store, as it is after the change, and further keys. */
type StoreData<More = unknown> = { store: { id: string } } & More

/** With `withLog`, `meta.log` shows the audit entry that the event is committed with. */
interface SubscriptionEvent {
  data: StoreData<{ subscription: Resource }>
  withLog: true
}

interface StatusEvent {
  data: StoreData<{ subscription?: Resource | null }>
  withLog: true
}

interface DomainEvent {
  data: StoreData<{ domain: Resource }>
}

interface AppEvent {
  data: StoreData<{ app: { slug: string } }>
}

interface OrderEvent {
  data: StoreData<{ order: Resource }>
}

interface LicenseEvent<More = unknown> {
  data: { license: Resource } & More
}

interface EndpointEvent<More = unknown> {
  data: { endpoint: { store_id: string | null } } & More
}

interface ShopEventPayload<More> {
  data: StoreData<More>
}

/** `changes` has each field of the resource that differs. */
type Updated = { changes: Changes }

interface Payloads {
  "store.created": { data: StoreData; meta: { source: "api" | "console" | "signup" | "system" } }
  "store.ready": {
    data: StoreData<{
      provisioning: { preset: string; theme: string; apps: readonly string[]; plugin_migration_paths: number }
    }>
  }
  "store.provisioning_failed": { data: StoreData<{ error: { message: string; class: string } }> }
  "store.updated": { data: StoreData<{ changes: Readonly<Record<string, Difference>> }> }
  "store.theme_changed": { data: StoreData<{ theme: Difference }> }
  "store.suspended": StatusEvent
  "store.resumed": StatusEvent
  "store.cancelled": { data: StoreData<{ subscription: Resource; retention_days: number }> }
  "store.deleted": {
    data: StoreData<{ subscription?: Resource | null }>
    meta: { reason: "api" | "console" | "retention" }
  }
  "subscription.assigned": SubscriptionEvent
  "subscription.plan_changed": SubscriptionEvent
  "subscription.extended": SubscriptionEvent
  "subscription.activated": SubscriptionEvent
  "subscription.past_due": SubscriptionEvent
  "subscription.suspended": SubscriptionEvent
  "subscription.cancelled": SubscriptionEvent
  "subscription.reactivated": SubscriptionEvent
  "subscription.trial_ending": {
    data: StoreData<{ subscription: Resource; trial: { ends_at: string | null; days_left: number } }>
  }
  "domain.added": DomainEvent
  "domain.verified": DomainEvent
  "domain.primary_changed": { data: StoreData<{ domain: Resource; previous_primary: string | undefined }> }
  "domain.removed": DomainEvent
  "app.enabled": AppEvent
  "app.disabled": AppEvent
  "order.requested": OrderEvent
  "order.paid": { data: StoreData<{ order: Resource; subscription: Resource }> }
  "order.rejected": OrderEvent
  "license.expiring": LicenseEvent<{ days: number }>
  "license.expired": LicenseEvent
  "license.update_support_expired": LicenseEvent
  "license.activated": LicenseEvent<{ activation: Resource }>
  "license.deactivated": LicenseEvent<{ activation: Resource } | { activations: number }>
  "license.blocked": LicenseEvent
  "endpoint.failing": EndpointEvent<{ failures: number; disabled_after: number }>
  "endpoint.disabled": EndpointEvent
  "endpoint.recovered": EndpointEvent
  "endpoint.behind": EndpointEvent<{ after: string }>
  "delivery.exhausted": EndpointEvent<{ delivery: Resource }>
  "shop.order.placed": ShopEventPayload<{ order: Resource }>
  "shop.order.updated": ShopEventPayload<{ order: Resource } & Updated>
  "shop.product.created": ShopEventPayload<{ product: Resource }>
  "shop.product.updated": ShopEventPayload<{ product: Resource } & Updated>
  "shop.product.deleted": ShopEventPayload<{ product: Resource }>
  "shop.customer.registered": ShopEventPayload<{ customer: Resource }>
  "shop.customer.deleted": ShopEventPayload<{ customer: Resource }>
  "shop.post.published": ShopEventPayload<{ post: Resource }>
  "shop.post.updated": ShopEventPayload<{ post: Resource } & Updated>
  "shop.post.deleted": ShopEventPayload<{ post: Resource }>
  "shop.page.published": ShopEventPayload<{ page: Resource }>
  "shop.page.updated": ShopEventPayload<{ page: Resource } & Updated>
  "shop.page.deleted": ShopEventPayload<{ page: Resource }>
  "shop.message.received": ShopEventPayload<{ message: Resource }>
  "shop.review.created": ShopEventPayload<{ review: Resource }>
  "shop.settings.updated": ShopEventPayload<{ settings: Resource } & Updated>
}

/** `Declared`, which has to contain every event type. */
type ForEveryType<Declared extends Record<EventType, { data: object }>> = Declared

/** The payloads by event type: `data`, and `meta` in addition to the actor. */
export type EventPayloads = ForEveryType<Payloads>
