// Checks responses against the documents: status, headers and body have to be documented, the body may contain no other
// fields, and its error code has to be one of the operation's. The tests and the fuzzer check every response.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema"
import type { Document, Operation, ResponseDoc } from "./document.ts"
import type { JsonSchema } from "./json-schema.ts"

/** The parts of a request that determine its operation. */
export interface ContractRequest {
  method: string
  url: string
  headers: Headers
}

export interface ContractResponse {
  status: number
  headers: Headers
  text: string
}

/** A document prepared for checks. */
interface CheckedApi {
  name: string
  document: Document
  /** The components with every object closed, so that an undocumented field is an error. */
  definitions: Record<string, JsonSchema>
  operations: { method: string; path: RegExp; operation: Operation }[]
}

export class Contract {
  readonly #apis: CheckedApi[]
  readonly #validators = new Map<string, Validator>()
  readonly #onResponse: (line: string) => void

  /**
   * @param documents by the name of their API
   * @param onResponse receives `<api> <operation> <status> <code>` for every response; without the code if it has none
   */
  constructor(documents: Record<string, Document>, onResponse: (line: string) => void) {
    this.#apis = Object.entries(documents).map(([name, document]) => prepareApi(name, document))
    this.#onResponse = onResponse
  }

  /**
   * Checks a response; does nothing for a path that no document describes.
   * @param isCentral whether the request was for the central host; other hosts only have the content API
   * @throws Error that describes the difference
   */
  check(request: ContractRequest, response: ContractResponse, isCentral: boolean): void {
    if (request.method === "OPTIONS") return
    const { pathname } = new URL(request.url)
    const method = request.method === "HEAD" ? "get" : request.method.toLowerCase()
    for (const api of this.#apis) {
      if (api.name !== "content" && !isCentral) continue
      const found = api.operations.find((one) => one.method === method && one.path.test(pathname))
      if (!found) continue
      this.#checkOperation(api, found.operation, request, response)
      return
    }
  }

  #checkOperation(
    api: CheckedApi,
    operation: Operation,
    request: ContractRequest,
    { status, headers, text }: ContractResponse,
  ): void {
    const label = `${api.name} ${operation.operationId} ${status}`
    const response = resolveResponse(api, operation.responses[status])
    if (!response) throw new Error(`${label} is not in the document: ${text.slice(0, 300)}`)
    checkHeaders(label, response, headers)
    const media = headers.get("Content-Type")?.split(";")[0] ?? ""
    const content = response.content?.[media] ?? response.content?.["*/*"]
    const isEmpty = text === "" && (!response.content || response["x-silent"])
    if (request.method === "HEAD" || isEmpty || (content && media !== "application/json")) {
      this.#onResponse(label)
      return
    }
    if (!content) {
      throw new Error(`${label} has no body of type ${media || "none"} in the document: ${text.slice(0, 300)}`)
    }
    const body = JSON.parse(text)
    const { valid, errors } = this.#getValidator(api, label, content.schema).validate(body)
    if (!valid) throw new Error(`${label} differs from the document:\n${formatErrors(errors)}\n${text.slice(0, 1000)}`)
    const code = status < 400 ? "" : findCode(api, label, content.examples ?? {}, body, request.headers)
    this.#onResponse(code ? `${label} ${code}` : label)
  }

  #getValidator(api: CheckedApi, label: string, schema: JsonSchema): Validator {
    const cached = this.#validators.get(label)
    if (cached) return cached
    const closed = closeObjects(schema)
    const $defs = pickDefinitions(api.definitions, closed)
    const validator = new Validator({ ...closed, $defs } as Schema, "2020-12", false)
    this.#validators.set(label, validator)
    return validator
  }
}

/** Returns the definitions that a schema refers to, directly or not. */
function pickDefinitions(definitions: Record<string, JsonSchema>, schema: JsonSchema): Record<string, JsonSchema> {
  const picked: Record<string, JsonSchema> = {}
  const visit = (text: string) => {
    for (const [, name = ""] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[name]
      if (!definition || name in picked) continue
      picked[name] = definition
      visit(JSON.stringify(definition))
    }
  }
  visit(JSON.stringify(schema))
  return picked
}

/** The definitions that stay open: apps can add kinds of usage that the document does not list. */
const listOpenDefinitions = ({ components: { schemas } }: Document): Record<string, JsonSchema> =>
  schemas.Usage ? { Usage: schemas.Usage } : {}

function prepareApi(name: string, document: Document): CheckedApi {
  const base = document.servers[0]?.url ?? ""
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path: toPattern(base + path), operation })),
  )
  // Like the router, prefer a path without parameters.
  operations.sort((a, b) => Number(a.path.source.includes("[^/]")) - Number(b.path.source.includes("[^/]")))
  const definitions = { ...closeObjects(document.components.schemas), ...listOpenDefinitions(document) }
  return { name, document, definitions, operations }
}

const toPattern = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`)

/**
 * Finds the code of an error. APIs whose errors have no code are matched by message.
 * @throws Error for a message of no documented code
 */
function findCode(
  api: CheckedApi,
  label: string,
  examples: Record<string, { value: unknown }>,
  body: { message?: string; errors?: object; error?: { code?: string } | boolean },
  headers: Headers,
): string {
  const code = typeof body.error === "object" ? body.error.code : undefined
  if (code !== undefined && !(code in examples)) throw new Error(`${label} has the undocumented code ${code}`)
  if (api.name === "platform" || code !== undefined) return code ?? ""
  if (body.errors && "validation_failed" in examples && Object.keys(body.errors).length) return "validation_failed"
  const normalize = (message = "") => message.replace(/[0-9A-HJKMNP-TV-Z]{26}|\d+/g, "#")
  const found = Object.entries(examples).find(
    ([, { value }]) => normalize((value as typeof body).message) === normalize(body.message),
  )
  if (found) return found[0]
  // A status with one code needs no message to identify it.
  const codes = Object.keys(examples).filter((code) => code !== "validation_failed")
  if (codes.length === 1 && codes[0]) return codes[0]
  // Not-found messages of the license manager name the resource, and other languages have other messages.
  if (api.name === "license" || headers.has("Accept-Language")) return ""
  throw new Error(`${label} has a message that belongs to no code of the operation: ${body.message}`)
}

/** Headers that belong to the API. All others belong to HTTP itself. */
const API_HEADERS =
  /^(x-(?!content-type-options|frame-options)|etag$|retry-after$|idempotent-|location$|content-disposition$|accept-ranges$)/

function checkHeaders(label: string, response: ResponseDoc, headers: Headers): void {
  const documented = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
  )
  for (const name of headers.keys()) {
    if (API_HEADERS.test(name) && !documented.has(name))
      throw new Error(`${label}: the header ${name} is not in the document`)
  }
  for (const name of ["x-request-id", "x-tenancy-api-version", "retry-after"]) {
    const isRequired = documented.has(name) && "$ref" in (documented.get(name) as object)
    if (isRequired && !headers.has(name)) throw new Error(`${label}: the header ${name} is missing`)
  }
}

function resolveResponse(api: CheckedApi, response: ResponseDoc | undefined): ResponseDoc | undefined {
  const name = response?.$ref?.split("/").at(-1)
  return name ? (api.document.components.responses as Record<string, ResponseDoc>)[name] : response
}

/** Copies a schema so that no object allows undocumented fields and references point to `$defs`. */
function closeObjects<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closeObjects) as T
  if (schema === null || typeof schema !== "object") return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === "example" ? value : closeObjects(value)]),
  )
  if (typeof copy.$ref === "string") copy.$ref = copy.$ref.replace("#/components/schemas/", "#/$defs/")
  const isObject = copy.properties && (copy.type === "object" || copy.type === undefined)
  if (isObject && !("type" in copy.properties && typeof copy.type !== "string")) copy.additionalProperties ??= false
  return copy as T
}

const formatErrors = (errors: OutputUnit[]): string =>
  errors
    .slice(-4)
    .map(({ instanceLocation, error }) => `  ${instanceLocation}: ${error}`)
    .join("\n")
