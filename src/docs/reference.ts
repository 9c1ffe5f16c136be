// A document as the reference reads it: operations by noun, references followed.
import { DOCUMENTS, type DocumentName, documentText } from "./openapi"

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

export interface Reason {
  status: number
  code: string
  message: string
}

export interface OperationDoc {
  id: string
  tag: string
  method: string
  path: string
  summary: string
  deprecated: boolean
  /** Names of the ways to say who asks, each with its scopes; empty where nobody need say so. */
  security: Record<string, string[]>[]
  parameters: Field[]
  body?: { type: string; schema: Schema; example: unknown }
  answers: { status: number; description: string; example?: unknown; schema?: Schema }[]
  refusals: Reason[]
}

interface EventDoc {
  type: string
  summary: string
  example: unknown
}

export interface Reference {
  name: DocumentName
  title: string
  description: string
  /** The path that its operations' paths follow. */
  base: string
  tags: { name: string; description: string }[]
  operations: OperationDoc[]
  events: EventDoc[]
  codes: Record<string, { status: number; when: string; next: string }>
  schemas: Record<string, Schema>
}

/** The shape of a document, as far as it is read here. */
interface Raw {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
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

const references = new Map<DocumentName, Reference>()

/** The three references, in their order. */
export const allReferences = (): Promise<Reference[]> => Promise.all(DOCUMENTS.map(referenceOf))

/** A document, read once an isolate. */
export async function referenceOf(name: DocumentName): Promise<Reference> {
  const known = references.get(name)
  if (known) return known
  const raw = JSON.parse(await documentText(name)) as Raw
  const read: Reference = {
    name,
    title: raw.info.title,
    description: raw.info.description,
    base: raw.servers[0]?.url ?? "",
    tags: raw.tags,
    operations: Object.entries(raw.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([method, operation]) => operationOf(raw, method, path, operation)),
    ),
    events: Object.entries(raw.webhooks ?? {}).map(([type, { post }]) => ({
      type,
      summary: post.summary,
      example: post.requestBody.content["application/json"]?.example,
    })),
    codes: raw["x-codes"] ?? {},
    schemas: raw.components.schemas,
  }
  references.set(name, read)
  return read
}

const last = (ref: string) => ref.split("/").at(-1) ?? ""

function operationOf(raw: Raw, method: string, path: string, operation: RawOperation): OperationDoc {
  const responses = Object.entries(operation.responses).map(([status, response]): [number, RawResponse] => [
    Number(status),
    response.$ref ? (raw.components.responses[last(response.$ref)] ?? response) : response,
  ])
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  return {
    id: operation.operationId,
    tag: operation.tags[0] ?? "",
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    deprecated: operation.deprecated ?? false,
    security: operation.security,
    parameters: operation.parameters
      .flatMap((one) => (one.$ref ? (raw.components.parameters[last(one.$ref)] ?? []) : one))
      .map((one) => ({ ...one, description: one.description ?? "" })),
    ...(type && media && { body: { type, schema: media.schema, example: media.example } }),
    answers: responses
      .filter(([status]) => status < 400)
      .map(([status, { description, content }]) => {
        const json = content?.["application/json"]
        return { status, description, ...(json && { example: json.example, schema: json.schema }) }
      }),
    refusals: responses
      .filter(([status]) => status >= 400)
      .flatMap(([status, { content, description }]) => {
        const examples = Object.entries(content?.["application/json"]?.examples ?? {})
        if (!examples.length) return [{ status, code: "", message: description }]
        return examples.map(([code, { value }]) => ({ status, code, message: messageOf(value) }))
      }),
  }
}

const messageOf = (body: unknown): string => {
  const { error, message } = body as { error?: { message?: string }; message?: string }
  return (typeof error === "object" && error?.message) || message || ""
}

/** A schema's kind in a few words. */
export function kindOf(reference: Reference, schema: Schema): string {
  if (schema.$ref) return last(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => String(value)).join(" | ")
  if (schema.anyOf && schema.type === undefined)
    return [...new Set(schema.anyOf.map((one) => kindOf(reference, one)))].join(" or ")
  const types = [schema.type ?? "anything"].flat()
  const words = types.map((type) => {
    if (type === "array") return schema.items ? `list of ${kindOf(reference, schema.items)}` : "list"
    return type === "string" && schema.format ? schema.format : type
  })
  return words.join(" or ")
}

/** What a schema holds its values to, in words. */
export function boundsOf(schema: Schema): string {
  const inner = (schema.type === undefined && schema.anyOf?.find((one) => one.type !== "null")) || schema
  const { minLength, maxLength, minimum, maximum, pattern } = inner
  return [
    minLength !== undefined && minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `from ${minimum}`,
    schema.default !== undefined && `${schema.default} when left out`,
    pattern !== undefined && pattern.length < 40 && `like ${pattern}`,
  ]
    .filter(Boolean)
    .join(", ")
}

/** The fields of an object, references followed; none for anything else. */
export function fieldsOf(reference: Reference, schema: Schema): Field[] {
  const known = schema.$ref ? (reference.schemas[last(schema.$ref)] ?? {}) : schema
  return Object.entries(known.properties ?? {}).map(([name, field]) => ({
    name,
    in: "body",
    required: known.required?.includes(name) ?? false,
    description: field.description ?? "",
    schema: field,
  }))
}
