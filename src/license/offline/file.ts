// Offline license files: a signed statement (a JSON Web Token, RFC 7519) with which software that has no connection proves its
// license until a day.
import { SignJWT } from "jose"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { publicUrl } from "../../env"
import { DAY, later, timestamp } from "../../lib/time"
import { date, maybe } from "../fields"
import type { License, LicenseOfProduct } from "../licenses/schemas"
import { refusedByRules } from "../refusals"
import { hasExpired } from "../rules/facts"
import { signingKey } from "./key"

export const OfflineFile = z.object({ expires_at: maybe(date()) })

/** How long a file holds when neither the request nor the license sets an end. */
const DEFAULT_DAYS = 365

/**
 * Signs a license file. It cannot outlive the license; a block reaches only those who ask again, so a short life is safer.
 * @param until the end that is wanted
 * @returns the file's text
 * @throws Refusal `validation_failed` for a license that is blocked or expired, and for an end that has passed
 */
export async function signFile(
  ctx: Ctx,
  { license, product }: LicenseOfProduct,
  until: Date | undefined,
): Promise<string> {
  if (!license.isValid) throw refusedByRules("license_blocked")
  if (hasExpired(license, ctx.now)) throw refusedByRules("license_expired")
  if (until && until <= ctx.now) throw invalid("expires_at", "date")
  const end = endOf(ctx, license)
  const expiresAt = until && until < end ? until : end
  const { key, kid, algorithm } = await signingKey(ctx)
  return new SignJWT({
    product_id: product.referenceId,
    type: license.type,
    customer_id: license.customerId,
    email: license.email,
    domains: license.domains,
    ips: license.ips,
    parallel_uses: license.parallelUses,
    updates_until: timestamp(license.updatesUntil),
    license_expires_at: timestamp(license.expiresAt),
  })
    .setProtectedHeader({ alg: algorithm, kid, typ: "license+jwt" })
    .setIssuer(publicUrl(ctx.settings, ctx.settings.CENTRAL_DOMAIN))
    .setSubject(license.code)
    .setAudience(product.referenceId)
    .setIssuedAt(ctx.now)
    .setExpirationTime(expiresAt)
    .sign(key)
}

const endOf = (ctx: Ctx, { expiresAt, expiryDays }: License): Date =>
  expiresAt ?? later(ctx.now, (expiryDays ?? DEFAULT_DAYS) * DAY)
