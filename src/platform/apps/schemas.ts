// Response schemas of apps.
import * as z from "zod"
import { dependantsOf, installedApps } from "../../apps/registry"
import type { StoreFacts } from "../stores/schemas"

export const AppResource = z
  .object({ slug: z.string(), name: z.string(), enabled: z.boolean(), required_by: z.array(z.string()) })
  .meta({ id: "App" })

/** Builds the list of all installed apps with their state at a store, and its `meta`. */
export function appList({ store }: Pick<StoreFacts, "store">) {
  const data: z.input<typeof AppResource>[] = installedApps.map(({ slug, name }) => ({
    slug,
    name,
    enabled: store.apps.includes(slug),
    required_by: dependantsOf(slug),
  }))
  return { data, meta: { store_id: store.id, total: data.length } }
}
