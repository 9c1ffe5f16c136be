// The request bodies and the resource of subscriptions.
import * as z from "zod"
import { multilineText, shortText, withLookups } from "../../core/http/validation"
import { SUBSCRIPTION_STATUSES, type Subscription } from "../../db/schema/central/subscriptions"
import type { PublishedColumns } from "../../lib/every-field"
import { formatTimestamp } from "../../lib/time"
import { PlanTermsResource, planTermsResource } from "../plans/schemas"
import { ACTIONS, listAllowedActions } from "./rules"

export const AssignPlan = withLookups(
  z.object({ plan: shortText(63).min(1), trial_days: z.int().min(0).max(365).nullish() }),
  "plan",
)

export const ChangePlan = withLookups(z.object({ plan: shortText(63).min(1) }), "plan")

export const Extend = z.object({ days: z.int().min(1).max(3650) })

/** Why an operator closes a store, and whether the owner gets a mail about it. */
export const OperatorAction = z.object({
  reason: multilineText({ max: 500 }).nullish().describe("at most 500 characters"),
  notify: z.boolean().default(false),
})

export type OperatorAction = z.output<typeof OperatorAction>

export const CancelSubscription = OperatorAction.extend({ at_period_end: z.boolean().default(false) })

/** The change to the subscription when a store is resumed although it is not in order. */
export const RESOLUTIONS = ["extend_trial", "mark_paid", "leave"] as const

export type Resolution = (typeof RESOLUTIONS)[number]

export const ResumeStore = z.object({
  resolution: z.enum(RESOLUTIONS).optional(),
  days: z.int().min(1).max(365).optional(),
})

const nullableTimestamp = z.string().nullable()

/** Columns that the resource does not contain. */
type InternalColumn =
  | "id"
  | "storeId"
  | "provider"
  | "trialReminder"
  | "dunningDay"
  | "retentionWarnedAt"
  | "cardCustomer"
  | "cardSubscription"

export const DiscountResource = z
  .object({
    code: z.string(),
    percent_off: z.int().nullable(),
    amount_off: z.int().nullable(),
    months: z.int().nullable(),
    plans: z.array(z.string()).nullable(),
    ends_at: nullableTimestamp,
  })
  .meta({ id: "Discount" })

export const ScheduledPlanResource = z
  .object({ plan: PlanTermsResource, starts_at: nullableTimestamp, ends_at: nullableTimestamp })
  .meta({ id: "ScheduledPlan" })

export const SubscriptionResource = z
  .object({
    status: z.enum(SUBSCRIPTION_STATUSES),
    plan: PlanTermsResource.nullable(),
    coupon_code: z.string().nullable(),
    discount: DiscountResource.nullable(),
    scheduled_plan: ScheduledPlanResource.nullable(),
    trial_ends_at: nullableTimestamp,
    current_period_ends_at: nullableTimestamp,
    past_due_since: nullableTimestamp,
    suspended_at: nullableTimestamp,
    cancelled_at: nullableTimestamp,
    cancel_at: nullableTimestamp,
    created_at: z.string(),
    updated_at: z.string(),
    allowed_actions: z.array(z.enum(ACTIONS)),
  } satisfies PublishedColumns<Subscription, InternalColumn>)
  .meta({ id: "Subscription" })

/** Formats a timestamp that is stored in JSON. */
const formatStored = (text: string | null): string | null => formatTimestamp(text === null ? null : new Date(text))

export const subscriptionResource = (row: Omit<Subscription, "id">): z.input<typeof SubscriptionResource> => ({
  status: row.status,
  plan: row.plan && planTermsResource(row.plan),
  coupon_code: row.couponCode,
  discount: row.discount && { ...row.discount, ends_at: formatStored(row.discount.ends_at) },
  // A cancelled subscription retains a paid one for its reactivation.
  scheduled_plan:
    row.status === "cancelled"
      ? null
      : row.scheduledPlan && {
          plan: planTermsResource(row.scheduledPlan.terms),
          starts_at: formatTimestamp(row.currentPeriodEndsAt),
          ends_at: formatStored(row.scheduledPlan.ends_at),
        },
  trial_ends_at: formatTimestamp(row.trialEndsAt),
  current_period_ends_at: formatTimestamp(row.currentPeriodEndsAt),
  past_due_since: formatTimestamp(row.pastDueSince),
  suspended_at: formatTimestamp(row.suspendedAt),
  cancelled_at: formatTimestamp(row.cancelledAt),
  cancel_at: formatTimestamp(row.cancelAt),
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
  allowed_actions: listAllowedActions(row),
})
