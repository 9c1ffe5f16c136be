// Operator commands of plans.
import { planResource, SavePlan } from "../platform/plans/schemas"
import { savePlan } from "../platform/plans/service"
import { type Command, command } from "./command"
import { json, slugs } from "./options"

const terms = SavePlan.shape

const PlanOptions = SavePlan.extend({
  price_cents: json(terms.price_cents),
  currency: terms.currency.describe("ISO 4217, such as EUR"),
  interval: terms.interval.describe("month or year"),
  trial_days: json(terms.trial_days),
  limits: json(terms.limits).describe('{"products":0,"orders":0,"storage_mb":0,"staff_users":0}; 0 is unlimited'),
  features: json(terms.features).describe('{"custom_domain":true,"api_access":false,"remove_branding":false}'),
  apps: slugs(terms.apps).describe("slugs of those it entitles to, comma separated; all unless given"),
  themes: slugs(terms.themes).describe("slugs of those it entitles to, comma separated; all unless given"),
  is_active: json(terms.is_active).describe("false retires it"),
  sort_order: json(terms.sort_order),
})

export const planCommands: Record<string, Command> = {
  "plans:save": command("Create a plan, or replace the one of that slug", PlanOptions, async (ctx, input) =>
    planResource(await savePlan(ctx, input)),
  ),
}
