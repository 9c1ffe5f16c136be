// Lists, reads and saves plans.
import { and, asc, eq, gte, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input as HttpInput, PartialInput } from "../../core/http/input"
import { type Precondition, versionTag } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { type AuditRecord, applyChange, commit, WriteConflict } from "../../core/write/commit"
import { type CentralDatabase, read } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { plans } from "../../db/schema/central/plans"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { insert, update } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { type CreatePlan, type Plan, planResource, type SavePlanInput, type UpdatePlan } from "./schemas"

/** Lists the plans in their sort order; inactive ones only on request. */
export const listPlans = (
  ctx: Ctx,
  { includeInactive, updatedSince }: { includeInactive: boolean; updatedSince?: Date },
): Promise<Plan[]> => {
  if (!updatedSince) return read(ctx.db, includeInactive ? selectAllPlans({}) : selectActivePlans({}))
  const isListed = includeInactive ? undefined : eq(plans.isActive, true)
  return selectPlans(ctx.db, and(isListed, gte(plans.updatedAt, updatedSince))).all()
}

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
 * Creates a check that distinguishes an invalid plan from one that was deactivated in the meantime.
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

const { slug: _slug, limits: _limits, features: _features, ...UPDATE_COLUMNS } = INPUT_COLUMNS

const FEATURE_COLUMNS = {
  custom_domain: "allowsCustomDomain",
  api_access: "allowsApiAccess",
  remove_branding: "removeBranding",
  webhooks: "webhookEndpoints",
} as const satisfies InputColumns<Input["features"], Plan>

const NO_LIMITS: Plan["limits"] = { products: 0, orders: 0, storage_mb: 0, staff_users: 0 }
const NO_FEATURES: Input["features"] = { custom_domain: false, api_access: false, remove_branding: false }

/** Returns the ETag of a plan. */
export const planTag = ({ id, version }: Plan): string => versionTag(id, version)

/** Creates a plan, or replaces the one with the same slug. Existing subscriptions keep their frozen terms. */
export async function savePlan(ctx: Ctx, input: Input): Promise<Plan & { isNew: boolean }> {
  const values = toValues(ctx, input)
  const [before] = await ctx.db.select().from(plans).where(eq(plans.slug, input.slug))
  const [[plan]] = await commit(ctx, {
    writes: [
      insert(plans)
        .values({ slug: input.slug, createdAt: ctx.now, ...values })
        .onConflictDoUpdate({ target: plans.slug, set: { ...values, version: sql`${plans.version} + 1` } })
        .returning(),
    ],
    auditLog: [buildAudit(input.slug, before ?? null, input)],
  })
  return { ...assertSaved(plan), isNew: before === undefined }
}

/**
 * Creates a plan.
 * @throws Refusal `validation_failed` for a slug that is taken
 */
export async function createPlan(ctx: Ctx, input: HttpInput<typeof CreatePlan>): Promise<Plan> {
  const fields = await input.completeBeforeCommit(async ({ slug }) => ({
    slug: slug && (await read(ctx.db, selectPlanBySlug({ slug }))).length ? "taken" : null,
  }))
  const plan: Input = {
    ...fields,
    limits: { ...NO_LIMITS, ...fields.limits },
    features: { ...NO_FEATURES, ...fields.features },
  }
  const [[created]] = await commit(ctx, {
    writes: [
      insert(plans)
        .values({ slug: plan.slug, createdAt: ctx.now, ...toValues(ctx, plan) })
        .returning(),
    ],
    auditLog: [buildAudit(plan.slug, null, plan)],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("slug", "taken") : cause
  })
  return assertSaved(created)
}

/**
 * Changes the fields in the input; writes nothing when none differs. Existing subscriptions keep their frozen terms.
 * @throws Refusal `not_found`, `precondition_failed`
 */
export const updatePlan = (
  ctx: Ctx,
  slug: string,
  input: z.output<typeof UpdatePlan>,
  precondition?: Precondition,
): Promise<Plan> =>
  applyChange(
    ctx,
    () => readPlan(ctx, slug),
    (plan) => {
      precondition?.(planTag(plan))
      const changed = getChangedColumns(plan, input)
      if (!Object.keys(changed).length) return { result: plan }
      const values = { ...changed, version: plan.version + 1, updatedAt: ctx.now }
      return {
        result: { ...plan, ...values },
        change: {
          guard: update(plans)
            .set(values)
            .where(and(eq(plans.id, plan.id), eq(plans.version, plan.version))),
          auditLog: [buildAudit(slug, plan, input)],
        },
      }
    },
  )

/** Returns the columns whose values an input changes. */
function getChangedColumns(
  plan: Plan,
  { features = {}, limits, ...input }: z.output<typeof UpdatePlan>,
): Partial<Plan> {
  const columns: Partial<Plan> = {
    ...toColumns(input, UPDATE_COLUMNS),
    ...toColumns(features, FEATURE_COLUMNS),
    ...(limits && { limits: { ...plan.limits, ...limits } }),
  }
  return Object.fromEntries(
    Object.entries(columns).filter(
      ([column, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(plan[column as keyof Plan]),
    ),
  )
}

function toValues(ctx: Ctx, input: Input) {
  const { slug: _slug, ...columns } = toColumns(input, INPUT_COLUMNS)
  const features = toColumns(input.features, FEATURE_COLUMNS)
  return { ...columns, ...features, webhookEndpoints: features.webhookEndpoints ?? null, updatedAt: ctx.now }
}

const buildAudit = (slug: string, before: Plan | null, input: object): AuditRecord => ({
  audit: {
    subject: "plan",
    action: "saved",
    id: slug,
    before: before && planResource(before),
    after: { ...input },
  },
})

function assertSaved(plan: Plan | undefined): Plan {
  if (!plan) throw new Error("the plan was not saved")
  return plan
}
