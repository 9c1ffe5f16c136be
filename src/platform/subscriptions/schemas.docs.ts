// Documents the API fields of subscriptions.
import { documentFields } from "../../core/http/field-docs"
import {
  AssignPlan,
  CancelSubscription,
  ChangePlan,
  DiscountResource,
  Extend,
  OperatorAction,
  ResumeStore,
  ScheduledPlanResource,
  SubscriptionResource,
} from "./schemas"

const plan = { description: "Slug of an active plan.", example: "starter" }

documentFields(AssignPlan, {
  plan,
  trial_days: { description: "Length of the trial in days, instead of the plan's; 0 for no trial.", example: 14 },
})

documentFields(ChangePlan, { plan })

documentFields(Extend, { days: { description: "Days to add.", example: 14 } })

const action = {
  reason: { description: "Why the store is closed. The owner can read it.", example: "Requested by the owner" },
  notify: { description: "Whether the owner gets a mail with the reason.", example: true },
}

documentFields(OperatorAction, action)

documentFields(ResumeStore, {
  resolution: {
    description:
      "What happens to a subscription that is past due or suspended. `extend_trial` starts a trial now. `mark_paid` books a payment for one period and issues its invoice. `leave`, the default, changes nothing.",
    example: "mark_paid",
  },
  days: {
    description: "Length of the trial of `extend_trial`; by default that of the plan, or 14 days if it has none.",
    example: 14,
  },
})

documentFields(CancelSubscription, {
  ...action,
  at_period_end: {
    description: "Whether the subscription runs until the end of the paid period or trial, instead of ending now.",
    example: true,
  },
})

documentFields(DiscountResource, {
  code: { description: "Code of the coupon.", example: "SPRING" },
  percent_off: { description: "Percentage off each paid period.", example: 20 },
  amount_off: {
    description: "Amount off each paid period, in the smallest unit of the plan's currency.",
    example: null,
  },
  months: {
    description: "Months from the first discounted period in which further ones are discounted; null for no end.",
    example: 3,
  },
  plans: { description: "Slugs of the plans that it applies to; null for all.", example: null },
  ends_at: {
    description:
      "Periods that begin from here on are not discounted. Null until the first discounted period, and without `months`.",
    example: null,
  },
})

documentFields(ScheduledPlanResource, {
  plan: { description: "Terms of the plan at the time when the change was scheduled." },
  starts_at: { description: "When the plan takes effect.", example: "2026-09-16T10:15:00+00:00" },
  ends_at: { description: "End of the period that is already paid for; null for a free plan.", example: null },
})

documentFields(SubscriptionResource, {
  status: { description: "Status in the subscription's life cycle.", example: "trialing" },
  plan: { description: "Terms at the time of purchase. Later changes to the plan do not affect them." },
  coupon_code: { description: "Coupon that the store was created with.", example: null },
  discount: { description: "Discount that a coupon gives on paid periods." },
  scheduled_plan: { description: "Plan that replaces the current one when the paid period ends." },
  trial_ends_at: {
    description:
      "When the trial ends. If the store paid a period before it saved a card, the end of that period, when the card is charged first.",
    example: "2026-09-16T10:15:00+00:00",
  },
  current_period_ends_at: { description: "When the current billing period ends.", example: null },
  past_due_since: { description: "Start of the grace period.", example: null },
  suspended_at: { description: "When the subscription was suspended.", example: null },
  cancelled_at: { description: "When the subscription was cancelled.", example: null },
  cancel_at: { description: "When a scheduled cancellation takes effect.", example: null },
  allowed_actions: {
    description: "Actions that are possible in the current status.",
    example: ["change_plan", "extend", "cancel"],
  },
})
