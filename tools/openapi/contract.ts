// Holds answers to the documents: status, headers and body must be there, the body no wider than it says, its code one of those the
// operation may refuse with. The tests hold every answer to it, and so does the fuzzer.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema"
import type { Document, Operation, ResponseDoc } from "./document.ts"
import type { JsonSchema } from "./json-schema.ts"

/** What was asked, as far as it matters. */
export interface Asked {
  method: string
  url: string
  headers: Headers
}

export interface Answered {
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

export class Contract {
  readonly #apis: Held[]
  readonly #validators = new Map<string, Validator>()
  readonly #saw: (line: string) => void

  /**
   * @param documents by the name of their API
   * @param saw is told `<api> <operation> <status> <code>` of every answer, without the code where there is none
   */
  constructor(documents: Record<string, Document>, saw: (line: string) => void) {
    this.#apis = Object.entries(documents).map(([name, document]) => readable(name, document))
    this.#saw = saw
  }

  /**
   * @param isCentral whether the central host was asked; on others there is a content API and nothing else of ours
   * @throws Error that says what is not in the document
   */
  hold(request: Asked, answer: Answered, isCentral: boolean): void {
    if (request.method === "OPTIONS") return
    const { pathname } = new URL(request.url)
    const method = request.method === "HEAD" ? "get" : request.method.toLowerCase()
    for (const api of this.#apis) {
      if (api.name !== "content" && !isCentral) continue
      const found = api.operations.find((one) => one.method === method && one.path.test(pathname))
      if (!found) continue
      this.#holdOperation(api, found.operation, request, answer)
      return
    }
  }

  #holdOperation(api: Held, operation: Operation, request: Asked, { status, headers, text }: Answered): void {
    const where = `${api.name} ${operation.operationId} ${status}`
    const response = resolved(api, operation.responses[status])
    if (!response) throw new Error(`${where} is not in the document: ${text.slice(0, 300)}`)
    holdHeaders(where, response, headers)
    const media = headers.get("Content-Type")?.split(";")[0] ?? ""
    const content = response.content?.[media] ?? response.content?.["*/*"]
    const isEmpty = text === "" && (!response.content || response["x-silent"])
    if (request.method === "HEAD" || isEmpty || (content && media !== "application/json")) {
      this.#saw(where)
      return
    }
    if (!content) {
      throw new Error(`${where} has no body of type ${media || "none"} in the document: ${text.slice(0, 300)}`)
    }
    const body = JSON.parse(text)
    const { valid, errors } = this.#validatorOf(api, where, content.schema).validate(body)
    if (!valid) throw new Error(`${where} differs from the document:\n${said(errors)}\n${text.slice(0, 1000)}`)
    const code = status < 400 ? "" : codeOf(api, where, content.examples ?? {}, body, request.headers)
    this.#saw(code ? `${where} ${code}` : where)
  }

  #validatorOf(api: Held, where: string, schema: JsonSchema): Validator {
    const known = this.#validators.get(where)
    if (known) return known
    const made = new Validator({ ...closed(schema), $defs: api.definitions } as Schema, "2020-12", false)
    this.#validators.set(where, made)
    return made
  }
}

/** Apps may count more than is known when the document is written. */
const openOf = ({ components: { schemas } }: Document): Record<string, JsonSchema> =>
  schemas.Usage ? { Usage: schemas.Usage } : {}

function readable(name: string, document: Document): Held {
  const base = document.servers[0]?.url ?? ""
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ method, path: pattern(base + path), operation })),
  )
  // The router takes a path that is spelled out before one with a parameter.
  operations.sort((a, b) => Number(a.path.source.includes("[^/]")) - Number(b.path.source.includes("[^/]")))
  return { name, document, definitions: { ...closed(document.components.schemas), ...openOf(document) }, operations }
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`)

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
  // Where there is one code to a status, no words are needed to tell it.
  const codes = Object.keys(examples).filter((code) => code !== "validation_failed")
  if (codes.length === 1 && codes[0]) return codes[0]
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
    const isSure = documented.has(name) && "$ref" in (documented.get(name) as object)
    if (isSure && !headers.has(name)) throw new Error(`${where}: the header ${name} is missing`)
  }
}

function resolved(api: Held, response: ResponseDoc | undefined): ResponseDoc | undefined {
  const name = response?.$ref?.split("/").at(-1)
  return name ? (api.document.components.responses as Record<string, ResponseDoc>)[name] : response
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
