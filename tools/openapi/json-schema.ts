// zod schemas as JSON Schema. What has an id becomes a component; what a refinement holds a text to (its longest length, an
// e-mail's form) is read off the rule it names when it refuses.
import * as z from "zod"

/** A JSON Schema, as far as this code looks into it. */
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
  [keyword: string]: unknown
}

type Direction = "input" | "output"

/** Collects the components of one document. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  /**
   * A schema as the document shows it.
   * @param direction `input` for what is sent to the API, `output` for what it answers
   */
  of(schema: z.ZodType, direction: Direction): JsonSchema {
    const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ root: schema }), {
      io: direction,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) =>
        refine(zodSchema as unknown as z.ZodType, jsonSchema as JsonSchema, direction),
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> }
    for (const [id, definition] of Object.entries($defs)) this.schemas[id] ??= tidy(definition, direction)
    return tidy(properties.root ?? {}, direction)
  }
}

/** A rule that a refinement names, as the keyword that says the same. */
const KEYWORDS: Record<string, string> = {
  max_length: "maxLength",
  min_length: "minLength",
  max_items: "maxItems",
  min_items: "minItems",
}

/** What the end of a pipe holds its text to that holds for what goes in, too. */
const KEPT = ["minLength", "maxLength", "pattern", "format"] as const

interface Internals {
  def: {
    type: string
    in?: z.ZodType
    out?: z.ZodType
    shape?: Record<string, z.ZodType>
    defaultValue?: unknown
    checks?: { _zod: { def: { params?: { fault?: { rule: string; facts?: { max?: number; min?: number } } } } } }[]
  }
}

const internals = (schema: z.ZodType) => schema._zod as unknown as Internals

const FLAGS = [true, false, 1, 0, "1", "0", "true", "false"]

function refine(schema: z.ZodType, json: JsonSchema, direction: Direction): void {
  const { def } = internals(schema)
  if (def.type === "default" && direction === "input" && isPlain(def.defaultValue)) json.default = def.defaultValue
  if (def.type === "pipe" && direction === "input" && def.out) narrow(def.out, json)
  if (def.type === "pipe" && direction === "input" && def.in) narrow(def.in, json)
  if (def.type === "object" && direction === "input" && def.shape) json.required = needed(def.shape, json.required)
  for (const { rule, facts } of faultsOf(schema)) {
    say(json, rule, facts)
    if (rule === "integer" && json.type === "string") json.pattern ??= "^[0-9]+$"
    if (rule === "boolean" && json.type === undefined) json.enum = FLAGS
  }
  if (!json.required?.length) delete json.required
}

/** The fields that must be there: those that refuse to be absent, whatever stands before them. */
const needed = (shape: Record<string, z.ZodType>, known: string[] = []): string[] =>
  Object.keys(shape).filter((name) => known.includes(name) || shape[name]?.safeParse(undefined).success === false)

/** What comes out of a pipe holds what goes in, too, where both are of one kind; digits that become a number are one in a query. */
function narrow(schema: z.ZodType, json: JsonSchema): void {
  const { def } = internals(schema)
  if (def.type === "number" && json.type === "string") {
    const { minimum, maximum } = ownKeywords(schema)
    delete json.pattern
    delete json.maxLength
    Object.assign(json, { type: "integer", ...(minimum !== undefined && { minimum }) })
    if (maximum !== undefined) json.maximum = maximum
  }
  if (def.type === "string" && json.type === "string") {
    const own = ownKeywords(schema)
    Object.assign(
      json,
      Object.fromEntries(KEPT.filter((keyword) => keyword in own).map((keyword) => [keyword, own[keyword]])),
    )
  }
  if (def.type === "pipe" && def.out) narrow(def.out, json)
  for (const { rule, facts } of faultsOf(schema)) say(json, rule, facts)
}

/** The keywords that a schema has by itself. */
const ownKeywords = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema

/** Says in a keyword what a rule holds its value to. */
function say(json: JsonSchema, rule: string, facts: { max?: number; min?: number } = {}): void {
  const keyword = KEYWORDS[rule]
  const bound = facts.max ?? facts.min
  if (keyword && bound && json.type === (keyword.endsWith("Items") ? "array" : "string")) {
    const known = json[keyword] as number | undefined
    json[keyword] =
      known === undefined ? bound : keyword.startsWith("max") ? Math.min(known, bound) : Math.max(known, bound)
  }
  if (rule === "required" && json.type === "string") json.minLength ??= 1
  if (rule === "duplicate" && json.type === "array") json.uniqueItems = true
}

const faultsOf = (schema: z.ZodType) =>
  (internals(schema).def.checks ?? []).flatMap((check) => check._zod.def.params?.fault ?? [])

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value)

/** Names of fields that hold a moment. */
const MOMENT = /_(at|since|until|ago)$/

/** Alternatives without those in alternatives, and each once. */
const distinct = (options: JsonSchema[]): JsonSchema[] => {
  const flat = options.flatMap((one) => (one.anyOf && Object.keys(one).length === 1 ? one.anyOf : [one]))
  return [...new Map(flat.map((one) => [JSON.stringify(one), one])).values()]
}

/** Formats that zod adds a pattern of its own to, which says no more. */
const GENERATED = new Set(["date", "date-time"])

/** Without what says nothing, references led to the document's components, moments called so. */
function tidy(schema: JsonSchema, direction: Direction, name = ""): JsonSchema {
  const { $schema: _schema, id: _id, minimum, maximum, $ref, ...rest } = schema
  if ($ref) return { ...rest, $ref: $ref.replace("#/$defs/", "#/components/schemas/") }
  const tidied: JsonSchema = { ...rest }
  if (minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER) tidied.minimum = minimum
  if (maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER) tidied.maximum = maximum
  if (GENERATED.has(tidied.format ?? "") || tidied.type === "integer") delete tidied.pattern
  if (direction === "output") {
    if (tidied.additionalProperties === false) delete tidied.additionalProperties
    if (MOMENT.test(name) && [tidied.type].flat().includes("string")) tidied.format ??= "date-time"
  }
  for (const key of ["items", "additionalProperties"] as const) {
    const inner = tidied[key]
    if (typeof inner === "object") tidied[key] = tidy(inner, direction, key === "items" ? name : "")
  }
  for (const key of ["anyOf", "oneOf"] as const) {
    const inner = tidied[key]
    if (inner) tidied[key] = distinct(inner.map((one) => tidy(one, direction, name)))
  }
  if (tidied.properties) {
    tidied.properties = Object.fromEntries(
      Object.entries(tidied.properties).map(([field, inner]) => [field, tidy(inner, direction, field)]),
    )
  }
  return tidied
}
