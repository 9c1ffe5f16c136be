// Routes of the plans.
import type { PlatformEnv } from "../../core/http/platform-env"
import { list, one } from "../../core/http/response-schemas"
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { ListPlans, PlanResource, planResource } from "./schemas"
import { listPlans, readPlan } from "./service"

export const plans = createRouter<PlatformEnv>()
  .get(
    "/plans",
    describe({ id: "plans.list", summary: "List plans", responses: { status: 200, body: list(PlanResource) } }),
    query(ListPlans),
    async (c) => {
      const plans = await listPlans(c.var.ctx, { includeInactive: c.req.valid("query").include_inactive ?? false })
      return c.json({ data: plans.map(planResource), meta: { total: plans.length } })
    },
  )
  .get(
    "/plans/:slug",
    describe({
      id: "plans.get",
      summary: "Retrieve a plan",
      responses: { status: 200, body: one(PlanResource) },
      refuses: ["not_found"],
    }),
    async (c) => c.json({ data: planResource(await readPlan(c.var.ctx, c.req.param("slug"))) }),
  )
