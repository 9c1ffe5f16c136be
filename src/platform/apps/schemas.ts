// Response schemas of apps.
import * as z from "zod"
import { availableApps, getDependents } from "../../apps/registry"
import type { StoreDetails } from "../stores/schemas"

export const AppResource = z
  .object({ slug: z.string(), name: z.string(), enabled: z.boolean(), required_by: z.array(z.string()) })
  .meta({ id: "App" })

/** Builds the list of all installed apps with their state at a store, and its `meta`. */
export function appList({ store }: Pick<StoreDetails, "store">) {
  const data: z.input<typeof AppResource>[] = availableApps.map(({ slug, name }) => ({
    slug,
    name,
    enabled: store.apps.includes(slug),
    required_by: getDependents(slug),
  }))
  return { data, meta: { store_id: store.id, total: data.length } }
}
