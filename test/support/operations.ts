// The operations of the three documents as an attacker has them: paths, examples of bodies, schemas of answers.
import { type APIS, type Document, documents } from "../../tools/openapi/documents"
import type { JsonSchema } from "../../tools/openapi/json-schema"

type ApiName = keyof typeof APIS

export interface DocumentedOperation {
  api: ApiName
  id: string
  method: string
  /** From the root, with parameters as `{name}`. */
  path: string
  /** Whether it takes a JSON body, and the example of it. */
  example: Record<string, unknown> | undefined
  /** The fields that a body may have. */
  takes: string[]
  /** The fields of a good answer, those within others too, with an example of each. */
  answers: Map<string, unknown>
  tags: string[]
  /** The scopes of the first way to be let in. */
  scopes: string[]
  /** The schemes of the first way to be let in; none where nobody has to say who he is. */
  schemes: string[]
}

let known: Record<ApiName, Document> | undefined
const all = () => {
  known ??= documents()
  return known
}

/** Every operation of a document. */
export function operationsOf(api: ApiName): DocumentedOperation[] {
  const document = all()[api]
  const base = document.servers[0]?.url ?? ""
  return Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]): DocumentedOperation => {
      const media = operation.requestBody?.content["application/json"]
      const good = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1]
      const schema = good?.content?.["application/json"]?.schema
      return {
        api,
        id: operation.operationId,
        method: method.toUpperCase(),
        path: base + path,
        example: media?.example as Record<string, unknown> | undefined,
        takes: media ? [...fieldsOf(document, media.schema).keys()] : [],
        answers: schema ? fieldsOf(document, schema) : new Map(),
        tags: operation.tags,
        scopes: Object.values(operation.security[0] ?? {}).flat(),
        schemes: Object.keys(operation.security[0] ?? {}),
      }
    }),
  )
}

/** The names of a schema's fields, however deep they are, each with its schema. */
function fieldsOf(document: Document, schema: JsonSchema, depth = 0): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>()
  if (depth > 8) return found
  const add = (inner: JsonSchema | undefined) => {
    if (inner && typeof inner === "object")
      for (const [name, one] of fieldsOf(document, inner, depth + 1)) found.set(name, one)
  }
  if (schema.$ref) add(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""])
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    found.set(name, inner as JsonSchema)
    add(inner as JsonSchema)
  }
  add(schema.items as JsonSchema | undefined)
  for (const inner of [schema.anyOf ?? [], schema.oneOf ?? []].flat()) add(inner as JsonSchema)
  return found
}
