// Parses row ids in paths.
import { Refusal } from "./refusal"

/**
 * Parses a path segment as a row id: decimal digits without leading zeros, within JavaScript's safe integers.
 * @param code the refusal for anything else, because no row can have such an id
 * @throws Refusal `code`
 */
export function rowId(segment: string, code: "not_found" | "device_not_found" = "not_found"): number {
  const id = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : Number.NaN
  if (!Number.isSafeInteger(id)) throw new Refusal(code)
  return id
}
