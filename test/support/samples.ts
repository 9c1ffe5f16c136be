// Every operation of a document as a request that is well formed: its examples in path, query and body.
import { type Document, documents } from "../../tools/openapi/documents"
import type { JsonSchema } from "../../tools/openapi/json-schema"
import { type Answer, type CallOptions, call } from "./app"

type Api = "platform" | "content" | "license"

export interface Sample {
  id: string
  method: string
  /** From the root, with the query that is needed. */
  path: string
  /** Whether it takes a JSON body or a form. */
  takes: "json" | "form" | null
  json: unknown
  /** The names of its query parameters. */
  query: string[]
  /** Its documented refusals, `<status> <code>`, each with the body that shows it. */
  refusals: Map<string, { message?: string }>
  /** The names of its security schemes. */
  schemes: string[]
}

let known: ReturnType<typeof documents> | undefined

/** The operations of an API. */
export function samplesOf(api: Api): Sample[] {
  known ??= documents()
  const document: Document = known[api]
  const base = document.servers[0]?.url ?? ""
  return Object.entries(document.paths).flatMap(([template, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => {
      const parameters = operation.parameters ?? []
      const example = (name: string) => parameters.find((one) => one.in === "path" && one.name === name)?.example
      const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(example(name) ?? name)))
      const query = parameters.filter((one) => one.in === "query")
      const needed = query.filter((one) => one.required).map((one) => `${one.name}=${queryValue(one.schema)}`)
      const content = operation.requestBody?.content ?? {}
      const json = content["application/json"]
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path: base + path + (needed.length ? `?${needed.join("&")}` : ""),
        takes: json ? "json" : operation.requestBody ? "form" : null,
        json: json?.example,
        query: query.map(({ name = "" }) => name),
        refusals: refusalsOf(document, operation.responses),
        schemes: operation.security.flatMap((one) => Object.keys(one)),
      }
    }),
  )
}

const queryValue = (schema: JsonSchema | undefined): string => String(schema?.enum?.[0] ?? 1)

function refusalsOf(document: Document, responses: Document["paths"][string][string]["responses"]): Sample["refusals"] {
  const shared = document.components.responses as typeof responses
  return new Map(
    Object.entries(responses).flatMap(([status, response]) => {
      const { content } = shared[response.$ref?.split("/").at(-1) ?? ""] ?? response
      const examples = content?.["application/json"]?.examples ?? {}
      return Object.entries(examples).map(([code, { value }]) => [`${status} ${code}`, value as object] as const)
    }),
  )
}

/** Sends an operation's example, or another body in its place. */
export function send(sample: Sample, options: CallOptions = {}): Promise<Answer> {
  const { method, path, takes, json } = sample
  const given = "json" in options || "body" in options || method === "GET"
  const body = given ? {} : takes === "json" ? { json } : takes === "form" ? { body: new FormData() } : {}
  return call(method, path, { ...body, ...options })
}
