// What an app is to the platform: a plugin of a site. Its routes under /api/v1 are mounted in `app.ts`; all else that the
// platform knows of it stands in its manifest.
import type { SiteDatabase, Statement } from "../db/client"
import type { PlanTerms } from "../db/schema/central/subscriptions"

export interface Plugin {
  slug: string
  name: string
  /** Slugs of the apps that it cannot be without. */
  requires: readonly string[]
  /** The statements that put its sample content into a new site. Running them twice does what running them once does. */
  seed?: (site: NewSite) => Statement[]
}

/** A site that is being furnished. */
export interface NewSite {
  id: string
  db: SiteDatabase
  /** The store's name, for texts that speak of it. */
  name: string
  theme: string
  /** What the store bought; null when it bought nothing and nothing is limited. */
  terms: PlanTerms | null
  now: Date
}
