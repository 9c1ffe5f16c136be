// Tracks the writes of this isolate by site, so that nothing that was read before a write is used after it.
import { isolateState } from "../../lib/isolate-state"

/** Sites that a write named. */
const MAX_SITES = 2_000

const state = isolateState(() => ({
  /** Writes so far. */
  writes: 0,
  /** The last write to each site, and the last one that may have changed any site. */
  bySite: new Map<string, number>(),
  toAnySite: 0,
}))

/** Returns the number of writes so far, to be passed to `isUnchangedSince` later. */
export const countWrites = (): number => state.current.writes

/** Records a write to the rows of a site, or to the central rows that describe it. */
export function recordSiteWrite(siteId: string): void {
  const { bySite } = state.current
  if (bySite.size >= MAX_SITES && !bySite.has(siteId)) {
    recordWriteToAnySite()
    return
  }
  state.current.writes += 1
  bySite.set(siteId, state.current.writes)
}

/** Records writes that may have changed any site, such as those of a job. */
export function recordWriteToAnySite(): void {
  state.current.writes += 1
  state.current.toAnySite = state.current.writes
  state.current.bySite.clear()
}

/**
 * Whether a site has not been written to since `countWrites` returned `writes`.
 * @param siteId null when the site is unknown; every write may then have changed it
 */
export function isUnchangedSince(writes: number, siteId: string | null): boolean {
  const { toAnySite, bySite } = state.current
  if (siteId === null) return writes === state.current.writes
  return writes >= Math.max(toAnySite, bySite.get(siteId) ?? 0)
}
