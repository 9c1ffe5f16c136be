// What the decisions about licenses are made from, and the questions that several of them ask.

export interface ProductFacts {
  id: number
  isActive: boolean
  /** Whether updates are for licensed installations only. */
  licenseUpdate: boolean
  /** Whether an installation is offered the newest version at once, or one version after the other. */
  serveLatestUpdates: boolean
}

export interface LicenseFacts {
  productId: number
  /** The name of the client it was issued to; null when it may be anyone's. */
  customerId: string | null
  /** False while the license is blocked. */
  isValid: boolean
  expiresAt: Date | null
  /** Versions released later are not included; null includes all. */
  updatesUntil: Date | null
  /** Most simultaneous activations; null sets no limit. */
  parallelUses: number | null
  /** As the administrator wrote them; empty allows all. */
  domains: readonly string[]
  /** As the administrator wrote them; empty allows all. */
  ips: readonly string[]
}

export interface ActivationFacts {
  isActive: boolean
  /** The domain it was made for, normalised; null when the client told none. */
  domain: string | null
}

export interface VersionFacts {
  version: string
  isActive: boolean
  releasedAt: Date | null
}

/** What a request says of the installation that sent it. */
export interface RequestFacts {
  clientName: string | null
  /** Normalised; null when it is not known. */
  domain: string | null
  ip: string | null
}

/** Whether a client may call the license its own: it names the customer, in any case, or one of the two names nobody. */
export function isClientOf(license: LicenseFacts, clientName: string | null): boolean {
  const [customer, client] = [fold(license.customerId), fold(clientName)]
  return customer === "" || client === "" || customer === client
}

/** Whether the license's time is over; its last instant still counts. */
export const hasExpired = (license: LicenseFacts, now: Date): boolean =>
  license.expiresAt !== null && license.expiresAt < now

const fold = (name: string | null): string => (name ?? "").trim().toLowerCase()
