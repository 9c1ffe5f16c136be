// Examples, made of the schemas: a field's name says what stands in it. So every operation has one, also one that was only just
// added, and a test holds each to its schema.
import type { JsonSchema } from "./json-schema.ts"
import { FIELD_EXAMPLES } from "./strings/examples.ts"

type Resolve = (schema: JsonSchema) => JsonSchema

/**
 * An example of a schema.
 * @param resolve follows a reference
 * @param owner the component or operation that the field is of, which may know better
 * @param field the field's name
 */
export function exampleOf(schema: JsonSchema, resolve: Resolve, owner = "", field = ""): unknown {
  const component = schema.$ref?.split("/").at(-1)
  if (component) return exampleOf(resolve(schema), resolve, component)
  for (const name of [`${owner}.${field}`, field]) {
    if (name && name in FIELD_EXAMPLES && accepts(schema, FIELD_EXAMPLES[name], resolve)) return FIELD_EXAMPLES[name]
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [alternative] = alternativesOf(schema)
  if (alternative) return exampleOf(alternative, resolve, owner, field)
  switch ([schema.type].flat()[0]) {
    case "object":
      return objectExample(schema, resolve, owner)
    case "array":
      return schema.items ? [exampleOf(schema.items, resolve, owner, field.replace(/s$/, ""))] : []
    case "integer":
    case "number":
      return schema.default ?? schema.minimum ?? 1
    case "boolean":
      return schema.default ?? true
    case "null":
      return null
    case "string":
      return STRINGS[schema.format ?? schema.anyOf?.[0]?.format ?? ""] ?? unsaid(owner, field)
    default:
      return {}
  }
}

/** A text of which nobody said what stands in it would be one that nobody can paste. */
function unsaid(owner: string, field: string): never {
  throw new Error(`tools/openapi/strings/examples.ts says nothing of the text "${field}" of ${owner || "a component"}`)
}

/** The kinds of value that a schema allows; a schema of one kind may hold it to alternatives besides. */
const alternativesOf = (schema: JsonSchema): JsonSchema[] =>
  schema.type === undefined ? (schema.anyOf ?? schema.oneOf ?? []) : []

const STRINGS: Record<string, string> = { "date-time": "2026-09-02T10:15:00+00:00", date: "2026-09-01" }

function objectExample(schema: JsonSchema, resolve: Resolve, owner: string): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name, inner]) => schema.required?.includes(name) || !isLeftOut(inner, resolve, owner, name),
  )
  return Object.fromEntries(fields.map(([name, inner]) => [name, exampleOf(inner, resolve, owner, name)]))
}

/** Whether an example is better without a field that may be absent. */
function isLeftOut(schema: JsonSchema, resolve: Resolve, owner: string, field: string): boolean {
  const name = [`${owner}.${field}`, field].find((one) => one in FIELD_EXAMPLES)
  if (name === undefined) return false
  const value = FIELD_EXAMPLES[name]
  return value === undefined || (value === null && !accepts(schema, null, resolve))
}

/** Whether a value is of a schema's kind; its test holds it to all of the schema. */
function accepts(schema: JsonSchema, value: unknown, resolve: Resolve): boolean {
  if (schema.$ref) return accepts(resolve(schema), value, resolve)
  const alternatives = alternativesOf(schema)
  if (alternatives.length) return alternatives.some((one) => accepts(one, value, resolve))
  if (schema.const !== undefined) return schema.const === value
  if (schema.enum) return schema.enum.includes(value)
  const types = [schema.type].flat()
  if (value === null) return types.includes("null")
  if (Array.isArray(value))
    return types.includes("array") && value.every((item) => !schema.items || accepts(schema.items, item, resolve))
  if (typeof value === "number")
    return types.includes("number") || (types.includes("integer") && Number.isInteger(value))
  if (typeof value === "object") return types.includes("object")
  if (schema.format === "date" && String(value).length !== "2026-09-01".length) return false
  return types.includes(typeof value)
}
