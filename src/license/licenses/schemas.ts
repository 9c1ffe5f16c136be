// Licenses as the internal API takes and shows them.
import * as z from "zod"
import { email, prose, searchTerm, text } from "../../core/http/validation"
import type { licenses } from "../../db/schema/central/licenses"
import { composed } from "../../lib/text"
import { timestamp } from "../../lib/time"
import { clearable, date, flag, list, maybe, pageQuery, whole } from "../fields"
import type { NamedProduct } from "../products/schemas"
import { isDomainPattern } from "../rules/domains"
import { isIpPattern } from "../rules/ips"

export type License = typeof licenses.$inferSelect

/** A license and the product it is for. */
export interface LicenseOfProduct {
  license: License
  product: NamedProduct
}

const MOST_USES = 1_000_000_000

/** Lower case, so that a code is found whatever its spelling. */
export const codeKey = (code: string): string => code.trim().toLowerCase()

export const licenseCode = text({ max: 255 })

/** What documents say of a domain that is allowed; its beginning may be a star. */
const DOMAIN_PATTERN = { pattern: "^(\\*\\.)?([\\w-]+\\.)*[A-Za-z][A-Za-z0-9-]*$", maxLength: 254 }

const OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"

/** What documents say of an address that is allowed: one, a range, or one with stars for its last parts. */
const IP_PATTERN = {
  anyOf: [
    { pattern: `^${OCTET}(\\.${OCTET}){3}(/(3[0-2]|[12]?\\d))?$` },
    { pattern: `^(${OCTET}\\.){1,3}\\*$` },
    { format: "ipv6" },
  ],
}

const edited = {
  type: clearable(text({ max: 50 })),
  customer_id: clearable(text({ max: 255 })),
  email: clearable(email(190)),
  invoice: clearable(text({ max: 255 })),
  comments: clearable(prose({ max: 10_000 })),
  uses: clearable(whole(1, MOST_USES)),
  parallel_uses: clearable(whole(1, MOST_USES)),
  domains: clearable(list(isDomainPattern, DOMAIN_PATTERN)),
  ips: clearable(list(isIpPattern, IP_PATTERN)),
  support_until: clearable(date()),
  updates_until: clearable(date()),
  expires_at: clearable(date()),
  expiry_days: clearable(whole(1, 36_500)),
  is_valid: maybe(flag()),
  is_marketplace: maybe(flag()),
  is_envato: maybe(flag()),
}

export const CreateLicense = z.object({
  product_reference_id: text({ max: 50 }),
  license_code: maybe(licenseCode),
  ...edited,
})

/** A code that is sent along is left as it is: the customer has it. */
export const UpdateLicense = z.object({ product_reference_id: maybe(text({ max: 50 })), ...edited })

export type LicenseFields = z.output<typeof UpdateLicense>

/** Folds a text so that search finds it whatever its case and composition. */
export const foldSearch = (value: string): string =>
  composed(value)
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replaceAll(/\p{Cc}+/gu, " ")

/** What the search index holds of a license: its fields, each followed by two marks that no field and no search can hold. */
export const searchText = (fields: (string | null)[]): string =>
  fields.map((field) => (field ? `${foldSearch(field)}\u{1}\u{1}` : "")).join("")

const term = searchTerm((value) => foldSearch(value).trim())

export const ListLicenses = z.object({
  ...pageQuery,
  search: term.optional(),
  product_reference_id: z.string().max(50).optional(),
  customer_id: z.string().max(255).optional(),
})

const moment = z.string().nullable()

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
    support_until: moment,
    updates_until: moment,
    expires_at: moment,
    expiry_days: z.int().nullable(),
    uses: z.int().nullable(),
    parallel_uses: z.int().nullable(),
    is_valid: z.boolean(),
    active_activations_count: z.int(),
    activations_count: z.int(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: "License" })

export const licenseResource = ({ license, product }: LicenseOfProduct): z.input<typeof LicenseResource> => ({
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
  support_until: timestamp(license.supportUntil),
  updates_until: timestamp(license.updatesUntil),
  expires_at: timestamp(license.expiresAt),
  expiry_days: license.expiryDays,
  uses: license.uses,
  parallel_uses: license.parallelUses,
  is_valid: license.isValid,
  active_activations_count: license.activeUses,
  activations_count: license.madeUses,
  created_at: timestamp(license.createdAt),
  updated_at: timestamp(license.updatedAt),
})
