// Which version of a product an installation is offered.
import type { ProductFacts, VersionFacts } from "./facts"
import { newestVersion, nextVersion } from "./version-order"

/** Whether a version is out: switched on, and its day of release has come. */
export const isReleased = (version: VersionFacts, now: Date): boolean =>
  version.isActive && version.releasedAt !== null && version.releasedAt <= now

/**
 * The update for an installation: the newest version that is out, or, for a product that is updated step by step, the next
 * one above what is installed.
 *
 * @param versions of those that compare as equal the first one is meant.
 * @param current the installed version, as the client writes it.
 * @returns null when nothing above `current` is out.
 */
export function offeredUpdate<T extends VersionFacts>(
  product: ProductFacts,
  versions: readonly T[],
  current: string,
  now: Date,
): T | null {
  const released = versions.filter((version) => isReleased(version, now))
  const next = nextVersion(released, current)
  return next && product.serveLatestUpdates ? newestVersion(released) : next
}
