// Decides whether an installation may download a version's files.
import type { ProductFacts, VersionFacts } from "./facts"
import { getVerificationRejection, type VerificationInput, type VerificationRejection } from "./verify"

export interface DownloadInput extends VerificationInput {
  /** The version's product. */
  product: ProductFacts
  version: VersionFacts
  now: Date
}

/**
 * Decides a download. Without `licenseUpdate`, anyone may download. Otherwise the license must verify, and its update
 * period must not have ended before the version was released.
 *
 * @returns null when the download is allowed, or the first reason against it.
 */
export function getDownloadRejection(input: DownloadInput): VerificationRejection | "updates_ended" | null {
  if (!input.product.licenseUpdate) return null
  const rejection = getVerificationRejection(input)
  if (rejection !== null) return rejection
  return coversVersion(input) ? null : "updates_ended"
}

function coversVersion({ license, version }: DownloadInput): boolean {
  const until = license?.updatesUntil ?? null
  return until === null || (version.releasedAt !== null && version.releasedAt <= until)
}
