// The kinds of field there are. Clients in many languages send numbers as text, flags as 0 and 1, and nothing as null or as
// an empty text; a text, though, is nothing but a text, or 7 would be taken for the address 0.0.0.7.
import * as z from "zod"
import type { Form } from "../core/http/body"
import { Refusal } from "../core/http/refusal"
import { commaList, fault, fieldFaults, queryNumber, shortText } from "../core/http/validation"

export type Fields = Record<string, unknown>

/** The fields of a form: `name[]` and `name[0]` build a list, and the last value of any other name counts. */
export function formFields(form: Form): Fields {
  // Without a prototype: `constructor` and `__proto__` are names of fields like any other.
  const fields: Fields = Object.create(null)
  for (const [name, values] of form) {
    const list = listName(name)
    const known = list === null ? undefined : fields[list]
    if (list === null) fields[name] = values.at(-1)
    else if (Array.isArray(known)) known.push(...values)
    else fields[list] = [...values]
  }
  return fields
}

/** The name of the list that a field belongs to, or null for a field of its own. */
const listName = (name: string): string | null => /^(.*)\[\d{0,9}\]$/s.exec(name)?.[1] ?? null

/**
 * The fields as a schema has them.
 * @throws Refusal `validation_failed`
 */
export function parseFields<Schema extends z.ZodType>(schema: Schema, fields: Fields): z.output<Schema> {
  const result = schema.safeParse(fields)
  if (!result.success) throw new Refusal("validation_failed", { fields: fieldFaults(result.error, fields) })
  return result.data
}

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === ""

/** Makes a kind of field one that may be left out; null and an empty text leave it out too. */
export const maybe = <Kind extends z.ZodType>(kind: Kind) =>
  z.preprocess((value) => (isNothing(value) ? undefined : value), kind.optional()).optional()

/** Makes a kind of field one that may be left alone, or emptied with null or an empty text. */
export const clearable = <Kind extends z.ZodType>(kind: Kind) =>
  z
    .preprocess((value) => (value === undefined ? undefined : isNothing(value) ? null : value), kind.nullish())
    .optional()

/** The columns that have a value; those without one are left alone. */
export const given = <Columns extends Record<string, unknown>>(columns: Columns) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as {
    [K in keyof Columns]?: Exclude<Columns[K], undefined>
  }

/** A whole number, or its digits. */
export const whole = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
    z.int().min(min).max(max),
  )

const FLAGS = new Map<unknown, boolean>([
  [1, true],
  ["1", true],
  ["true", true],
  ["on", true],
  [0, false],
  ["0", false],
  ["false", false],
  ["off", false],
])

/** A yes or no, in any of the ways that forms and languages write it. */
export const flag = () =>
  z.preprocess((value) => FLAGS.get(typeof value === "string" ? value.toLowerCase() : value) ?? value, z.boolean())

const DATE = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?$/i
/** Characters of the longest way to write a moment, with room for white space around it. */
const LONGEST_DATE = 64

/** A day, which stands for its first instant, or a moment; in UTC unless it says otherwise. */
export const date = () =>
  z
    .string()
    .transform((value, ctx) => {
      const [, day, dayOfMonth, time, zone] = (value.length <= LONGEST_DATE && DATE.exec(value.trim())) || []
      const moment = new Date(`${day}T${time ?? "00:00"}${zone?.toUpperCase() ?? "Z"}`)
      // The 31st of February would be taken for a day of March.
      const isReal = new Date(`${day}T00:00Z`).getUTCDate() === Number(dayOfMonth)
      if (isReal && !Number.isNaN(moment.getTime())) return moment
      ctx.addIssue({ code: "custom", ...fault("date") })
      return z.NEVER
    })
    .meta({ anyOf: [{ format: "date" }, { format: "date-time" }] })

const MOST_ITEMS = 100
const LONGEST_ITEM = 255

/**
 * A list of short texts, or one text with commas; empty items count for nothing.
 * @param accepts whether a text, already trimmed, can be an item
 * @param documented what documents say of an item
 */
export const list = (accepts: (item: string) => boolean, documented: object) =>
  commaList(
    shortText(LONGEST_ITEM)
      .transform((item) => item.trim())
      .refine((item) => item === "" || accepts(item), fault("format"))
      .meta({ ...documented }),
    { max: MOST_ITEMS },
  ).transform((items) => items.filter(Boolean))

/** The query parameters of a paginated list. */
export const pageQuery = { page: queryNumber().default(1), per_page: queryNumber(100).default(15) }
