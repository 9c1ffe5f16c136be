// Which apps may be switched on and off. Pure.

import { dependantsOf, plugins, requirementsOf } from "../../apps/registry"
import { Refusal } from "../../core/http/refusal"
import type { PlanTerms } from "../../db/schema/central/subscriptions"

/** Whether what a store bought includes an app; one that bought nothing, or a plan without a list, has them all. */
export const entitles = (terms: Pick<PlanTerms, "apps"> | null | undefined, slug: string): boolean =>
  !terms?.apps || terms.apps.includes(slug)

/**
 * What has to be switched on for an app to work: what it requires first, itself last, without what is on already.
 * @param enabled slugs of the apps that are on
 * @param terms what the store bought
 * @returns nothing when the app is on, whatever the plan says today
 * @throws Refusal `not_entitled`, `requirement_not_entitled`, in that order
 */
export function appsToEnable(slug: string, enabled: readonly string[], terms: PlanTerms | null | undefined): string[] {
  if (enabled.includes(slug)) return []
  if (!entitles(terms, slug)) throw new Refusal("not_entitled", { app: slug })
  const required = requirementsOf(slug)
  const missing = required.find((requirement) => !entitles(terms, requirement))
  if (missing) throw new Refusal("requirement_not_entitled", { app: missing })
  return [...required, slug].filter((wanted) => !enabled.includes(wanted))
}

/**
 * Whether an app may be switched off.
 * @throws Refusal `still_required` while an app that is on cannot be without it
 */
export function assertDispensable(slug: string, enabled: readonly string[]): void {
  const dependant = dependantsOf(slug).find((other) => enabled.includes(other))
  if (dependant) throw new Refusal("still_required", { app: dependant })
}

/** The apps a new store starts with: what its theme requires, and what is preinstalled; of those what its plan includes. */
export function startingApps(requiredByTheme: readonly string[], terms: PlanTerms | null | undefined): string[] {
  const preinstalled = plugins.filter((plugin) => plugin.preinstalled).map(({ slug }) => slug)
  const wanted = [...requiredByTheme, ...preinstalled].flatMap((slug) => [...requirementsOf(slug), slug])
  return [...new Set(wanted)].filter((slug) => [...requirementsOf(slug), slug].every((part) => entitles(terms, part)))
}
