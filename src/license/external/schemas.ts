// What client software sends.
import * as z from "zod"
import { betweenFields, fault } from "../../core/validation"
import { maybe, word } from "../fields"
import { licenseCode } from "../licenses/schemas"

const productId = word(50)
const clientName = maybe(word(255))

/** `envato` is the older name of the marketplace. */
const verifyType = z.enum(["non_marketplace", "marketplace", "non_envato", "envato"])

export const Activate = z.object({
  product_id: productId,
  license_code: licenseCode,
  client_name: clientName,
  verify_type: maybe(verifyType),
})

/** Encrypted license data as a text, or in the outer form `{license_file}` that some clients keep it in. */
const licenseData = maybe(z.union([z.string(), z.object({ license_file: z.string() })]))

/** The ways to name a license one holds: by the data from its activation, or by its code and the client's name. */
const proof = {
  license_data: licenseData,
  license_file: licenseData,
  license_code: maybe(licenseCode),
  client_name: clientName,
}

export type Proof = z.output<z.ZodObject<typeof proof>>

const isProof = (input: Proof) => Boolean(input.license_data ?? input.license_file ?? input.license_code)

export const Hold = z
  .object({ product_id: productId, ...proof })
  .refine(isProof, { ...fault("required"), ...betweenFields, path: ["license_data"] })

export const Download = z.object({ product_id: maybe(productId), ...proof })

/** `purchase_code` is what a marketplace calls a license code. */
export const Check = z
  .object({ product_id: maybe(productId), license_code: maybe(licenseCode), purchase_code: maybe(licenseCode) })
  .refine((input) => Boolean(input.license_code ?? input.purchase_code), {
    ...fault("required"),
    path: ["license_code"],
  })

export const CheckUpdate = z.object({ product_id: productId, current_version: word(100) })

export const LatestVersion = z.object({ product_id: productId })
