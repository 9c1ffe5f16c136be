// What a license code stands for, without activating it.
import type * as z from "zod"
import { timestamp } from "../../lib/time"
import { licenseByCode } from "../licenses/queries"
import type { LicenseOfProduct } from "../licenses/schemas"
import { type MessageCode, message } from "../refusal-messages"
import { hasExpired } from "../rules/facts"
import type { LicenseCtx } from "../types"
import type { Check } from "./schemas"

/** The license behind a code and whether it is good now; a code that is unknown, or another product's, is a refusal. */
export async function checkLicense(ctx: LicenseCtx, input: z.output<typeof Check>) {
  const found = await licenseByCode(ctx, input.license_code ?? input.purchase_code ?? "")
  if (!found || (input.product_id && input.product_id !== found.product.referenceId)) {
    return { status: false, is_active: false, message: message("license_code_invalid", ctx.language), data: null }
  }
  const fault = faultOf(ctx, found)
  return {
    status: fault === null,
    is_active: fault === null,
    message: message(fault ?? "license_valid", ctx.language),
    data: {
      license_code: found.license.code,
      product_id: found.product.referenceId,
      type: found.license.type,
      is_valid: found.license.isValid,
      expires_at: timestamp(found.license.expiresAt),
      updates_until: timestamp(found.license.updatesUntil),
      parallel_uses: found.license.parallelUses,
      activations: found.license.activeUses,
    },
  }
}

function faultOf(ctx: LicenseCtx, { license, product }: LicenseOfProduct): MessageCode | null {
  if (!product.isActive) return "license_code_invalid"
  if (!license.isValid) return "license_blocked"
  return hasExpired(license, ctx.now) ? "license_expired" : null
}
