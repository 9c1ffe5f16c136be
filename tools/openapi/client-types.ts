// The client's types, made of the control plane's document: `npm run docs` writes them to src/client/openapi.ts.
import type { Document, MediaType, Operation, Parameter, ResponseDoc } from "./document.ts"
import type { JsonSchema } from "./json-schema.ts"

const HEAD = `// Made by \`npm run docs\` of openapi/platform.json: what each operation takes, answers and refuses with, and what each event holds.
// Additive fields are no change of the API's version, so answers may hold more than is named here.

/** ISO 8601 with an offset, whole seconds: \`2026-09-02T10:15:00+00:00\`. */
export type Timestamp = string
`

/**
 * The module's text: an interface a component, one entry an operation and one an event.
 * @param document of the control plane, with its webhooks
 */
export function clientTypes(document: Document): string {
  const components = Object.entries(document.components.schemas).map(([name, schema]) =>
    schema.properties
      ? `export interface ${name} ${typeOf(schema, "")}\n`
      : `export type ${name} =${spaced(typeOf(schema, ""))}\n`,
  )
  const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs))
  const events = Object.entries(document.webhooks ?? {}).map(([type, { post }]) => {
    const { summary, requestBody } = post as Operation
    const content = requestBody?.content ?? {}
    return `${comment(summary, "  ")}  ${JSON.stringify(type)}: ${jsonType(content, "  ")}\n`
  })
  const codes = codesByUse(document, operations)
  return [
    HEAD,
    ...components,
    `/** What every operation may refuse with. */\nexport type CommonCode = ${union(codes.common, "")}\n`,
    `/** What a write may refuse with because of its Idempotency-Key. */\nexport type KeyedCode = ${union(codes.keyed, "")}\n`,
    `/** Each operation: its query, its body, what it answers, and the codes it may refuse with beside the common ones. */
export interface Operations {\n${operations.map((one) => operationType(document, one, codes.own(one))).join("")}}\n`,
    `/** Each event, as it is delivered. */\nexport interface Events {\n${events.join("")}}\n`,
  ].join("\n")
}

/** A type behind an equals sign: on its line, or below it where it has lines of its own. */
const spaced = (type: string): string => (type.startsWith("\n") ? type : ` ${type}`)

function operationType(document: Document, operation: Operation, codes: string[]): string {
  const query = (operation.parameters ?? []).filter((one) => one.in === "query")
  const status = Object.keys(operation.responses).find((one) => Number(one) < 300) ?? ""
  const answered = resolved(document, operation.responses[status])
  const lines = [
    `    query: ${query.length ? typeOf(objectOf(query), "    ") : "Record<never, never>"}\n`,
    `    body: ${operation.requestBody ? jsonType(operation.requestBody.content, "    ") : "undefined"}\n`,
    `    answer: ${answered?.content ? jsonType(answered.content, "    ") : "undefined"}\n`,
    `    code: ${codes.length ? union(codes, "    ") : "never"}\n`,
  ]
  return `${comment(operation.summary, "  ")}  ${JSON.stringify(operation.operationId)}: {\n${lines.join("")}  }\n`
}

const objectOf = (parameters: Parameter[]): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(
    parameters.map(({ name = "", schema, description }) => [name, { ...schema, description: description as string }]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name = "" }) => name),
})

const jsonType = (content: Record<string, MediaType>, indent: string): string => {
  const schema = content["application/json"]?.schema
  return schema ? typeOf(schema, indent) : "unknown"
}

function resolved(document: Document, response: ResponseDoc | undefined): ResponseDoc | undefined {
  const name = response?.$ref?.split("/").at(-1)
  return name ? (document.components.responses as Record<string, ResponseDoc>)[name] : response
}

/** A schema as TypeScript writes it, its lines behind the first one indented. */
function typeOf(schema: JsonSchema, indent: string): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "unknown"
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  // What a form or a query says by words is a boolean in a program.
  if (schema.enum?.includes("true") && schema.enum.includes("false")) return "boolean"
  if (schema.enum) return union(schema.enum, indent)
  // What a value of one type is held to besides has no bearing on its type.
  const options = schema.type === undefined && (schema.anyOf ?? schema.oneOf)
  if (options) return [...new Set(options.map((one) => typeOf(one, indent)))].join(" | ")
  return [schema.type ?? "any"]
    .flat()
    .map((type) => plainType(schema, type, indent))
    .join(" | ")
}

function plainType(schema: JsonSchema, type: string, indent: string): string {
  switch (type) {
    case "string":
      return schema.format === "date-time" ? "Timestamp" : "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
    case "null":
      return type
    case "array": {
      const item = schema.items ? typeOf(schema.items, indent) : "unknown"
      return /[ |]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`
    }
    case "object":
      return objectType(schema, indent)
    default:
      return "unknown"
  }
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown"
    return `Record<string, ${value}>`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const absent = required.includes(name) ? "" : "?"
    return `${comment(schema.description, inner)}${inner}${key}${absent}: ${typeOf(schema, inner)}\n`
  })
  return lines.length ? `{\n${lines.join("")}${indent}}` : "Record<string, never>"
}

/** The values, one a line where they are many. */
function union(values: unknown[], indent: string): string {
  const texts = values.map((value) => JSON.stringify(value))
  const line = texts.join(" | ")
  return line.length < 90 ? line : texts.map((text) => `\n${indent}  | ${text}`).join("")
}

const comment = (words: string | undefined, indent: string): string =>
  words ? `${indent}/** ${words.replaceAll("*/", "*\\/")} */\n` : ""

/** Codes of all operations, of all writes beside those, and of one beside both. */
function codesByUse(document: Document, operations: Operation[]) {
  const all = new Map(operations.map((operation) => [operation, codesOf(document, operation)]))
  const sharedBy = (some: Operation[]) =>
    [...(all.get(some[0] as Operation) ?? [])].filter((code) => some.every((one) => all.get(one)?.has(code)))
  const keyed = operations.filter(({ parameters = [] }) =>
    parameters.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key")),
  )
  const common = sharedBy(operations)
  const ofKeyed = sharedBy(keyed).filter((code) => !common.includes(code))
  return {
    common,
    keyed: ofKeyed,
    own: (operation: Operation): string[] =>
      [...(all.get(operation) ?? [])].filter(
        (code) => !common.includes(code) && !(keyed.includes(operation) && ofKeyed.includes(code)),
      ),
  }
}

function codesOf(document: Document, { responses }: Operation): Set<string> {
  const refusals = Object.values(responses).map(
    (response) => resolved(document, response)?.content?.["application/json"],
  )
  return new Set(refusals.flatMap((media) => Object.keys(media?.examples ?? {})))
}
