// Payloads leave out what has no value: a field that may be null in an answer may be absent in an event.
import * as z from "zod"

/** A schema of the same thing as it stands in a payload. It takes no field that it does not name. */
export function sparse(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return sparse(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return z.array(sparse(schema.element as z.ZodType))
  if (!(schema instanceof z.ZodObject)) return schema
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => [
    name,
    field.safeParse(null).success || field.safeParse(undefined).success ? sparse(field).optional() : sparse(field),
  ])
  // Apps may count more than is known here.
  const object = schema.meta()?.id === "Usage" ? z.looseObject : z.strictObject
  return object(Object.fromEntries(fields))
}
