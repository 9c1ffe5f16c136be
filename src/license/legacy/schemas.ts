// Maps the internal API's fields to and from their legacy names.

import * as z from "zod"
import { text } from "../../core/http/validation"
import { foldForSearch } from "../../lib/text"
import { Activated } from "../external/schemas"
import { type Fields, productId } from "../fields"
import { CreateLicense, type LicenseWithProduct, licenseCode } from "../licenses/schemas"
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
 * Renames legacy fields to their current names. Legacy clients send null for every unset field and "" to clear one, so
 * null fields are dropped.
 */
const toCurrentNames = (names: Record<string, string>, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(names).flatMap(([legacy, name]) =>
      fields[legacy] === undefined || fields[legacy] === null ? [] : [[name, fields[legacy]]],
    ),
  )

export const productFields = (fields: Fields): Fields => toCurrentNames(PRODUCT_FIELDS, fields)

export const licenseFields = (fields: Fields): Fields => toCurrentNames(LICENSE_FIELDS, fields)

const LEGACY_NAMES = new Map(
  [PRODUCT_FIELDS, LICENSE_FIELDS].flatMap((names) =>
    Object.entries(names).map(([legacy, name]) => [name, legacy] as const),
  ),
)

/** Returns the legacy name of a field or of a list item (`ips.0`). */
export function legacyFieldName(name: string): string {
  const [field = "", ...item] = name.split(".")
  return [LEGACY_NAMES.get(field) ?? field, ...item].join(".")
}

/** Builds a schema of the current fields under their legacy names, all nullable. */
const legacyFieldsSchema = (names: Record<string, string>, shape: Record<string, z.ZodType>) =>
  z.object(
    Object.fromEntries(Object.entries(names).map(([legacy, name]) => [legacy, shape[name]?.nullish() ?? z.never()])),
  )

/** For the OpenAPI document only; values are validated under their current names. */
export const LegacyProductFields = legacyFieldsSchema(PRODUCT_FIELDS, CreateProduct.shape)

export const LegacyLicenseFields = legacyFieldsSchema(LICENSE_FIELDS, CreateLicense.shape)

export const ProductIdBody = z.object({ product_id: productId })

export const LicenseCodeBody = z.object({ license_code: licenseCode })

export const SearchBody = z.object({ keyword: text({ max: 200 }).transform(foldForSearch) })

const nullableString = z.string().nullable()

export const LegacyProductResource = z
  .object({
    product_id: z.string(),
    envato_item_id: nullableString,
    product_name: z.string(),
    product_details: nullableString,
    latest_version: nullableString,
    latest_version_release_date: nullableString,
    is_product_active: z.boolean(),
    requires_license_for_downloading_updates: z.boolean(),
  })
  .meta({ id: "OldProduct" })

/** Serialises a product for legacy clients. */
export const legacyProductResource = (
  product: Product,
  latest: Version | null,
): z.input<typeof LegacyProductResource> => ({
  product_id: product.referenceId,
  envato_item_id: product.marketplaceId,
  product_name: product.name,
  product_details: product.description,
  latest_version: latest?.version ?? null,
  latest_version_release_date: latest?.releasedAt?.toISOString().slice(0, 10) ?? null,
  is_product_active: product.isActive,
  requires_license_for_downloading_updates: product.licenseUpdate,
})

const formatDateTime = (date: Date | null): string | null => date?.toISOString().slice(0, 19).replace("T", " ") ?? null

const getRemaining = (limit: number | null, used: number): number | null =>
  limit === null ? null : Math.max(0, limit - used)

const nullableInteger = z.int().nullable()

export const LegacyLicenseResource = z
  .object({
    license_code: z.string(),
    product_id: z.string(),
    product_name: z.string(),
    license_type: z.string(),
    client_name: nullableString,
    client_email: nullableString,
    invoice_number: nullableString,
    license_comments: nullableString,
    licensed_ips: nullableString,
    licensed_domains: nullableString,
    uses: nullableInteger,
    uses_left: nullableInteger,
    parallel_uses: nullableInteger,
    parallel_uses_left: nullableInteger,
    license_expiry: nullableString,
    support_expiry: nullableString,
    updates_expiry: nullableString,
    date_modified: nullableString,
    is_blocked: z.boolean(),
    is_a_envato_purchase_code: z.boolean(),
    is_valid_for_future_activations: z.boolean(),
  })
  .meta({ id: "OldLicense" })

/** Serialises a license for legacy clients. */
export const legacyLicenseResource = (
  { license, product }: LicenseWithProduct,
  now: Date,
): z.input<typeof LegacyLicenseResource> => ({
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
  uses_left: getRemaining(license.uses, license.madeUses),
  parallel_uses: license.parallelUses,
  parallel_uses_left: getRemaining(license.parallelUses, license.activeUses),
  license_expiry: formatDateTime(license.expiresAt),
  support_expiry: formatDateTime(license.supportUntil),
  updates_expiry: formatDateTime(license.updatesUntil),
  date_modified: formatDateTime(license.updatedAt),
  is_blocked: !license.isValid,
  is_a_envato_purchase_code: license.isMarketplace,
  is_valid_for_future_activations:
    license.isValid &&
    !(license.expiresAt && license.expiresAt < now) &&
    getRemaining(license.parallelUses, license.activeUses) !== 0,
})

export const searchResultResource = ({ license, product }: LicenseWithProduct) => ({
  product_id: product.referenceId,
  license_code: license.code,
  license_type: license.type,
  client_name: license.customerId,
  client_email: license.email,
})

/** Search results, or a message when there are none. */
export const LegacySearchResponse = z.object({
  status: z.boolean(),
  results_count: z.int().optional(),
  results: z.union([
    z.string(),
    z.array(
      z.object({
        product_id: z.string(),
        license_code: z.string(),
        license_type: z.string(),
        client_name: nullableString,
        client_email: nullableString,
      }),
    ),
  ]),
})

const errors = z.record(z.string(), z.array(z.string())).optional()

/** The legacy response to an activation: the license data is only in `lic_response`, and `data` is always null. */
export const LegacyActivated = Activated.extend({ data: z.null(), errors })

export const LegacyLatest = z.object({
  status: z.boolean(),
  message: z.string(),
  product_name: nullableString,
  latest_version: nullableString,
  release_date: nullableString,
  summary: nullableString,
  errors,
})
