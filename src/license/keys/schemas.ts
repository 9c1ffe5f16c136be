// Schemas of the license manager's API keys, as the CLI and the console accept and show them. A key and its hash are
// never included.
import * as z from "zod"
import { dateOrTime, text, violates, withLookups } from "../../core/http/validation"
import type { licenseKeys } from "../../db/schema/central/licenses"
import { formatTimestamp } from "../../lib/time"

/** Available scopes per key type. */
export const SCOPES = {
  external: [
    "license:activate",
    "license:verify",
    "license:deactivate",
    "license:check",
    "updates:read",
    "updates:download",
  ],
  internal: [
    "products:read",
    "products:write",
    "licenses:read",
    "licenses:write",
    "activations:read",
    "activations:write",
  ],
} as const

export type LicenseScope = (typeof SCOPES)[keyof typeof SCOPES][number]

const commaSeparated = z
  .string()
  .max(1_000)
  .transform((value) => value.split(",").map((item) => item.trim()))

const fields = z.object({
  type: z.enum(["external", "internal"]),
  name: text({ max: 120 }),
  /** For example `license:verify,updates:read`; all scopes of the type when omitted. */
  scopes: z.union([commaSeparated, z.array(z.string()).max(20)]).optional(),
  expires: dateOrTime.optional(),
  /** An existing key that deployed clients already use. */
  key: z
    .string()
    .trim()
    .min(16)
    .max(200)
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
})

export const CreateLicenseKey = withLookups(fields, "expires", "scopes", "key")

/** Returns the first scope that is not available for a key type. */
export const findInvalidScope = (type: keyof typeof SCOPES, scopes: readonly string[]): string | undefined =>
  scopes.find((scope) => !(SCOPES[type] as readonly string[]).includes(scope))

export const RevokeLicenseKey = z.object({
  id: z.coerce.number().refine((id) => Number.isSafeInteger(id) && id > 0, violates("integer")),
})

/** Serialises a key for lists. */
export const licenseKeyResource = (key: typeof licenseKeys.$inferSelect, now: Date) => ({
  id: key.id,
  type: key.type,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes ?? [...SCOPES[key.type]],
  is_usable: !key.revokedAt && (!key.expiresAt || key.expiresAt > now),
  created_by_name: key.createdByName,
  last_used_at: formatTimestamp(key.lastUsedAt),
  expires_at: formatTimestamp(key.expiresAt),
  revoked_at: formatTimestamp(key.revokedAt),
  created_at: formatTimestamp(key.createdAt),
})
