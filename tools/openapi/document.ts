// Builds an OpenAPI 3.1 document from the routes of a surface.
import type * as z from "zod"
import type { RouteInfo } from "../../src/core/http/route.ts"
import { API_VERSION } from "../../src/core/write/events.ts"
import type { Api, RefusalDoc } from "./api.ts"
import { nameErrorBody, nameRequest, nameResponse, pascalCase } from "./component-names.ts"
import { buildExample } from "./examples.ts"
import { HEADERS, REQUEST_HEADERS, UNAVAILABLE_RETRY_AFTER } from "./headers.ts"
import { Components, FIELD_DOC, type JsonSchema, refName } from "./json-schema.ts"
import { PATH_PARAMETERS, type PathParameter } from "./strings/parameters.ts"
import { STATUS_DESCRIPTIONS, STATUS_NAMES } from "./strings/statuses.ts"

/** The parts of an OpenAPI document that are used here. */
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
  description?: string
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

/**
 * Builds the document of a surface. Its server is a path; the platform adds the host when it serves the document.
 * @param components collects the schemas, in addition to those that it contains
 * @throws Error for a route without a description, and for a description, tag or parameter without a route or text
 */
export function buildDocument(api: Api, components = new Components()): Document {
  assertDescribed(api)
  const paths: Document["paths"] = {}
  for (const route of api.routes) {
    const path = route.path.slice(api.base.length).replace(/:(\w+)/g, "{$1}")
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = buildOperation(api, route, components)
  }
  nameErrorBodies(paths, components)
  const responses = shareResponses(paths)
  const text = JSON.stringify([paths, responses])
  const usedTags = new Set(api.routes.map((route) => tagOf(route)))
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
      .filter(([name]) => usedTags.has(name))
      .map(([name, description]) => ({
        name,
        description,
        // Samples of these operations need the host of a store.
        ...(api.storeTags?.includes(name) && { "x-stores-only": true }),
      })),
    ...(api.codes && { "x-codes": api.codes }),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => a.localeCompare(b))),
      securitySchemes: api.securitySchemes,
      parameters: pickUsed(REQUEST_HEADERS, "parameters", text),
      headers: pickUsed(HEADERS, "headers", text),
      responses,
    },
  }
}

/** @throws Error for an operation or tag without a description, and for a description without an operation */
function assertDescribed(api: Api): void {
  const ids = new Set(api.routes.map(({ id }) => id as string))
  for (const id of ids) if (!api.descriptions[id]) throw new Error(`The operation ${id} has no description`)
  for (const id of Object.keys(api.descriptions)) {
    if (!ids.has(id)) throw new Error(`The description of ${id} has no operation`)
  }
  for (const route of api.routes) {
    if (!(tagOf(route) in api.tags)) throw new Error(`The tag ${tagOf(route)} of ${api.name} has no description`)
  }
}

/** Returns the components of a section that the document refers to. */
const pickUsed = (components: Record<string, object>, section: string, text: string): Record<string, object> =>
  Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(`#/components/${section}/${name}"`)))

const tagOf = (route: RouteInfo): string => route.id.split(".")[0] ?? ""

function buildOperation(api: Api, route: RouteInfo, components: Components): Operation {
  const parameters = [...buildPathParameters(api, route), ...buildQueryParameters(route, components)]
  const headers = api.requestHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` }))
  const requestBody = buildRequestBody(route, components)
  return {
    operationId: route.id,
    tags: [tagOf(route)],
    summary: route.summary,
    description: api.descriptions[route.id],
    ...(route.deprecated && { deprecated: true }),
    security: api.security(route),
    parameters: [...parameters, ...headers],
    ...(requestBody && { requestBody }),
    responses: buildResponses(api, route, components),
  }
}

function buildPathParameters(api: Api, route: RouteInfo): Parameter[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([segment = "", name = ""]) => {
    const noun = route.path.split(segment)[0]?.split("/").at(-2) ?? ""
    const parameters: Record<string, PathParameter> = { ...PATH_PARAMETERS, ...api.parameters }
    const doc = parameters[`${noun} ${segment}`] ?? parameters[segment]
    if (!doc) throw new Error(`${route.id}: the path parameter ${segment} has no description`)
    const { description, integer, example } = doc
    return { name, in: "path", required: true, description, schema: { type: integer ? "integer" : "string" }, example }
  })
}

function buildQueryParameters(route: RouteInfo, components: Components): Parameter[] {
  if (!route.input.query) return []
  const { properties = {}, required = [] } = components.convert(route.input.query, "input", route.id)
  return Object.entries(properties).map(([name, { description, [FIELD_DOC]: doc, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    ...(description && { description }),
    // A list is one comma-separated value.
    ...(schema.type === "array" && { style: "form", explode: false }),
    schema,
    example: buildExample({ ...schema, [FIELD_DOC]: doc }, resolverOf(components), route.id, name),
  }))
}

function buildRequestBody(route: RouteInfo, components: Components): Operation["requestBody"] | undefined {
  const schema = (route.input.json ?? route.fields) as z.ZodType | undefined
  if (!schema && !route.files) return undefined
  const json = schema ? components.convert(schema, "input", route.id) : { type: "object", properties: {} }
  const needsFile = Object.values(route.files ?? {}).some(Boolean)
  const content: Record<string, MediaType> = {}
  if (schema && !needsFile) {
    const named = nameRequest(components, route.id, json)
    content["application/json"] = { schema: named, example: buildExample(json, resolverOf(components), route.id) }
    if (route.fields && !route.files) content["application/x-www-form-urlencoded"] = { schema: named }
  }
  if (route.files) {
    const form = components.name(`${pascalCase(route.id)}Form`, addFiles(json, route.files))
    content["multipart/form-data"] = { schema: form }
  }
  const required = (json.required ?? []).length > 0 || needsFile
  return { ...(required && { required: true }), content }
}

function addFiles(json: JsonSchema, files: Record<string, boolean>): JsonSchema {
  const binary = Object.fromEntries(
    Object.keys(files).map((name) => [
      name,
      { type: "string", contentMediaType: "application/octet-stream", description: "The file's content." },
    ]),
  )
  const requiredFiles = Object.keys(files).filter((name) => files[name])
  const required = [...(json.required ?? []), ...requiredFiles]
  return { ...json, properties: { ...json.properties, ...binary }, ...(required.length && { required }) }
}

function buildResponses(api: Api, route: RouteInfo, components: Components): Operation["responses"] {
  const headers = Object.fromEntries(api.responseHeaders(route).map((name) => [name, refHeader(name)]))
  const responses: Operation["responses"] = {}
  for (const response of route.responses) {
    const content = response.body
      ? buildJsonContent(components, response.body, route.id)
      : response.file && { [response.file]: { schema: { type: "string", contentMediaType: response.file } } }
    const fileHeaders = response.file ? FILE_HEADERS : {}
    responses[response.status] = {
      description: describeStatus(response.status),
      headers: { ...headers, ...fileHeaders },
      ...(content && { content }),
    }
  }
  if (route.traits.etag) responses[304] = { description: describeStatus(304), headers }
  const refusals = Map.groupBy(api.refusals(route), ({ status }) => status)
  for (const [status, docs] of [...refusals].sort(([a], [b]) => a - b)) {
    responses[status] = buildRefusal(api, components, status, docs, headers)
  }
  for (const status of route.silent ?? []) {
    const known = responses[status]
    responses[status] = known
      ? { ...known, description: `${known.description}. The body may be empty`, "x-silent": true }
      : { description: `${describeStatus(status)}. The body is empty`, headers }
  }
  return responses
}

function describeStatus(status: number): string {
  const description = STATUS_DESCRIPTIONS[status]
  if (!description) throw new Error(`The status ${status} has no description`)
  return description
}

/**
 * Names the error bodies that differ by their codes. The most common body of a status is named after the status, a body
 * with one code after the code, and any other after its operation.
 */
function nameErrorBodies(paths: Document["paths"], components: Components): void {
  const uses = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const media = content?.["application/json"]
        return (media?.schema.properties || media?.schema.anyOf) && Number(status) >= 400
          ? [{ operationId, status: Number(status), media }]
          : []
      }),
    )
  for (const [status, ofStatus] of Map.groupBy(uses, (use) => use.status)) {
    const groups = [...Map.groupBy(ofStatus, ({ media }) => JSON.stringify(media.schema)).values()]
    const common = groups.reduce((largest, group) => (group.length > largest.length ? group : largest))
    for (const group of groups) {
      const [{ operationId, media } = { operationId: "", media: { schema: {} } as MediaType }] = group
      const name = nameErrorBody(operationId, status, Object.keys(media.examples ?? {}), group === common)
      // A body with several forms is named in the plural, after the components of its forms.
      const schema = components.name(media.schema.anyOf ? `${name}s` : name, media.schema)
      for (const use of group) use.media.schema = schema
    }
  }
}

/** Moves responses that are equal in several operations to the components and replaces them by references. */
function shareResponses(paths: Document["paths"]): Record<string, ResponseDoc> {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, response]) => ({ responses, status, text: JSON.stringify(response) })),
  )
  const shared: Record<string, ResponseDoc> = {}
  for (const [text, uses] of Map.groupBy(all, (use) => use.text)) {
    const name = STATUS_NAMES[Number(uses[0]?.status)]
    if (uses.length < 2 || !name) continue
    const count = Object.keys(shared).filter((other) => other.replace(/\d+$/, "") === name).length
    const unique = count ? `${name}${count + 1}` : name
    shared[unique] = JSON.parse(text) as ResponseDoc
    for (const { responses, status } of uses) responses[status] = { $ref: `#/components/responses/${unique}` }
  }
  return shared
}

const refHeader = (name: string) => ({ $ref: `#/components/headers/${name}` })

const FILE_HEADERS = Object.fromEntries(
  ["Content-Disposition", "ETag", "Accept-Ranges", "Cache-Control", "X-Content-Type-Options"].map((name) => [
    name,
    refHeader(name),
  ]),
)

function buildJsonContent(components: Components, body: z.ZodType, operationId: string): Record<string, MediaType> {
  const schema = components.convert(body, "output", operationId)
  const example = buildExample(schema, resolverOf(components), operationId)
  return { "application/json": { schema: nameResponse(components, operationId, schema), example } }
}

function buildRefusal(
  api: Api,
  components: Components,
  status: number,
  docs: RefusalDoc[],
  headers: Record<string, unknown>,
): ResponseDoc {
  return {
    description: describeStatus(status),
    headers: { ...headers, ...listRefusalHeaders(status) },
    content: {
      "application/json": {
        schema:
          api.hasErrorCodes || docs.every(hasCode)
            ? buildCodedError(components, docs)
            : buildErrorForms(api, components, docs),
        examples: Object.fromEntries(docs.map(({ code, body }) => [code, { value: body }])),
      },
    },
  }
}

/** Lists the headers of a refusal in addition to those of every response. */
function listRefusalHeaders(status: number): Record<string, unknown> {
  if (status === 429) {
    const names = ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
    return Object.fromEntries(names.map((name) => [name, refHeader(name)]))
  }
  return status === 503 ? { "Retry-After": UNAVAILABLE_RETRY_AFTER } : {}
}

function refFieldErrors({ schemas }: Components): JsonSchema {
  schemas.FieldErrors ??= {
    type: "object",
    description: "Error messages by field name.",
    additionalProperties: { type: "array", items: { type: "string" } },
  }
  return { $ref: "#/components/schemas/FieldErrors" }
}

/** Whether a body is `{error: {code, message}}`, which some paths of the content API have. */
const hasCode = ({ body }: RefusalDoc): boolean => typeof (body as { error?: unknown }).error === "object"

/** Builds the schema of `{error: {code, message}}`, whose code is one of those in the docs. */
function buildCodedError(components: Components, docs: RefusalDoc[]): JsonSchema {
  const hasFields = docs.some(({ body }) => "errors" in (body as object))
  const errors: Record<string, JsonSchema> = hasFields ? { errors: refFieldErrors(components) } : {}
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

/** Builds the schema of error bodies without codes: one component for each form among the examples. */
function buildErrorForms(api: Api, components: Components, docs: RefusalDoc[]): JsonSchema {
  const bodies = new Map(docs.map(({ body }) => [Object.keys(body as object).join(), body as Record<string, unknown>]))
  const forms = [...bodies].map(([keys, body]) => {
    const name = ERROR_FORM_NAMES[keys]
    if (!name) throw new Error(`The error form ${keys} has no name`)
    return components.name(name, buildErrorForm(components, body, api.optional))
  })
  const [first = {}, ...rest] = forms
  return rest.length ? { anyOf: [first, ...rest] } : first
}

/** Component names of error bodies by their keys. */
const ERROR_FORM_NAMES: Record<string, string> = {
  "error,data,message": "Error",
  "error,data,message,code": "PreconditionError",
  "message,error": "UnauthorizedError",
  "message,errors": "ValidationError",
  "status,message": "Error",
  "status,message,errors": "ValidationError",
}

function buildErrorForm(
  components: Components,
  body: Record<string, unknown>,
  optional: readonly string[] = [],
): JsonSchema {
  const properties = Object.entries(body).map(([name, value]): [string, JsonSchema] => {
    if (name === "errors") return [name, refFieldErrors(components)]
    if (value === null) return [name, { type: "null" }]
    return [name, name === "message" ? { type: "string" } : { const: value }]
  })
  return {
    type: "object",
    required: Object.keys(body).filter((name) => !optional.includes(name)),
    properties: Object.fromEntries(properties),
  }
}

const resolverOf = (components: Components) => (schema: JsonSchema) => components.schemas[refName(schema)] ?? {}
