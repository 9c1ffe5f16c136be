// Converts an OpenAPI 3.1 document to 3.0, for tools that do not read 3.1. What 3.0 cannot express becomes less strict,
// never stricter. Webhooks are left out.

type Json = null | boolean | number | string | Json[] | JsonObject
interface JsonObject {
  [key: string]: Json
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Keywords of schemas that 3.0 does not have. */
const UNSUPPORTED_KEYWORDS = new Set(["propertyNames", "patternProperties", "contentEncoding", "$comment"])

/** Converts the text of a document. */
export function convertToOpenApi30(text: string): string {
  const { webhooks: _webhooks, ...document } = JSON.parse(text) as JsonObject
  const { license: _license, ...info } = document.info as JsonObject
  removeUnused(document)
  addTypes(document)
  return JSON.stringify(convertNode({ ...document, openapi: "3.0.3", info: { ...info, license: { name: "MIT" } } }))
}

/** Removes the schemas that only webhooks refer to, directly or through each other. */
function removeUnused(document: JsonObject): void {
  const components = document.components as JsonObject
  const { schemas, ...others } = components as { schemas: JsonObject }
  const used = new Set<string>()
  const visit = (node: Json): void => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
      if (used.has(name)) continue
      used.add(name)
      visit(schemas[name] ?? null)
    }
  }
  visit({ ...document, components: others })
  components.schemas = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

/** Adds the type of the component to the references that may be null: 3.0 ignores `nullable` without a type. */
function addTypes(document: JsonObject): void {
  const { schemas } = document.components as { schemas: JsonObject }
  const visit = (node: Json): void => {
    if (typeof node !== "object" || node === null) return
    for (const value of Object.values(node)) visit(value)
    if (Array.isArray(node)) return
    const [target, other] = Array.isArray(node.anyOf) ? node.anyOf : []
    if (!isObject(target) || typeof target.$ref !== "string" || !isObject(other) || other.type !== "null") return
    const component = schemas[target.$ref.split("/").at(-1) ?? ""]
    if (isObject(component) && typeof component.type === "string") node.type = [component.type, "null"]
  }
  visit(document)
}

/** Converts everything outside of schemas. */
function convertNode(node: Json): Json {
  if (Array.isArray(node)) return node.map(convertNode)
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]): [string, Json] => {
      // lint: the keys of a document are open
      if (key === "schema") return [key, convertSchema(value)]
      if (key === "schemas") return [key, mapValues(value, convertSchema)]
      if (key === "example" || key === "examples") return [key, value]
      // Scopes of keys are a feature of 3.1.
      if (key === "security" && Array.isArray(value)) return [key, value.map((one) => mapValues(one, () => []))]
      return [key, convertNode(value)]
    }),
  )
}

const mapValues = (value: Json, convert: (one: Json) => Json): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, convert(one)])) : value

function convertSchema(schema: Json): Json {
  if (!isObject(schema)) return schema
  const { $ref, ...rest } = schema
  if ($ref !== undefined) {
    // Keywords next to a reference are ignored in 3.0.
    return Object.keys(rest).length ? { ...(convertSchema(rest) as JsonObject), allOf: [{ $ref }] } : { $ref }
  }
  const result: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) Object.assign(result, convertKeyword(schema, key, value))
  return result
}

function convertKeyword(schema: JsonObject, key: string, value: Json): JsonObject {
  if (UNSUPPORTED_KEYWORDS.has(key)) return {}
  // lint: the keywords of JSON Schema are open
  switch (key) {
    case "type":
      return convertType([value].flat(), schema)
    case "const":
      return value === null ? { nullable: true } : { enum: [value] }
    case "enum":
      // `null` has to be among the values of an enum that may be null.
      return { enum: [schema.type].flat().includes("null") ? [...new Set([...(value as Json[]), null])] : value }
    case "anyOf":
    case "oneOf":
      return convertAlternatives(key, value as Json[])
    case "allOf":
      return { allOf: (value as Json[]).map(convertSchema) }
    case "properties":
      return { properties: mapValues(value, convertSchema) }
    case "items":
    case "additionalProperties":
    case "not":
      return { [key]: convertSchema(value) }
    case "exclusiveMinimum":
      return { minimum: value, exclusiveMinimum: true }
    case "exclusiveMaximum":
      return { maximum: value, exclusiveMaximum: true }
    case "contentMediaType":
      return { format: "binary" }
    case "examples":
      return Array.isArray(value) && value.length ? { example: value[0] ?? null } : {}
    default:
      return { [key]: value }
  }
}

function convertType(types: Json[], { enum: values }: JsonObject): JsonObject {
  const [type, ...others] = types.filter((one) => one !== "null")
  const nullable: JsonObject = types.includes("null") ? { nullable: true } : {}
  // 3.0 has no type for null alone; an object that may be null is the closest one.
  if (type === undefined) return { type: "object", nullable: true }
  if (others.length && values === undefined)
    return { anyOf: [{ type, ...nullable }, ...others.map((one) => ({ type: one }))] }
  return { ...(others.length === 0 && { type }), ...nullable }
}

function convertAlternatives(key: "anyOf" | "oneOf", alternatives: Json[]): JsonObject {
  const isNull = (one: Json) => isObject(one) && (one.type === "null" || one.const === null)
  const remaining = alternatives.filter((one) => !isNull(one)).map(convertSchema)
  const mayBeNull = remaining.length < alternatives.length
  const [first, ...others] = remaining
  if (!isObject(first)) return { [key]: remaining }
  const converted = mayBeNull && !("$ref" in first) ? allowNull(first) : first
  // `nullable` needs a type, which the alternatives have and the schema around them does not.
  if (others.length) return { [key]: [converted, ...others] }
  // A property cannot be nullable next to a reference.
  return "$ref" in first ? { allOf: [first], ...(mayBeNull && { nullable: true }) } : converted
}

/** Lets a schema with a type allow null, which has to be among the values of an enum. */
const allowNull = (schema: JsonObject): JsonObject => ({
  ...schema,
  ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
  nullable: true,
})
