// Registry of the installed apps, in the order in which lists show them.
import { contact } from "./contact/manifest"
import type { AppDefinition } from "./definition"
import { ecommerce } from "./ecommerce/manifest"
import { galleries } from "./galleries/manifest"
import { reviews } from "./reviews/manifest"

export const availableApps: readonly AppDefinition[] = [ecommerce, reviews, galleries, contact]

/** Finds an installed app by its slug. */
export const findApp = (slug: string): AppDefinition | undefined => availableApps.find((app) => app.slug === slug)

/** Slugs of the apps that an app depends on, directly or indirectly, deepest dependency first. */
export function getDependencies(slug: string): string[] {
  const slugs = (findApp(slug)?.requires ?? []).flatMap((required) => [...getDependencies(required), required])
  return [...new Set(slugs)]
}

/** Slugs of the installed apps that depend on an app, directly or indirectly. */
export const getDependents = (slug: string): string[] =>
  availableApps.filter((app) => getDependencies(app.slug).includes(slug)).map((app) => app.slug)

/** Migration files of some apps, without duplicates. */
export const getMigrations = (slugs: readonly string[]): string[] => [
  ...new Set(slugs.flatMap((slug) => findApp(slug)?.migrations ?? [])),
]
