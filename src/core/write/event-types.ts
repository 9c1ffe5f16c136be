// Every event there is, and what a subscription may say.

/** The platform's own events; `ping` is sent by the test button only and cannot be subscribed. */
export const SUBSCRIBABLE_EVENTS = [
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

/** The license manager's events, delivered by the same engine. */
export const LICENSE_EVENTS = [
  "license.expiring",
  "license.expired",
  "license.update_support_expired",
  "license.activated",
  "license.deactivated",
  "license.blocked",
] as const

export const PING = "ping"

/** What the test button can send. */
export const TEST_EVENTS = [PING, ...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS] as const
export type TestEvent = (typeof TEST_EVENTS)[number]

export const SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  "*",
  ...SUBSCRIBABLE_EVENTS,
  ...LICENSE_EVENTS,
  ...[...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS].map((event) => `${event.split(".")[0]}.*`),
])

const EVENTS: readonly string[] = [...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS]

/** The events that patterns mean, each once; null when one of them means everything. */
export function eventsOf(patterns: string[]): string[] | null {
  if (patterns.includes("*")) return null
  const wanted = new Set(patterns)
  return EVENTS.filter((event) => wanted.has(event) || wanted.has(`${event.split(".")[0]}.*`))
}

/** Whether an endpoint may subscribe to it: an event, a resource's wildcard, or everything. */
export const isSubscription = (text: string): boolean => SUBSCRIPTIONS.has(text)

/** Whether a delivery's event may be asked for in a filter. */
export const isEvent = (text: string): boolean => text === PING || (SUBSCRIPTIONS.has(text) && !text.includes("*"))
