// Decides whether a license can be activated for an installation.
import type { MessageCode, MessageParams } from "../refusal-messages"
import { isDomainAllowed } from "./domains"
import { hasExpired, type InstallationInfo, isClientOf, type LicenseFacts, type ProductFacts } from "./facts"
import { isIpAllowed } from "./ips"

export interface ActivationInput {
  /** The license of the code; null for an unknown code. */
  license: LicenseFacts | null
  product: ProductFacts
  request: InstallationInfo
  /** Number of active activations of the license. */
  activeUses: number
  /** Whether this installation (see `getInstallationKey`) already has one of those. */
  isAlreadyActivated: boolean
  now: Date
}

/** Why an activation is refused. Clients get one message for several of these. */
type ActivationRejection =
  | "unknown"
  | "other_product"
  | "product_inactive"
  | "other_client"
  | "blocked"
  | "expired"
  | "uses_taken"
  | "other_domain"
  | "other_ip"

/** `renew` updates the installation's existing activation and takes no further use. */
export type ActivationDecision =
  | { kind: "create" }
  | { kind: "renew" }
  | { kind: "refused"; reason: ActivationRejection; message: MessageCode; facts?: MessageParams; statusCode?: string }

/**
 * Decides an activation. Checks, in order:
 *
 * 1. `license_code_invalid`: unknown license, license of another product or client, or inactive product
 * 2. `license_blocked`
 * 3. `license_expired`
 * 4. `parallel_uses_reached`, with the status code that clients check, unless the installation is already activated
 * 5. `domain_not_allowed`, with the allowed `domains`
 * 6. `ip_not_allowed`
 */
export function decideActivation(input: ActivationInput): ActivationDecision {
  const { license, product, request, activeUses, isAlreadyActivated, now } = input
  if (license === null) return refuse("unknown", "license_code_invalid")
  if (license.productId !== product.id) return refuse("other_product", "license_code_invalid")
  if (!product.isActive) return refuse("product_inactive", "license_code_invalid")
  if (!isClientOf(license, request.clientName)) return refuse("other_client", "license_code_invalid")
  if (!license.isValid) return refuse("blocked", "license_blocked")
  if (hasExpired(license, now)) return refuse("expired", "license_expired")
  if (!isAlreadyActivated && license.parallelUses !== null && activeUses >= license.parallelUses) {
    const statusCode = "ACTIVATED_MAXIMUM_ALLOWED_PRODUCT_INSTANCES"
    return { ...refuse("uses_taken", "parallel_uses_reached"), statusCode }
  }
  if (!isDomainAllowed(license.domains, request.domain)) {
    return { ...refuse("other_domain", "domain_not_allowed"), facts: { domains: joinDomains(license.domains) } }
  }
  if (!isIpAllowed(license.ips, request.ip)) return refuse("other_ip", "ip_not_allowed")
  return { kind: isAlreadyActivated ? "renew" : "create" }
}

/** Limits the domain list in a message; a license can have many domains. */
const MAX_DOMAINS_LENGTH = 1_000

function joinDomains(domains: readonly string[]): string {
  const all = domains.join(", ")
  return all.length <= MAX_DOMAINS_LENGTH ? all : `${all.slice(0, all.lastIndexOf(", ", MAX_DOMAINS_LENGTH))}, …`
}

const refuse = (reason: ActivationRejection, message: MessageCode) => ({ kind: "refused", reason, message }) as const
