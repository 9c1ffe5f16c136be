// Lists the operations of the three OpenAPI documents with their paths, example bodies and response schemas.
import { type APIS, buildDocuments, type Document } from "../../tools/openapi/documents"
import type { JsonSchema } from "../../tools/openapi/json-schema"

type ApiName = keyof typeof APIS

export interface DocumentedOperation {
  api: ApiName
  id: string
  method: string
  /** The path from the root, with parameters as `{name}`. */
  path: string
  /** The example of the JSON body, if there is one. */
  example: Record<string, unknown> | undefined
  /** Names of the body's fields. */
  bodyFields: string[]
  /** The fields of a successful response, nested ones too, with their schemas. */
  responseFields: Map<string, unknown>
  /** The statuses of its responses. */
  statuses: number[]
  tags: string[]
  /** The scopes of the first security requirement. */
  scopes: string[]
  /** The schemes of the first security requirement; empty for public operations. */
  schemes: string[]
}

let cachedDocuments: Record<ApiName, Document> | undefined
const getDocuments = () => {
  cachedDocuments ??= buildDocuments()
  return cachedDocuments
}

/** Lists every operation of a document. */
export function listOperations(api: ApiName): DocumentedOperation[] {
  const document = getDocuments()[api]
  const base = document.servers[0]?.url ?? ""
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DocumentedOperation => {
      const media = operation.requestBody?.content["application/json"]
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1]
      const schema = success?.content?.["application/json"]?.schema
      return {
        api,
        id: operation.operationId,
        method: method.toUpperCase(),
        path: base + path,
        example: media?.example as Record<string, unknown> | undefined,
        bodyFields: media ? [...collectFields(document, media.schema).keys()] : [],
        responseFields: schema ? collectFields(document, schema) : new Map(),
        statuses: Object.keys(operation.responses).map(Number),
        tags: operation.tags,
        scopes: Object.values(operation.security[0] ?? {}).flat(),
        schemes: Object.keys(operation.security[0] ?? {}),
      }
    }),
  )
}

/** Collects the fields of a schema at any depth, by name. */
function collectFields(document: Document, schema: JsonSchema, depth = 0): Map<string, JsonSchema> {
  const fields = new Map<string, JsonSchema>()
  if (depth > 8) return fields
  const add = (inner: JsonSchema | undefined) => {
    if (inner && typeof inner === "object")
      for (const [name, field] of collectFields(document, inner, depth + 1)) fields.set(name, field)
  }
  if (schema.$ref) add(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""])
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    fields.set(name, inner as JsonSchema)
    add(inner as JsonSchema)
  }
  add(schema.items as JsonSchema | undefined)
  for (const inner of [schema.anyOf ?? [], schema.oneOf ?? []].flat()) add(inner as JsonSchema)
  return fields
}
