// Generates values from the schemas of a document: valid ones, and invalid ones for each keyword.
import fc from "fast-check"
import type { Document } from "./document.ts"
import type { ValuePool } from "./fuzz-pool.ts"
import type { JsonSchema } from "./json-schema.ts"

/** The source of generated values. */
export interface ValueSource {
  document: Document
  /** Known ids and other values, so that some of the generated ones refer to existing resources. */
  pool: ValuePool
  /** Uses a known value wherever there is one. */
  onlyPooled?: boolean
}

/**
 * Generates values that a schema allows.
 * @param name name of the field or parameter
 */
export function generateValid(source: ValueSource, given: JsonSchema, name = ""): fc.Arbitrary<unknown> {
  const schema = resolveRef(source.document, given)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map((one) => generateValid(source, mergeAlternative(schema, one), name)))
  const types = [schema.type].flat()
  const value = generatePlain(source, schema, name, types[0])
  return types.includes("null") ? fc.option(value, { freq: 4 }) : value
}

/** Follows a reference; returns any other schema unchanged. */
export const resolveRef = (document: Document, schema: JsonSchema): JsonSchema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema

/** Merges a schema with one of its alternatives. */
function mergeAlternative({ anyOf: _any, oneOf: _one, ...schema }: JsonSchema, alternative: JsonSchema): JsonSchema {
  const { properties = {}, required = [] } = schema
  const narrowed = Object.entries(alternative.properties ?? {}).map(
    ([field, { type, ...keywords }]): [string, JsonSchema] => {
      const base = properties[field] ?? {}
      const kind = base.anyOf?.find((one) => one.type === type) ?? base
      return [field, { ...kind, ...keywords, minLength: Math.max(kind.minLength ?? 0, keywords.minLength ?? 0) }]
    },
  )
  return {
    ...schema,
    ...alternative,
    ...(schema.properties && { properties: { ...properties, ...Object.fromEntries(narrowed) } }),
    ...(schema.properties && { required: [...new Set([...required, ...(alternative.required ?? [])])] }),
  }
}

function generatePlain(
  source: ValueSource,
  schema: JsonSchema,
  name: string,
  type: string | undefined,
): fc.Arbitrary<unknown> {
  const kind = type === "integer" ? "number" : type
  const { minimum = -Infinity, maximum = Infinity } = schema
  const existing = source.pool
    .get(name)
    .filter((one) => typeof one === kind && (typeof one === "string" || (one >= minimum && one <= maximum)))
  const generated = generateByType(source, schema, name, type)
  if (!existing.length) return generated
  return source.onlyPooled ? fc.constantFrom(...existing) : fc.oneof(fc.constantFrom(...existing), generated)
}

function generateByType(
  source: ValueSource,
  schema: JsonSchema,
  name: string,
  type: string | undefined,
): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return generateText(schema)
    case "integer":
    case "number":
      return generateInteger(schema)
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array": {
      const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.max(schema.minItems ?? 0, 4) }
      const item = generateValid(source, schema.items ?? {}, name.replace(/s$/, ""))
      if (!schema.uniqueItems) return fc.array(item, bounds)
      // Objects in a list without duplicates are compared by their first field.
      const selector = (value: unknown) => (isObject(value) ? Object.values(value)[0] : value)
      return fc.uniqueArray(item, { ...bounds, selector })
    }
    case "object":
      return generateObject(source, schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

function generateObject(source: ValueSource, schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {})
  const shape = Object.fromEntries(fields.map(([field, inner]) => [field, generateValid(source, inner, field)]))
  return fc
    .record(shape, { requiredKeys: (schema.required ?? []).filter((field) => field in shape) })
    .map((made) => ("password_confirmation" in made ? { ...made, password_confirmation: made.password } : made))
}

/** Generates integers, often at a bound. */
function generateInteger({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): fc.Arbitrary<number> {
  const inner = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100_000) })
  return fc.oneof({ weight: 6, arbitrary: inner }, fc.constantFrom(minimum, maximum))
}

const digits = fc.nat(1_000_000)

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  email: digits.map((number) => `someone${number}@example.com`),
  date: generateTimestamps("1950-01-01").map((iso) => iso.slice(0, 10)),
  "date-time": generateTimestamps("2020-01-01"),
  uri: digits.map((number) => `https://receiver-${number}.example.com/hook`),
  "idn-hostname": fc
    .tuple(fc.constantFrom("shop", "boutique", "läden", "店"), digits)
    .map(([word, number]) => `${word}-${number}.example.org`),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
}

function generateTimestamps(first: string): fc.Arbitrary<string> {
  return fc
    .date({ min: new Date(first), max: new Date("2049-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString())
}

/** Arbitraries by constraints, because building one is slow. */
const textCache = new Map<string, fc.Arbitrary<string>>()

function generateText({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  const key = JSON.stringify([format, pattern, minLength, maxLength])
  const known = textCache.get(key) ?? buildText({ format, pattern, minLength, maxLength } as JsonSchema)
  textCache.set(key, known)
  return known
}

/** Characters that names refuse although no pattern of the document does; not those that belong to an emoji. */
const INVISIBLE =
  /[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/g

function buildText({ format, pattern, minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> {
  const known = FORMATS[format ?? ""]
  if (known) return known
  // Sometimes of the maximum length, also with characters of two UTF-16 units.
  const longest = fc.constantFrom("x", "é", "𝔘").map((letter) => letter.repeat(Math.max(maxLength, minLength)))
  const usual = fc
    .string({ unit: "grapheme", minLength, maxLength: Math.min(Math.max(maxLength, minLength), 60) })
    .map((text) => text.toWellFormed().replace(INVISIBLE, "x"))
  const any = fc.oneof({ weight: 12, arbitrary: usual }, ...(maxLength <= 5_000 ? [longest] : []))
  // biome-ignore format: one line is more readable
  const isValid = (text: string) => length(text) <= maxLength && length(text) >= minLength && (!pattern || new RegExp(pattern, "u").test(text))
  if (!pattern) return any.filter(isValid)
  const shaped = generateMatching(pattern, maxLength)
  return (shaped ? fc.oneof(shaped, any) : any).filter(isValid)
}

const length = (text: string): number => [...text].length

/** Generates texts that match a pattern; null if that is not possible, or if nearly every text matches. */
function generateMatching(pattern: string, maxLength: number): fc.Arbitrary<string> | null {
  const withoutLookaheads = pattern.replace(/\(\?[!=][^)]*\)/g, "")
  if (/\\p|\[\^\\x/.test(withoutLookaheads)) return SAFE_WORDS
  return fc.stringMatching(new RegExp(withoutLookaheads), { maxLength: Math.min(maxLength, 60) })
}

/** Words that match nearly every pattern for names. */
const SAFE_WORDS = fc.stringMatching(/^[A-Za-z0-9é]{2,12}( [a-z0-9]{1,8}){0,2}$/)

/** A value that a schema does not allow, and the keyword that it violates. */
export interface Violation {
  keyword: string
  value: unknown
}

/** Matches no pattern of any field. */
const MATCHES_NO_PATTERN = " \u0001"

/**
 * Lists values that a schema does not allow, one per keyword.
 * @param valid a value that it allows
 */
export function listViolations(document: Document, given: JsonSchema, valid: unknown): Violation[] {
  const schema = resolveRef(document, given)
  if (schema.const !== undefined || schema.enum) return [{ keyword: "enum", value: "no such choice" }]
  const kinds = schema.type === undefined ? (schema.anyOf ?? []).filter(({ type }) => type !== "null") : [schema]
  const [kind, ...others] = kinds
  if (!kind || others.length) return []
  const inner = resolveRef(document, kind)
  if (inner.const !== undefined || inner.enum) return [{ keyword: "enum", value: "no such choice" }]
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, uniqueItems } = inner
  const found: (Violation | false)[] = [
    { keyword: "type", value: type === "object" ? 7 : { not: "that" } },
    minimum !== undefined && { keyword: "minimum", value: minimum - 1 },
    maximum !== undefined && { keyword: "maximum", value: maximum + 1 },
    maxLength !== undefined && { keyword: "maxLength", value: extend(valid, maxLength) },
    minLength !== undefined && minLength > 0 && { keyword: "minLength", value: "x".repeat(minLength - 1) },
    pattern !== undefined && { keyword: "pattern", value: MATCHES_NO_PATTERN },
    maxItems !== undefined &&
      Array.isArray(valid) && { keyword: "maxItems", value: Array(maxItems + 1).fill(valid[0] ?? "x") },
    minItems !== undefined && minItems > 0 && { keyword: "minItems", value: [] },
    uniqueItems === true && Array.isArray(valid) && { keyword: "uniqueItems", value: [valid[0], valid[0]] },
  ]
  return found.filter((one) => one !== false)
}

/** Builds a text that is one character too long and otherwise valid. */
function extend(valid: unknown, maxLength: number): string {
  const letters = typeof valid === "string" ? [...valid].slice(0, maxLength) : []
  const at = letters.indexOf("@") + 1
  return [...letters.slice(0, at), ..."x".repeat(maxLength + 1 - letters.length), ...letters.slice(at)].join("")
}
