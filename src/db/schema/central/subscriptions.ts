// Tables for the subscriptions of stores: the plan's frozen terms, and the status.
import { type SQL, sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"
import type { BillingProvider, CardProviderName } from "./billing-providers"
import type { Limits } from "./plans"

export const SUBSCRIPTION_STATUSES = ["trialing", "active", "past_due", "suspended", "cancelled"] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** A plan's terms, frozen when the subscription took them; later edits of the plan do not affect it. */
export interface PlanTerms {
  id: number
  slug: string
  name: string
  price_cents: number
  currency: string
  interval: "month" | "year"
  trial_days: number
  limits: Limits
  /** Whether the plan includes each feature; `webhooks` is a number of endpoints, absent for the default. */
  features: Record<string, boolean | number>
  allows_custom_domain: boolean
  apps: string[] | null
  themes: string[] | null
  taken_at: string
}

/** A coupon's discount, frozen when the coupon was redeemed. */
export interface Discount {
  code: string
  percent_off: number | null
  /** In the smallest unit of the plan's currency. */
  amount_off: number | null
  months: number | null
  /** Slugs of the plans that it applies to; null for all. */
  plans: string[] | null
  /** Paid periods that begin from here on get none; null before the first discounted one, and without `months`. */
  ends_at: string | null
}

/** A change of plan at the end of the paid period. */
export interface ScheduledPlan {
  terms: PlanTerms
  /** End of the period that is already paid for the new plan; null for a free plan. */
  ends_at: string | null
}

export const subscriptions = sqliteTable(
  "subscriptions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    storeId: text("store_id").notNull().unique(),
    status: text("status").$type<SubscriptionStatus>().notNull(),
    provider: text("provider").$type<BillingProvider>().notNull(),
    plan: json<PlanTerms>("plan"),
    couponCode: text("coupon_code"),
    /** Null without a coupon that gives one. */
    discount: json<Discount>("discount"),
    /** Takes effect when the current period ends; null without one. */
    scheduledPlan: json<ScheduledPlan>("scheduled_plan"),
    trialEndsAt: timestamp("trial_ends_at"),
    currentPeriodEndsAt: timestamp("current_period_ends_at"),
    pastDueSince: timestamp("past_due_since"),
    suspendedAt: timestamp("suspended_at"),
    cancelledAt: timestamp("cancelled_at"),
    /** When a scheduled cancellation takes effect; null without one. */
    cancelAt: timestamp("cancel_at"),
    /** The latest reminder of the trial's end, as days before it; null before the first. */
    trialReminder: integer("trial_reminder"),
    /** The latest payment reminder, as days past due; null before the first. */
    dunningDay: integer("dunning_day"),
    /** When the owner was warned that the store is about to be purged. */
    retentionWarnedAt: timestamp("retention_warned_at"),
    /** References to the card provider's objects (src/platform/payments/references.ts); never exposed. */
    cardCustomer: text("stripe_customer"),
    cardSubscription: text("stripe_subscription").unique(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("subscriptions_status").on(t.status, t.id),
    index("subscriptions_provider").on(t.provider, t.id),
    index("subscriptions_plan").on(sql`plan ->> '$.slug'`, t.id),
    index("subscriptions_trial").on(t.status, t.trialEndsAt),
    index("subscriptions_period").on(t.status, t.currentPeriodEndsAt),
    index("subscriptions_past_due").on(t.status, t.pastDueSince),
    index("subscriptions_cancelled").on(t.status, t.cancelledAt),
    // The provider comes first; otherwise the query planner picks `subscriptions_provider`. A `case` instead of
    // `coalesce`, because the migration generator would split that at its commas.
    index("subscriptions_expected")
      .on(
        t.provider,
        sql`case when current_period_ends_at is not null then current_period_ends_at when trial_ends_at is not null then trial_ends_at else updated_at end`,
      )
      .where(sql`provider = 'stripe' and status <> 'cancelled'`),
  ],
)

export type Subscription = typeof subscriptions.$inferSelect

/**
 * Matches the subscriptions that a card provider still bills. The name is part of the text, because the condition has
 * to match that of the provider's partial index literally.
 */
export const isBilledBy = (provider: CardProviderName): SQL =>
  sql`${subscriptions.provider} = ${sql.raw(`'${provider}'`)} and ${subscriptions.status} <> 'cancelled'`
