// Operator commands of plans.
import * as z from "zod"
import { planResource, SavePlan } from "../platform/plans/schemas"
import { savePlan } from "../platform/plans/service"
import { type Command, command } from "./command"

/** An option that is no text: a command line writes it as JSON, a script sends it as it is. */
const json = <Type extends z.ZodType>(type: Type) => z.preprocess(readJson, type)

/** Characters of an option's JSON. */
const LONGEST_OPTION = 2_000

function readJson(given: unknown): unknown {
  if (typeof given !== "string" || given.length > LONGEST_OPTION) return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/** More than any plan names, and one more makes the list too long. */
const MOST_SLUGS = 100

/** Slugs: comma separated on a command line, a list or null in a script; `all` is null. */
const slugs = <Type extends z.ZodType>(type: Type) =>
  z.preprocess((given) => {
    if (typeof given !== "string") return given
    return given === "all" ? null : given.split(",", MOST_SLUGS + 1).map((slug) => slug.trim())
  }, type)

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
