// Builds a Postman collection (format 2.1) from an OpenAPI document: one folder per tag, and a request with example
// values per operation. Postman's own import cannot give every write an idempotency key of its own.
import type { DocumentName } from "./openapi"

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
}

interface SourceOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

interface Source {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, SourceOperation>>
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

/** Which variable a request sends as its credential. */
const AUTH: Record<DocumentName, object> = {
  platform: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
  content: { type: "bearer", bearer: [{ key: "token", value: "{{userToken}}", type: "string" }] },
  license: {
    type: "apikey",
    apikey: [
      { key: "key", value: "X-API-KEY", type: "string" },
      { key: "value", value: "{{apiKey}}", type: "string" },
    ],
  },
}

/**
 * Builds the collection of a document.
 * @param text the OpenAPI document, with the server of the platform
 */
export function buildPostmanCollection(name: DocumentName, text: string): string {
  const { info, servers, tags, paths } = JSON.parse(text) as Source
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const folders = tags.map((tag) => ({
    name: tag.name,
    description: tag.description,
    item: operations
      .filter(({ operation }) => operation.tags[0] === tag.name)
      .map(({ path, method, operation }) => ({
        name: operation.summary,
        request: buildRequest(name, path, method, operation),
        response: [],
      })),
  }))
  return JSON.stringify({
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: AUTH[name],
    variable: [
      { key: "baseUrl", value: servers[0]?.url ?? "", type: "string" },
      { key: name === "content" ? "userToken" : "apiKey", value: "", type: "string" },
    ],
    item: folders,
  })
}

function buildRequest(name: DocumentName, path: string, method: string, operation: SourceOperation) {
  const { parameters, requestBody, security, description } = operation
  const ofPath = parameters.filter((parameter) => parameter.in === "path")
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
  const example = requestBody?.content["application/json"]?.example
  const isPublic = security.length > 0 && Object.keys(security[0] ?? {}).length === 0
  return {
    method,
    description,
    ...(isPublic && { auth: { type: "noauth" } }),
    header: [
      { key: "Accept", value: "application/json" },
      ...(example === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
      // A random value per request: requests with the same key get the first response.
      ...(name === "platform" && method !== "GET" ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
    ],
    url: {
      raw: `{{baseUrl}}/${segments.join("/")}`,
      host: ["{{baseUrl}}"],
      path: segments,
      query,
      variable: ofPath.map(({ name: key, example: value, description: about }) => ({
        key,
        value: toText(value),
        description: about,
      })),
    },
    ...(example !== undefined && {
      body: { mode: "raw", raw: JSON.stringify(example, null, 2), options: { raw: { language: "json" } } },
    }),
  }
}

const toText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value ?? ""))
