// Parses `--filter=path:op:value` of `listen` into the conditions that an endpoint's filter has.
import { type EventMatcher, MatchedPayload, prepareFilter } from "../../src/core/write/event-filter.ts"
import { UserError } from "../lib/project.ts"

type Condition = Parameters<typeof prepareFilter>[0][number]

const COMPARISONS = ["eq", "ne", "in", "gt", "gte", "lt", "lte"] as const
const WITHOUT_VALUE = ["exists", "changed"] as const
const OPS: readonly string[] = [...COMPARISONS, ...WITHOUT_VALUE]

/**
 * Parses the conditions, all of which an event has to meet.
 * @returns the matcher of a payload's text
 * @throws UserError for a condition that no endpoint could have
 */
export function parseListenFilter(conditions: readonly string[]): (payload: string) => boolean {
  const matches: EventMatcher = prepareFilter(conditions.map(parseCondition))
  return (payload) => conditions.length === 0 || matches(new MatchedPayload(JSON.parse(payload)))
}

function parseCondition(text: string): Condition {
  const [, path = "", op = "", , value] = /^([^:]+):([a-z]+)(:(.*))?$/s.exec(text) ?? []
  if (!OPS.includes(op))
    throw new UserError(`--filter=${text} must be path:op:value with one of these operators: ${OPS.join(", ")}`)
  const hasValue = value !== undefined && value !== ""
  const takesValue = (COMPARISONS as readonly string[]).includes(op)
  if (hasValue !== takesValue)
    throw new UserError(
      `--filter=${text} ${takesValue ? "needs a value: path:op:value" : `has a value, which ${op} does not take`}`,
    )
  const parsed = takesValue ? parseValue(op, value ?? "") : undefined
  return { path, op, ...(parsed !== undefined && { value: parsed }) } as Condition
}

/** Parses JSON; anything else is a text, and a list of texts for `in`. */
function parseValue(op: string, text: string): unknown {
  if (op === "in" && !text.startsWith("[")) return text.split(",").map((item) => parseJson(item))
  return parseJson(text)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
