// Plans: listed, read, and saved by an operator.
import { and, asc, eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { plans } from "../../db/schema/central/plans"
import type { Plan, SavePlan } from "./schemas"

/** The plans in their order; retired ones only when asked for. */
export const listPlans = (ctx: Ctx, input: { includeInactive: boolean }): Promise<Plan[]> =>
  ctx.db
    .select()
    .from(plans)
    .where(input.includeInactive ? undefined : eq(plans.isActive, true))
    .orderBy(asc(plans.sortOrder), asc(plans.id))

/** @throws Refusal `not_found` */
export async function readPlan(ctx: Ctx, slug: string): Promise<Plan> {
  const [plan] = await ctx.db.select().from(plans).where(eq(plans.slug, slug))
  if (!plan) throw new Refusal("not_found")
  return plan
}

/** The statement that finds a plan a store can be given today. */
export const activePlan = (ctx: Ctx, slug: string) =>
  ctx.db
    .select()
    .from(plans)
    .where(and(eq(plans.slug, slug), eq(plans.isActive, true)))

/** Creates the plan, or replaces the one of the same slug. Subscriptions keep the terms they were sold. */
export async function savePlan(ctx: Ctx, input: z.output<typeof SavePlan>): Promise<Plan> {
  const values = {
    name: input.name,
    description: input.description,
    priceCents: input.price_cents,
    currency: input.currency,
    interval: input.interval,
    trialDays: input.trial_days,
    limits: input.limits,
    allowsCustomDomain: input.features.custom_domain,
    allowsApiAccess: input.features.api_access,
    removeBranding: input.features.remove_branding,
    apps: input.apps,
    themes: input.themes,
    stripePrice: input.stripe_price,
    isActive: input.is_active,
    sortOrder: input.sort_order,
    updatedAt: ctx.now,
  }
  const [plan] = await ctx.db
    .insert(plans)
    .values({ slug: input.slug, createdAt: ctx.now, ...values })
    .onConflictDoUpdate({ target: plans.slug, set: values })
    .returning()
  if (!plan) throw new Error("the plan was not saved")
  return plan
}
