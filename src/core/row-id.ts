// Row ids in paths.
import { Refusal } from "./refusal"

/**
 * The row id that a path segment spells: plain decimal digits, within what JavaScript counts exactly.
 * @throws Refusal `not_found` for anything else, because nothing can be there
 */
export function rowId(segment: string): number {
  const id = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : Number.NaN
  if (!Number.isSafeInteger(id)) throw new Refusal("not_found")
  return id
}
