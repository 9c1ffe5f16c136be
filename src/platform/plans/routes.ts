// Routes of the plans.
import type { Context } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
import { readPrecondition } from "../../core/http/precondition"
import { list, one } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { CreatePlan, ListPlans, type Plan, PlanResource, planResource, UpdatePlan } from "./schemas"
import { createPlan, listPlans, planTag, readPlan, updatePlan } from "./service"

const plan = { status: 200, body: one(PlanResource) } as const

const respond = (c: Context<PlatformEnv>, row: Plan, status: 200 | 201 = 200) =>
  c.json({ data: planResource(row) }, status, { ETag: planTag(row) })

export const plans = createRouter<PlatformEnv>()
  .get(
    "/plans",
    describe({ id: "plans.list", summary: "List plans", responses: { status: 200, body: list(PlanResource) } }),
    query(ListPlans),
    async (c) => {
      const { include_inactive = false, updated_since } = c.req.valid("query")
      const rows = await listPlans(c.var.ctx, { includeInactive: include_inactive, updatedSince: updated_since })
      return c.json({ data: rows.map(planResource), meta: { total: rows.length } })
    },
  )
  .post(
    "/plans",
    describe({
      id: "plans.create",
      summary: "Create a plan",
      responses: { status: 201, body: one(PlanResource) },
      versioned: true,
    }),
    body(CreatePlan),
    async (c) => respond(c, await createPlan(c.var.ctx, c.req.valid("json")), 201),
  )
  .get(
    "/plans/:slug",
    describe({ id: "plans.get", summary: "Retrieve a plan", responses: plan, refuses: ["not_found"], versioned: true }),
    async (c) => respond(c, await readPlan(c.var.ctx, c.req.param("slug"))),
  )
  .patch(
    "/plans/:slug",
    describe({
      id: "plans.update",
      summary: "Update a plan",
      responses: plan,
      refuses: ["not_found"],
      versioned: true,
    }),
    body(UpdatePlan),
    async (c) => {
      const { slug } = c.req.param()
      return respond(c, await updatePlan(c.var.ctx, slug, c.req.valid("json"), readPrecondition(c)))
    },
  )
