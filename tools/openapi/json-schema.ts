// Converts zod schemas to JSON Schema and collects named schemas as components. Keywords that zod does not know, such
// as the maximum length that a refinement checks, are derived from the validation rule that the refinement names.
import * as z from "zod"
import { type FieldDoc, type FieldDocs, getFieldDocs } from "../../src/core/http/field-docs.ts"
import { DEFAULT_FIELDS, OWNER_FIELDS } from "./strings/fields.ts"

/** The keywords of JSON Schema that the documents use. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  /** The documentation of the field that has this schema. A symbol, so that it never reaches a document. */
  [FIELD_DOC]?: FieldDoc
  [keyword: string]: unknown
}

/** The key under which a field's schema carries its documentation. */
export const FIELD_DOC = Symbol("field documentation")

type Direction = "input" | "output"

const COMPONENT_PREFIX = "#/components/schemas/"

/** Returns the component name of a `$ref`; empty without one. */
export const refName = ({ $ref = "" }: { $ref?: string }): string => $ref.split("/").at(-1) ?? ""

/** Collects the component schemas of one document. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  /** Component names by the JSON of their schemas, for the components that `name` created. */
  readonly #names = new Map<string, string>()

  /**
   * Converts a schema. Schemas with an id become components.
   * @param direction `input` for requests, `output` for responses
   * @param owner operation id, for the documentation of fields that no `schemas.docs.ts` describes
   */
  convert(schema: z.ZodType, direction: Direction, owner = ""): JsonSchema {
    const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ root: schema }), {
      io: direction,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) =>
        refine(zodSchema as unknown as z.ZodType, jsonSchema as JsonSchema, direction),
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> }
    for (const [id, definition] of Object.entries($defs)) this.schemas[id] ??= clean(definition, direction, id)
    return clean(properties.root ?? {}, direction, owner)
  }

  /**
   * Turns a schema into a component and returns the reference to it. Equal schemas share the component that was created
   * first. References, arrays and schemas without properties stay inline.
   */
  name(name: string, schema: JsonSchema): JsonSchema {
    if (!schema.properties && !schema.anyOf) return schema
    const text = JSON.stringify(schema)
    const known = this.#names.get(text)
    if (known) return { $ref: COMPONENT_PREFIX + known }
    if (name in this.schemas) throw new Error(`Two different schemas are named ${name}`)
    this.schemas[name] = schema
    this.#names.set(text, name)
    return { $ref: COMPONENT_PREFIX + name }
  }

  /** Follows a reference; returns any other schema unchanged. */
  resolve(schema: JsonSchema): JsonSchema {
    return schema.$ref ? (this.schemas[refName(schema)] ?? {}) : schema
  }
}

/** JSON Schema keywords by the validation rule that they express. */
const KEYWORD_BY_RULE: Record<string, string> = {
  max_length: "maxLength",
  min_length: "minLength",
  max_items: "maxItems",
  min_items: "minItems",
}

/** Keywords of a pipe's output that its string input has to satisfy as well. */
const INHERITED_KEYWORDS = ["minLength", "maxLength", "pattern", "format"] as const

interface Internals {
  def: {
    type: string
    in?: z.ZodType
    out?: z.ZodType
    shape?: Record<string, z.ZodType>
    defaultValue?: unknown
    checks?: { _zod: { def: { params?: { violation?: { rule: string; facts?: { max?: number; min?: number } } } } } }[]
  }
}

const internals = (schema: z.ZodType) => schema._zod as unknown as Internals

/** One alternative per type: code generators cannot name the members of an enum of mixed types. */
const BOOLEAN_SPELLINGS: JsonSchema[] = [
  { type: "boolean" },
  { type: "integer", enum: [0, 1] },
  { type: "string", enum: ["0", "1", "true", "false"] },
]

/** The keyword under which an object carries the documentation of its fields until `clean` applies it. */
const DOCS_KEYWORD = "x-docs"

function refine(schema: z.ZodType, json: JsonSchema, direction: Direction): void {
  const { def } = internals(schema)
  if (def.type === "default" && direction === "input" && isPrimitive(def.defaultValue))
    json.default = json.type === "string" ? String(def.defaultValue) : def.defaultValue
  if (def.type === "pipe" && direction === "input" && def.out) applyPipe(def.out, json)
  if (def.type === "pipe" && direction === "input" && def.in) applyPipe(def.in, json)
  if (def.type === "object" && def.shape) json[DOCS_KEYWORD] = getFieldDocs(schema, def.shape)
  if (def.type === "object" && direction === "input" && def.shape) {
    json.required = listRequired(def.shape, json.required)
  }
  for (const { rule, facts } of listRules(schema)) {
    applyRule(json, rule, facts)
    if (rule === "integer" && json.type === "string") json.pattern ??= "^[0-9]+$"
    if (rule === "boolean" && json.type === undefined) json.anyOf = BOOLEAN_SPELLINGS
  }
  if (!json.required?.length) delete json.required
}

/** Lists the required fields: those whose schema rejects undefined, even behind a preprocessing step. */
const listRequired = (shape: Record<string, z.ZodType>, known: string[] = []): string[] =>
  Object.keys(shape).filter((name) => known.includes(name) || shape[name]?.safeParse(undefined).success === false)

/**
 * Applies the constraints of one side of a pipe to the schema of its input, if both have the same type. A string that
 * becomes a number is documented as an integer, because it is a query parameter.
 */
function applyPipe(schema: z.ZodType, json: JsonSchema): void {
  const { def } = internals(schema)
  if (def.type === "number" && json.type === "string") {
    const { minimum, maximum } = listKeywords(schema)
    delete json.pattern
    delete json.maxLength
    Object.assign(json, { type: "integer", ...(minimum !== undefined && { minimum }) })
    if (maximum !== undefined) json.maximum = maximum
  }
  if (def.type === "string" && json.type === "string") {
    const own = listKeywords(schema)
    const inherited = INHERITED_KEYWORDS.filter((keyword) => keyword in own)
    Object.assign(json, Object.fromEntries(inherited.map((keyword) => [keyword, own[keyword]])))
  }
  if (def.type === "pipe" && def.out) applyPipe(def.out, json)
  for (const { rule, facts } of listRules(schema)) applyRule(json, rule, facts)
}

const listKeywords = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema

/** Adds the keyword that expresses a validation rule. */
function applyRule(json: JsonSchema, rule: string, facts: { max?: number; min?: number } = {}): void {
  const keyword = KEYWORD_BY_RULE[rule]
  const bound = facts.max ?? facts.min
  if (keyword && bound && json.type === (keyword.endsWith("Items") ? "array" : "string")) {
    const known = json[keyword] as number | undefined
    json[keyword] =
      known === undefined ? bound : keyword.startsWith("max") ? Math.min(known, bound) : Math.max(known, bound)
  }
  if (rule === "required" && json.type === "string") json.minLength ??= 1
  if (rule === "duplicate" && json.type === "array") json.uniqueItems = true
}

const listRules = (schema: z.ZodType) =>
  (internals(schema).def.checks ?? []).flatMap((check) => check._zod.def.params?.violation ?? [])

const isPrimitive = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value)

/** Names of timestamp fields. */
const TIMESTAMP_NAME = /_(at|since|until|ago)$/

/** Flattens nested alternatives and removes duplicates. */
const flattenAlternatives = (options: JsonSchema[]): JsonSchema[] => {
  const flat = options.flatMap((one) => (one.anyOf && Object.keys(one).length === 1 ? one.anyOf : [one]))
  return [...new Map(flat.map((one) => [JSON.stringify(one), one])).values()]
}

/** Formats for which zod adds a redundant pattern. */
const FORMATS_WITH_PATTERN = new Set(["date", "date-time"])

/**
 * Cleans up zod's output: removes redundant keywords, points references to the components, marks timestamps, and adds
 * the documentation of fields.
 * @param owner operation id or component name, for `OWNER_FIELDS`
 * @param name name of the field that has this schema
 */
function clean(schema: JsonSchema, direction: Direction, owner: string, name = ""): JsonSchema {
  const { $schema: _schema, id: _id, [DOCS_KEYWORD]: docs = {}, minimum, maximum, $ref, ...rest } = schema
  if ($ref) return { ...rest, $ref: $ref.replace("#/$defs/", COMPONENT_PREFIX) }
  const cleaned: JsonSchema = { ...rest }
  if (minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER) cleaned.minimum = minimum
  if (maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER) cleaned.maximum = maximum
  if (FORMATS_WITH_PATTERN.has(cleaned.format ?? "") || cleaned.type === "integer") delete cleaned.pattern
  if (direction === "output") {
    if (cleaned.additionalProperties === false) delete cleaned.additionalProperties
    if (TIMESTAMP_NAME.test(name) && [cleaned.type].flat().includes("string")) cleaned.format ??= "date-time"
  }
  // Code generators combine them to schemas that do not compile.
  if (cleaned.enum) for (const keyword of ["minLength", "maxLength", "pattern"] as const) delete cleaned[keyword]
  for (const key of ["items", "additionalProperties"] as const) {
    const inner = cleaned[key]
    if (typeof inner === "object") cleaned[key] = clean(inner, direction, owner, key === "items" ? name : "")
  }
  for (const key of ["anyOf", "oneOf"] as const) {
    const inner = cleaned[key]
    if (inner) cleaned[key] = flattenAlternatives(inner.map((one) => clean(one, direction, owner, name)))
  }
  if (cleaned.properties) {
    cleaned.properties = Object.fromEntries(
      Object.entries(cleaned.properties).map(([field, inner]) => {
        const doc = { ...DEFAULT_FIELDS[field], ...OWNER_FIELDS[owner]?.[field], ...(docs as FieldDocs)[field] }
        return [field, addDoc(clean(inner, direction, owner, field), doc)]
      }),
    )
  }
  return cleaned
}

const addDoc = (schema: JsonSchema, doc: FieldDoc): JsonSchema => ({
  ...schema,
  ...(doc.description && { description: doc.description }),
  [FIELD_DOC]: doc,
})
