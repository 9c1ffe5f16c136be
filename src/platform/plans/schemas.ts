// The inputs and resources of plans, and the terms that a subscription freezes.
import * as z from "zod"
import {
  listOf,
  multilineText,
  queryFlag,
  shortText,
  text,
  timestampInput,
  withLookups,
} from "../../core/http/validation"
import type { plans } from "../../db/schema/central/plans"
import type { PlanTerms } from "../../db/schema/central/subscriptions"
import type { Complete, PublishedColumns } from "../../lib/every-field"
import { formatTimestamp } from "../../lib/time"
import type { FEATURES } from "./features"

export type Plan = typeof plans.$inferSelect

const limits = z.object({ products: z.int(), orders: z.int(), storage_mb: z.int(), staff_users: z.int() })

/** Columns that the resource does not contain. */
type InternalColumn = "allowsApiAccess" | "removeBranding" | "webhookEndpoints" | "cardPrice" | "version"

export const PlanResource = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    price_cents: z.int(),
    currency: z.string(),
    interval: z.enum(["month", "year"]),
    trial_days: z.int(),
    limits,
    features: z.record(z.string(), z.union([z.boolean(), z.int()])),
    allows_custom_domain: z.boolean(),
    apps: z.array(z.string()).nullable(),
    themes: z.array(z.string()).nullable(),
    is_active: z.boolean(),
    sort_order: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  } satisfies PublishedColumns<Plan, InternalColumn>)
  .meta({ id: "Plan" })

export const PlanTermsResource = z
  .object({
    ...PlanResource.omit({
      description: true,
      apps: true,
      themes: true,
      is_active: true,
      sort_order: true,
      created_at: true,
      updated_at: true,
    }).shape,
    taken_at: z.string(),
  })
  .meta({ id: "PlanTerms" })

const features = (plan: Plan): Record<keyof typeof FEATURES, boolean> & { webhooks?: number } => ({
  custom_domain: plan.allowsCustomDomain,
  api_access: plan.allowsApiAccess,
  remove_branding: plan.removeBranding,
  ...(plan.webhookEndpoints !== null && { webhooks: plan.webhookEndpoints }),
})

export const planResource = (plan: Plan): Complete<z.input<typeof PlanResource>> => ({
  id: plan.id,
  slug: plan.slug,
  name: plan.name,
  description: plan.description,
  price_cents: plan.priceCents,
  currency: plan.currency,
  interval: plan.interval,
  trial_days: plan.trialDays,
  limits: plan.limits,
  features: features(plan),
  allows_custom_domain: plan.allowsCustomDomain,
  apps: plan.apps,
  themes: plan.themes,
  is_active: plan.isActive,
  sort_order: plan.sortOrder,
  created_at: formatTimestamp(plan.createdAt),
  updated_at: formatTimestamp(plan.updatedAt),
})

/** The plan's terms as of `now`. A subscription stores them, so later changes to the plan do not affect it. */
export const buildPlanTerms = (plan: Plan, now: Date): PlanTerms => ({
  id: plan.id,
  slug: plan.slug,
  name: plan.name,
  price_cents: plan.priceCents,
  currency: plan.currency,
  interval: plan.interval,
  trial_days: plan.trialDays,
  limits: plan.limits,
  features: features(plan),
  allows_custom_domain: plan.allowsCustomDomain,
  apps: plan.apps,
  themes: plan.themes,
  taken_at: formatTimestamp(now),
})

/** The resource of frozen terms, without the lists of apps and themes. */
export function planTermsResource(terms: PlanTerms): z.input<typeof PlanTermsResource> {
  const { apps: _apps, themes: _themes, ...resource } = terms
  return resource
}

export const ListPlans = z.object({ include_inactive: queryFlag.optional(), updated_since: timestampInput.optional() })

/** Webhook endpoints that a store may have; null for the default. */
const webhooks = z.int().min(0).max(100).nullish()

/** A plan as saved by an operator. */
export const SavePlanInput = z.object({
  slug: shortText(63).regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  name: text({ max: 120 }),
  description: z.union([z.literal(""), multilineText({ max: 500 })]),
  price_cents: z.int().min(0),
  currency: z.string().regex(/^[A-Z]{3}$/),
  interval: z.enum(["month", "year"]),
  trial_days: z.int().min(0).max(365),
  limits: limits.extend({
    products: z.int().min(0),
    orders: z.int().min(0),
    storage_mb: z.int().min(0),
    staff_users: z.int().min(0),
  }),
  features: z.object({
    custom_domain: z.boolean(),
    api_access: z.boolean(),
    remove_branding: z.boolean(),
    webhooks,
  } satisfies Record<keyof typeof FEATURES | "webhooks", z.ZodType>),
  apps: listOf(shortText(63), { max: 100 }).nullable().default(null),
  themes: listOf(shortText(63), { max: 100 }).nullable().default(null),
  stripe_price: shortText(255).nullable().default(null),
  is_active: z.boolean().default(true),
  sort_order: z.int().default(0),
})

const { shape } = SavePlanInput

/** Partial objects of a change; a field that is left out keeps its value. */
const PartialLimits = shape.limits.partial()
const PartialFeatures = shape.features.partial()

/** A new plan, as the API creates it. */
export const CreatePlan = withLookups(
  z.object({
    ...shape,
    description: shape.description.default(""),
    trial_days: shape.trial_days.default(0),
    limits: PartialLimits.optional(),
    features: PartialFeatures.optional(),
  }),
  "slug",
)

export const UpdatePlan = z.object({
  name: shape.name.optional(),
  description: shape.description.optional(),
  price_cents: shape.price_cents.optional(),
  currency: shape.currency.optional(),
  interval: shape.interval.optional(),
  trial_days: shape.trial_days.optional(),
  limits: PartialLimits.optional(),
  features: PartialFeatures.optional(),
  apps: shape.apps.unwrap().optional(),
  themes: shape.themes.unwrap().optional(),
  stripe_price: shape.stripe_price.unwrap().optional(),
  is_active: shape.is_active.unwrap().optional(),
  sort_order: shape.sort_order.unwrap().optional(),
})
