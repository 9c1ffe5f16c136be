// CLI commands for plans.
import { planResource, SavePlanInput } from "../platform/plans/schemas"
import { savePlan } from "../platform/plans/service"
import { type Command, command } from "./command"
import { withCreated } from "./created"
import { jsonOption, slugListOption } from "./options"

const terms = SavePlanInput.shape

const PlanOptions = SavePlanInput.extend({
  price_cents: jsonOption(terms.price_cents),
  currency: terms.currency.describe("ISO 4217 currency code, such as EUR"),
  interval: terms.interval.describe("Billing interval: month or year"),
  trial_days: jsonOption(terms.trial_days),
  limits: jsonOption(terms.limits).describe(
    'Limits as JSON, 0 for unlimited: {"products":0,"orders":0,"storage_mb":0,"staff_users":0}',
  ),
  features: jsonOption(terms.features).describe(
    'Features as JSON: {"custom_domain":true,"api_access":false,"remove_branding":false,"webhooks":5}',
  ),
  apps: slugListOption(terms.apps).describe("Comma-separated slugs of the included apps; all by default"),
  themes: slugListOption(terms.themes).describe("Comma-separated slugs of the included themes; all by default"),
  is_active: jsonOption(terms.is_active).describe("Whether new customers can choose the plan"),
  sort_order: jsonOption(terms.sort_order),
})

export const planCommands: Record<string, Command> = {
  "plans:save": command("Create or replace a plan, identified by its slug", PlanOptions, async (ctx, input) =>
    withCreated(await savePlan(ctx, input), planResource),
  ),
}
