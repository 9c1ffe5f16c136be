// The license manager's API keys as the operator's tools take and show them: never the key, never its hash.
import * as z from "zod"
import { fault, text } from "../../core/http/validation"
import type { licenseKeys } from "../../db/schema/central/licenses"
import { timestamp } from "../../lib/time"

/** What a key of each type may do. */
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

const words = z
  .string()
  .max(1_000)
  .transform((value) => value.split(",").map((word) => word.trim()))

export const CreateLicenseKey = z.object({
  type: z.enum(["external", "internal"]),
  name: text({ max: 120 }),
  /** `license:verify,updates:read`, or nothing for all that the type may. */
  scopes: z.union([words, z.array(z.string()).max(20)]).optional(),
  expires: z.coerce.date().optional(),
  /** A key that clients in the field already carry. */
  key: z
    .string()
    .trim()
    .min(16)
    .max(200)
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
})

/** The first scope that a type of key cannot have. */
export const foreignScope = (type: keyof typeof SCOPES, scopes: readonly string[]): string | undefined =>
  scopes.find((scope) => !(SCOPES[type] as readonly string[]).includes(scope))

export const RevokeLicenseKey = z.object({
  id: z.coerce.number().refine((id) => Number.isSafeInteger(id) && id > 0, fault("integer")),
})

/** A key as it is listed. */
export const licenseKeyResource = (key: typeof licenseKeys.$inferSelect, now: Date) => ({
  id: key.id,
  type: key.type,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes ?? [...SCOPES[key.type]],
  is_usable: !key.revokedAt && (!key.expiresAt || key.expiresAt > now),
  created_by_name: key.createdByName,
  last_used_at: timestamp(key.lastUsedAt),
  expires_at: timestamp(key.expiresAt),
  revoked_at: timestamp(key.revokedAt),
  created_at: timestamp(key.createdAt),
})
