// The contract is read: every answer that a test is given is looked up in the OpenAPI document made of the routes. Its status, its
// headers and its body must be there, the body no wider than it says, its code one of those the operation may refuse with.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema"
import {
  APIS,
  type Document,
  documentOf,
  type JsonSchema,
  type Operation,
  type ResponseDoc,
} from "../../scripts/openapi/documents"
import { seen } from "./seen"

export interface HeldAnswer {
  status: number
  headers: Headers
  text: string
}

interface Held {
  name: string
  document: Document
  /** With every object closed: a field that nobody wrote down is a fault. */
  definitions: Record<string, JsonSchema>
  operations: { method: string; path: RegExp; operation: Operation }[]
}

let known: Held[] | undefined
const validators = new Map<string, Validator>()

/**
 * Holds an answer to the document.
 * @throws Error that says what is not in it
 */
export function holdToContract(request: Request, answer: HeldAnswer): void {
  const { hostname, pathname } = new URL(request.url)
  if (request.method === "OPTIONS") return
  const method = request.method === "HEAD" ? "get" : request.method.toLowerCase()
  known ??= Object.values(APIS).map((api) => readable(api.name, documentOf(api)))
  for (const api of known) {
    // On other hosts there is a content API and nothing else of ours.
    if (api.name !== "content" && hostname !== "localhost") continue
    const found = api.operations.find((one) => one.method === method && one.path.test(pathname))
    if (!found) continue
    hold(api, found.operation, answer, request)
    return
  }
}

function readable(name: string, document: Document): Held {
  const base = document.servers[0]?.url ?? ""
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ method, path: pattern(base + path), operation })),
  )
  // The router takes a path that is spelled out before one with a parameter.
  operations.sort((a, b) => Number(a.path.source.includes("[^/]")) - Number(b.path.source.includes("[^/]")))
  return { name, document, definitions: closed(document.components.schemas), operations }
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`)

function hold(api: Held, operation: Operation, answer: HeldAnswer, request: Request): void {
  const { status, headers, text } = answer
  const where = `${api.name} ${operation.operationId} ${status}`
  const response = resolved(api, operation.responses[status])
  if (!response) throw new Error(`${where} is not in the document: ${text.slice(0, 300)}`)
  holdHeaders(where, response, headers)
  const media = headers.get("Content-Type")?.split(";")[0] ?? ""
  const content = response.content?.[media] ?? response.content?.["*/*"]
  if (request.method === "HEAD" || (text === "" && (!response.content || response["x-silent"]))) {
    seen.add(where)
    return
  }
  if (!content)
    throw new Error(`${where} has no body of type ${media || "none"} in the document: ${text.slice(0, 300)}`)
  if (media !== "application/json") {
    seen.add(where)
    return
  }
  const body = JSON.parse(text)
  const { valid, errors } = validatorOf(api, where, content.schema).validate(body)
  if (!valid) throw new Error(`${where} differs from the document:\n${said(errors)}\n${text.slice(0, 1000)}`)
  const code = status < 400 ? "" : codeOf(api, where, content.examples ?? {}, body, request.headers)
  seen.add(code ? `${where} ${code}` : where)
}

/** The code of a refusal; where clients are not shown it, the one whose words were said. */
function codeOf(
  api: Held,
  where: string,
  examples: Record<string, { value: unknown }>,
  body: { message?: string; errors?: object; error?: { code?: string } },
  headers: Headers,
): string {
  if (api.name === "platform") return body.error?.code ?? ""
  if (body.errors && "validation_failed" in examples && Object.keys(body.errors).length) return "validation_failed"
  const words = (message = "") => message.replace(/[0-9A-HJKMNP-TV-Z]{26}|\d+/g, "#")
  const found = Object.entries(examples).find(
    ([, { value }]) => words((value as typeof body).message) === words(body.message),
  )
  if (found) return found[0]
  // The license manager has words of its own for what is not there, and other languages say it otherwise.
  if (api.name === "license" || headers.has("Accept-Language")) return ""
  throw new Error(`${where} refuses in words that no code of the operation has: ${body.message}`)
}

/** Headers that mean something to a client; the rest are HTTP's own. */
const MEANT =
  /^(x-(?!content-type-options|frame-options)|etag$|retry-after$|idempotent-|location$|content-disposition$|accept-ranges$)/

function holdHeaders(where: string, response: ResponseDoc, headers: Headers): void {
  const documented = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
  )
  for (const name of headers.keys()) {
    if (MEANT.test(name) && !documented.has(name))
      throw new Error(`${where}: the header ${name} is not in the document`)
  }
  for (const name of ["x-request-id", "x-tenancy-api-version", "retry-after"]) {
    if (documented.has(name) && !headers.has(name)) throw new Error(`${where}: the header ${name} is missing`)
  }
}

function resolved(api: Held, response: ResponseDoc | undefined): ResponseDoc | undefined {
  const name = response?.$ref?.split("/").at(-1)
  return name ? (api.document.components.responses as Record<string, ResponseDoc>)[name] : response
}

function validatorOf(api: Held, where: string, schema: JsonSchema): Validator {
  const validator =
    validators.get(where) ?? new Validator({ ...closed(schema), $defs: api.definitions } as Schema, "2020-12", false)
  validators.set(where, validator)
  return validator
}

/** A copy in which no object takes fields that it does not name, and references lead to `$defs`. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (schema === null || typeof schema !== "object") return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === "example" ? value : closed(value)]),
  )
  if (typeof copy.$ref === "string") copy.$ref = copy.$ref.replace("#/components/schemas/", "#/$defs/")
  const isObject = copy.properties && (copy.type === "object" || copy.type === undefined)
  if (isObject && !("type" in copy.properties && typeof copy.type !== "string")) copy.additionalProperties ??= false
  return copy as T
}

const said = (errors: OutputUnit[]): string =>
  errors
    .slice(-4)
    .map(({ instanceLocation, error }) => `  ${instanceLocation}: ${error}`)
    .join("\n")
