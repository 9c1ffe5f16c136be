// Activations as the internal API takes and shows them.
import * as z from "zod"
import { fault, queryFlag, text } from "../../core/http/validation"
import type { licenseActivations } from "../../db/schema/central/licenses"
import { timestamp } from "../../lib/time"
import { maybe, pageQuery } from "../fields"
import { licenseCode } from "../licenses/schemas"
import { normaliseDomain } from "../rules/domains"
import { normaliseIp } from "../rules/ips"

export type Activation = typeof licenseActivations.$inferSelect

/** A text in the one form in which it is stored and compared. */
const normal = (form: (written: string) => string | null, documented: object) =>
  text({ max: 2000 })
    .transform((written, ctx) => {
      const normalised = form(written)
      if (normalised !== null) return normalised
      ctx.addIssue({ code: "custom", ...fault("format") })
      return z.NEVER
    })
    .meta({ ...documented })

export const CreateActivation = z.object({
  license_code: maybe(licenseCode),
  domain: maybe(normal(normaliseDomain, { pattern: "^([\\w-]+\\.)*[A-Za-z][A-Za-z0-9-]*$", maxLength: 254 })),
  ip: maybe(normal(normaliseIp, { anyOf: [{ format: "ipv4" }, { format: "ipv6" }] })),
  client_name: maybe(text({ max: 255 })),
})

export const ListActivations = z.object({ ...pageQuery, is_active: queryFlag.optional() })

const moment = z.string().nullable()

export const ActivationResource = z
  .object({
    id: z.int(),
    license_id: z.int(),
    domain: z.string().nullable(),
    ip: z.string().nullable(),
    client_name: z.string().nullable(),
    is_active: z.boolean(),
    activated_at: moment,
    deactivated_at: moment,
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: "LicenseActivation" })

export const activationResource = (activation: Activation): z.input<typeof ActivationResource> => ({
  id: activation.id,
  license_id: activation.licenseId,
  domain: activation.domain,
  ip: activation.ip,
  client_name: activation.clientName,
  is_active: activation.isActive,
  activated_at: timestamp(activation.activatedAt),
  deactivated_at: timestamp(activation.deactivatedAt),
  created_at: timestamp(activation.createdAt),
  updated_at: timestamp(activation.updatedAt),
})

/** An activation as an event shows it; its number is not known before it is stored. */
export const activationOf = (activation: Pick<Activation, "domain" | "ip" | "clientName" | "activatedAt">) => ({
  domain: activation.domain,
  ip: activation.ip,
  client_name: activation.clientName,
  activated_at: timestamp(activation.activatedAt),
})
