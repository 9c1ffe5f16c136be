// An OpenAPI 3.1 document, made of a surface's routes.
import type * as z from "zod"
import type { RouteInfo } from "../../src/core/http/route.ts"
import { API_VERSION } from "../../src/core/write/events.ts"
import type { Api, RefusalDoc } from "./api.ts"
import { exampleOf } from "./examples.ts"
import { AFTER_MOVE, HEADERS, REQUEST_HEADERS } from "./headers.ts"
import { Components, type JsonSchema } from "./json-schema.ts"
import { FIELDS, PARAMETERS } from "./strings/fields.ts"

/** A document, as far as this code looks into it. */
export interface Document {
  openapi: string
  info: { title: string; version: string; description: string }
  servers: { url: string; description?: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, JsonSchema>; [section: string]: unknown }
  [section: string]: unknown
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, MediaType>; [key: string]: unknown }
  responses: Record<string, ResponseDoc>
  security: Record<string, string[]>[]
  deprecated?: boolean
  [key: string]: unknown
}

export interface Parameter {
  name?: string
  in?: string
  required?: boolean
  schema?: JsonSchema
  example?: unknown
  $ref?: string
  [key: string]: unknown
}

export interface MediaType {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface ResponseDoc {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, MediaType>
  [key: string]: unknown
}

const STATUS_WORDS: Record<number, string> = {
  200: "Done.",
  201: "Made.",
  202: "Taken on; the work follows.",
  204: "Done; there is nothing to say.",
  206: "The part that was asked for.",
  304: "What the client has is still good.",
  400: "The request cannot be read.",
  401: "Who asks is not known.",
  403: "Who asks may not.",
  404: "It is not there.",
  409: "The platform's rules refuse it.",
  413: "The body is too large.",
  415: "The body is of another media type.",
  416: "The range is not in the file.",
  422: "A field is wrong.",
  429: "The budget of this minute is used up.",
  500: "Something failed that should not.",
  503: "It is switched off, or not open.",
}

/**
 * The document of a surface. Its `servers` say what the paths are relative to, and nothing about a host.
 * @param components takes up the schemas, beside those that are in it
 */
export function documentOf(api: Api, components = new Components()): Document {
  const paths: Document["paths"] = {}
  for (const route of api.routes) {
    const path = route.path.slice(api.base.length).replace(/:(\w+)/g, "{$1}")
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(api, route, components)
  }
  describeFields(components.schemas)
  const responses = shareResponses(paths)
  const spoken = JSON.stringify([paths, responses])
  const used = new Set(api.routes.map((route) => tagOf(route)))
  for (const tag of used) if (!(tag in api.tags)) throw new Error(`The tag ${tag} of ${api.name} has no words`)
  return {
    openapi: "3.1.0",
    info: {
      title: api.title,
      version: API_VERSION,
      description: api.description,
      license: { name: "MIT", identifier: "MIT" },
    } as Document["info"],
    servers: [{ url: api.base }],
    tags: Object.entries(api.tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    ...(api.codes && { "x-codes": api.codes }),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => a.localeCompare(b))),
      securitySchemes: api.securitySchemes,
      parameters: onlyUsed(REQUEST_HEADERS, "parameters", spoken),
      headers: onlyUsed(HEADERS, "headers", spoken),
      responses,
    },
  }
}

/** The components of a section that the document refers to. */
const onlyUsed = (components: Record<string, object>, section: string, text: string): Record<string, object> =>
  Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(`#/components/${section}/${name}"`)))

const tagOf = (route: RouteInfo): string => route.id.split(".")[0] ?? ""

function operationOf(api: Api, route: RouteInfo, components: Components): Operation {
  const parameters = [...pathParameters(route), ...queryParameters(route, components)]
  const headers = api.requestHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` }))
  const requestBody = bodyOf(route, components)
  return {
    operationId: route.id,
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    security: api.security(route),
    parameters: [...parameters, ...headers],
    ...(requestBody && { requestBody }),
    responses: responsesOf(api, route, components),
  }
}

function pathParameters(route: RouteInfo): Parameter[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([segment = "", name = ""]) => {
    const noun = route.path.split(segment)[0]?.split("/").at(-2) ?? ""
    const known = PARAMETERS[`${noun} ${segment}`] ?? PARAMETERS[segment]
    if (!known) throw new Error(`${route.id}: no words for ${segment}`)
    const { description, integer, example } = known
    return { name, in: "path", required: true, description, schema: { type: integer ? "integer" : "string" }, example }
  })
}

function queryParameters(route: RouteInfo, components: Components): Parameter[] {
  if (!route.input.query) return []
  const { properties = {}, required = [] } = components.of(route.input.query, "input")
  return Object.entries(properties).map(([name, described]) => {
    const { description: own, ...schema } = described
    const description = FIELDS[`${route.id}.${name}`] ?? own ?? FIELDS[name]
    const isRequired = required.includes(name)
    return {
      name,
      in: "query",
      ...(isRequired && { required: true }),
      ...(description && { description }),
      // A list is one value with commas.
      ...(schema.type === "array" && { style: "form", explode: false }),
      schema,
    }
  })
}

function bodyOf(route: RouteInfo, components: Components): Operation["requestBody"] | undefined {
  const schema = (route.input.json ?? route.fields) as z.ZodType | undefined
  if (!schema && !route.files) return undefined
  const json = schema ? described(components.of(schema, "input"), route.id) : { type: "object", properties: {} }
  const example = exampleOf(json, resolver(components), route.id)
  const content: Record<string, MediaType> = {}
  const needsFile = Object.values(route.files ?? {}).some(Boolean)
  if (schema && !needsFile) content["application/json"] = { schema: json, example }
  if (route.fields && !route.files) content["application/x-www-form-urlencoded"] = { schema: json }
  if (route.files) content["multipart/form-data"] = { schema: withFiles(json, route.files) }
  const required = (json.required ?? []).length > 0 || needsFile
  return { ...(required && { required: true }), content }
}

function withFiles(json: JsonSchema, files: Record<string, boolean>): JsonSchema {
  const binary = Object.fromEntries(
    Object.keys(files).map((name) => [
      name,
      { type: "string", contentMediaType: "application/octet-stream", description: "A file." },
    ]),
  )
  const needed = Object.keys(files).filter((name) => files[name])
  const required = [...(json.required ?? []), ...needed]
  return { ...json, properties: { ...json.properties, ...binary }, ...(required.length && { required }) }
}

function responsesOf(api: Api, route: RouteInfo, components: Components): Operation["responses"] {
  const headers = Object.fromEntries(
    api.responseHeaders(route).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
  const responses: Operation["responses"] = {}
  for (const answer of route.responses) {
    const content = answer.body
      ? jsonContent(components, answer.body, route.id)
      : answer.file && { [answer.file]: { schema: { type: "string", contentMediaType: answer.file } } }
    const fileHeaders = answer.file ? FILE_HEADERS : {}
    responses[answer.status] = {
      description: STATUS_WORDS[answer.status] ?? "Done.",
      headers: { ...headers, ...fileHeaders },
      ...(content && { content }),
    }
  }
  if (route.traits.etag) responses[304] = { description: STATUS_WORDS[304] ?? "", headers }
  const refusals = Map.groupBy(api.refusals(route), ({ status }) => status)
  for (const [status, docs] of [...refusals].sort(([a], [b]) => a - b)) {
    responses[status] = refusalResponse(api, status, docs, headers)
  }
  for (const status of route.silent ?? []) {
    const known = responses[status]
    responses[status] = known
      ? { ...known, description: `${known.description} May come without a body.`, "x-silent": true }
      : { description: `${STATUS_WORDS[status]} Comes without a body.`, headers }
  }
  return responses
}

/** Names of refusals that many operations share. */
const STATUS_NAMES: Record<number, string> = {
  304: "NotModified",
  400: "Unreadable",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "TooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "RateLimited",
  500: "ServerError",
  503: "Unavailable",
}

/** Moves responses that several operations have, word for word, into the components, and leaves references behind. */
function shareResponses(paths: Document["paths"]): Record<string, ResponseDoc> {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, response]) => ({ responses, status, text: JSON.stringify(response) })),
  )
  const shared: Record<string, ResponseDoc> = {}
  for (const [text, uses] of Map.groupBy(all, (use) => use.text)) {
    const name = STATUS_NAMES[Number(uses[0]?.status)]
    if (uses.length < 2 || !name) continue
    const taken = Object.keys(shared).filter((other) => other.replace(/\d+$/, "") === name).length
    const unique = taken ? `${name}${taken + 1}` : name
    shared[unique] = JSON.parse(text) as ResponseDoc
    for (const { responses, status } of uses) responses[status] = { $ref: `#/components/responses/${unique}` }
  }
  return shared
}

const FILE_HEADERS = Object.fromEntries(
  ["Content-Disposition", "ETag", "Accept-Ranges", "Cache-Control", "X-Content-Type-Options"].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
)

function jsonContent(components: Components, body: z.ZodType, owner: string): Record<string, MediaType> {
  const schema = components.of(body, "output")
  return {
    "application/json": { schema: described(schema, owner), example: exampleOf(schema, resolver(components), owner) },
  }
}

function refusalResponse(api: Api, status: number, docs: RefusalDoc[], headers: Record<string, unknown>): ResponseDoc {
  return {
    description: STATUS_WORDS[status] ?? "Refused.",
    headers: { ...headers, ...headersOf(status, docs) },
    content: {
      "application/json": {
        schema: refusalSchema(api, docs),
        examples: Object.fromEntries(docs.map(({ code, body }) => [code, { value: body }])),
      },
    },
  }
}

/** Headers that refusals of a status have beside those of every answer. */
function headersOf(status: number, docs: RefusalDoc[]): Record<string, unknown> {
  if (status === 429) {
    const names = ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
    return Object.fromEntries(names.map((name) => [name, ref(name)]))
  }
  return status === 503 && docs.some(({ code }) => code === "store_unavailable") ? { "Retry-After": AFTER_MOVE } : {}
}

const ref = (name: string) => ({ $ref: `#/components/headers/${name}` })

const FIELD_ERRORS: JsonSchema = {
  type: "object",
  description: "Field name to what is wrong with it.",
  additionalProperties: { type: "array", items: { type: "string" } },
}

/** The schema of the bodies of refusals with one status: made of their examples, which show every form there is. */
function refusalSchema(api: Api, docs: RefusalDoc[]): JsonSchema {
  if (api.showsCodes) {
    const withFields = docs.some(({ body }) => "errors" in (body as object))
    const errors: Record<string, JsonSchema> = withFields ? { errors: FIELD_ERRORS } : {}
    return {
      type: "object",
      required: ["error"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message"],
          properties: {
            code: { type: "string", enum: docs.map(({ code }) => code) },
            message: { type: "string" },
            ...errors,
          },
        },
        ...errors,
      },
    }
  }
  const forms = new Map(
    docs.map(({ body }) => [Object.keys(body as object).join(), formOf(body as Record<string, unknown>, api.optional)]),
  )
  const [first = {}, ...rest] = forms.values()
  return rest.length ? { anyOf: [first, ...rest] } : first
}

function formOf(body: Record<string, unknown>, optional: string[] = []): JsonSchema {
  const properties = Object.entries(body).map(([name, value]): [string, JsonSchema] => {
    if (name === "errors") return [name, FIELD_ERRORS]
    if (value === null) return [name, { type: "null" }]
    return [name, name === "message" ? { type: "string" } : { const: value }]
  })
  return {
    type: "object",
    required: Object.keys(body).filter((name) => !optional.includes(name)),
    properties: Object.fromEntries(properties),
  }
}

/** Follows references into the components. */
const resolver = (components: Components) => (schema: JsonSchema) =>
  components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? {}

function describeFields(schemas: Record<string, JsonSchema>): void {
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = described(schema, name)
}

/** A schema whose fields say what they mean. */
function described(schema: JsonSchema, owner: string): JsonSchema {
  const copy = { ...schema }
  if (copy.items) copy.items = described(copy.items, owner)
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([field, inner]) => {
        const words = inner.description ?? FIELDS[`${owner}.${field}`] ?? FIELDS[field]
        return [field, { ...described(inner, owner), ...(words && { description: words }) }]
      }),
    )
  }
  return copy
}
