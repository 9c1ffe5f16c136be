// Lists, reads and saves plans.
import { and, asc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { PartialInput } from "../../core/http/input"
import { invalid, Refusal } from "../../core/http/refusal"
import { commit, WriteConflict } from "../../core/write/commit"
import { type CentralDatabase, read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { plans } from "../../db/schema/central/plans"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { insert } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { type Plan, planResource, type SavePlanInput } from "./schemas"

/** Lists the plans in their sort order; inactive ones only on request. */
export const listPlans = (ctx: Ctx, input: { includeInactive: boolean }): Promise<Plan[]> =>
  read(ctx.db, input.includeInactive ? selectAllPlans({}) : selectActivePlans({}))

const selectPlans = (db: CentralDatabase, which?: SQL) =>
  db.select().from(plans).where(which).orderBy(asc(plans.sortOrder), asc(plans.id))

const selectAllPlans = prepareRead<Plan, object>((db) => selectPlans(db))

/** Selects the active plans, in their sort order. */
export const selectActivePlans = prepareRead<Plan, object>((db) => selectPlans(db, eq(plans.isActive, true)))

const selectPlanBySlug = prepareRead<Plan, { slug: string }>((db) =>
  db
    .select()
    .from(plans)
    .where(eq(plans.slug, param("slug"))),
)

/** @throws Refusal `not_found` */
export async function readPlan(ctx: Ctx, slug: string): Promise<Plan> {
  const [plan] = await read(ctx.db, selectPlanBySlug({ slug }))
  if (!plan) throw new Refusal("not_found")
  return plan
}

/** Selects a plan by its slug, if it is active. */
export const selectActivePlan = (ctx: Pick<Ctx, "db">, slug: string) =>
  ctx.db
    .select()
    .from(plans)
    .where(and(eq(plans.slug, slug), eq(plans.isActive, true)))

/**
 * Creates a check that distinguishes an invalid plan from one that was deactivated meanwhile.
 * @returns a function to call with every loaded plan: the first, and those loaded again after a write conflict. It
 *   throws a Refusal `validation_failed` if the first plan is missing, and `plan_unavailable` if a later one is
 */
export function createPlanGuard(input: PartialInput<{ plan: string }, "plan">): (plan: Plan | undefined) => Plan {
  let wasActive = false
  return (plan) => {
    if (!plan) throw wasActive ? new Refusal("plan_unavailable") : input.reject("plan", "selected")
    wasActive = true
    return plan
  }
}

/** Whether a plan is still active and unchanged since it was read; a guard condition for commits that use its terms. */
export const isPlanUnchanged = (plan: Plan): SQL =>
  sql`exists (select 1 from ${plans} where ${and(eq(plans.id, plan.id), eq(plans.isActive, true), eq(plans.updatedAt, plan.updatedAt))})`

/** Subscriptions of a plan are counted up to this number. */
const MAX_COUNTED_SUBSCRIPTIONS = 1_000

/** Counts the stores that have a plan, up to 1,000. */
export async function countPlanSubscriptions(ctx: Ctx, slug: string): Promise<{ count: number; isExact: boolean }> {
  const found = sql`(select 1 from ${subscriptions} where ${subscriptions.plan} ->> '$.slug' = ${slug} limit ${MAX_COUNTED_SUBSCRIPTIONS})`
  const [row] = await ctx.db.select({ count: sql<number>`count(*)` }).from(found)
  const count = row?.count ?? 0
  return { count, isExact: count < MAX_COUNTED_SUBSCRIPTIONS }
}

type Input = z.output<typeof SavePlanInput>

/** The column that stores each field of the input. */
const INPUT_COLUMNS = {
  slug: "slug",
  name: "name",
  description: "description",
  price_cents: "priceCents",
  currency: "currency",
  interval: "interval",
  trial_days: "trialDays",
  limits: "limits",
  features: { omitted: "stored in one column each" },
  apps: "apps",
  themes: "themes",
  stripe_price: "cardPrice",
  is_active: "isActive",
  sort_order: "sortOrder",
} as const satisfies InputColumns<Input, Plan>

const FEATURE_COLUMNS = {
  custom_domain: "allowsCustomDomain",
  api_access: "allowsApiAccess",
  remove_branding: "removeBranding",
} as const satisfies InputColumns<Input["features"], Plan>

/**
 * Creates a plan, or replaces the one with the same slug. Existing subscriptions keep their frozen terms.
 * @param options `isNew`: refuse a slug that is taken instead of replacing its plan
 * @throws Refusal `validation_failed` for a new plan with a slug that is taken
 */
export async function savePlan(
  ctx: Ctx,
  input: Input,
  options: { isNew: boolean } = { isNew: false },
): Promise<Plan & { isNew: boolean }> {
  const { slug, ...columns } = toColumns(input, INPUT_COLUMNS)
  const values = { ...columns, ...toColumns(input.features, FEATURE_COLUMNS), updatedAt: ctx.now }
  const [before] = await ctx.db.select().from(plans).where(eq(plans.slug, input.slug))
  const row = insert(plans).values({ slug, createdAt: ctx.now, ...values })
  const [[existing], [plan]] = await commit(ctx, {
    writes: [
      ctx.db.select({ id: plans.id }).from(plans).where(eq(plans.slug, slug)),
      (options.isNew ? row : row.onConflictDoUpdate({ target: plans.slug, set: values })).returning(),
    ],
    auditLog: [
      {
        audit: {
          subject: "plan",
          action: "saved",
          id: input.slug,
          before: before ? planResource(before) : null,
          after: { ...input },
        },
      },
    ],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? invalid("slug", "duplicate") : cause
  })
  if (!plan) throw new Error("the plan was not saved")
  return { ...plan, isNew: existing === undefined }
}
