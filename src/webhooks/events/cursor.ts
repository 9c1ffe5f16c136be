// Cursors of the event log. A cursor contains the sequence number of the last event read, so it never becomes invalid.
const CURSOR = /^ev1_([0-9a-z]{1,11})$/
const EVENT_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/** A parsed `after` parameter. */
export type Position =
  /** From the oldest stored event. */
  | { kind: "start" }
  /** From now on. */
  | { kind: "now" }
  /** After the event with this sequence number. */
  | { kind: "seq"; seq: number }
  /** After the event with this id. */
  | { kind: "event"; id: string }

/** Encodes the cursor after an event; 0 is the cursor before the first event. */
export const encodeCursor = (seq: number): string => `ev1_${seq.toString(36)}`

/** @returns null for an invalid position */
export function parsePosition(after: string | undefined): Position | null {
  if (after === undefined) return { kind: "start" }
  if (after === "now") return { kind: "now" }
  const digits = CURSOR.exec(after)?.[1]
  if (digits !== undefined) {
    const seq = Number.parseInt(digits, 36)
    return Number.isSafeInteger(seq) && encodeCursor(seq) === after ? { kind: "seq", seq } : null
  }
  return EVENT_ID.test(after) ? { kind: "event", id: after } : null
}
