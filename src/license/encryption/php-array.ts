// The one PHP array inside a container, in the format of PHP's `serialize`: `a:2:{s:2:"id";i:7;s:13:"activation_id";i:7;}`.

/** What a container says: numbers of rows, from 1 up. */
export interface ContainerPayload {
  id: number
  activation_id: number
}

const SERIALIZED = /^a:2:\{s:2:"id";i:([1-9][0-9]*);s:13:"activation_id";i:([1-9][0-9]*);\}$/

/**
 * Writes the array.
 *
 * @throws RangeError when a number is not a row's.
 */
export function serialize({ id, activation_id }: ContainerPayload): string {
  if (!isRowId(id) || !isRowId(activation_id)) throw new RangeError("a container names rows by positive integers")
  return `a:2:{s:2:"id";i:${id};s:13:"activation_id";i:${activation_id};}`
}

/**
 * Reads the array. Only this shape, with its keys in this order, is one: a general reader of PHP's format would be a way
 * in for whatever else the format can say.
 *
 * @returns null for any other text.
 */
export function unserialize(text: string): ContainerPayload | null {
  const [, id, activationId] = SERIALIZED.exec(text) ?? []
  const payload = { id: Number(id), activation_id: Number(activationId) }
  return isRowId(payload.id) && isRowId(payload.activation_id) ? payload : null
}

const isRowId = (value: number): boolean => Number.isSafeInteger(value) && value > 0
