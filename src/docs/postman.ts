// Builds a Postman collection (format 2.1) from an OpenAPI document: one folder per tag, and a request with example
// values per operation. Postman's own import cannot give every write a different idempotency key.
import type { DocumentName } from "./openapi"

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
}

interface Property {
  description?: string
  contentMediaType?: string
  default?: unknown
}

interface MediaType {
  schema: { $ref?: string }
  example?: unknown
}

interface SourceOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, MediaType> }
}

interface Source {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, SourceOperation>>
  components: {
    parameters: Record<string, Parameter>
    schemas: Record<string, { properties?: Record<string, Property>; required?: string[] }>
  }
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

const bearer = (variable: string) => ({
  type: "bearer",
  bearer: [{ key: "token", value: `{{${variable}}}`, type: "string" }],
})

const header = (variable: string) => ({
  type: "apikey",
  apikey: [
    { key: "key", value: "X-API-KEY", type: "string" },
    { key: "value", value: `{{${variable}}}`, type: "string" },
  ],
})

/** The credentials of an API by security scheme, each in a variable of the collection. The first is the default. */
const CREDENTIALS: Record<DocumentName, Record<string, { variable: string; auth: object }>> = {
  platform: { bearer: { variable: "apiKey", auth: bearer("apiKey") } },
  content: {
    user: { variable: "userToken", auth: bearer("userToken") },
    siteKey: { variable: "siteKey", auth: header("siteKey") },
  },
  license: {
    clientKey: { variable: "externalKey", auth: header("externalKey") },
    vendorKey: { variable: "internalKey", auth: header("internalKey") },
  },
}

/** Optional headers that a request sends all the same: without it, an installation has no URL. */
const SENT_HEADERS = ["X-API-URL"]

/**
 * Builds the collection of a document.
 * @param text the OpenAPI document, with the server of the platform
 */
export function buildPostmanCollection(name: DocumentName, text: string): string {
  const source = JSON.parse(text) as Source
  const { info, servers, tags, paths } = source
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const credentials = Object.values(CREDENTIALS[name])
  const folders = tags.map((tag) => ({
    name: tag.name,
    description: tag.description,
    item: operations
      .filter(({ operation }) => operation.tags[0] === tag.name)
      .map(({ path, method, operation }) => ({
        name: operation.summary,
        request: buildRequest(source, name, path, method, operation),
        response: [],
      })),
  }))
  return JSON.stringify({
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: credentials[0]?.auth,
    variable: [
      { key: "baseUrl", value: servers[0]?.url ?? "", type: "string" },
      ...credentials.map(({ variable }) => ({ key: variable, value: "", type: "string" })),
    ],
    item: folders,
  })
}

function buildRequest(source: Source, name: DocumentName, path: string, method: string, operation: SourceOperation) {
  const { requestBody, security, description } = operation
  const parameters = operation.parameters.flatMap((parameter) =>
    "$ref" in parameter ? (source.components.parameters[componentName(parameter.$ref)] ?? []) : parameter,
  )
  const segments = path
    .slice(1)
    .replace(/\{(\w+)\}/g, ":$1")
    .split("/")
  const query = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name: key, example, required, description: about }) => ({
      key,
      value: toText(example),
      description: about,
      disabled: required !== true,
    }))
  const media = requestBody?.content["application/json"]
  return {
    method,
    description,
    ...buildAuth(name, security),
    header: [
      { key: "Accept", value: "application/json" },
      ...(media ? [{ key: "Content-Type", value: "application/json" }] : []),
      ...parameters.filter((parameter) => parameter.in === "header").map(buildHeader),
    ],
    url: {
      raw: `{{baseUrl}}/${segments.join("/")}`,
      host: ["{{baseUrl}}"],
      path: segments,
      query,
      variable: parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name: key, example: value, description: about }) => ({
          key,
          value: toText(value),
          description: about,
        })),
    },
    ...(requestBody && { body: media ? buildJson(media) : buildForm(source, requestBody.content) }),
  }
}

/** Returns the first credential that an operation accepts, unless it is the collection's; `noauth` if it needs none. */
function buildAuth(name: DocumentName, security: Record<string, string[]>[]): { auth?: object } {
  const [scheme = ""] = Object.keys(security[0] ?? {})
  const isDefault = scheme === Object.keys(CREDENTIALS[name])[0]
  return isDefault ? {} : { auth: CREDENTIALS[name][scheme]?.auth ?? { type: "noauth" } }
}

function buildHeader({ name: key, description, example }: Parameter) {
  // A random value per request: requests with the same key get the first response.
  if (key === "Idempotency-Key") return { key, value: "{{$guid}}", description }
  return { key, value: toText(example), description, disabled: !SENT_HEADERS.includes(key) }
}

const buildJson = ({ example }: MediaType) => ({
  mode: "raw",
  raw: JSON.stringify(example ?? {}, null, 2),
  options: { raw: { language: "json" } },
})

function buildForm({ components }: Source, content: Record<string, MediaType>) {
  const ref = content["multipart/form-data"]?.schema.$ref ?? ""
  const { properties = {}, required = [] } = components.schemas[componentName(ref)] ?? {}
  return {
    mode: "formdata",
    formdata: Object.entries(properties).map(([key, { description, contentMediaType, default: initial }]) => ({
      key,
      description,
      disabled: !required.includes(key),
      ...(contentMediaType === undefined ? { type: "text", value: toText(initial) } : { type: "file", src: null }),
    })),
  }
}

const componentName = (ref: string): string => ref.split("/").at(-1) ?? ""

const toText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value ?? ""))
