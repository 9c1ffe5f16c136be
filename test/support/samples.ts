// Builds a valid request for every operation of an OpenAPI document, from its examples.
import { buildDocuments, type Document } from "../../tools/openapi/documents"
import type { JsonSchema } from "../../tools/openapi/json-schema"
import { type CallOptions, call, type TestResponse } from "./app"

type Api = "platform" | "content" | "license"

export interface Sample {
  id: string
  method: string
  /** The path from the root, with required query parameters. */
  path: string
  /** Whether the operation has a JSON body or a form. */
  bodyType: "json" | "form" | null
  json: unknown
  /** The names of its query parameters. */
  query: string[]
  /** The documented errors by `<status> <code>`, each with its example body. */
  refusals: Map<string, { message?: string }>
  /** The names of its security schemes. */
  securitySchemes: string[]
}

let cachedDocuments: ReturnType<typeof buildDocuments> | undefined

/** Lists the operations of an API. */
export function listSamples(api: Api): Sample[] {
  cachedDocuments ??= buildDocuments()
  const document: Document = cachedDocuments[api]
  const base = document.servers[0]?.url ?? ""
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = operation.parameters ?? []
      const example = (name: string) =>
        parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.example
      const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(example(name) ?? name)))
      const query = parameters.filter((parameter) => parameter.in === "query")
      const required = query
        .filter(({ required }) => required)
        .map(({ name, schema }) => `${name}=${getQueryValue(schema)}`)
      const content = operation.requestBody?.content ?? {}
      const json = content["application/json"]
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path: base + path + (required.length ? `?${required.join("&")}` : ""),
        bodyType: json ? "json" : operation.requestBody ? "form" : null,
        json: json?.example,
        query: query.map(({ name = "" }) => name),
        refusals: listRefusals(document, operation.responses),
        securitySchemes: operation.security.flatMap((requirement) => Object.keys(requirement)),
      }
    }),
  )
}

const getQueryValue = (schema: JsonSchema | undefined): string => String(schema?.enum?.[0] ?? 1)

function listRefusals(
  document: Document,
  responses: Document["paths"][string][string]["responses"],
): Sample["refusals"] {
  const shared = document.components.responses as typeof responses
  return new Map(
    Object.entries(responses).flatMap(([status, response]) => {
      const { content } = shared[response.$ref?.split("/").at(-1) ?? ""] ?? response
      const examples = content?.["application/json"]?.examples ?? {}
      return Object.entries(examples).map(([code, { value }]) => [`${status} ${code}`, value as object] as const)
    }),
  )
}

/** Sends an operation's example, or the given body instead. */
export function send(sample: Sample, options: CallOptions = {}): Promise<TestResponse> {
  const { method, path, bodyType, json } = sample
  const hasBody = "json" in options || "body" in options || method === "GET"
  const body = hasBody ? {} : bodyType === "json" ? { json } : bodyType === "form" ? { body: new FormData() } : {}
  return call(method, path, { ...body, ...options })
}
