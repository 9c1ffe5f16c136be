// Request and response schemas of stores.
import * as z from "zod"
import { pageQuery } from "../../core/http/pagination"
import { accessState, STORE_STATUSES } from "../../core/http/store-access"
import {
  email,
  password,
  searchTerm,
  shortText,
  text,
  timestampInput,
  violates,
  withLookups,
} from "../../core/http/validation"
import { API_BILLING_PROVIDERS } from "../../db/schema/central/billing-providers"
import type { domains } from "../../db/schema/central/domains"
import type { stores, usageSnapshots } from "../../db/schema/central/stores"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { getFallbackHost, publicUrl, type Settings } from "../../env"
import type { Complete, PublishedColumns } from "../../lib/every-field"
import { foldForSearch } from "../../lib/text"
import { formatTimestamp } from "../../lib/time"
import { SubscriptionResource, subscriptionResource } from "../subscriptions/schemas"
import { UsageResource, usageResource } from "../usage/schemas"

const name = text({ max: 120 })
const ownerEmail = email(190)

/**
 * A DNS label (RFC 5891 section 4.2.3.1): no trailing hyphen, and no hyphens in positions 3 and 4, which mark encoded
 * IDN labels.
 */
const SUBDOMAIN = /^(?!..--)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

export const subdomain = shortText(63)
  .refine((value) => SUBDOMAIN.test(value), violates("subdomain"))
  .meta({ pattern: SUBDOMAIN.source })

export const CreateStore = withLookups(
  z.object({
    subdomain,
    name,
    owner_email: ownerEmail,
    password: password(8),
    theme: shortText(63).nullish(),
    preset: shortText(63).nullish(),
    plan: shortText(63).nullish(),
    trial_days: z.int().min(0).max(365).nullish(),
  }),
  "theme",
  "preset",
  "plan",
)

export const UpdateStore = z.object({
  name: name.optional(),
  owner_email: ownerEmail.optional(),
  theme: shortText(63).min(1).optional(),
})

export const DeleteStore = z.object({ confirm: shortText(255) })

export const SwitchTheme = z.object({ theme: shortText(63).min(1) })

/**
 * Builds a store's text for the search index: its fields, each followed by two separators that no field or query can
 * contain.
 */
export const searchText = (id: string, name: string, ownerEmail: string): string =>
  [id, name, ownerEmail].map((field) => `${foldForSearch(field)}\u{1}\u{1}`).join("")

export const ListStores = z.object({
  ...pageQuery,
  status: z.enum(STORE_STATUSES).optional(),
  q: searchTerm((value) => foldForSearch(value).trim()).optional(),
  include: z.literal("usage").optional(),
  updated_since: timestampInput.optional(),
})

type Store = typeof stores.$inferSelect

/** Columns that `STORE_COLUMNS` lacks: only provisioning, the search index and the filters of lists read them. */
type UnlistedColumn = "adminPasswordHash" | "searchText" | "plan" | "billing"

/** Columns that the resource does not contain. */
type InternalColumn =
  | UnlistedColumn
  | "seq"
  | "apps"
  | "database"
  | "version"
  | "provisioningStartedAt"
  | "provisioningSince"
  | "operatorSuspendedAt"
  | "suspensionReason"

const StoreFields = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(STORE_STATUSES),
  access_state: z.enum(["serving", "preparing", "suspended", "unavailable"]),
  theme: z.string(),
  preset: z.string(),
  owner_email: z.string(),
  root_url: z.string(),
  provisioned_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  billing_provider: z.enum(API_BILLING_PROVIDERS),
} satisfies PublishedColumns<Store, InternalColumn>)

export const ListedStore = StoreFields.extend({ usage: UsageResource.optional() }).meta({ id: "ListedStore" })
export const StoreResource = StoreFields.extend({
  usage: UsageResource,
  subscription: SubscriptionResource.nullable(),
}).meta({ id: "Store" })

/** Columns read of a store, and of its primary domain, wherever a store is shown or changed. */
export const STORE_COLUMNS = [
  "seq",
  "id",
  "name",
  "status",
  "theme",
  "preset",
  "ownerEmail",
  "apps",
  "database",
  "version",
  "provisioningStartedAt",
  "provisioningSince",
  "provisionedAt",
  "operatorSuspendedAt",
  "suspensionReason",
  "createdAt",
  "updatedAt",
] as const satisfies (keyof Store)[]
export const PRIMARY_DOMAIN_COLUMNS = ["id", "domain"] as const

/** A store with everything its API resource is built from. */
export interface StoreDetails {
  store: Omit<Store, UnlistedColumn>
  subscription: Subscription | null
  usage: typeof usageSnapshots.$inferSelect | null
  primary: Pick<typeof domains.$inferSelect, (typeof PRIMARY_DOMAIN_COLUMNS)[number]> | null
}

/** A store that is not stored yet, so it has no generated ids. */
export interface NewStoreDetails {
  store: Omit<StoreDetails["store"], "seq">
  subscription: Omit<Subscription, "id"> | null
  usage: StoreDetails["usage"]
  primary: Pick<typeof domains.$inferSelect, "domain"> | null
}

const storeFields = (settings: Settings, facts: NewStoreDetails): Complete<z.input<typeof StoreFields>> => ({
  id: facts.store.id,
  name: facts.store.name,
  status: facts.store.status,
  access_state: accessState(facts.store.status),
  theme: facts.store.theme,
  preset: facts.store.preset,
  owner_email: facts.store.ownerEmail,
  root_url: publicUrl(settings, facts.primary?.domain ?? getFallbackHost(settings, facts.store.id)),
  provisioned_at: formatTimestamp(facts.store.provisionedAt),
  created_at: formatTimestamp(facts.store.createdAt),
  updated_at: formatTimestamp(facts.store.updatedAt),
  billing_provider: facts.subscription?.provider ?? "none",
})

/** Builds a store's list item; `withUsage` adds its cached usage. */
export const listedStore = (
  settings: Settings,
  facts: StoreDetails,
  withUsage: boolean,
): z.input<typeof ListedStore> => ({
  ...storeFields(settings, facts),
  ...(withUsage && { usage: usageResource(facts) }),
})

/** Builds a store's resource, as `GET /stores/{id}` and webhook payloads contain it. */
export const storeResource = (settings: Settings, facts: NewStoreDetails): Complete<z.input<typeof StoreResource>> => ({
  ...storeFields(settings, facts),
  usage: usageResource(facts),
  subscription: facts.subscription && subscriptionResource(facts.subscription),
})
