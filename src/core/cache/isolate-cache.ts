// Caches public responses in the isolate's memory, in front of the Cache API (edge-cache.ts): the headers, so that a
// conditional request gets its 304 without I/O, and the bodies of short responses. Entries are evicted oldest first.
import { isolateState } from "../../lib/isolate-state"

const MAX_ENTRIES = 2_000

/** Larger bodies stay in the Cache API. */
export const MAX_ENTRY_BYTES = 64_000

/** Bytes of all bodies, out of the 128 MB of an isolate. */
const MAX_TOTAL_BYTES = 8_000_000

/** A response as the client gets it. */
export interface CachedResponse {
  /** The version of the content that it was read at. */
  validator: string
  headers: Headers
  /** Null when the body is too long for the isolate's memory. */
  body: ArrayBuffer | null
}

const cache = isolateState(() => ({ entries: new Map<string, CachedResponse>(), totalBytes: 0 }))

/** Returns the response under a key if its validator matches. */
export function getCachedResponse(key: string, validator: string): CachedResponse | null {
  const entry = cache.current.entries.get(key)
  return entry?.validator === validator ? entry : null
}

/** Stores a response, replaces the one under its key, and evicts the oldest entries beyond the limits. */
export function putCachedResponse(key: string, response: CachedResponse): void {
  evict(key)
  const { entries } = cache.current
  entries.set(key, response)
  cache.current.totalBytes += sizeOf(response)
  for (const oldest of entries.keys()) {
    if (entries.size <= MAX_ENTRIES && cache.current.totalBytes <= MAX_TOTAL_BYTES) break
    evict(oldest)
  }
}

function evict(key: string): void {
  const entry = cache.current.entries.get(key)
  if (!entry) return
  cache.current.entries.delete(key)
  cache.current.totalBytes -= sizeOf(entry)
}

const sizeOf = ({ body }: CachedResponse): number => body?.byteLength ?? 0
