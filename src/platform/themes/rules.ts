// Decides which themes a store may use. Pure functions.

import { getDependencies } from "../../apps/registry"
import { Refusal } from "../../core/http/refusal"
import type { PlanTerms, Subscription } from "../../db/schema/central/subscriptions"
import { findTheme, type Theme } from "../../themes/catalog"
import { entitles } from "../apps/rules"

/**
 * Returns the theme that a store switches to.
 * @param subscription the store's subscription; a store without one is entitled to every theme
 * @throws Refusal `theme_unavailable` (not installed, not published, assets missing), `theme_not_entitled`,
 *   `theme_requirement_not_entitled`, in that order
 */
export function getSwitchableTheme(slug: string, subscription: Subscription | null): Theme {
  const theme = findAvailableTheme(slug)
  if (!theme) throw new Refusal("theme_unavailable")
  const terms = subscription?.plan
  if (terms?.themes && !terms.themes.includes(slug)) throw new Refusal("theme_not_entitled")
  const missing = listRequiredApps(theme).find((app) => !entitles(terms, app))
  if (missing) throw new Refusal("theme_requirement_not_entitled")
  return theme
}

/** Lists the apps that a theme requires, in the order in which they have to be enabled. */
export const listRequiredApps = (theme: Theme): string[] => [
  ...new Set(theme.requires.flatMap((slug) => [...getDependencies(slug), slug])),
]

/** Whether terms include a theme and every app that it requires. */
export const isThemeAllowed = (theme: Theme, terms: Pick<PlanTerms, "apps" | "themes"> | undefined): boolean =>
  (!terms?.themes || terms.themes.includes(theme.slug)) && listRequiredApps(theme).every((app) => entitles(terms, app))

/** Finds a theme that is installed and published and has its assets. */
export function findAvailableTheme(slug: string): Theme | null {
  const theme = findTheme(slug)
  return theme?.published && theme.hasAssets ? theme : null
}
