// Builds the example of a schema from the examples of its fields. Every operation therefore has one, including new
// ones, and a test validates each against its schema.
import { FIELD_DOC, type JsonSchema, refName } from "./json-schema.ts"

type Resolve = (schema: JsonSchema) => JsonSchema

/**
 * Builds an example of a schema.
 * @param resolve follows a reference
 * @param owner operation id or component name, for error messages
 * @param field name of the field that has this schema
 * @throws Error for a string without an example
 */
export function buildExample(schema: JsonSchema, resolve: Resolve, owner = "", field = ""): unknown {
  const { example } = schema[FIELD_DOC] ?? {}
  if (example !== undefined && accepts(schema, example, resolve)) return example
  if (schema.$ref) return buildExample(resolve(schema), resolve, refName(schema))
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [alternative] = listAlternatives(schema)
  if (alternative) return buildExample(alternative, resolve, owner, field)
  switch ([schema.type].flat()[0]) {
    case "object":
      return buildObject(schema, resolve, owner)
    case "array":
      return schema.items ? [buildExample(schema.items, resolve, owner, field)] : []
    case "integer":
    case "number":
      return schema.default ?? schema.minimum ?? 1
    case "boolean":
      return schema.default ?? true
    case "null":
      return null
    case "string":
      return EXAMPLE_BY_FORMAT[schema.format ?? schema.anyOf?.[0]?.format ?? ""] ?? rejectMissing(owner, field)
    default:
      return {}
  }
}

function rejectMissing(owner: string, field: string): never {
  throw new Error(`The field "${field}" of ${owner || "a component"} has no example: add one to its schemas.docs.ts`)
}

/** Lists the alternatives of a schema without a type; alternatives of a typed schema only constrain it further. */
const listAlternatives = (schema: JsonSchema): JsonSchema[] =>
  schema.type === undefined ? (schema.anyOf ?? schema.oneOf ?? []) : []

const EXAMPLE_BY_FORMAT: Record<string, string> = { "date-time": "2026-09-02T10:15:00+00:00", date: "2026-09-01" }

function buildObject(schema: JsonSchema, resolve: Resolve, owner: string): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name, inner]) => schema.required?.includes(name) || !isOmitted(inner, resolve),
  )
  return Object.fromEntries(fields.map(([name, inner]) => [name, buildExample(inner, resolve, owner, name)]))
}

/** Whether an optional field is left out of examples: when its documentation says so, or its example is null. */
function isOmitted(schema: JsonSchema, resolve: Resolve): boolean {
  const { example, omitFromExample = false } = schema[FIELD_DOC] ?? {}
  return omitFromExample || (example === null && !accepts(schema, null, resolve))
}

/** Whether a value has the type of a schema. A test validates examples completely. */
function accepts(schema: JsonSchema, value: unknown, resolve: Resolve): boolean {
  if (schema.$ref) return accepts(resolve(schema), value, resolve)
  const alternatives = listAlternatives(schema)
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
