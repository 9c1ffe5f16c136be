// Matches events with the filters of endpoints. A filter is prepared once per version of its endpoint, because the
// router evaluates it for every event.
import type { FilterCondition } from "../../db/schema/central/webhooks"

/** A payload about to be matched. Values are looked up once per path, because many filters name the same paths. */
export class MatchedPayload {
  readonly #payload: unknown
  readonly #values = new Map<string, unknown>()

  constructor(payload: unknown) {
    this.#payload = payload
  }

  /** Returns the value at a path; undefined if there is none. */
  get(path: string): unknown {
    const known = this.#values.get(path)
    if (known !== undefined || this.#values.has(path)) return known
    const value = readPath(this.#payload, path.split("."))
    this.#values.set(path, value)
    return value
  }
}

/** Whether a payload meets all conditions of a filter. */
export type EventMatcher = (payload: MatchedPayload) => boolean

/** Where the payload of an event lists its changed fields. */
const CHANGES_PATH = "data.changes"

/** Prepares a filter. */
export function prepareFilter(conditions: readonly FilterCondition[]): EventMatcher {
  const tests = conditions.map(prepareCondition)
  return (payload) => tests.every((test) => test(payload))
}

function prepareCondition({ path: given, op, value }: FilterCondition): EventMatcher {
  const path = op === "changed" ? toChangesPath(given) : given
  if (op === "exists" || op === "changed") return (payload) => payload.get(path) !== undefined
  const test = COMPARISONS[op](value)
  return (payload) => {
    const found = payload.get(path)
    return found !== undefined && test(found)
  }
}

/** Returns the path of a changed field, which a condition may also name alone. */
const toChangesPath = (path: string): string => (path.startsWith(`${CHANGES_PATH}.`) ? path : `${CHANGES_PATH}.${path}`)

/** Reads the value at a path: own properties of objects, and items of lists by their index. */
function readPath(payload: unknown, keys: readonly string[]): unknown {
  let value = payload
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    if (Array.isArray(value) && key === "length") return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

type Comparison = (value: FilterCondition["value"]) => (found: unknown) => boolean

/** The comparisons, which are strict: a number is never equal to a text. */
const COMPARISONS: Record<Exclude<FilterCondition["op"], "exists" | "changed">, Comparison> = {
  eq: (value) => (found) => found === value,
  ne: (value) => (found) => found !== value,
  in: (value) => {
    const values = new Set<unknown>(Array.isArray(value) ? value : [])
    return (found) => values.has(found)
  },
  gt: (value) => (found) => compare(found, value) > 0,
  gte: (value) => (found) => compare(found, value) >= 0,
  lt: (value) => (found) => compare(found, value) < 0,
  lte: (value) => (found) => compare(found, value) <= 0,
}

/** Returns the sign of a difference; NaN, which compares as false, unless both are numbers or both are texts. */
function compare(found: unknown, value: unknown): number {
  if (typeof found === "number" && typeof value === "number") return Math.sign(found - value)
  if (typeof found !== "string" || typeof value !== "string") return Number.NaN
  return found < value ? -1 : found > value ? 1 : 0
}
