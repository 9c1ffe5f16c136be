// Derives payload schemas from response schemas. Payloads omit fields without a value: a field that may be null in a
// response may be absent from an event.
import * as z from "zod"
import { inheritFieldDoc } from "../../../src/core/http/field-docs.ts"

/** Derives the payload schema of a resource. It allows no other fields. */
export function sparse(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return sparse(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return z.array(sparse(schema.element as z.ZodType))
  if (!(schema instanceof z.ZodObject)) return schema
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const mayBeAbsent = field.safeParse(null).success || field.safeParse(undefined).success
    const derived = mayBeAbsent ? sparse(field).optional() : sparse(field)
    inheritFieldDoc(derived, field)
    return [name, derived]
  })
  // Apps can add kinds of usage.
  const object = schema.meta()?.id === "Usage" ? z.looseObject : z.strictObject
  return object(Object.fromEntries(fields))
}
