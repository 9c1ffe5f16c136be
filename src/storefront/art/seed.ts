// Seeded pseudo-random number generator, so that a name always gets the same art.

/**
 * Creates a xorshift generator seeded with the FNV-1a hash of a text.
 * @returns a function that returns numbers in [0, 1)
 */
export function randomFrom(text: string): () => number {
  let state = 2166136261
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619)
  // Similar names differ in few bits of the hash; mixing spreads them before the first number is drawn.
  state = Math.imul(state ^ (state >>> 15), 2246822507) ^ (state >>> 13) || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
