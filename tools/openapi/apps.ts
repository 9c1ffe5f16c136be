// Loads the texts of every installed app for the API reference, and registers the documentation of its API fields.
import type { AppDocs } from "../../src/apps/definition.ts"
import { availableApps } from "../../src/apps/registry.ts"
import type { LookupFields } from "./fuzz.ts"

/** By the app's slug. */
export const APP_DOCS: Readonly<Record<string, AppDocs>> = Object.fromEntries(
  await Promise.all(
    availableApps.map(async ({ slug }): Promise<[string, AppDocs]> => {
      const { docs } = await import(`../../src/apps/${slug}/docs.ts`)
      return [slug, docs]
    }),
  ),
)

/** Fields for which a valid request may be refused, because a lookup decides, by operation id. */
export const APP_LOOKUPS: LookupFields = Object.assign({}, ...Object.values(APP_DOCS).map(({ lookups }) => lookups))

/** The slugs of the installed apps. */
export const APP_SLUGS: readonly string[] = availableApps.map(({ slug }) => slug)
