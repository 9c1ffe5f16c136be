// Which theme a store may have. Pure.

import { requirementsOf } from "../../apps/registry"
import { Refusal } from "../../core/http/refusal"
import type { PlanTerms } from "../../db/schema/central/subscriptions"
import { findTheme, type Theme } from "../../themes/catalog"
import { entitles } from "../apps/rules"
import type { Subscription } from "../subscriptions/schemas"

/**
 * The theme a store wants to switch to.
 * @param subscription what entitles the store; without one it is entitled to everything
 * @throws Refusal `theme_unavailable` (not installed, not published, assets missing), `theme_not_entitled`,
 *   `theme_requirement_not_entitled`, in that order
 */
export function switchableTheme(slug: string, subscription: Subscription | null): Theme {
  const theme = availableTheme(slug)
  if (!theme) throw new Refusal("theme_unavailable")
  const terms = subscription?.plan
  if (terms?.themes && !terms.themes.includes(slug)) throw new Refusal("theme_not_entitled")
  const missing = requiredApps(theme).find((app) => !entitles(terms, app))
  if (missing) throw new Refusal("theme_requirement_not_entitled", { app: missing })
  return theme
}

/** The apps that a theme cannot be without, in the order in which they are switched on. */
export const requiredApps = (theme: Theme): string[] => [
  ...new Set(theme.requires.flatMap((slug) => [...requirementsOf(slug), slug])),
]

/** Whether terms let a store wear a theme: the theme itself, and every app that it cannot be without. */
export const isWearable = (theme: Theme, terms: Pick<PlanTerms, "apps" | "themes"> | undefined): boolean =>
  (!terms?.themes || terms.themes.includes(theme.slug)) && requiredApps(theme).every((app) => entitles(terms, app))

/** A theme that can be worn today: installed, published, with its assets in place. */
export function availableTheme(slug: string): Theme | null {
  const theme = findTheme(slug)
  return theme?.published && theme.hasAssets ? theme : null
}
