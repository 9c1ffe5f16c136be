// Pure rules for enabling and disabling apps.

import { availableApps, getDependencies, getDependents } from "../../apps/registry"
import { Refusal } from "../../core/http/refusal"
import type { PlanTerms } from "../../db/schema/central/subscriptions"

/**
 * Whether a store's plan includes an app; without a subscription, or with a plan without an app list, it includes all.
 */
export const entitles = (terms: Pick<PlanTerms, "apps"> | null | undefined, slug: string): boolean =>
  !terms?.apps || terms.apps.includes(slug)

/**
 * Lists the apps to enable: the requirements first, the app itself last, without those that are enabled.
 * @param enabled slugs of the enabled apps
 * @param terms the terms of the store's plan
 * @returns an empty list when the app is enabled, even if the plan no longer includes it
 * @throws Refusal `not_entitled`, `requirement_not_entitled`, in that order
 */
export function appsToEnable(slug: string, enabled: readonly string[], terms: PlanTerms | null | undefined): string[] {
  if (enabled.includes(slug)) return []
  if (!entitles(terms, slug)) throw new Refusal("not_entitled")
  const required = getDependencies(slug)
  const missing = required.find((requirement) => !entitles(terms, requirement))
  if (missing) throw new Refusal("requirement_not_entitled")
  return [...required, slug].filter((candidate) => !enabled.includes(candidate))
}

/**
 * Asserts that an app may be disabled.
 * @throws Refusal `still_required` while an enabled app requires it
 */
export function assertNotRequired(slug: string, enabled: readonly string[]): void {
  const dependant = getDependents(slug).find((other) => enabled.includes(other))
  if (dependant) throw new Refusal("still_required")
}

/**
 * Lists the apps of a new store: those its theme requires and the preinstalled ones, as far as its plan includes them.
 */
export function initialApps(requiredByTheme: readonly string[], terms: PlanTerms | null | undefined): string[] {
  const preinstalled = availableApps.filter((app) => app.preinstalled).map(({ slug }) => slug)
  const candidate = [...requiredByTheme, ...preinstalled].flatMap((slug) => [...getDependencies(slug), slug])
  return [...new Set(candidate)].filter((slug) =>
    [...getDependencies(slug), slug].every((part) => entitles(terms, part)),
  )
}
