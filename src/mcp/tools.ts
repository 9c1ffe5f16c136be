// The operations of the control plane as tools, built from its OpenAPI document.
import { loadDocument } from "../docs/openapi"
import type { Bindings } from "../env"
import { isolateState } from "../lib/isolate-state"
import { findMissingScope } from "../platform/keys/scopes"

type Schema = Record<string, unknown>

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Operation {
  operationId: string
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { content: { "application/json": { schema: Schema } } }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A tool, and the request that it makes. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: { type: "object"; properties: Record<string, Schema>; required: string[]; additionalProperties: false }
  method: string
  /** Below the base of the API, with variables in braces. */
  path: string
  query: string[]
  body: string[]
}

/** An argument of every tool that changes something. */
const IDEMPOTENCY_KEY = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  description: "Calls with the same key within a day take effect once. Send the same one when you repeat a call.",
}

const tools = isolateState((): Tool[] | null => null)

/** Returns all tools; they are built once per isolate, on the first use. */
export async function loadTools(env: Bindings): Promise<Tool[]> {
  tools.current ??= buildTools(JSON.parse(await loadDocument(env, "platform")) as Document)
  return tools.current
}

/** The scopes of a key. */
export type Scopes = Parameters<typeof findMissingScope>[0]["scopes"]

/** Returns the tools that a key's scopes allow. */
export const listAllowedTools = (all: readonly Tool[], scopes: Scopes): Tool[] =>
  all.filter(({ method, path }) => findMissingScope({ scopes }, method, path) === null)

/** Describes a tool for clients. */
export const toToolResource = ({ name, title, description, inputSchema, method }: Tool) => ({
  name,
  title,
  description,
  inputSchema,
  annotations: {
    title,
    readOnlyHint: method === "GET",
    destructiveHint: method === "DELETE" || /_(cancel|suspend|revoke|disable|rotate_secret)$/.test(name),
    // Without an idempotency key, a repeated write can take effect again.
    idempotentHint: method === "GET" || method === "DELETE",
    openWorldHint: false,
  },
})

function buildTools(document: Document): Tool[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => buildTool(document, path, method.toUpperCase(), operation)),
  )
}

function buildTool(document: Document, path: string, method: string, operation: Operation): Tool {
  const parameters = operation.parameters.filter(({ $ref }) => $ref === undefined)
  const body = inline(document, operation.requestBody?.content["application/json"].schema ?? {})
  const fields = (body.properties ?? {}) as Record<string, Schema>
  const isWrite = method !== "GET"
  const properties: [string, Schema][] = [
    ...parameters.map(({ name, description, schema }): [string, Schema] => [
      name,
      { ...inline(document, schema), description },
    ]),
    ...Object.entries(fields),
    ...(isWrite ? [["idempotency_key", IDEMPOTENCY_KEY] as [string, Schema]] : []),
  ]
  return {
    name: operation.operationId.replace(".", "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    title: operation.summary,
    description: operation.description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: [
        ...parameters.filter(({ required }) => required).map(({ name }) => name),
        ...((body.required ?? []) as string[]),
      ],
      additionalProperties: false,
    },
    method,
    path,
    query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    body: Object.keys(fields),
  }
}

/** Replaces references by their schemas, because a tool's schema is self-contained. */
function inline<Value>(document: Document, value: Value): Value {
  if (Array.isArray(value)) return value.map((one) => inline(document, one)) as Value
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...rest } = value as { $ref?: string }
  const target = $ref === undefined ? undefined : document.components.schemas[$ref.split("/").at(-1) ?? ""]
  return Object.fromEntries(
    Object.entries({ ...target, ...rest }).map(([key, one]) => [key, inline(document, one)]),
  ) as Value
}
