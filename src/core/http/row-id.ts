// Row ids in paths.
import { Refusal, type RefusalCode } from "./refusal"

/**
 * The row id that a path segment spells: plain decimal digits, within what JavaScript counts exactly.
 * @param code what is refused with for anything else, because nothing can be there
 * @throws Refusal `code`
 */
export function rowId(segment: string, code: RefusalCode = "not_found"): number {
  const id = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : Number.NaN
  if (!Number.isSafeInteger(id)) throw new Refusal(code)
  return id
}
