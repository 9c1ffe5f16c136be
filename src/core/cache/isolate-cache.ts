// Public answers that an isolate holds in its memory: their headers, by which who has one is told so, and their bodies while those are
// short. It is the nearest of the places where an answer is kept; see `edge-cache.ts`.

/** Answers that are held at most. */
const MOST = 2_000

/** Bytes of a body that is held; what is longer comes from the cache. */
export const LONGEST_HELD = 64_000

/** Bytes of bodies that are held at most, of the 128 MB that an isolate has. */
const ROOM = 8_000_000

/** An answer as its client gets it. */
export interface HeldAnswer {
  /** The state of the site that it was read from. */
  state: string
  headers: Headers
  /** Null for one that is too long to be held. */
  body: ArrayBuffer | null
}

const answers = new Map<string, HeldAnswer>()
let held = 0

/** The answer under a key, if it is held and of that state. */
export function heldAnswer(key: string, state: string): HeldAnswer | null {
  const known = answers.get(key)
  return known?.state === state ? known : null
}

/** Holds an answer in the place of what was held under its key; the oldest ones make room for it. */
export function holdAnswer(key: string, answer: HeldAnswer): void {
  drop(key)
  answers.set(key, answer)
  held += sizeOf(answer)
  for (const oldest of answers.keys()) {
    if (answers.size <= MOST && held <= ROOM) break
    drop(oldest)
  }
}

function drop(key: string): void {
  const known = answers.get(key)
  if (!known) return
  answers.delete(key)
  held -= sizeOf(known)
}

const sizeOf = ({ body }: HeldAnswer): number => body?.byteLength ?? 0
