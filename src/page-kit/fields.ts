// Converts the fields of a form to the input of a schema.
import * as z from "zod"
import type { Form } from "../core/http/body"

/** Unwraps optional, default and transform wrappers. */
function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapSchema(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType }
  return innerType ? unwrapSchema(innerType) : schema
}

const getSchemaType = (schema: z.ZodType): string => unwrapSchema(schema)._zod.def.type

const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * The value of an empty field that cannot be cleared. Forms that create something omit it, so the default applies.
 * Forms that edit something pass the empty text, which validation refuses at its field.
 */
export type EmptyValue = undefined | ""

/** The value that clears a field: null when the schema allows it, else an empty text when allowed, else `empty`. */
function getClearedValue(schema: z.ZodType, empty: EmptyValue): null | EmptyValue {
  for (const cleared of [null, ""] as const) {
    const { success, data } = schema.safeParse(cleared)
    // `new Date(null)` is a valid date, and `undefined` would leave the value unchanged.
    if (success && data !== undefined && !(data instanceof Date)) return cleared
  }
  return empty
}

/**
 * Converts form fields to the input of a schema: numbers and booleans from text, lists from repeated or comma-separated
 * fields, objects from dotted names (`limits.products`). An empty field becomes its cleared value.
 */
export function parseFields(schema: z.ZodObject, form: Form, empty: EmptyValue, prefix = ""): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const value = parseField(field, form, empty, prefix + name)
    if (value !== undefined) input[name] = value
  }
  return input
}

function parseField(schema: z.ZodType, form: Form, empty: EmptyValue, name: string): unknown {
  const type = getSchemaType(schema)
  if (type === "object") return parseFields(unwrapSchema(schema) as z.ZodObject, form, empty, `${name}.`)
  const values = form.get(name)
  if (!values) return undefined
  const last = values.at(-1) ?? ""
  if (type === "array") {
    const items = (values.length > 1 ? values : last.split(/[,\n]/)).map((item) => item.trim()).filter(Boolean)
    return items.length || getClearedValue(schema, empty) !== null ? items : null
  }
  const isText = type !== "boolean" && type !== "number" && type !== "int" && type !== "date"
  if ((isText ? last : last.trim()) === "") return getClearedValue(schema, empty)
  if (type === "boolean") return last === "1" || last === "on" || last === "true"
  if (type === "number" || type === "int") return NUMBER.test(last.trim()) ? Number(last) : last
  return isText ? last.replaceAll("\r\n", "\n") : last
}
