// Request and response schemas of domains.
import * as z from "zod"
import { isRoutable } from "../../core/http/store-access"
import { shortText, violates } from "../../core/http/validation"
import type { domains } from "../../db/schema/central/domains"
import type { Settings } from "../../env"
import { asciiHostname } from "../../lib/hostname"
import { formatTimestamp } from "../../lib/time"

export type Domain = typeof domains.$inferSelect

/** Prefix of the name of the TXT record with a domain's token. */
export const TXT_PREFIX = "_tenancy-verify."

/** The limit of DNS (RFC 1035 section 2.3.4), less the prefix of the TXT record's name. */
const MAX_HOSTNAME_LENGTH = 253 - TXT_PREFIX.length

export const AttachDomain = z.object({
  domain: shortText(500)
    .transform((text) => asciiHostname(text.trim(), { qualified: true }))
    .refine((name) => name !== null, { ...violates("format"), abort: true })
    .transform(String)
    .refine((name) => name.length <= MAX_HOSTNAME_LENGTH, violates("max_length", { max: MAX_HOSTNAME_LENGTH }))
    // Two labels or more, the last one not a number.
    .meta({ format: "idn-hostname", pattern: "^.+\\.[^.]*[^.0-9][^.]*$" }),
})

const verification = z.object({ txt_name: z.string(), txt_value: z.string(), cname_target: z.string() })

export const DomainResource = z
  .object({
    id: z.int(),
    domain: z.string(),
    tenant_id: z.string(),
    is_primary: z.boolean(),
    is_fallback: z.boolean(),
    is_custom: z.boolean(),
    verified_at: z.string().nullable(),
    is_routable: z.boolean(),
    created_at: z.string(),
    verification: verification.optional(),
  })
  .meta({ id: "Domain" })

/** Builds a domain's resource, with verification instructions until it is verified. */
export const domainResource = (settings: Settings, row: Domain): z.input<typeof DomainResource> => ({
  id: row.id,
  domain: row.domain,
  tenant_id: row.storeId,
  is_primary: row.isPrimary,
  is_fallback: row.isFallback,
  is_custom: !row.isFallback,
  verified_at: formatTimestamp(row.verifiedAt),
  is_routable: isRoutable(row),
  created_at: formatTimestamp(row.createdAt),
  ...(!isRoutable(row) && {
    verification: {
      txt_name: TXT_PREFIX + row.domain,
      txt_value: row.verificationToken ?? "",
      cname_target: settings.TENANCY_CNAME_HOST || settings.CENTRAL_DOMAIN,
    },
  }),
})

export const DomainMeta = { plan_allows_custom_domains: z.boolean(), max_custom_domains: z.int() }

/** Reasons for a failed verification. */
const VERIFICATION_REASONS = ["record_not_found", "value_mismatch", "dns_error"] as const
export type VerificationReason = (typeof VERIFICATION_REASONS)[number]

export const VerificationResponse = z.object({
  data: DomainResource.pick({ id: true, verified_at: true, is_routable: true }),
  verification_result: z.object({
    verified: z.boolean(),
    method: z.literal("txt"),
    reason: z.enum(VERIFICATION_REASONS).nullable(),
  }),
})
