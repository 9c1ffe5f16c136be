// The fields of a request, whether they come as JSON, as a form or as a form with files, and the kinds of field there are.
// Clients in many languages send numbers as text, flags as 0 and 1, and nothing as null or as an empty text.
import type { Context } from "hono"
import * as z from "zod"
import { httpFault, Refusal } from "../core/refusal"
import { fault, fieldFaults, text } from "../core/validation"

export type Fields = Record<string, unknown>

/**
 * The fields of a bounded body.
 * @throws Refusal `http_error` 400 for a body that is not what it says it is, or whose JSON is no object
 */
export async function readFields(c: Context): Promise<Fields> {
  const type = (c.req.header("Content-Type") ?? "").toLowerCase()
  try {
    if (type.startsWith("multipart/form-data")) return formFields(await c.req.formData())
    // Not `text()`, which warns of every body that does not call itself one.
    const body = new TextDecoder().decode(await c.req.arrayBuffer())
    if (type.startsWith("application/x-www-form-urlencoded") && !/^\s*\{/.test(body)) {
      return formFields(new URLSearchParams(body))
    }
    return jsonFields(body)
  } catch (cause) {
    if (cause instanceof Refusal) throw cause
    throw httpFault(400)
  }
}

function jsonFields(body: string): Fields {
  if (body.trim() === "") return {}
  const value: unknown = JSON.parse(body)
  // An empty array is how some clients write an object without fields.
  if (Array.isArray(value) && value.length === 0) return {}
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw httpFault(400)
  return value as Fields
}

/** A form's texts; `name[]` collects a list. */
export function formFields(form: Iterable<[string, unknown]>): Fields {
  const fields: Fields = {}
  for (const [name, value] of form) {
    if (typeof value !== "string") continue
    const list = name.replace(/\[\d*\]$/, "")
    if (list === name) fields[name] = value
    else fields[list] = [...((fields[list] as string[] | undefined) ?? []), value]
  }
  return fields
}

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

/** A text, or a number that stands for one. */
export const word = (max: number) =>
  z.preprocess((value) => (typeof value === "number" && Number.isFinite(value) ? String(value) : value), text({ max }))

/** A whole number, or its digits. */
export const whole = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
    z.int().min(min).max(max),
  )

const FLAGS: Record<string, boolean> = { "1": true, "0": false, true: true, false: false, on: true, off: false }

/** A yes or no, in any of the ways that forms and languages write it. */
export const flag = () => z.preprocess((value) => FLAGS[String(value).toLowerCase()] ?? value, z.boolean())

const DATE = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/i

/** A day, which stands for its first instant, or a moment; in UTC unless it says otherwise. */
export const date = () =>
  z.string().transform((value, ctx) => {
    const [, day, dayOfMonth, time, zone] = DATE.exec(value.trim()) ?? []
    const moment = new Date(`${day}T${time ?? "00:00"}${zone?.toUpperCase() ?? "Z"}`)
    // The 31st of February would be taken for a day of March.
    const isReal = new Date(`${day}T00:00Z`).getUTCDate() === Number(dayOfMonth)
    if (isReal && !Number.isNaN(moment.getTime())) return moment
    ctx.addIssue({ code: "custom", ...fault("date") })
    return z.NEVER
  })

const MAX_ITEMS = 100

/** A list of short texts, or one text with commas. */
export const list = (accepts: (item: string) => boolean) =>
  z.preprocess(
    (value) => (typeof value === "string" ? value.split(",") : value),
    z
      .array(z.string().trim().max(255))
      .max(MAX_ITEMS)
      .transform((items) => items.filter(Boolean))
      .pipe(z.array(z.string().refine(accepts, fault("format")))),
  )
