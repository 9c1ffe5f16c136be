// The apps that are installed, in the order in which lists show them.
import { contact } from "./contact/manifest"
import type { Plugin } from "./definition"
import { ecommerce } from "./ecommerce/manifest"
import { galleries } from "./galleries/manifest"
import { reviews } from "./reviews/manifest"

export const plugins: readonly Plugin[] = [ecommerce, reviews, galleries, contact]

/** The installed app of a slug; undefined when there is none. */
export const findPlugin = (slug: string): Plugin | undefined => plugins.find((plugin) => plugin.slug === slug)

/** What an app cannot be without, at any remove, the deepest first. */
export function requirementsOf(slug: string): string[] {
  const found = (findPlugin(slug)?.requires ?? []).flatMap((required) => [...requirementsOf(required), required])
  return [...new Set(found)]
}

/** The installed apps that cannot be without this one, at any remove. */
export const dependantsOf = (slug: string): string[] =>
  plugins.filter((plugin) => requirementsOf(plugin.slug).includes(slug)).map((plugin) => plugin.slug)

/** The migration files of some apps, each once. */
export const migrationsOf = (slugs: readonly string[]): string[] => [
  ...new Set(slugs.flatMap((slug) => findPlugin(slug)?.migrations ?? [])),
]
