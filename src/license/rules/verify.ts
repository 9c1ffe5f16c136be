// Decides whether a presented license verifies, and whether its activation can be deactivated.
import { isDomainAllowed } from "./domains"
import {
  type ActivationFacts,
  hasExpired,
  type InstallationInfo,
  isClientOf,
  type LicenseFacts,
  type ProductFacts,
} from "./facts"

export interface VerificationInput {
  /** The license of the presented data or code; null when unknown. */
  license: LicenseFacts | null
  /** The activation of the presented data, or the domain's; null when there is none. */
  activation: ActivationFacts | null
  /** The product that the client names; null when unknown. */
  product: ProductFacts | null
  request: InstallationInfo
}

/** Why a license does not verify. Clients get the same message for all of these; the log has the reason. */
export type VerificationRejection =
  | "unknown"
  | "other_product"
  | "other_client"
  | "not_activated"
  | "deactivated"
  | "blocked"
  | "expired"
  | "product_inactive"
  | "other_domain"

/**
 * Verifies a license. The request's domain must be the activated one, and the license must still allow it.
 *
 * @returns null when the license verifies, or the first reason against it in the order of `VerificationRejection`.
 */
export function getVerificationRejection(input: VerificationInput & { now: Date }): VerificationRejection | null {
  const { license, activation, product, request, now } = input
  if (license === null) return "unknown"
  if (license.productId !== product?.id) return "other_product"
  if (!isClientOf(license, request.clientName)) return "other_client"
  if (activation === null) return "not_activated"
  if (!activation.isActive) return "deactivated"
  if (!license.isValid) return "blocked"
  if (hasExpired(license, now)) return "expired"
  if (!product.isActive) return "product_inactive"
  if (activation.domain !== request.domain || !isDomainAllowed(license.domains, request.domain)) return "other_domain"
  return null
}

/**
 * Decides whether an activation can be deactivated. Blocked and expired licenses can, because it only frees a use.
 *
 * @returns null when it can, or the first reason against it in the order of `VerificationRejection`; `deactivated` for
 *   a second call.
 */
export function getDeactivationRejection(input: VerificationInput): VerificationRejection | null {
  const { license, activation, product, request } = input
  if (license === null) return "unknown"
  if (license.productId !== product?.id) return "other_product"
  if (!isClientOf(license, request.clientName)) return "other_client"
  if (activation === null) return "not_activated"
  if (!activation.isActive) return "deactivated"
  if (activation.domain !== request.domain) return "other_domain"
  return null
}
