// Zod schemas for the license manager's lenient field types. Clients in many languages send numbers as strings,
// booleans as 0 and 1, and missing values as null or "". Strings are strict: the number 7 would otherwise be read as
// the address 0.0.0.7.
import * as z from "zod"
import type { Form } from "../core/http/body"
import { type Input, parseInput } from "../core/http/input"
import { commaList, queryNumber, shortText, text, violates } from "../core/http/validation"
import { hasFourDigitYear } from "../lib/time"

export type Fields = Record<string, unknown>

/** Collects the fields of a form: `name[]` and `name[0]` build a list; of any other name the last value wins. */
export function formFields(form: Form): Fields {
  // No prototype: `constructor` and `__proto__` are ordinary field names here.
  const fields: Fields = Object.create(null)
  for (const [name, values] of form) {
    const list = parseListName(name)
    const items = list === null ? undefined : fields[list]
    if (list === null) fields[name] = values.at(-1)
    else if (Array.isArray(items)) items.push(...values)
    else fields[list] = [...values]
  }
  return fields
}

/** Returns the name of the list that a field belongs to, or null for a single value. */
const parseListName = (name: string): string | null => /^(.*)\[\d{0,9}\]$/s.exec(name)?.[1] ?? null

/**
 * Validates fields against a schema.
 * @throws Refusal `validation_failed`
 */
export const parseFields = <Schema extends z.ZodType>(schema: Schema, fields: Fields): Input<Schema> =>
  parseInput(schema, fields)

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === ""

/** Makes a field of a body optional; null and "" count as missing. The OpenAPI document allows null. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess(
      (value) => (isEmpty(value) ? undefined : value),
      schema.nullish().transform((value) => value ?? undefined),
    )
    .optional()

/** Makes a query parameter optional; an empty one counts as missing. */
export const optionalParameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (isEmpty(value) ? undefined : value), schema.optional()).optional()

/** Makes a field optional; null and "" clear the stored value. */
export const clearable = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess((value) => (value === undefined ? undefined : isEmpty(value) ? null : value), schema.nullish())
    .optional()

/** Drops undefined columns, so that an update leaves them unchanged. */
export const definedColumns = <Columns extends Record<string, unknown>>(columns: Columns) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as {
    [K in keyof Columns]?: Exclude<Columns[K], undefined>
  }

/** An integer, or a string of digits. */
export const integer = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
    z.int().min(min).max(max),
  )

/** A product's reference id. Clients whose products have numeric ids send them as numbers. */
export const productId = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  text({ max: 50 }),
)

const BOOLEAN_VALUES = new Map<unknown, boolean>([
  [1, true],
  ["1", true],
  ["true", true],
  ["on", true],
  [0, false],
  ["0", false],
  ["false", false],
  ["off", false],
])

/** A boolean in any of the spellings that forms and languages use. */
export const flag = () =>
  z.preprocess(
    (value) => BOOLEAN_VALUES.get(typeof value === "string" ? value.toLowerCase() : value) ?? value,
    z.boolean(),
  )

const DATE = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?$/i
/** The longest valid timestamp, with room for surrounding white space. */
const MAX_DATE_LENGTH = 64

/** A date (read as midnight) or a timestamp, in UTC unless it has an offset. */
export const date = () =>
  z
    .string()
    .transform((value, ctx) => {
      const [, day, dayOfMonth, time, zone] = (value.length <= MAX_DATE_LENGTH && DATE.exec(value.trim())) || []
      const parsed = new Date(`${day}T${time ?? "00:00"}${zone?.toUpperCase() ?? "Z"}`)
      // JavaScript rolls February 31 over into March.
      const isCalendarDate = new Date(`${day}T00:00Z`).getUTCDate() === Number(dayOfMonth)
      if (isCalendarDate && hasFourDigitYear(parsed)) return parsed
      ctx.addIssue({ code: "custom", ...violates("date") })
      return z.NEVER
    })
    .meta({ anyOf: [{ format: "date" }, { format: "date-time" }] })

const MAX_LIST_ITEMS = 100
const MAX_ITEM_LENGTH = 255

/**
 * A list of short strings, or one comma-separated string; empty items are dropped.
 * @param isValid validates a trimmed item
 * @param itemSchema JSON Schema keywords that the OpenAPI document shows for an item
 */
export const list = (isValid: (item: string) => boolean, itemSchema: object) =>
  commaList(
    shortText(MAX_ITEM_LENGTH)
      .transform((item) => item.trim())
      .refine((item) => item === "" || isValid(item), violates("format"))
      .meta({ ...itemSchema }),
    { max: MAX_LIST_ITEMS },
  ).transform((items) => items.filter(Boolean))

/** The query parameters of a paginated list. */
export const pageQuery = { page: queryNumber().default(1), per_page: queryNumber(100).default(15) }
