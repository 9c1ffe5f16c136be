// Request and response schemas of the external API.
import * as z from "zod"
import { betweenFields, text, violates } from "../../core/http/validation"
import { optional, productId } from "../fields"
import { licenseCode } from "../licenses/schemas"
import { ActiveStatusMessage } from "../response-schemas"

const clientName = optional(text({ max: 255 }))

/** `envato` is the legacy name of the marketplace. */
const verifyType = z.enum(["non_marketplace", "marketplace", "non_envato", "envato"])

export const Activate = z.object({
  product_id: productId,
  license_code: licenseCode,
  client_name: clientName,
  verify_type: optional(verifyType),
})

/** Encrypted license data as a string, or wrapped in `{license_file}`, as some clients store it. */
const licenseData = optional(z.union([z.string().min(1), z.object({ license_file: z.string() })]))

/** Identifies an activated license: by the license data from its activation, or by its code and the client name. */
const proof = {
  license_data: licenseData,
  license_file: licenseData,
  license_code: optional(licenseCode),
  client_name: clientName,
}

/** JSON Schema for the OpenAPI document: at least one of the fields is required, with a value of its type. */
const requireAnyOf = (types: Record<string, ("string" | "object")[]>) => ({
  anyOf: Object.entries(types).flatMap(([name, oneOf]) =>
    oneOf.map((type) => ({
      required: [name],
      properties: { [name]: type === "string" ? { type, minLength: 1 } : { type } },
    })),
  ),
})

export type Proof = z.output<z.ZodObject<typeof proof>>

const hasProof = (input: Proof) => Boolean(input.license_data ?? input.license_file ?? input.license_code)

export const VerifyOrDeactivate = z
  .object({ product_id: productId, ...proof })
  .refine(hasProof, { ...violates("required"), ...betweenFields, path: ["license_data"] })
  .meta(
    requireAnyOf({
      license_data: ["string", "object"],
      license_file: ["string", "object"],
      license_code: ["string"],
    }),
  )

export const Download = z.object({ product_id: optional(productId), ...proof })

/** `purchase_code` is the marketplace's name for a license code. */
export const Check = z
  .object({
    product_id: optional(productId),
    license_code: optional(licenseCode),
    purchase_code: optional(licenseCode),
  })
  .refine((input) => Boolean(input.license_code ?? input.purchase_code), {
    ...violates("required"),
    path: ["license_code"],
  })
  .meta(requireAnyOf({ license_code: ["string"], purchase_code: ["string"] }))

export const CheckUpdate = z.object({ product_id: productId, current_version: text({ max: 100 }) })

export const LatestVersion = z.object({ product_id: productId })

/** The response to an activation. On refusal, `message` has the reason and the license data is null. */
export const Activated = ActiveStatusMessage.extend({
  status_code: z.string().optional(),
  lic_response: z.string().nullable(),
  data: z.object({ license_data: z.string() }).nullable(),
}).meta({ id: "Activated" })

export const Verified = ActiveStatusMessage.extend({ data: z.null() }).meta({ id: "Verified" })

/** A code's license; `data` is null for an invalid code. */
export const Checked = ActiveStatusMessage.extend({
  data: z
    .object({
      license_code: z.string(),
      product_id: z.string(),
      type: z.string(),
      is_valid: z.boolean(),
      expires_at: z.string().nullable(),
      updates_until: z.string().nullable(),
      parallel_uses: z.int().nullable(),
      activations: z.int(),
    })
    .nullable(),
}).meta({ id: "Checked" })

const versionFields = {
  version: z.string(),
  released_at: z.iso.date().nullable(),
  release_date: z.iso.date().nullable(),
  summary: z.string().nullable(),
  changelog: z.string().nullable(),
  update_id: z.string(),
  has_sql: z.boolean(),
}

/** The latest version. `release_date` is the legacy name of `released_at`. */
export const Latest = z
  .object({ ...versionFields, version_id: z.string(), product_id: z.string() })
  .meta({ id: "LatestVersion" })

/** Whether an update is available, and its version. */
export const Update = ActiveStatusMessage.extend({
  update_available: z.boolean(),
  ...z.object(versionFields).partial().shape,
  version: z.string().nullable(),
}).meta({ id: "Update" })

/** A JSON Web Key Set (RFC 7517) and the same key as PEM. */
export const PublicKeys = z
  .object({ keys: z.array(z.record(z.string(), z.unknown())), pem: z.string() })
  .meta({ id: "PublicKeys" })
