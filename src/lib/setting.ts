// How settings are read from their texts. A Worker reads them before it answers anything, so this is plain code: a library of schemas
// would take a third of the time that the Worker needs to start.

/** A text is not what its setting wants; the message says what it must be, and never what it is. */
export class Malformed extends Error {
  override readonly name = "Malformed"
}

/**
 * Reads a setting's text.
 * @throws Malformed
 */
export type Reader<Value> = (written: string) => Value

/** Text that a condition holds for, as it is written. */
export const textWhere =
  (holds: (written: string) => boolean, otherwise: string): Reader<string> =>
  (written) => {
    if (!holds(written)) throw new Malformed(otherwise)
    return written
  }

/** What one reader makes of what another has read. */
export const chained =
  <Value>(first: Reader<string>, next: Reader<Value>): Reader<Value> =>
  (written) =>
    next(first(written))

const trimmed: Reader<string> = (written) => written.trim()

/** Any text, without the blanks around it. */
export const text = chained(
  trimmed,
  textWhere((written) => written !== "", "must not be empty"),
)

const digits = textWhere((written) => /^\d+$/.test(written), "must be a whole number")

interface Limits {
  min?: number
  max?: number
  /** As the refusal names them, with a unit where there is one. */
  range?: string
}

/** A whole number, within limits where there are some. */
export const whole =
  ({ min, max, range }: Limits = {}): Reader<number> =>
  (written) => {
    const number = Number(digits(written))
    if (number >= (min ?? 0) && number <= (max ?? number)) return number
    throw new Malformed(`must be ${range ?? `at least ${min}`}`)
  }

export const flag: Reader<boolean> = (written) => {
  if (written === "true" || written === "1") return true
  if (written === "false" || written === "0") return false
  throw new Malformed("must be true or false")
}

/** An address without the slashes at its end. */
export const url = chained(
  textWhere((written) => /^https?:\/\/./.test(written) && URL.canParse(written), "must be an http or https URL"),
  (written) => written.replace(/\/+$/, ""),
)

export const hostname = chained(
  (written) => written.trim().toLowerCase(),
  textWhere((written) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(written), "must be a host name without a port"),
)

/** A list with commas; what is empty in it is left out. */
export const list =
  <Item>(item: Reader<Item>): Reader<Item[]> =>
  (written) =>
    written
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean)
      .map(item)
