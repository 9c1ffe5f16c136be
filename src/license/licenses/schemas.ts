// Request and response schemas for licenses.
import * as z from "zod"
import { email, multilineText, searchTerm, text, withLookups } from "../../core/http/validation"
import type { licenses } from "../../db/schema/central/licenses"
import type { PublishedColumns } from "../../lib/every-field"
import { foldForSearch } from "../../lib/text"
import { formatTimestamp } from "../../lib/time"
import { clearable, date, flag, integer, list, optional, pageQuery } from "../fields"
import type { ProductSummary } from "../products/schemas"
import { isDomainPattern } from "../rules/domains"
import { isIpPattern } from "../rules/ips"

export type License = typeof licenses.$inferSelect

/** A license and its product. */
export interface LicenseWithProduct {
  license: License
  product: ProductSummary
}

const MAX_USES = 1_000_000_000

/** Normalises a code for lookups, which ignore case. */
export const normaliseCode = (code: string): string => code.trim().toLowerCase()

export const licenseCode = text({ max: 255 })

/** JSON Schema of an allowed domain for the OpenAPI document; it may start with a wildcard. */
const DOMAIN_PATTERN = { pattern: "^(\\*\\.)?([\\w-]+\\.)*[A-Za-z][A-Za-z0-9-]*$", maxLength: 254 }

const OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"

/**
 * JSON Schema of an allowed address for the OpenAPI document: an address, a CIDR range, or IPv4 with trailing
 * wildcards.
 */
const IP_PATTERN = {
  anyOf: [
    { pattern: `^${OCTET}(\\.${OCTET}){3}(/(3[0-2]|[12]?\\d))?$` },
    { pattern: `^(${OCTET}\\.){1,3}\\*$` },
    { format: "ipv6" },
  ],
}

const editableFields = {
  type: clearable(text({ max: 50 })),
  customer_id: clearable(text({ max: 255 })),
  email: clearable(email(190)),
  invoice: clearable(text({ max: 255 })),
  comments: clearable(multilineText({ max: 10_000 })),
  uses: clearable(integer(1, MAX_USES)),
  parallel_uses: clearable(integer(1, MAX_USES)),
  domains: clearable(list(isDomainPattern, DOMAIN_PATTERN)),
  ips: clearable(list(isIpPattern, IP_PATTERN)),
  support_until: clearable(date()),
  updates_until: clearable(date()),
  expires_at: clearable(date()),
  expiry_days: clearable(integer(1, 36_500)),
  is_valid: optional(flag()),
  is_marketplace: optional(flag()),
  is_envato: optional(flag()),
}

export const CreateLicense = withLookups(
  z.object({ product_reference_id: text({ max: 50 }), license_code: optional(licenseCode), ...editableFields }),
  "product_reference_id",
  "license_code",
)

/** The code cannot change, because the customer has it: a sent `license_code` is ignored. */
export const UpdateLicense = withLookups(
  z.object({ product_reference_id: optional(text({ max: 50 })), ...editableFields }),
  "product_reference_id",
)

export type LicenseFields = z.output<typeof UpdateLicense>

/**
 * Builds a license's search text: its fields, each followed by a separator that neither fields nor search terms can
 * contain.
 */
export const searchText = (fields: (string | null)[]): string =>
  fields.map((field) => (field ? `${foldForSearch(field)}\u{1}\u{1}` : "")).join("")

const searchTermField = searchTerm((value) => foldForSearch(value).trim())

export const ListLicenses = z.object({
  ...pageQuery,
  search: searchTermField.optional(),
  product_reference_id: z.string().max(50).optional(),
  customer_id: z.string().max(255).optional(),
})

const nullableTimestamp = z.string().nullable()

/** Columns that the resource does not contain under their own name. */
type InternalColumn =
  | "productId"
  | "code"
  | "codeKey"
  | "customerKey"
  | "activeUses"
  | "madeUses"
  | "nextNoticeAt"
  | "noticeFailedAt"
  | "searchText"
  | "revision"

export const LicenseResource = z
  .object({
    id: z.int(),
    product_reference_id: z.string(),
    license_code: z.string(),
    type: z.string(),
    is_envato: z.boolean(),
    is_marketplace: z.boolean(),
    invoice: z.string().nullable(),
    customer_id: z.string().nullable(),
    email: z.string().nullable(),
    comments: z.string().nullable(),
    ips: z.array(z.string()),
    domains: z.array(z.string()),
    support_until: nullableTimestamp,
    updates_until: nullableTimestamp,
    expires_at: nullableTimestamp,
    expiry_days: z.int().nullable(),
    uses: z.int().nullable(),
    parallel_uses: z.int().nullable(),
    is_valid: z.boolean(),
    active_activations_count: z.int(),
    activations_count: z.int(),
    created_at: nullableTimestamp,
    updated_at: nullableTimestamp,
  } satisfies PublishedColumns<License, InternalColumn>)
  .meta({ id: "License" })

export const licenseResource = ({ license, product }: LicenseWithProduct): z.input<typeof LicenseResource> => ({
  id: license.id,
  product_reference_id: product.referenceId,
  license_code: license.code,
  type: license.type,
  is_envato: license.isMarketplace,
  is_marketplace: license.isMarketplace,
  invoice: license.invoice,
  customer_id: license.customerId,
  email: license.email,
  comments: license.comments,
  ips: license.ips,
  domains: license.domains,
  support_until: formatTimestamp(license.supportUntil),
  updates_until: formatTimestamp(license.updatesUntil),
  expires_at: formatTimestamp(license.expiresAt),
  expiry_days: license.expiryDays,
  uses: license.uses,
  parallel_uses: license.parallelUses,
  is_valid: license.isValid,
  active_activations_count: license.activeUses,
  activations_count: license.madeUses,
  created_at: formatTimestamp(license.createdAt),
  updated_at: formatTimestamp(license.updatedAt),
})
