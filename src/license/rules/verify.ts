// Whether an installation holds the license it shows, and whether it may give it back.
import { domainAllowed } from "./domains"
import {
  type ActivationFacts,
  hasExpired,
  isClientOf,
  type LicenseFacts,
  type ProductFacts,
  type RequestFacts,
} from "./facts"

export interface HoldingQuestion {
  /** The license named by the license data or by its code; null when there is none. */
  license: LicenseFacts | null
  /** The activation named by the license data, or the one the domain holds; null when there is none. */
  activation: ActivationFacts | null
  /** The product the client says it is; null when there is none. */
  product: ProductFacts | null
  request: RequestFacts
}

/** Why a license does not verify. Clients are told the same sentence for all of these; the log is told which. */
export type HoldingFault =
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
 * Verifies a license.
 *
 * The domain is the one the activation was made for, and must still be one that the license allows.
 *
 * @returns null when all is well, or the first fault in the order of `HoldingFault`.
 */
export function verificationFault(question: HoldingQuestion & { now: Date }): HoldingFault | null {
  const { license, activation, product, request, now } = question
  if (license === null) return "unknown"
  if (license.productId !== product?.id) return "other_product"
  if (!isClientOf(license, request.clientName)) return "other_client"
  if (activation === null) return "not_activated"
  if (!activation.isActive) return "deactivated"
  if (!license.isValid) return "blocked"
  if (hasExpired(license, now)) return "expired"
  if (!product.isActive) return "product_inactive"
  if (activation.domain !== request.domain || !domainAllowed(license.domains, request.domain)) return "other_domain"
  return null
}

/**
 * Decides whether an activation may be given back. A blocked or expired license may: it frees a use, it grants nothing.
 *
 * @returns null when it may, or the first fault in the order of `HoldingFault`; a second time finds it `deactivated`.
 */
export function deactivationFault(question: HoldingQuestion): HoldingFault | null {
  const { license, activation, product, request } = question
  if (license === null) return "unknown"
  if (license.productId !== product?.id) return "other_product"
  if (!isClientOf(license, request.clientName)) return "other_client"
  if (activation === null) return "not_activated"
  if (!activation.isActive) return "deactivated"
  if (activation.domain !== request.domain) return "other_domain"
  return null
}
