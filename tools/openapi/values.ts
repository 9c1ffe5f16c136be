// Values made up from a schema of a document: such as it allows, and such as it does not.
import fc from "fast-check"
import type { Document } from "./document.ts"
import type { Known } from "./fuzz-pool.ts"
import type { JsonSchema } from "./json-schema.ts"

/** What values are made up from. */
export interface Source {
  document: Document
  /** What exists, so that a part of the values gets past a look-up. */
  known: Known
  /** Takes what exists wherever something is known to, and makes up nothing in its place. */
  onlyKnown?: boolean
}

/**
 * A value that a schema allows.
 * @param name of the field or parameter it is for
 */
export function valid(source: Source, given: JsonSchema, name = ""): fc.Arbitrary<unknown> {
  const schema = resolved(source.document, given)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map((one) => valid(source, both(schema, one), name)))
  const types = [schema.type].flat()
  const value = plain(source, schema, name, types[0])
  return types.includes("null") ? fc.option(value, { freq: 4 }) : value
}

/** A schema, its reference followed. */
export const resolved = (document: Document, schema: JsonSchema): JsonSchema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema

/** A schema held to one of its alternatives as well. */
function both({ anyOf: _any, oneOf: _one, ...schema }: JsonSchema, alternative: JsonSchema): JsonSchema {
  const { properties = {}, required = [] } = schema
  const narrowed = Object.entries(alternative.properties ?? {}).map(
    ([field, { type, ...held }]): [string, JsonSchema] => {
      const known = properties[field] ?? {}
      const kind = known.anyOf?.find((one) => one.type === type) ?? known
      return [field, { ...kind, ...held, minLength: Math.max(kind.minLength ?? 0, held.minLength ?? 0) }]
    },
  )
  return {
    ...schema,
    ...alternative,
    ...(schema.properties && { properties: { ...properties, ...Object.fromEntries(narrowed) } }),
    ...(schema.properties && { required: [...new Set([...required, ...(alternative.required ?? [])])] }),
  }
}

function plain(source: Source, schema: JsonSchema, name: string, type: string | undefined): fc.Arbitrary<unknown> {
  const kind = type === "integer" ? "number" : type
  const real = source.known.of(name).filter((one) => typeof one === kind)
  const made = madeOf(source, schema, name, type)
  if (!real.length) return made
  return source.onlyKnown ? fc.constantFrom(...real) : fc.oneof(fc.constantFrom(...real), made)
}

function madeOf(source: Source, schema: JsonSchema, name: string, type: string | undefined): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return textOf(schema)
    case "integer":
    case "number":
      return whole(schema)
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array": {
      const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.max(schema.minItems ?? 0, 4) }
      const item = valid(source, schema.items ?? {}, name.replace(/s$/, ""))
      if (!schema.uniqueItems) return fc.array(item, bounds)
      // A list of objects without doubles is told apart by what they are about.
      const selector = (value: unknown) => (isObject(value) ? Object.values(value)[0] : value)
      return fc.uniqueArray(item, { ...bounds, selector })
    }
    case "object":
      return objects(source, schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

function objects(source: Source, schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {})
  const shape = Object.fromEntries(fields.map(([field, inner]) => [field, valid(source, inner, field)]))
  return fc
    .record(shape, { requiredKeys: (schema.required ?? []).filter((field) => field in shape) })
    .map((made) => ("password_confirmation" in made ? { ...made, password_confirmation: made.password } : made))
}

/** Numbers, those at a bound as often as others. */
function whole({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): fc.Arbitrary<number> {
  const inner = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100_000) })
  return fc.oneof({ weight: 6, arbitrary: inner }, fc.constantFrom(minimum, maximum))
}

const digits = fc.nat(1_000_000)

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  email: digits.map((number) => `someone${number}@example.com`),
  date: moments("1950-01-01").map((iso) => iso.slice(0, 10)),
  "date-time": moments("2020-01-01"),
  uri: digits.map((number) => `https://receiver-${number}.example.com/hook`),
  "idn-hostname": fc
    .tuple(fc.constantFrom("shop", "boutique", "läden", "店"), digits)
    .map(([word, number]) => `${word}-${number}.example.org`),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
}

function moments(first: string): fc.Arbitrary<string> {
  return fc
    .date({ min: new Date(first), max: new Date("2049-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString())
}

/** Making what makes texts takes longer than making one. */
const made = new Map<string, fc.Arbitrary<string>>()

function textOf({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  const key = JSON.stringify([format, pattern, minLength, maxLength])
  const known = made.get(key) ?? texts({ format, pattern, minLength, maxLength } as JsonSchema)
  made.set(key, known)
  return known
}

function texts({ format, pattern, minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> {
  const known = FORMATS[format ?? ""]
  if (known) return known
  // As long as it may be, now and then; of characters that are two units each, too.
  const longest = fc.constantFrom("x", "é", "𝔘").map((letter) => letter.repeat(Math.max(maxLength, minLength)))
  const usual = fc
    .string({ unit: "grapheme", minLength, maxLength: Math.min(Math.max(maxLength, minLength), 60) })
    .map((text) => text.toWellFormed())
  const any = fc.oneof({ weight: 12, arbitrary: usual }, ...(maxLength <= 5_000 ? [longest] : []))
  // biome-ignore format: as the sentence reads
  const sound = (text: string) => length(text) <= maxLength && length(text) >= minLength && (!pattern || new RegExp(pattern, "u").test(text))
  if (!pattern) return any.filter(sound)
  const shaped = matching(pattern, maxLength)
  return (shaped ? fc.oneof(shaped, any) : any).filter(sound)
}

const length = (text: string): number => [...text].length

/** Texts like a pattern; null for one that asks for more than can be made up, or that lets nearly every text pass. */
function matching(pattern: string, maxLength: number): fc.Arbitrary<string> | null {
  const looking = pattern.replace(/\(\?[!=][^)]*\)/g, "")
  if (/\\p|\[\^\\x/.test(looking)) return SAFE_WORDS
  return fc.stringMatching(new RegExp(looking), { maxLength: Math.min(maxLength, 60) })
}

/** What stands in nearly any pattern of words. */
const SAFE_WORDS = fc.stringMatching(/^[A-Za-z0-9é]{2,12}( [a-z0-9]{1,8}){0,2}$/)

/** A value that a schema does not allow, and the keyword that says so. */
export interface Violation {
  keyword: string
  value: unknown
}

/** What no field takes whose text is held to a pattern. */
const UNPATTERNED = " \u0001"

/**
 * Values that a schema does not allow, one for each of its keywords that says something of its own kind.
 * @param sound a value that it allows
 */
export function violations(document: Document, given: JsonSchema, sound: unknown): Violation[] {
  const schema = resolved(document, given)
  if (schema.const !== undefined || schema.enum) return [{ keyword: "enum", value: "no such choice" }]
  const kinds = schema.type === undefined ? (schema.anyOf ?? []).filter(({ type }) => type !== "null") : [schema]
  const [kind, ...others] = kinds
  if (!kind || others.length) return []
  const inner = resolved(document, kind)
  if (inner.const !== undefined || inner.enum) return [{ keyword: "enum", value: "no such choice" }]
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, uniqueItems } = inner
  const found: (Violation | false)[] = [
    { keyword: "type", value: type === "object" ? 7 : { not: "that" } },
    minimum !== undefined && { keyword: "minimum", value: minimum - 1 },
    maximum !== undefined && { keyword: "maximum", value: maximum + 1 },
    maxLength !== undefined && { keyword: "maxLength", value: longer(sound, maxLength) },
    minLength !== undefined && minLength > 0 && { keyword: "minLength", value: "x".repeat(minLength - 1) },
    pattern !== undefined && { keyword: "pattern", value: UNPATTERNED },
    maxItems !== undefined &&
      Array.isArray(sound) && { keyword: "maxItems", value: Array(maxItems + 1).fill(sound[0] ?? "x") },
    minItems !== undefined && minItems > 0 && { keyword: "minItems", value: [] },
    uniqueItems === true && Array.isArray(sound) && { keyword: "uniqueItems", value: [sound[0], sound[0]] },
  ]
  return found.filter((one) => one !== false)
}

/** A text of one character more than a field takes, which is sound but for its length. */
function longer(sound: unknown, maxLength: number): string {
  const letters = typeof sound === "string" ? [...sound].slice(0, maxLength) : []
  const at = letters.indexOf("@") + 1
  return [...letters.slice(0, at), ..."x".repeat(maxLength + 1 - letters.length), ...letters.slice(at)].join("")
}
