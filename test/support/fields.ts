// The fields of a schema, found in the schema itself: where they are, and how a value gets there.
import type * as z from "zod"

export interface Field {
  name: string
  /** The body's part that brings a value, written as JSON, to the field: `"items":[{"note":<value>}]`. */
  put(json: string): string
  /** The body that brings it a value. */
  place(value: unknown): Record<string, unknown>
  /** The schema of the body. */
  owner: z.ZodType
}

/** Every field of an object's schema, with those of the objects and the items of the lists in it. */
export function fieldsOf(schema: z.ZodType | undefined): Field[] {
  const object = schema && objectIn(schema)
  if (!object) return []
  return Object.entries(object.shape).flatMap(([name, inner]) => {
    const type = inner as z.ZodType
    const whole = {
      name,
      owner: schema,
      put: (json: string) => `${JSON.stringify(name)}:${json}`,
      place: (value: unknown) => ({ [name]: value }),
    }
    const item = listIn(type)
    const listed = {
      ...whole,
      name: `${name}[]`,
      put: (json: string) => whole.put(`[${json}]`),
      place: (value: unknown) => whole.place([value]),
    }
    const outer = item ? listed : whole
    const nested = fieldsOf(item ?? type).map((field) => ({
      owner: schema,
      name: `${outer.name}.${field.name}`,
      put: (json: string) => outer.put(`{${field.put(json)}}`),
      place: (value: unknown) => outer.place(field.place(value)),
    }))
    return item ? [whole, listed, ...nested] : [whole, ...nested]
  })
}

interface Def {
  type: string
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  options?: z.ZodType[]
  element?: z.ZodType
}

const defOf = (schema: z.ZodType): Def => (schema as unknown as { _zod: { def: Def } })._zod.def

/** The schemas that a schema is made of, itself first. */
function layers(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input, out, options = [] } = defOf(schema)
  return [schema, ...[innerType, input, out, ...options].flatMap((inner) => (inner ? layers(inner) : []))]
}

const objectIn = (schema: z.ZodType): z.ZodObject | undefined =>
  layers(schema).find((layer) => defOf(layer).type === "object") as z.ZodObject | undefined

const listIn = (schema: z.ZodType): z.ZodType | undefined =>
  layers(schema)
    .map((layer) => (defOf(layer).type === "array" ? defOf(layer).element : undefined))
    .find(Boolean)
