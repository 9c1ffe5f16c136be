// Sortable unique ids (https://github.com/ulid/spec): 48 bits of time, 80 bits of chance, in Crockford's base 32.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

let lastTime = 0
let lastRandom = 0n

/**
 * A new ULID. Two made in the same millisecond by one isolate keep their order: the second counts on from the first.
 * @param now the moment it carries
 * @returns 26 characters
 */
export function ulid(now: Date): string {
  const time = now.getTime()
  if (time === lastTime) lastRandom = (lastRandom + 1n) & ((1n << 80n) - 1n)
  else {
    const chance = crypto.getRandomValues(new Uint8Array(10))
    lastRandom = chance.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    lastTime = time
  }
  return encode(BigInt(time), 10) + encode(lastRandom, 16)
}

function encode(value: bigint, length: number): string {
  let text = ""
  for (let rest = value; text.length < length; rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text
  return text
}

/** The moment in a ULID, in milliseconds since 1970. */
export const ulidTime = (id: string): number =>
  [...id.slice(0, 10)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)

/** The lowest ULID of a moment: those made at it or later are not below. Their texts sort as their moments do. */
export const ulidFloor = (milliseconds: number): string =>
  encode(BigInt(Math.max(0, milliseconds)), 10) + "0".repeat(16)
