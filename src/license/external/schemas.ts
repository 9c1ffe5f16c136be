// What client software sends.
import * as z from "zod"
import { betweenFields, fault, text } from "../../core/http/validation"
import { maybe } from "../fields"
import { licenseCode } from "../licenses/schemas"
import { Held } from "../response-schemas"

const productId = text({ max: 50 })
const clientName = maybe(text({ max: 255 }))

/** `envato` is the older name of the marketplace. */
const verifyType = z.enum(["non_marketplace", "marketplace", "non_envato", "envato"])

export const Activate = z.object({
  product_id: productId,
  license_code: licenseCode,
  client_name: clientName,
  verify_type: maybe(verifyType),
})

/** Encrypted license data as a text, or in the outer form `{license_file}` that some clients keep it in. */
const licenseData = maybe(z.union([z.string().min(1), z.object({ license_file: z.string() })]))

/** The ways to name a license one holds: by the data from its activation, or by its code and the client's name. */
const proof = {
  license_data: licenseData,
  license_file: licenseData,
  license_code: maybe(licenseCode),
  client_name: clientName,
}

/** For documents: fields of which one has to be there. */
const oneOf = (...names: string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) })

export type Proof = z.output<z.ZodObject<typeof proof>>

const isProof = (input: Proof) => Boolean(input.license_data ?? input.license_file ?? input.license_code)

export const Hold = z
  .object({ product_id: productId, ...proof })
  .refine(isProof, { ...fault("required"), ...betweenFields, path: ["license_data"] })
  .meta(oneOf("license_data", "license_file", "license_code"))

export const Download = z.object({ product_id: maybe(productId), ...proof })

/** `purchase_code` is what a marketplace calls a license code. */
export const Check = z
  .object({ product_id: maybe(productId), license_code: maybe(licenseCode), purchase_code: maybe(licenseCode) })
  .refine((input) => Boolean(input.license_code ?? input.purchase_code), {
    ...fault("required"),
    path: ["license_code"],
  })
  .meta(oneOf("license_code", "purchase_code"))

export const CheckUpdate = z.object({ product_id: productId, current_version: text({ max: 100 }) })

export const LatestVersion = z.object({ product_id: productId })

/** The answer to an activation; a refusal has its reason in words, and null in place of what was wanted. */
export const Activated = Held.extend({
  status_code: z.string().optional(),
  lic_response: z.string().nullable(),
  data: z.object({ license_data: z.string() }).nullable(),
}).meta({ id: "Activated" })

export const Verified = Held.extend({ data: z.null() }).meta({ id: "Verified" })

/** What a license code stands for; no data when it stands for nothing. */
export const Checked = Held.extend({
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

const offered = {
  version: z.string(),
  released_at: z.iso.date().nullable(),
  release_date: z.iso.date().nullable(),
  summary: z.string().nullable(),
  changelog: z.string().nullable(),
  update_id: z.string(),
  has_sql: z.boolean(),
}

/** The newest version; its date has two names. */
export const Latest = z
  .object({ ...offered, version_id: z.string(), product_id: z.string() })
  .meta({ id: "LatestVersion" })

/** Whether there is an update, and what it is when there is one. */
export const Update = Held.extend({
  update_available: z.boolean(),
  ...z.object(offered).partial().shape,
  version: z.string().nullable(),
}).meta({ id: "Update" })

/** A JSON Web Key Set (RFC 7517), and the same key as PEM. */
export const PublicKeys = z
  .object({ keys: z.array(z.record(z.string(), z.unknown())), pem: z.string() })
  .meta({ id: "PublicKeys" })
