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

/** An event of the platform or the license manager; `event-payloads.ts` declares its payload. */
export type EventType = (typeof PLATFORM_EVENTS)[number] | (typeof LICENSE_EVENTS)[number]

export const PING = "ping"

/** Events that the test button can send. */
export const TEST_EVENTS = [PING, ...PLATFORM_EVENTS, ...LICENSE_EVENTS] as const
export type TestEvent = (typeof TEST_EVENTS)[number]

export const SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  "*",
  ...PLATFORM_EVENTS,
  ...LICENSE_EVENTS,
  ...[...PLATFORM_EVENTS, ...LICENSE_EVENTS].map((event) => `${event.split(".")[0]}.*`),
])

const EVENTS: readonly string[] = [...PLATFORM_EVENTS, ...LICENSE_EVENTS]

/** Expands subscription patterns into event types without duplicates; null for `*`. */
export function expandSubscriptions(patterns: string[]): string[] | null {
  if (patterns.includes("*")) return null
  const included = new Set(patterns)
  return EVENTS.filter((event) => included.has(event) || included.has(`${event.split(".")[0]}.*`))
}

/** Whether the text is a valid subscription: an event type, a resource's wildcard, or `*`. */
export const isSubscription = (text: string): boolean => SUBSCRIPTIONS.has(text)

/** Whether the text is a valid filter for a delivery's event type. */
export const isEvent = (text: string): boolean => text === PING || (SUBSCRIPTIONS.has(text) && !text.includes("*"))
