// Numbers that look random but follow from a text, so that the same name always gets the same picture.

/**
 * @param text any text
 * @returns a source of numbers from 0 up to, not including, 1 (a xorshift generator seeded by the text's FNV-1a hash)
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
