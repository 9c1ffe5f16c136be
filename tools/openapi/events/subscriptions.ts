// The events about subscriptions.
import * as z from "zod"
import { documentFields } from "../../../src/core/http/field-docs.ts"
import type { EventType } from "../../../src/core/write/event-types.ts"
import { EventSubscription, log, storeEvent } from "./event.ts"

type LoggedEvent = Exclude<Extract<EventType, `subscription.${string}`>, "subscription.trial_ending">

const subscriptionEvent = (type: LoggedEvent, summary: string) =>
  storeEvent(type, summary, { subscription: EventSubscription }, log)

const trial = z.strictObject({ ends_at: z.string(), days_left: z.int() })
documentFields(trial, {
  ends_at: { description: "When the trial ends.", example: "2026-09-16T10:15:00+00:00" },
  days_left: { description: "Days until then, rounded up.", example: 7 },
})

export const subscriptionEvents = {
  "subscription.assigned": subscriptionEvent("subscription.assigned", "A plan was assigned to a store."),
  "subscription.plan_changed": subscriptionEvent("subscription.plan_changed", "A subscription's plan changed."),
  "subscription.extended": subscriptionEvent("subscription.extended", "A trial or billing period was extended."),
  "subscription.activated": subscriptionEvent(
    "subscription.activated",
    "A subscription became active: its trial converted, or a payment succeeded.",
  ),
  "subscription.past_due": subscriptionEvent(
    "subscription.past_due",
    "A payment failed. The grace period has started.",
  ),
  "subscription.suspended": subscriptionEvent(
    "subscription.suspended",
    "A subscription was suspended: its grace period or trial ended without a payment.",
  ),
  "subscription.cancelled": subscriptionEvent("subscription.cancelled", "A subscription was cancelled."),
  "subscription.reactivated": subscriptionEvent(
    "subscription.reactivated",
    "A suspended or cancelled subscription was reactivated.",
  ),
  "subscription.trial_ending": storeEvent(
    "subscription.trial_ending",
    "The owner was reminded that the trial ends soon.",
    { subscription: EventSubscription, trial },
  ),
}
