// Reads an OpenAPI document into the model that the reference pages render, with `$ref`s resolved.
import type { Bindings } from "../env"
import { isolateState } from "../lib/isolate-state"
import { DOCUMENTS, type DocumentName, loadDocument } from "./openapi"

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
}

export interface Field {
  name: string
  in: string
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}

export interface ErrorResponse {
  status: number
  code: string
  message: string
}

export interface Operation {
  id: string
  tag: string
  method: string
  path: string
  summary: string
  description: string
  deprecated: boolean
  /** Alternative security schemes with their scopes; empty for an operation without authentication. */
  security: Record<string, string[]>[]
  parameters: Field[]
  body?: { type: string; schema: Schema; example: unknown }
  /** Statuses below 400. */
  responses: { status: number; description: string; example?: unknown; schema?: Schema }[]
  /** Statuses from 400 on; one entry per error code. */
  errors: ErrorResponse[]
}

interface WebhookEvent {
  type: string
  summary: string
  example: unknown
}

interface Tag {
  name: string
  description: string
  /** Whether only stores have the paths, and not the platform's own site. */
  "x-stores-only"?: true
}

export interface Reference {
  name: DocumentName
  title: string
  description: string
  /** Path prefix of all operations. */
  base: string
  tags: Tag[]
  operations: Operation[]
  events: WebhookEvent[]
  codes: Record<string, { status: number; when: string; next: string }>
  schemas: Record<string, Schema>
}

/** The parts of an OpenAPI document that are read here. */
export interface OpenApiDocument {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: Tag[]
  paths: Record<string, Record<string, RawOperation>>
  webhooks?: Record<
    string,
    { post: { summary: string; requestBody: { content: Record<string, { example: unknown }> } } }
  >
  "x-codes"?: Reference["codes"]
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, RawResponse>
    parameters: Record<string, Field>
  }
}

interface RawOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  parameters: (Field & { $ref?: string })[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, RawResponse>
}

interface RawResponse {
  $ref?: string
  description: string
  content?: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>
}

export const listReferences = (env: Bindings): Promise<Reference[]> =>
  Promise.all(DOCUMENTS.map((name) => getReference(env, name)))

const references = isolateState(() => new Map<DocumentName, Reference>())

/** Returns the reference of one API, parsed once per isolate. */
export async function getReference(env: Bindings, name: DocumentName): Promise<Reference> {
  const cached = references.current.get(name)
  if (cached) return cached
  const reference = parseDocument(name, JSON.parse(await loadDocument(env, name)) as OpenApiDocument)
  references.current.set(name, reference)
  return reference
}

/** Converts a document to the model. */
export function parseDocument(name: DocumentName, document: OpenApiDocument): Reference {
  return {
    name,
    title: document.info.title,
    description: document.info.description,
    base: document.servers[0]?.url ?? "",
    tags: document.tags,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => parseOperation(document, method, path, operation)),
    ),
    events: Object.entries(document.webhooks ?? {}).map(([type, { post }]) => ({
      type,
      summary: post.summary,
      example: post.requestBody.content["application/json"]?.example,
    })),
    codes: document["x-codes"] ?? {},
    schemas: document.components.schemas,
  }
}

/** The name of a component: the last segment of its `$ref`. */
const componentName = (ref: string) => ref.split("/").at(-1) ?? ""

function parseOperation(document: OpenApiDocument, method: string, path: string, operation: RawOperation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]): [number, RawResponse] => [
    Number(status),
    response.$ref ? (document.components.responses[componentName(response.$ref)] ?? response) : response,
  ])
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  return {
    id: operation.operationId,
    tag: operation.tags[0] ?? "",
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    deprecated: operation.deprecated ?? false,
    security: operation.security,
    parameters: operation.parameters
      .flatMap((parameter) =>
        parameter.$ref ? (document.components.parameters[componentName(parameter.$ref)] ?? []) : parameter,
      )
      .map((parameter) => ({
        ...parameter,
        required: parameter.required ?? false,
        description: parameter.description ?? "",
      })),
    ...(type && media && { body: { type, schema: resolveSchema(document, media.schema), example: media.example } }),
    responses: responses
      .filter(([status]) => status < 400)
      .map(([status, { description, content }]) => {
        const json = content?.["application/json"]
        return { status, description, ...(json && { example: json.example, schema: json.schema }) }
      }),
    errors: responses
      .filter(([status]) => status >= 400)
      .flatMap(([status, { content, description }]) => {
        const examples = Object.entries(content?.["application/json"]?.examples ?? {})
        if (!examples.length) return [{ status, code: "", message: description }]
        return examples.map(([code, { value }]) => ({ status, code, message: parseMessage(value) }))
      }),
  }
}

const resolveSchema = ({ components }: OpenApiDocument, schema: Schema): Schema =>
  schema.$ref ? (components.schemas[componentName(schema.$ref)] ?? schema) : schema

const parseMessage = (body: unknown): string => {
  const { error, message } = body as { error?: { message?: string }; message?: string }
  return (typeof error === "object" && error?.message) || message || ""
}

/** Describes the type of a schema for readers: `string`, `list of Plan`, `a | b`. */
export function describeType(reference: Reference, schema: Schema): string {
  if (schema.$ref) return componentName(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => String(value)).join(" | ")
  if (schema.anyOf && schema.type === undefined)
    return [...new Set(schema.anyOf.map((option) => describeType(reference, option)))].join(" or ")
  const types = [schema.type ?? "anything"].flat()
  const descriptions = types.map((type) => {
    if (type === "array") return schema.items ? `list of ${describeType(reference, schema.items)}` : "list"
    return type === "string" && schema.format ? schema.format : type
  })
  return descriptions.join(" or ")
}

/** Describes lengths, ranges, patterns and the default of a schema for readers. */
export function describeConstraints(schema: Schema): string {
  const inner = (schema.type === undefined && schema.anyOf?.find((option) => option.type !== "null")) || schema
  const { minLength, maxLength, minimum, maximum, pattern } = inner
  return [
    minLength !== undefined && minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    schema.default !== undefined && `default ${schema.default}`,
    pattern !== undefined && pattern.length < 40 && `pattern ${pattern}`,
  ]
    .filter(Boolean)
    .join(", ")
}

/** Lists the properties of an object schema, with `$ref`s resolved; empty for any other schema. */
export function listFields(reference: Reference, schema: Schema): Field[] {
  const resolved = schema.$ref ? (reference.schemas[componentName(schema.$ref)] ?? {}) : schema
  return Object.entries(resolved.properties ?? {}).map(([name, field]) => ({
    name,
    in: "body",
    required: resolved.required?.includes(name) ?? false,
    description: field.description ?? "",
    schema: field,
  }))
}
