// Checks a license code without activating it.
import type * as z from "zod"
import { batch, type CentralDatabase, nearestCentralReplica } from "../../db/client"
import { formatTimestamp } from "../../lib/time"
import { selectLicense } from "../licenses/queries"
import type { LicenseWithProduct } from "../licenses/schemas"
import { formatMessage, type MessageCode } from "../refusal-messages"
import { hasExpired } from "../rules/facts"
import type { LicenseCtx } from "../types"
import type { Check } from "./schemas"

/**
 * Returns a code's license and whether it is valid now. An unknown code, or one of another product, is invalid.
 *
 * The nearest replica decides, which may lag behind; the primary decides again before a license is rejected.
 */
export async function checkLicense(ctx: LicenseCtx, input: z.output<typeof Check>) {
  const checked = await check(ctx, nearestCentralReplica(ctx.env), input)
  return checked.status ? checked : check(ctx, ctx.db, input)
}

async function check(ctx: LicenseCtx, db: CentralDatabase, input: z.output<typeof Check>) {
  const code = input.license_code ?? input.purchase_code ?? ""
  const [[found]] = await batch(db, [selectLicense({ code })])
  if (!found || (input.product_id && input.product_id !== found.product.referenceId)) {
    return { status: false, is_active: false, message: formatMessage("license_code_invalid", ctx.language), data: null }
  }
  const problem = getProblem(ctx, found)
  return {
    status: problem === null,
    is_active: problem === null,
    message: formatMessage(problem ?? "license_valid", ctx.language),
    data: {
      license_code: found.license.code,
      product_id: found.product.referenceId,
      type: found.license.type,
      is_valid: found.license.isValid,
      expires_at: formatTimestamp(found.license.expiresAt),
      updates_until: formatTimestamp(found.license.updatesUntil),
      parallel_uses: found.license.parallelUses,
      activations: found.license.activeUses,
    },
  }
}

function getProblem(ctx: LicenseCtx, { license, product }: LicenseWithProduct): MessageCode | null {
  if (!product.isActive) return "license_code_invalid"
  if (!license.isValid) return "license_blocked"
  return hasExpired(license, ctx.now) ? "license_expired" : null
}
