// The operations of the control plane's document as methods of a client, for the generators of the Python and PHP
// clients.
import type { Document, Operation, Parameter, ResponseDoc } from "./document.ts"
import type { JsonSchema } from "./json-schema.ts"

/** What a method returns: a list with or without pages, `data`, `data` with the response's other members, the body. */
type ResultKind = "pages" | "list" | "data" | "merged" | "body" | "nothing"

/** A field of the query or of the JSON body. */
export interface ClientField {
  name: string
  schema: JsonSchema
  isRequired: boolean
}

/** A method of a resource. */
export interface ClientMethod {
  /** Operation id, such as `stores.create`. */
  id: string
  verb: string
  method: string
  /** Path whose variables are the names of `arguments`. */
  path: string
  arguments: { name: string; isInteger: boolean }[]
  place: "query" | "body" | "none"
  fields: ClientField[]
  result: ResultKind
  summary: string
  description: string
}

/** Lists the resources with their methods. */
export function listClientResources(document: Document): { name: string; methods: ClientMethod[] }[] {
  const resources = new Map<string, ClientMethod[]>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [resource = ""] = operation.operationId.split(".")
      const found = resources.get(resource) ?? []
      resources.set(resource, [...found, describeMethod(document, path, method.toUpperCase(), operation)])
    }
  }
  return [...resources].map(([name, methods]) => ({ name, methods }))
}

/** Lists every error code of the document's operations. */
export function listErrorCodes(document: Document): string[] {
  const codes = document["x-codes"] as Record<string, unknown>
  return Object.keys(codes).toSorted()
}

function describeMethod(document: Document, path: string, method: string, operation: Operation): ClientMethod {
  const [resource = "", verb = ""] = operation.operationId.split(".")
  const pathParameters = (operation.parameters ?? []).filter((one) => one.in === "path")
  const query = (operation.parameters ?? []).filter((one) => one.in === "query")
  const body = operation.requestBody?.content["application/json"]?.schema
  const names = new Map(pathParameters.map(({ name = "" }) => [name, nameArgument(resource, path, name)]))
  return {
    id: operation.operationId,
    verb,
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => `{${names.get(name)}}`),
    arguments: pathParameters.map(({ name = "", schema }) => ({
      name: names.get(name) ?? name,
      isInteger: schema?.type === "integer",
    })),
    place: body ? "body" : query.length ? "query" : "none",
    fields: body ? listBodyFields(document, body) : listQueryFields(query),
    result: getResultKind(document, operation, method),
    summary: operation.summary,
    description: (operation.description ?? "").replaceAll("\n", " "),
  }
}

/** `id` behind the path of another resource is that resource's: `store_id`. */
function nameArgument(resource: string, path: string, name: string): string {
  const noun = path.split(`/{${name}}`)[0]?.split("/").at(-1) ?? ""
  return name === "id" && noun !== resource ? `${noun.replace(/s$/, "")}_id` : name
}

const listQueryFields = (query: Parameter[]): ClientField[] =>
  query.map(({ name = "", schema = {}, required, description }) => ({
    name,
    schema: { ...schema, description: description as string },
    isRequired: required === true,
  }))

function listBodyFields(document: Document, body: JsonSchema): ClientField[] {
  const { properties = {}, required = [] } = resolveSchema(document, body)
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: { ...resolveSchema(document, schema), description: schema.description },
    isRequired: required.includes(name),
  }))
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** Follows the reference of a schema. */
export function resolveSchema(document: Document, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1)
  return name ? (document.components.schemas[name] ?? {}) : schema
}

function getResultKind(document: Document, { operationId, responses }: Operation, method: string): ResultKind {
  const status = Object.keys(responses).find((one) => Number(one) < 300) ?? ""
  const response = resolveResponse(document, responses[status])
  const schema = response?.content?.["application/json"]?.schema
  if (!schema) return "nothing"
  const { properties = {} } = resolveSchema(document, schema)
  // The feed has cursors instead of pages.
  if (operationId === "events.list") return "body"
  if (properties.data?.type === "array") {
    if (method !== "GET") return "data"
    return properties.meta?.$ref?.endsWith("/PageMeta") ? "pages" : "list"
  }
  return Object.keys(properties).some((name) => name !== "data" && name !== "links") ? "merged" : "data"
}

function resolveResponse(document: Document, response: ResponseDoc | undefined): ResponseDoc | undefined {
  const name = response?.$ref?.split("/").at(-1)
  return name ? (document.components.responses as Record<string, ResponseDoc>)[name] : response
}

/** `changePlan` as `change_plan`. */
export const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `store_id` as `storeId`. */
export const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `store_id` as `StoreId`. */
export const toPascalCase = (name: string): string => {
  const camel = toCamelCase(name)
  return camel.slice(0, 1).toUpperCase() + camel.slice(1)
}

/** Breaks a text into lines of at most `width` characters. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 1 <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
