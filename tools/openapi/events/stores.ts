// The events about stores.
import * as z from "zod"
import { documentFields } from "../../../src/core/http/field-docs.ts"
import type { UpdateStore } from "../../../src/platform/stores/schemas.ts"
import { EventSubscription, log, storeEvent } from "./event.ts"

const optional = { subscription: EventSubscription.optional() }

const buildChange = (from: string, to: string) => {
  const change = z.strictObject({ from: z.string(), to: z.string() })
  documentFields(change, {
    from: { description: "Previous value.", example: from },
    to: { description: "New value.", example: to },
  })
  return change
}

type Updatable = Omit<z.output<typeof UpdateStore>, "theme"> & { preset?: string }

/** Payloads have no nulls, so the values of a nullable field have to be optional. */
type OptionalChange = z.ZodOptional<z.ZodObject<{ from: z.ZodOptional; to: z.ZodOptional }>>

const changes = z.strictObject({
  name: buildChange("Acme", "Acme Outfitters").optional(),
  owner_email: buildChange("grace@example.com", "ada@example.com").optional(),
  preset: buildChange("linen", "sage").optional(),
} satisfies { [Field in keyof Updatable]-?: null extends Updatable[Field] ? OptionalChange : z.ZodType })
documentFields(changes, {
  name: { description: "The store's name." },
  owner_email: { description: "The owner's email address.", omitFromExample: true },
  preset: { description: "Variant of the theme.", omitFromExample: true },
})

const provisioning = z.strictObject({
  preset: z.string(),
  theme: z.string(),
  apps: z.array(z.string()),
  plugin_migration_paths: z.int(),
})
documentFields(provisioning, {
  preset: { description: "Variant of the theme.", example: "linen" },
  theme: { description: "Slug of the theme.", example: "atelier" },
  apps: { description: "Slugs of the enabled apps.", example: ["ecommerce", "reviews"] },
  plugin_migration_paths: { description: "Number of enabled apps.", example: 2 },
})

const error = z.strictObject({ message: z.string(), class: z.string() })
documentFields(error, {
  message: { example: "D1_ERROR: the database is not reachable" },
  class: { description: "Class of the error.", example: "Error" },
})

export const storeEvents = {
  "store.created": storeEvent(
    "store.created",
    "A store was created. It is not provisioned yet.",
    {},
    { source: z.enum(["api", "console", "signup", "system"]) },
  ),
  "store.ready": storeEvent("store.ready", "A store was provisioned and is online.", { provisioning }),
  "store.provisioning_failed": storeEvent("store.provisioning_failed", "A store could not be provisioned.", { error }),
  "store.updated": storeEvent(
    "store.updated",
    "A store's name, its owner's email address or the preset of its theme changed.",
    { changes },
  ),
  "store.theme_changed": storeEvent("store.theme_changed", "A store's theme changed.", {
    theme: buildChange("bazaar", "atelier"),
  }),
  "store.suspended": storeEvent("store.suspended", "An operator took a store offline.", optional, log),
  "store.resumed": storeEvent("store.resumed", "An operator brought a store back online.", optional, log),
  "store.cancelled": storeEvent(
    "store.cancelled",
    "A store's subscription was cancelled. Its data is deleted after the retention period.",
    { subscription: EventSubscription, retention_days: z.int() },
  ),
  "store.deleted": storeEvent("store.deleted", "A store was deleted.", optional, {
    reason: z.enum(["api", "console", "retention"]),
  }),
}
