// The schema of an endpoint's filter.
import * as z from "zod"
import { listOf, shortText, violates } from "../../core/http/validation"
import { CHANGES_PATH } from "../../core/write/event-filter"
import { type FilterCondition as Condition, FILTER_OPS } from "../../db/schema/central/webhooks"

const MAX_CONDITIONS = 10

const MAX_LIST_ITEMS = 100

/** Characters of a filter as JSON, because every isolate that routes events keeps all filters in its memory. */
const MAX_LENGTH = 10_000

const MAX_PATH_LENGTH = 200

/** The fields of a payload. */
const ROOTS: ReadonlySet<string> = new Set(["id", "type", "created_at", "api_version", "data", "meta"])

const PATH_PATTERN = "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$"
const PATH = new RegExp(PATH_PATTERN)

const value = z.union([shortText(255), z.number(), z.boolean()])

/** A condition of a filter, by its fields alone. */
export const FilterCondition = z.object({
  path: shortText(MAX_PATH_LENGTH)
    .refine((path) => PATH.test(path), violates("format"))
    .meta({ pattern: PATH_PATTERN }),
  op: z.enum(FILTER_OPS),
  value: z.union([value, listOf(value, { max: MAX_LIST_ITEMS })]).nullish(),
})

const condition = FilterCondition.superRefine(({ path, op, value }, ctx) => {
  const refuse = (field: string, ...rule: Parameters<typeof violates>) =>
    ctx.addIssue({ code: "custom", path: [field], ...violates(...rule) })
  if (!isPathOf(op, path)) refuse("path", "selected")
  const isAbsent = value === undefined || value === null
  if (op === "exists" || op === "changed") {
    if (!isAbsent) refuse("value", "prohibited")
  } else if (isAbsent) refuse("value", "required")
  else if (op === "in") {
    if (!Array.isArray(value)) refuse("value", "array")
    else if (!value.length) refuse("value", "min_items", { min: 1 })
  } else if (Array.isArray(value)) refuse("value", "selected")
  else if (op !== "eq" && op !== "ne" && typeof value === "boolean") refuse("value", "selected")
}).transform(
  ({ path, op, value }): Condition => ({ path, op, ...(value !== undefined && value !== null && { value }) }),
)

/** `changed` names a changed field, alone or by its path; all others name a field of the payload. */
function isPathOf(op: Condition["op"], path: string): boolean {
  const keys = path.split(".")
  if (op !== "changed") return ROOTS.has(keys[0] ?? "")
  return keys.length === 1 || (keys.length === 3 && path.startsWith(`${CHANGES_PATH}.`))
}

/** Conditions, all of which an event has to meet; an empty list is stored as null. */
export const filter = listOf(condition, { max: MAX_CONDITIONS })
  .refine((conditions) => JSON.stringify(conditions).length <= MAX_LENGTH, violates("max_length", { max: MAX_LENGTH }))
  .transform((conditions) => (conditions.length ? conditions : null))
  .nullish()
