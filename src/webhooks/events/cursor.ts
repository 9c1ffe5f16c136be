// Where a reader of the log stands. A cursor names the last event that was read, by its place in the log; it is good for ever.
const FORM = /^ev1_([0-9a-z]{1,11})$/
const EVENT_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/** What `after` may say. */
export type Position =
  /** From the oldest event that is kept. */
  | { kind: "start" }
  /** From here on. */
  | { kind: "now" }
  /** Behind the event of this number. */
  | { kind: "seq"; seq: number }
  /** Behind the event of this id. */
  | { kind: "event"; id: string }

/** The cursor behind the event of a number; behind 0 stands the first there ever was. */
export const cursorOf = (seq: number): string => `ev1_${seq.toString(36)}`

/** @returns null for what is no position */
export function readPosition(after: string | undefined): Position | null {
  if (after === undefined) return { kind: "start" }
  if (after === "now") return { kind: "now" }
  const digits = FORM.exec(after)?.[1]
  if (digits !== undefined) {
    const seq = Number.parseInt(digits, 36)
    return Number.isSafeInteger(seq) && cursorOf(seq) === after ? { kind: "seq", seq } : null
  }
  return EVENT_ID.test(after) ? { kind: "event", id: after } : null
}
