// Lists the fields of a Zod schema, nested ones too, and builds bodies that set one of them.
import type * as z from "zod"

export interface Field {
  name: string
  /** Wraps a JSON value as the member of the body that sets the field: `"items":[{"note":<value>}]`. */
  wrapJson(json: string): string
  /** Builds the body that sets the field. */
  wrapValue(value: unknown): Record<string, unknown>
  /** The schema of the body. */
  bodySchema: z.ZodType
}

/** Lists every field of an object schema, including those of nested objects and list items. */
export function listFields(schema: z.ZodType | undefined): Field[] {
  const object = schema && findObjectSchema(schema)
  if (!object) return []
  return Object.entries(object.shape).flatMap(([name, property]) => {
    const type = property as z.ZodType
    const field = {
      name,
      bodySchema: schema,
      wrapJson: (json: string) => `${JSON.stringify(name)}:${json}`,
      wrapValue: (value: unknown) => ({ [name]: value }),
    }
    const item = findItemSchema(type)
    const itemField = {
      ...field,
      name: `${name}[]`,
      wrapJson: (json: string) => field.wrapJson(`[${json}]`),
      wrapValue: (value: unknown) => field.wrapValue([value]),
    }
    const outer = item ? itemField : field
    const nested = listFields(item ?? type).map((inner) => ({
      bodySchema: schema,
      name: `${outer.name}.${inner.name}`,
      wrapJson: (json: string) => outer.wrapJson(`{${inner.wrapJson(json)}}`),
      wrapValue: (value: unknown) => outer.wrapValue(inner.wrapValue(value)),
    }))
    return item ? [field, itemField, ...nested] : [field, ...nested]
  })
}

interface SchemaDefinition {
  type: string
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  options?: z.ZodType[]
  element?: z.ZodType
}

const getDefinition = (schema: z.ZodType): SchemaDefinition =>
  (schema as unknown as { _zod: { def: SchemaDefinition } })._zod.def

/** Lists a schema and the schemas it wraps. */
function unwrapSchema(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input, out, options = [] } = getDefinition(schema)
  return [schema, ...[innerType, input, out, ...options].flatMap((inner) => (inner ? unwrapSchema(inner) : []))]
}

const findObjectSchema = (schema: z.ZodType): z.ZodObject | undefined =>
  unwrapSchema(schema).find((inner) => getDefinition(inner).type === "object") as z.ZodObject | undefined

const findItemSchema = (schema: z.ZodType): z.ZodType | undefined =>
  unwrapSchema(schema)
    .map((inner) => (getDefinition(inner).type === "array" ? getDefinition(inner).element : undefined))
    .find(Boolean)
