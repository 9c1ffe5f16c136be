// The input of the license rules, and the checks that several rules share.

export interface ProductFacts {
  id: number
  isActive: boolean
  /** Whether update downloads require a license. */
  licenseUpdate: boolean
  /** Whether installations update directly to the latest version instead of step by step. */
  serveLatestUpdates: boolean
}

export interface LicenseFacts {
  productId: number
  /** The customer it was issued to; null for any. */
  customerId: string | null
  /** False while the license is blocked. */
  isValid: boolean
  expiresAt: Date | null
  /** Versions released later are not covered; null covers all. */
  updatesUntil: Date | null
  /** Maximum number of active activations; null for unlimited. */
  parallelUses: number | null
  /** Patterns as entered by the vendor; empty allows all. */
  domains: readonly string[]
  /** Patterns as entered by the vendor; empty allows all. */
  ips: readonly string[]
}

export interface ActivationFacts {
  isActive: boolean
  /** The activated domain, normalised; null when the client sent none. */
  domain: string | null
}

export interface VersionFacts {
  version: string
  isActive: boolean
  releasedAt: Date | null
}

/** Facts about the installation that sent a request. */
export interface InstallationInfo {
  clientName: string | null
  /** Normalised; null when unknown. */
  domain: string | null
  ip: string | null
}

/**
 * Returns whether a client name matches the license's customer, ignoring case; a missing name on either side matches.
 */
export function isClientOf(license: LicenseFacts, clientName: string | null): boolean {
  const [customer, client] = [foldCase(license.customerId), foldCase(clientName)]
  return customer === "" || client === "" || customer === client
}

/** Returns whether a license has expired. It is still valid at `expiresAt` itself. */
export const hasExpired = (license: LicenseFacts, now: Date): boolean =>
  license.expiresAt !== null && license.expiresAt < now

const foldCase = (name: string | null): string => (name ?? "").trim().toLowerCase()
