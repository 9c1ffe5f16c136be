// Whether an installation may download a version's files.
import type { ProductFacts, VersionFacts } from "./facts"
import { type HoldingFault, type HoldingQuestion, verificationFault } from "./verify"

export interface DownloadQuestion extends HoldingQuestion {
  /** The product whose version it is. */
  product: ProductFacts
  version: VersionFacts
  now: Date
}

/**
 * Decides a download. A product whose updates need no license gives them to anyone; otherwise the license must verify,
 * and its period of updates must not have ended before the version was released.
 *
 * @returns null when it may be downloaded, or the first fault found.
 */
export function downloadFault(question: DownloadQuestion): HoldingFault | "updates_ended" | null {
  if (!question.product.licenseUpdate) return null
  const fault = verificationFault(question)
  if (fault !== null) return fault
  return includesVersion(question) ? null : "updates_ended"
}

function includesVersion({ license, version }: DownloadQuestion): boolean {
  const until = license?.updatesUntil ?? null
  return until === null || (version.releasedAt !== null && version.releasedAt <= until)
}
