// Lists every event type and matches them against subscription patterns.

/** The control plane's events. `ping` is not among them: only the test button sends it. */
export const PLATFORM_EVENTS = [
  "store.created",
  "store.ready",
  "store.provisioning_failed",
  "store.updated",
  "store.theme_changed",
  "store.suspended",
  "store.resumed",
  "store.cancelled",
  "store.deleted",
  "subscription.assigned",
  "subscription.plan_changed",
  "subscription.extended",
  "subscription.activated",
  "subscription.past_due",
  "subscription.suspended",
  "subscription.cancelled",
  "subscription.reactivated",
  "subscription.trial_ending",
  "domain.added",
  "domain.verified",
  "domain.primary_changed",
  "domain.removed",
  "app.enabled",
  "app.disabled",
  "order.requested",
  "order.paid",
  "order.rejected",
] as const

/** The license manager's events. */
export const LICENSE_EVENTS = [
  "license.expiring",
  "license.expired",
  "license.update_support_expired",
  "license.activated",
  "license.deactivated",
  "license.blocked",
] as const

/** Events about endpoints and their deliveries. `*` does not include them. */
export const DELIVERY_EVENTS = [
  "endpoint.failing",
  "endpoint.disabled",
  "endpoint.recovered",
  "endpoint.behind",
  "delivery.exhausted",
] as const

/** Events about what happens in a shop. `*` does not include them. */
export const SHOP_EVENTS = [
  "shop.order.placed",
  "shop.order.updated",
  "shop.product.created",
  "shop.product.updated",
  "shop.product.deleted",
  "shop.customer.registered",
  "shop.customer.deleted",
  "shop.post.published",
  "shop.post.updated",
  "shop.post.deleted",
  "shop.page.published",
  "shop.page.updated",
  "shop.page.deleted",
  "shop.message.received",
  "shop.review.created",
  "shop.settings.updated",
] as const

export type ShopEvent = (typeof SHOP_EVENTS)[number]

/** Every event, in the order of the documents. */
export const EVENT_TYPES = [...PLATFORM_EVENTS, ...LICENSE_EVENTS, ...DELIVERY_EVENTS, ...SHOP_EVENTS] as const

/** An event; `event-payloads.ts` declares its payload. */
export type EventType = (typeof EVENT_TYPES)[number]

export const PING = "ping"

/** Events that the test button can send. */
export const TEST_EVENTS = [PING, ...EVENT_TYPES] as const
export type TestEvent = (typeof TEST_EVENTS)[number]

/** Lists the wildcards of an event's resources, such as `shop.*` and `shop.order.*`. */
const listWildcards = (type: string): string[] => {
  const resources = type.split(".").slice(0, -1)
  return resources.map((_, index) => `${resources.slice(0, index + 1).join(".")}.*`)
}

/** Returns the resource of an event or a wildcard, such as `shop.order`; empty for `*`. */
export const getResource = (subscription: string): string => subscription.split(".").slice(0, -1).join(".")

/** The wildcards that an endpoint may subscribe to, except `*`. */
export const RESOURCE_WILDCARDS: readonly string[] = [...new Set(EVENT_TYPES.flatMap(listWildcards))]

export const SUBSCRIPTIONS: ReadonlySet<string> = new Set(["*", ...EVENT_TYPES, ...RESOURCE_WILDCARDS])

const deliveryEvents: ReadonlySet<string> = new Set(DELIVERY_EVENTS)

/** Whether an event is about an endpoint or one of its deliveries. */
export const isDeliveryEvent = (type: string): boolean => deliveryEvents.has(type)

/** Whether an event is about what happens in a shop. */
export const isShopEvent = (type: string): type is ShopEvent => type.startsWith("shop.")

/** Lists the patterns that include an event type. */
export const listPatterns = (type: string): string[] => [
  ...(isDeliveryEvent(type) || isShopEvent(type) ? [] : ["*"]),
  ...listWildcards(type),
  type,
]

/** Expands subscription patterns into event types without duplicates. */
export function expandSubscriptions(patterns: string[]): string[] {
  const subscribed = new Set(patterns)
  return EVENT_TYPES.filter((type) => listPatterns(type).some((pattern) => subscribed.has(pattern)))
}

/** Whether the text is a valid subscription: an event type, a resource's wildcard, or `*`. */
export const isSubscription = (text: string): boolean => SUBSCRIPTIONS.has(text)

/** Whether the text is a valid filter for a delivery's event type. */
export const isEvent = (text: string): boolean => text === PING || (SUBSCRIPTIONS.has(text) && !text.includes("*"))
