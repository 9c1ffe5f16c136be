// Public answers that an isolate holds in its memory: their headers, by which who has one is told so, and their bodies while those are
// short. It is the nearest of the places where an answer is kept; see `edge-cache.ts`.

/** Answers that are held at most. */
const MAX_ENTRIES = 2_000

/** Bytes of a body that is held; what is longer comes from the cache. */
export const MAX_ENTRY_BYTES = 64_000

/** Bytes of bodies that are held at most, of the 128 MB that an isolate has. */
const MAX_TOTAL_BYTES = 8_000_000

/** An answer as its client gets it. */
export interface CachedResponse {
  /** The state of the site that it was read from. */
  state: string
  headers: Headers
  /** Null for one that is too long to be held. */
  body: ArrayBuffer | null
}

const entries = new Map<string, CachedResponse>()
let held = 0

/** The answer under a key, if it is held and of that state. */
export function getCachedResponse(key: string, state: string): CachedResponse | null {
  const known = entries.get(key)
  return known?.state === state ? known : null
}

/** Holds an answer in the place of what was held under its key; the oldest ones make room for it. */
export function putCachedResponse(key: string, answer: CachedResponse): void {
  drop(key)
  entries.set(key, answer)
  held += sizeOf(answer)
  for (const oldest of entries.keys()) {
    if (entries.size <= MAX_ENTRIES && held <= MAX_TOTAL_BYTES) break
    drop(oldest)
  }
}

function drop(key: string): void {
  const known = entries.get(key)
  if (!known) return
  entries.delete(key)
  held -= sizeOf(known)
}

const sizeOf = ({ body }: CachedResponse): number => body?.byteLength ?? 0
