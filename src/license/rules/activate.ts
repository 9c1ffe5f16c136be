// Whether a license may be activated for the installation that asks.
import type { MessageCode, MessageFacts } from "../refusal-messages"
import { domainAllowed } from "./domains"
import { hasExpired, isClientOf, type LicenseFacts, type ProductFacts, type RequestFacts } from "./facts"
import { ipAllowed } from "./ips"

export interface ActivationQuestion {
  /** The license behind the code; null when there is none. */
  license: LicenseFacts | null
  product: ProductFacts
  request: RequestFacts
  /** How many of the license's activations are active. */
  activeUses: number
  /** Whether one of those is for the very place that asks; see `placeOf`. */
  heldHere: boolean
  now: Date
}

/** Why a license is not activated; several of them are one message to the client. */
type ActivationFault =
  | "unknown"
  | "other_product"
  | "product_inactive"
  | "other_client"
  | "blocked"
  | "expired"
  | "uses_taken"
  | "other_domain"
  | "other_ip"

/** `renew` keeps the activation that the place holds already, and takes no further use. */
export type ActivationDecision =
  | { kind: "create" }
  | { kind: "renew" }
  | { kind: "refused"; fault: ActivationFault; message: MessageCode; facts?: MessageFacts; statusCode?: string }

/**
 * Decides an activation. Refusals, first to last:
 *
 * 1. `license_code_invalid`: no such license, one of another product or of another client, or a product that is switched off;
 * 2. `license_blocked`;
 * 3. `license_expired`;
 * 4. `parallel_uses_reached`, with the status code clients look for, unless the installation is activated already;
 * 5. `domain_not_allowed`, with `domains`, the ones that are;
 * 6. `ip_not_allowed`.
 */
export function decideActivation(question: ActivationQuestion): ActivationDecision {
  const { license, product, request, activeUses, heldHere, now } = question
  if (license === null) return refuse("unknown", "license_code_invalid")
  if (license.productId !== product.id) return refuse("other_product", "license_code_invalid")
  if (!product.isActive) return refuse("product_inactive", "license_code_invalid")
  if (!isClientOf(license, request.clientName)) return refuse("other_client", "license_code_invalid")
  if (!license.isValid) return refuse("blocked", "license_blocked")
  if (hasExpired(license, now)) return refuse("expired", "license_expired")
  if (!heldHere && license.parallelUses !== null && activeUses >= license.parallelUses) {
    const statusCode = "ACTIVATED_MAXIMUM_ALLOWED_PRODUCT_INSTANCES"
    return { ...refuse("uses_taken", "parallel_uses_reached"), statusCode }
  }
  if (!domainAllowed(license.domains, request.domain)) {
    return { ...refuse("other_domain", "domain_not_allowed"), facts: { domains: enumerated(license.domains) } }
  }
  if (!ipAllowed(license.ips, request.ip)) return refuse("other_ip", "ip_not_allowed")
  return { kind: heldHere ? "renew" : "create" }
}

/** Characters of a sentence that names domains; a license may have more of them than anybody reads. */
const MOST_NAMED = 1_000

function enumerated(domains: readonly string[]): string {
  const all = domains.join(", ")
  return all.length <= MOST_NAMED ? all : `${all.slice(0, all.lastIndexOf(", ", MOST_NAMED))}, …`
}

const refuse = (fault: ActivationFault, message: MessageCode) => ({ kind: "refused", fault, message }) as const
