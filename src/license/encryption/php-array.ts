// Serialises the PHP array inside a container, as PHP's `serialize` does:
// `a:2:{s:2:"id";i:7;s:13:"activation_id";i:7;}`.

/** Row ids, which are positive integers. */
export interface ContainerPayload {
  id: number
  activation_id: number
}

const SERIALIZED = /^a:2:\{s:2:"id";i:([1-9][0-9]*);s:13:"activation_id";i:([1-9][0-9]*);\}$/

/**
 * Serialises a payload.
 *
 * @throws RangeError when an id is not a positive safe integer.
 */
export function serialize({ id, activation_id }: ContainerPayload): string {
  if (!isRowId(id) || !isRowId(activation_id)) throw new RangeError("container ids must be positive integers")
  return `a:2:{s:2:"id";i:${id};s:13:"activation_id";i:${activation_id};}`
}

/**
 * Parses a payload. Accepts exactly this shape and key order: a general unserialiser would widen the attack surface
 * (object injection).
 *
 * @returns null for any other text.
 */
export function unserialize(text: string): ContainerPayload | null {
  const [, id, activationId] = SERIALIZED.exec(text) ?? []
  const payload = { id: Number(id), activation_id: Number(activationId) }
  return isRowId(payload.id) && isRowId(payload.activation_id) ? payload : null
}

const isRowId = (value: number): boolean => Number.isSafeInteger(value) && value > 0
