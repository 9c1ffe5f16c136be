// Documents the fields of API schemas. `schemas.docs.ts` files next to the schemas call `documentFields`; only the
// OpenAPI generator imports them, so descriptions and examples never enter the Worker's bundle.
import type * as z from "zod"

/** The documentation of one field. */
export interface FieldDoc {
  description?: string
  /** The value in generated examples. */
  example?: unknown
  /** Whether generated examples leave the field out; only for optional fields. */
  omitFromExample?: true
}

/** Documentation by field name. */
export type FieldDocs<Name extends PropertyKey = string> = { readonly [Field in Name]?: FieldDoc }

/** Fields with the same meaning in every schema, which tools/openapi documents by their names. */
export type CommonField =
  | "id"
  | "created_at"
  | "updated_at"
  | "page"
  | "per_page"
  | "total"
  | "last_page"
  | "current_page"
  | "from"
  | "to"
  | "first"
  | "last"
  | "prev"
  | "next"
  | "message"
  | "status"

/** Examples of timestamps are generated. */
type TimestampName = `${string}_${"at" | "since" | "until" | "ago"}`

/** Whether examples of a value cannot be derived from its schema: a free text, or a list of texts. */
type IsFreeText<Name, Value> = Name extends TimestampName
  ? false
  : string extends Value
    ? true
    : string[] extends Value
      ? true
      : false

type CompleteDoc<Name, Value> = FieldDoc & { description: string } & (IsFreeText<Name, Value> extends true
    ? { example: unknown } | { omitFromExample: true }
    : unknown)

/** Documentation of every field of `Fields`; `Inherited` and common fields may be left out. */
export type CompleteDocs<Fields, Inherited extends PropertyKey = never> = {
  readonly [Name in Exclude<keyof Fields, Inherited | CommonField>]-?: CompleteDoc<Name, Fields[Name]>
} & { readonly [Name in keyof Fields & (Inherited | CommonField)]?: FieldDoc }

type Shape = Readonly<Record<string, unknown>>

const docsBySchema = new Map<unknown, FieldDocs>()

/**
 * By the schema of a field, then by the field's name: schemas made by `extend` and `pick` share their fields' schemas.
 */
const docsByField = new Map<unknown, Map<string, FieldDoc>>()

/**
 * Documents the fields of an object schema, and of the schemas derived from it by `extend` and `pick`.
 * @param schema the schema that routes use, after `.meta()` and `.refine()`
 * @param _base a documented schema whose fields `schema` shares, so that they need no documentation
 */
export function documentFields<
  Schema extends z.ZodObject,
  Base extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(schema: Schema, docs: CompleteDocs<z.output<Schema>, keyof Base["shape"]>, _base?: Base): void {
  redocumentFields(schema, docs)
}

/** Documents single fields of a schema that was derived from documented ones. */
export function redocumentFields(schema: z.ZodObject, docs: FieldDocs): void {
  docsBySchema.set(schema, { ...docsBySchema.get(schema), ...docs })
  for (const [name, doc] of Object.entries(docs) as [string, FieldDoc][]) {
    const field = (schema.shape as Shape)[name]
    const byName = docsByField.get(field) ?? new Map<string, FieldDoc>()
    docsByField.set(field, byName)
    if (!byName.has(name)) byName.set(name, doc)
  }
}

/** The original schema of a field that was derived from it. */
const originals = new Map<unknown, unknown>()

/** Lets a field's schema inherit the documentation of the schema that it was derived from, under the same name. */
export function inheritFieldDoc(derived: unknown, original: unknown): void {
  if (derived !== original) originals.set(derived, original)
}

/** Returns the documentation of an object schema's fields, including what it shares with documented schemas. */
export function getFieldDocs(schema: unknown, shape: Shape): FieldDocs {
  const own = docsBySchema.get(schema)
  const docs = Object.entries(shape).map(([name, field]) => [name, own?.[name] ?? findFieldDoc(field, name)])
  return Object.fromEntries(docs.filter(([, doc]) => doc))
}

const findFieldDoc = (field: unknown, name: string): FieldDoc | undefined =>
  docsByField.get(field)?.get(name) ?? (originals.has(field) ? findFieldDoc(originals.get(field), name) : undefined)

/** Documents the filter `updated_since` of a list. */
export const UPDATED_SINCE = {
  description: "Only items that were updated at this time or later.",
  example: "2026-09-02T10:15:00+00:00",
} as const
