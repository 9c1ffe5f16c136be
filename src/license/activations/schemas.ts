// Request and response schemas for activations.
import * as z from "zod"
import { queryFlag, text, violates, withLookups } from "../../core/http/validation"
import type { licenseActivations } from "../../db/schema/central/licenses"
import { formatTimestamp } from "../../lib/time"
import { optional, pageQuery } from "../fields"
import { licenseCode } from "../licenses/schemas"
import { normaliseDomain } from "../rules/domains"
import { normaliseIp } from "../rules/ips"

export type Activation = typeof licenseActivations.$inferSelect

/**
 * A string that is stored in its normalised form.
 * @param jsonSchema JSON Schema keywords for the OpenAPI document
 */
const normalised = (normalise: (value: string) => string | null, jsonSchema: object) =>
  text({ max: 2000 })
    .transform((value, ctx) => {
      const result = normalise(value)
      if (result !== null) return result
      ctx.addIssue({ code: "custom", ...violates("format") })
      return z.NEVER
    })
    .meta({ ...jsonSchema })

export const CreateActivation = withLookups(
  z.object({
    license_code: optional(licenseCode),
    domain: optional(normalised(normaliseDomain, { pattern: "^([\\w-]+\\.)*[A-Za-z][A-Za-z0-9-]*$", maxLength: 254 })),
    ip: optional(normalised(normaliseIp, { anyOf: [{ format: "ipv4" }, { format: "ipv6" }] })),
    client_name: optional(text({ max: 255 })),
  }),
  "license_code",
  "domain",
)

export const ListActivations = z.object({ ...pageQuery, is_active: queryFlag.optional() })

const nullableTimestamp = z.string().nullable()

export const ActivationResource = z
  .object({
    id: z.int(),
    license_id: z.int(),
    domain: z.string().nullable(),
    ip: z.string().nullable(),
    client_name: z.string().nullable(),
    is_active: z.boolean(),
    activated_at: nullableTimestamp,
    deactivated_at: nullableTimestamp,
    created_at: nullableTimestamp,
    updated_at: nullableTimestamp,
  })
  .meta({ id: "LicenseActivation" })

export const activationResource = (activation: Activation): z.input<typeof ActivationResource> => ({
  id: activation.id,
  license_id: activation.licenseId,
  domain: activation.domain,
  ip: activation.ip,
  client_name: activation.clientName,
  is_active: activation.isActive,
  activated_at: formatTimestamp(activation.activatedAt),
  deactivated_at: formatTimestamp(activation.deactivatedAt),
  created_at: formatTimestamp(activation.createdAt),
  updated_at: formatTimestamp(activation.updatedAt),
})

/** Serialises an activation for events. The id is missing, because it is not known before the row is inserted. */
export const activationEventData = (activation: Pick<Activation, "domain" | "ip" | "clientName" | "activatedAt">) => ({
  domain: activation.domain,
  ip: activation.ip,
  client_name: activation.clientName,
  activated_at: formatTimestamp(activation.activatedAt),
})
