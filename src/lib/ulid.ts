// Generates ULIDs (https://github.com/ulid/spec): 48 bits of time and 80 random bits in Crockford's base 32.

import { isolateState } from "./isolate-state"
import { randomBytes } from "./random"

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** The last ULID: its time, and its random part as base-32 digits. */
const last = isolateState(() => ({ time: 0, random: new Uint8Array(16) }))

/**
 * Generates a ULID. Within one millisecond and isolate, ULIDs are monotonic: the random part is incremented.
 * @param now the time to encode
 * @returns 26 characters
 */
export function ulid(now: Date): string {
  const time = now.getTime()
  const { current } = last
  if (time === current.time) increment(current.random)
  else current.random = randomBytes(16).map((byte) => byte & 31)
  current.time = time
  let text = encodeTime(time)
  for (const digit of current.random) text += ALPHABET[digit]
  return text
}

/** Increments a base-32 number; wraps around to zero. */
function increment(digits: Uint8Array): void {
  for (let at = digits.length - 1; at >= 0; at -= 1) {
    digits[at] = ((digits[at] ?? 0) + 1) & 31
    if (digits[at] !== 0) return
  }
}

/** Encodes milliseconds since 1970 as ten digits. */
function encodeTime(milliseconds: number): string {
  let text = ""
  for (let rest = milliseconds; text.length < 10; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}

/** Whether a text is a ULID. */
export const isUlid = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)

/** Returns the time of a ULID, in milliseconds since 1970. */
export const ulidTime = (id: string): number =>
  [...id.slice(0, 10)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)

/** Returns the lowest ULID of a time. Every ULID generated at that time or later sorts at or above it. */
export const ulidFloor = (milliseconds: number): string => encodeTime(Math.max(0, milliseconds)) + "0".repeat(16)

/** Digits of a ULID's random part that `ulidFraction` reads. */
const FRACTION_DIGITS = 4

/** Returns a number from 0 to below 1 that is random among ULIDs and always the same for one. */
export const ulidFraction = (id: string): number =>
  [...id.slice(-FRACTION_DIGITS)].reduce((value, digit) => value * 32 + ALPHABET.indexOf(digit), 0) /
  32 ** FRACTION_DIGITS
