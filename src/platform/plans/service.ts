// Plans: listed, read, and saved by an operator.
import { and, asc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { commit } from "../../core/write/commit"
import { type CentralDatabase, read } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { plans } from "../../db/schema/central/plans"
import { insert } from "../../db/write"
import { type Plan, planResource, type SavePlan } from "./schemas"

/** The plans in their order; retired ones only when asked for. */
export const listPlans = (ctx: Ctx, input: { includeInactive: boolean }): Promise<Plan[]> =>
  read(ctx.db, input.includeInactive ? allPlans({}) : plansOnSale({}))

const inOrder = (db: CentralDatabase, which?: SQL) =>
  db.select().from(plans).where(which).orderBy(asc(plans.sortOrder), asc(plans.id))

const allPlans = compiled<Plan, object>((db) => inOrder(db))

/** The statement that lists the plans on sale, in their order. */
export const plansOnSale = compiled<Plan, object>((db) => inOrder(db, eq(plans.isActive, true)))

const planOfSlug = compiled<Plan, { slug: string }>((db) =>
  db
    .select()
    .from(plans)
    .where(eq(plans.slug, given("slug"))),
)

/** @throws Refusal `not_found` */
export async function readPlan(ctx: Ctx, slug: string): Promise<Plan> {
  const [plan] = await read(ctx.db, planOfSlug({ slug }))
  if (!plan) throw new Refusal("not_found")
  return plan
}

/** The statement that finds a plan a store can be given today. */
export const activePlan = (ctx: Pick<Ctx, "db">, slug: string) =>
  ctx.db
    .select()
    .from(plans)
    .where(and(eq(plans.slug, slug), eq(plans.isActive, true)))

/**
 * Tells a plan that cannot be had from one that was on offer until a moment ago.
 * @returns what to ask at every look at the plan, the first and those after a lost race
 * @throws Refusal when asked: `validation_failed` at the first look, `plan_unavailable` at a later one
 */
export function offeredPlan(field = "plan"): (plan: Plan | undefined) => Plan {
  let seen = false
  return (plan) => {
    if (!plan) throw seen ? new Refusal("plan_unavailable") : invalid(field, "selected")
    seen = true
    return plan
  }
}

/** Whether a plan is still on offer with the terms that were read; what a change to it has to hold on to. */
export const stillOffered = (plan: Plan): SQL =>
  sql`exists (select 1 from ${plans} where ${and(eq(plans.id, plan.id), eq(plans.isActive, true), eq(plans.updatedAt, plan.updatedAt))})`

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
  const [before] = await ctx.db.select().from(plans).where(eq(plans.slug, input.slug))
  const [[plan]] = await commit(ctx, {
    writes: [
      insert(plans)
        .values({ slug: input.slug, createdAt: ctx.now, ...values })
        .onConflictDoUpdate({ target: plans.slug, set: values })
        .returning(),
    ],
    trail: [
      {
        audit: {
          subject: "plan",
          deed: "saved",
          id: input.slug,
          before: before ? planResource(before) : null,
          after: { ...input },
        },
      },
    ],
  })
  if (!plan) throw new Error("the plan was not saved")
  return plan
}
