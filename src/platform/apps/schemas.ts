// Apps as the API shows them.
import * as z from "zod"
import { dependantsOf, plugins } from "../../apps/registry"
import type { StoreFacts } from "../stores/schemas"

export const AppResource = z
  .object({ slug: z.string(), name: z.string(), enabled: z.boolean(), required_by: z.array(z.string()) })
  .meta({ id: "App" })

/** Every installed app as it stands at a store, and the list's `meta`. */
export function appList({ store }: Pick<StoreFacts, "store">) {
  const data: z.input<typeof AppResource>[] = plugins.map(({ slug, name }) => ({
    slug,
    name,
    enabled: store.apps.includes(slug),
    required_by: dependantsOf(slug),
  }))
  return { data, meta: { store_id: store.id, total: data.length } }
}
