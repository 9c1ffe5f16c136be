// Signs offline license files: JSON Web Tokens (RFC 7519) that prove a license to software without a connection until
// they expire.
import { SignJWT } from "jose"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { withLookups } from "../../core/http/validation"
import { publicUrl } from "../../env"
import { addMs, DAY, formatTimestamp } from "../../lib/time"
import { date, optional } from "../fields"
import type { License, LicenseWithProduct } from "../licenses/schemas"
import { ruleViolation } from "../refusals"
import { hasExpired } from "../rules/facts"
import { getSigningKey } from "./key"

export const OfflineFile = withLookups(z.object({ expires_at: optional(date()) }), "expires_at")

/** Used when neither the request nor the license has an expiry. */
const DEFAULT_VALIDITY_DAYS = 365

/**
 * Signs a license file. It cannot outlive the license. Blocking the license does not invalidate existing files, so a
 * short validity is safer.
 * @param input `expires_at` shortens the validity
 * @returns the signed token
 * @throws Refusal `validation_failed` for a blocked or expired license, and for an expiry in the past
 */
export async function signLicenseFile(
  ctx: Ctx,
  { license, product }: LicenseWithProduct,
  input: Input<typeof OfflineFile>,
): Promise<string> {
  const { expires_at: requestedExpiry } = input.complete({
    expires_at: input.valid.expires_at && input.valid.expires_at <= ctx.now ? "date" : null,
  })
  if (!license.isValid) throw ruleViolation("license_blocked")
  if (hasExpired(license, ctx.now)) throw ruleViolation("license_expired")
  const licenseEnd = getLicenseEnd(ctx, license)
  const expiresAt = requestedExpiry && requestedExpiry < licenseEnd ? requestedExpiry : licenseEnd
  const { key, kid, algorithm } = await getSigningKey(ctx)
  return new SignJWT({
    product_id: product.referenceId,
    type: license.type,
    customer_id: license.customerId,
    email: license.email,
    domains: license.domains,
    ips: license.ips,
    parallel_uses: license.parallelUses,
    updates_until: formatTimestamp(license.updatesUntil),
    license_expires_at: formatTimestamp(license.expiresAt),
  })
    .setProtectedHeader({ alg: algorithm, kid, typ: "license+jwt" })
    .setIssuer(publicUrl(ctx.settings, ctx.settings.CENTRAL_DOMAIN))
    .setSubject(license.code)
    .setAudience(product.referenceId)
    .setIssuedAt(ctx.now)
    .setExpirationTime(expiresAt)
    .sign(key)
}

const getLicenseEnd = (ctx: Ctx, { expiresAt, expiryDays }: License): Date =>
  expiresAt ?? addMs(ctx.now, (expiryDays ?? DEFAULT_VALIDITY_DAYS) * DAY)
