// subscription.*
import * as z from "zod"
import { aboutStore, EventSubscription, log } from "./event.ts"

const moved = (type: string, summary: string) => aboutStore(type, summary, { subscription: EventSubscription }, log)

export const subscriptionEvents = {
  "subscription.assigned": moved("subscription.assigned", "A store was given a plan."),
  "subscription.plan_changed": moved("subscription.plan_changed", "A subscription moved to another plan."),
  "subscription.extended": moved("subscription.extended", "Days were added to a trial or a period."),
  "subscription.activated": moved("subscription.activated", "A trial became a paid period, or a payment came in."),
  "subscription.past_due": moved("subscription.past_due", "A payment failed; the grace period begins."),
  "subscription.suspended": moved("subscription.suspended", "The grace period is over, or a trial ended unpaid."),
  "subscription.cancelled": moved("subscription.cancelled", "A subscription ended."),
  "subscription.reactivated": moved("subscription.reactivated", "A subscription was revived within its retention."),
  "subscription.trial_ending": aboutStore("subscription.trial_ending", "The owner was reminded that the trial ends.", {
    subscription: EventSubscription,
    trial: z.strictObject({ ends_at: z.string(), days_left: z.int() }),
  }),
}
