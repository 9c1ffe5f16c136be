// store.*
import * as z from "zod"
import { aboutStore, EventSubscription, log } from "./event.ts"

const optional = { subscription: EventSubscription.optional() }
const change = z.strictObject({ from: z.string(), to: z.string() })

export const storeEvents = {
  "store.created": aboutStore(
    "store.created",
    "A store's row is there; it is not provisioned yet.",
    {},
    {
      source: z.enum(["api", "console", "signup", "system"]),
    },
  ),
  "store.ready": aboutStore("store.ready", "A store is provisioned and open.", {
    provisioning: z.strictObject({
      preset: z.string(),
      theme: z.string(),
      apps: z.array(z.string()),
      plugin_migration_paths: z.int(),
    }),
  }),
  "store.provisioning_failed": aboutStore("store.provisioning_failed", "A store could not be provisioned.", {
    error: z.strictObject({ message: z.string(), class: z.string() }),
  }),
  "store.updated": aboutStore("store.updated", "A store's name or its owner's address changed.", {
    changes: z.strictObject({ name: change.optional(), owner_email: change.optional() }),
  }),
  "store.theme_changed": aboutStore("store.theme_changed", "A store has another theme.", { theme: change }),
  "store.suspended": aboutStore("store.suspended", "A store was taken offline.", optional, log),
  "store.resumed": aboutStore("store.resumed", "A store is back online.", optional, log),
  "store.cancelled": aboutStore("store.cancelled", "A store's subscription ended; its retention begins.", {
    subscription: EventSubscription,
    retention_days: z.int(),
  }),
  "store.deleted": aboutStore("store.deleted", "A store and its data are gone.", optional, {
    reason: z.enum(["api", "console", "retention"]),
  }),
}
