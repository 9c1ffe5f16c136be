// Chooses the version that an installation is offered as an update.
import type { ProductFacts, VersionFacts } from "./facts"
import { newestVersion, nextVersion } from "./version-order"

/** Returns whether a version is active and its release date has passed. */
export const isReleased = (version: VersionFacts, now: Date): boolean =>
  version.isActive && version.releasedAt !== null && version.releasedAt <= now

/**
 * Returns the update for an installation: the latest released version, or, for products with step-by-step updates, the
 * next one after the installed version.
 *
 * @param versions among versions that compare as equal, the first one wins.
 * @param current the installed version, as sent by the client.
 * @returns null when no version after `current` is released.
 */
export function findOfferedUpdate<T extends VersionFacts>(
  product: ProductFacts,
  versions: readonly T[],
  current: string,
  now: Date,
): T | null {
  const released = versions.filter((version) => isReleased(version, now))
  const next = nextVersion(released, current)
  return next && product.serveLatestUpdates ? newestVersion(released) : next
}
