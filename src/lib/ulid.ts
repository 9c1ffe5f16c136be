// Sortable unique ids (https://github.com/ulid/spec): 48 bits of time, 80 bits of chance, in Crockford's base 32.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

let lastTime = 0
/** The chance of the last one, in digits of base 32. */
let lastChance = new Uint8Array(16)

/**
 * A new ULID. Two made in the same millisecond by one isolate keep their order: the second counts on from the first.
 * @param now the moment it carries
 * @returns 26 characters
 */
export function ulid(now: Date): string {
  const time = now.getTime()
  if (time === lastTime) countOn(lastChance)
  else lastChance = crypto.getRandomValues(new Uint8Array(16)).map((byte) => byte & 31)
  lastTime = time
  let text = encodeTime(time)
  for (const digit of lastChance) text += ALPHABET[digit]
  return text
}

/** Adds one to a number of base 32; behind the greatest comes zero. */
function countOn(digits: Uint8Array): void {
  for (let at = digits.length - 1; at >= 0; at -= 1) {
    digits[at] = ((digits[at] ?? 0) + 1) & 31
    if (digits[at] !== 0) return
  }
}

/** Milliseconds since 1970 in ten digits. */
function encodeTime(milliseconds: number): string {
  let text = ""
  for (let rest = milliseconds; text.length < 10; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}

/** The moment in a ULID, in milliseconds since 1970. */
export const ulidTime = (id: string): number =>
  [...id.slice(0, 10)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)

/** The lowest ULID of a moment: those made at it or later are not below. Their texts sort as their moments do. */
export const ulidFloor = (milliseconds: number): string => encodeTime(Math.max(0, milliseconds)) + "0".repeat(16)
