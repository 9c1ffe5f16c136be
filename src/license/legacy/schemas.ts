// The internal API's fields under the names that older clients have for them.
import * as z from "zod"
import { text } from "../../core/http/validation"
import { Activated } from "../external/schemas"
import type { Fields } from "../fields"
import { CreateLicense, foldSearch, type LicenseOfProduct, licenseCode } from "../licenses/schemas"
import { CreateProduct, type Product } from "../products/schemas"
import type { Version } from "../versions/schemas"

const PRODUCT_FIELDS: Record<string, string> = {
  product_id: "reference_id",
  product_name: "name",
  product_details: "description",
  envato_item_id: "envato_id",
}

const LICENSE_FIELDS: Record<string, string> = {
  product_id: "product_reference_id",
  license_code: "license_code",
  license_type: "type",
  invoice_number: "invoice",
  client_name: "customer_id",
  client_email: "email",
  comments: "comments",
  licensed_ips: "ips",
  licensed_domains: "domains",
  support_end_date: "support_until",
  updates_end_date: "updates_until",
  expiry_date: "expires_at",
  expiry_days: "expiry_days",
  license_uses: "uses",
  license_parallel_uses: "parallel_uses",
}

/**
 * Fields under their present names. Old clients send null for every field they say nothing of, and an empty text for one
 * they want emptied.
 */
const renamed = (names: Record<string, string>, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(names).flatMap(([old, name]) =>
      fields[old] === undefined || fields[old] === null ? [] : [[name, fields[old]]],
    ),
  )

export const productFields = (fields: Fields): Fields => renamed(PRODUCT_FIELDS, fields)

export const licenseFields = (fields: Fields): Fields => renamed(LICENSE_FIELDS, fields)

const OLD_NAMES = new Map(
  [PRODUCT_FIELDS, LICENSE_FIELDS].flatMap((names) => Object.entries(names).map(([old, name]) => [name, old] as const)),
)

/** What older clients call a field, or an item of it (`ips.0`). */
export function oldName(name: string): string {
  const [field = "", ...item] = name.split(".")
  return [OLD_NAMES.get(field) ?? field, ...item].join(".")
}

/** The present fields under their old names, each of which may be null. */
const fieldsOf = (names: Record<string, string>, present: Record<string, z.ZodType>) =>
  z.object(Object.fromEntries(Object.entries(names).map(([old, name]) => [old, present[name]?.nullish() ?? z.never()])))

/** The old names as a document shows them; the values are held to the present fields' rules. */
export const OldProductFields = fieldsOf(PRODUCT_FIELDS, CreateProduct.shape)

export const OldLicenseFields = fieldsOf(LICENSE_FIELDS, CreateLicense.shape)

export const NamedProduct = z.object({ product_id: text({ max: 50 }) })

export const NamedLicense = z.object({ license_code: licenseCode })

export const Search = z.object({ keyword: text({ max: 200 }).transform(foldSearch) })

const words = z.string().nullable()

export const OldProduct = z
  .object({
    product_id: z.string(),
    envato_item_id: words,
    product_name: z.string(),
    product_details: words,
    latest_version: words,
    latest_version_release_date: words,
    is_product_active: z.boolean(),
    requires_license_for_downloading_updates: z.boolean(),
  })
  .meta({ id: "OldProduct" })

/** A product as older clients read it. */
export const legacyProduct = (product: Product, latest: Version | null): z.input<typeof OldProduct> => ({
  product_id: product.referenceId,
  envato_item_id: product.marketplaceId,
  product_name: product.name,
  product_details: product.description,
  latest_version: latest?.version ?? null,
  latest_version_release_date: latest?.releasedAt?.toISOString().slice(0, 10) ?? null,
  is_product_active: product.isActive,
  requires_license_for_downloading_updates: product.licenseUpdate,
})

const moment = (date: Date | null): string | null => date?.toISOString().slice(0, 19).replace("T", " ") ?? null

const left = (all: number | null, used: number): number | null => (all === null ? null : Math.max(0, all - used))

const number = z.int().nullable()

export const OldLicense = z
  .object({
    license_code: z.string(),
    product_id: z.string(),
    product_name: z.string(),
    license_type: z.string(),
    client_name: words,
    client_email: words,
    invoice_number: words,
    license_comments: words,
    licensed_ips: words,
    licensed_domains: words,
    uses: number,
    uses_left: number,
    parallel_uses: number,
    parallel_uses_left: number,
    license_expiry: words,
    support_expiry: words,
    updates_expiry: words,
    date_modified: words,
    is_blocked: z.boolean(),
    is_a_envato_purchase_code: z.boolean(),
    is_valid_for_future_activations: z.boolean(),
  })
  .meta({ id: "OldLicense" })

/** A license as older clients read it. */
export const legacyLicense = ({ license, product }: LicenseOfProduct, now: Date): z.input<typeof OldLicense> => ({
  license_code: license.code,
  product_id: product.referenceId,
  product_name: product.name,
  license_type: license.type,
  client_name: license.customerId,
  client_email: license.email,
  invoice_number: license.invoice,
  license_comments: license.comments,
  licensed_ips: license.ips.join(",") || null,
  licensed_domains: license.domains.join(",") || null,
  uses: license.uses,
  uses_left: left(license.uses, license.madeUses),
  parallel_uses: license.parallelUses,
  parallel_uses_left: left(license.parallelUses, license.activeUses),
  license_expiry: moment(license.expiresAt),
  support_expiry: moment(license.supportUntil),
  updates_expiry: moment(license.updatesUntil),
  date_modified: moment(license.updatedAt),
  is_blocked: !license.isValid,
  is_a_envato_purchase_code: license.isMarketplace,
  is_valid_for_future_activations:
    license.isValid &&
    !(license.expiresAt && license.expiresAt < now) &&
    left(license.parallelUses, license.activeUses) !== 0,
})

export const foundLicense = ({ license, product }: LicenseOfProduct) => ({
  product_id: product.referenceId,
  license_code: license.code,
  license_type: license.type,
  client_name: license.customerId,
  client_email: license.email,
})

/** What a search found, or a sentence that it found nothing. */
export const OldFound = z.object({
  status: z.boolean(),
  results_count: z.int().optional(),
  results: z.union([
    z.string(),
    z.array(
      z.object({
        product_id: z.string(),
        license_code: z.string(),
        license_type: z.string(),
        client_name: words,
        client_email: words,
      }),
    ),
  ]),
})

const errors = z.record(z.string(), z.array(z.string())).optional()

/** An activation as older clients read it: its data stands in `lic_response` only, also when something is wrong with the request. */
export const OldActivated = Activated.extend({ data: z.null(), errors })

export const OldLatest = z.object({
  status: z.boolean(),
  message: z.string(),
  product_name: words,
  latest_version: words,
  release_date: words,
  summary: words,
  errors,
})
