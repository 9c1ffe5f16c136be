// Caches the API keys of verification requests in the isolate's memory. A revoked key may verify licenses for up to
// five more seconds in other isolates; every other request reads its key from the primary.
import { isolateState } from "../../lib/isolate-state"
import { addMs, SECOND } from "../../lib/time"
import type { LicenseKey } from "./service"

const CACHE_TTL_MS = 5 * SECOND

const MAX_ENTRIES = 1_000

const cache = isolateState(() => new Map<string, { key: LicenseKey; expiresAt: Date }>())

/** Returns a key by the hash of its plain text; undefined when it is not cached. Its own expiry is not checked. */
export function getCachedKey(hash: string, now: Date): LicenseKey | undefined {
  const entry = cache.current.get(hash)
  return entry && now < entry.expiresAt ? entry.key : undefined
}

/** Stores a usable key, whose use has just been recorded. */
export function cacheKey(key: LicenseKey, now: Date): void {
  if (getCachedKey(key.hash, now)) return
  if (cache.current.size >= MAX_ENTRIES) cache.current.clear()
  // With the old `lastUsedAt`, every request from the cache would record its use again.
  cache.current.set(key.hash, { key: { ...key, lastUsedAt: now }, expiresAt: addMs(now, CACHE_TTL_MS) })
}

/** Clears the isolate's cache; the next requests read their keys from the database. */
export function invalidateCachedKeys(): void {
  cache.current.clear()
}
