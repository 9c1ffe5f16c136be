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

/** Every event, in the order of the documents. */
export const EVENT_TYPES = [...PLATFORM_EVENTS, ...LICENSE_EVENTS, ...DELIVERY_EVENTS] as const

/** An event; `event-payloads.ts` declares its payload. */
export type EventType = (typeof EVENT_TYPES)[number]

export const PING = "ping"

/** Events that the test button can send. */
export const TEST_EVENTS = [PING, ...EVENT_TYPES] as const
export type TestEvent = (typeof TEST_EVENTS)[number]

export const SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  "*",
  ...EVENT_TYPES,
  ...EVENT_TYPES.map((event) => `${event.split(".")[0]}.*`),
])

const deliveryEvents: ReadonlySet<string> = new Set(DELIVERY_EVENTS)

/** Whether an event is about an endpoint or one of its deliveries. */
export const isDeliveryEvent = (type: string): boolean => deliveryEvents.has(type)

/** Lists the patterns that include an event type. */
export const listPatterns = (type: string): string[] => [
  ...(isDeliveryEvent(type) ? [] : ["*"]),
  `${type.split(".")[0]}.*`,
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
