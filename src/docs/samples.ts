// Builds the code samples of an operation: a curl command and a TypeScript client call.
import type { Field, Operation, Reference } from "./reference"

/**
 * Builds a curl command that works as pasted once the credential's variable is set.
 * @param origin scheme and host of the platform
 */
export function buildCurlSample(reference: Reference, operation: Operation, origin: string): string {
  const { name } = reference
  const { method, body } = operation
  const methodOption = method === "GET" ? "" : `-X ${method} `
  const lines = [`curl ${methodOption}${quoteShell(buildExampleUrl(reference, operation, origin))}`]
  const credential = buildCredentialOption(name, operation)
  if (credential) lines.push(credential)
  // Optional, but a license is activated and verified for this URL.
  const installation = operation.parameters.find((parameter) => parameter.name === "X-API-URL")
  if (installation) lines.push(`-H 'X-API-URL: ${installation.example}'`)
  if (operation.parameters.some((parameter) => parameter.name === "Idempotency-Key"))
    lines.push('-H "Idempotency-Key: $(date +%s)-$RANDOM"')
  if (body?.type === "application/json") {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoteShell(JSON.stringify(body.example, null, 2))}`)
  }
  if (body?.type === "multipart/form-data") {
    for (const field of Object.keys(body.schema.properties ?? {})) {
      if (isFileField(operation, field)) lines.push(`-F '${field}=@${field}.bin'`)
    }
  }
  return lines.join(" \\\n  ")
}

const isFileField = ({ body }: Operation, field: string) =>
  "contentMediaType" in ((body?.schema.properties?.[field] ?? {}) as object)

function buildCredentialOption(api: Reference["name"], { security }: Operation): string | null {
  const [first = {}] = security
  if (!Object.keys(first).length) return null
  if (api === "platform") return '-H "Authorization: Bearer $TENANCY_KEY"'
  if ("user" in first) return '-H "Authorization: Bearer $USER_TOKEN"'
  if (api === "content") return '-H "X-API-KEY: $SITE_KEY"'
  return `-H "X-API-KEY: $${"vendorKey" in first ? "VENDOR_KEY" : "CLIENT_KEY"}"`
}

/** A store of the demo data, for paths that only stores have. */
const EXAMPLE_STORE = "acme"

function buildExampleUrl({ base, tags }: Reference, operation: Operation, origin: string): string {
  const isStoreOnly = tags.some((tag) => tag.name === operation.tag && tag["x-stores-only"])
  const host = isStoreOnly ? origin.replace("://", `://${EXAMPLE_STORE}.`) : origin
  return host + base + buildExamplePath(operation)
}

/** The path with example values, and the required query parameters. */
function buildExamplePath({ path, parameters }: Operation): string {
  const example = (name: string) => {
    const parameter = parameters.find((candidate) => candidate.in === "path" && candidate.name === name)
    return encodeURIComponent(String(parameter?.example ?? name))
  }
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required)
  const query = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? 1))}`).join("&")
  return path.replace(/\{(\w+)\}/g, (_, name: string) => example(name)) + (query && `?${query}`)
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The variables that hold the TypeScript clients, as in the guide. */
const CLIENT_VARIABLES: Record<Reference["name"], string> = {
  platform: "tenancy",
  content: "content",
  license: "licenses",
}

/** Builds a TypeScript client call; null for deprecated operations, for which the clients have no method. */
export function buildClientSample({ name }: Reference, operation: Operation): string | null {
  const { id, parameters, responses, deprecated } = operation
  if (deprecated) return null
  const args = parameters.filter((parameter) => parameter.in === "path").map(formatLiteral)
  const input = formatInput(operation)
  if (input) args.push(input)
  const call = `${CLIENT_VARIABLES[name]}.${id}(${args.join(", ")})`
  if (name === "platform" && PAGINATED_OPERATIONS.has(id))
    return `for await (const item of ${call}) {\n  console.log(item)\n}`
  return responses[0]?.status === 204 ? `await ${call}` : `const result = await ${call}`
}

/** The body or the required query of a client call; null for neither. */
function formatInput(operation: Operation): string | null {
  const { body, parameters } = operation
  if (body?.type === "multipart/form-data") {
    const fields = Object.keys(body.schema.properties ?? {}).filter((field) => isFileField(operation, field))
    return `{ ${fields.map((field) => (field === "file" ? field : `${field}: file`)).join(", ")} }`
  }
  if (body?.example !== undefined) return formatObject(body.example)
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required)
  return query.length ? `{ ${query.map((field) => `${field.name}: ${formatLiteral(field)}`).join(", ")} }` : null
}

/** The resource and the method of an operation in a client: `subscriptions` and `changePlan`. */
const splitId = (id: string): [resource: string, method: string] => {
  const [resource = "", method = ""] = id.split(".")
  return [resource, method]
}

const listPathArguments = ({ parameters }: Operation) =>
  parameters.filter((parameter) => parameter.in === "path").map(({ example }) => example ?? "")

/** Builds a call of the Python client; null for APIs without one. */
export function buildPythonSample({ name }: Reference, operation: Operation): string | null {
  if (name !== "platform") return null
  const [resource, method] = splitId(operation.id)
  const body = Object.entries((operation.body?.example ?? {}) as Record<string, unknown>)
  const positional = listPathArguments(operation).map((value) => formatPython(value))
  const named = body.map(([key, value]) => `${key}=${formatPython(value, 1)}`)
  const args = named.length
    ? `\n${[...positional, ...named].map((one) => `    ${one},\n`).join("")}`
    : positional.join(", ")
  const call = `tenancy.${resource}.${method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}(${args})`
  if (PAGINATED_OPERATIONS.has(operation.id)) return `for item in ${call}:\n    print(item)`
  return operation.responses[0]?.status === 204 ? call : `result = ${call}`
}

/** Builds a call of the PHP client; null for APIs without one. */
export function buildPhpSample({ name }: Reference, operation: Operation): string | null {
  if (name !== "platform") return null
  const [resource, method] = splitId(operation.id)
  const args = listPathArguments(operation).map((value) => formatPhp(value))
  if (operation.body?.example !== undefined) args.push(formatPhp(operation.body.example))
  const call = `$tenancy->${resource}->${method}(${args.join(", ")})`
  if (PAGINATED_OPERATIONS.has(operation.id)) return `foreach (${call} as $item) {\n    print_r($item);\n}`
  return operation.responses[0]?.status === 204 ? `${call};` : `$result = ${call};`
}

/** Formats a value as a Python literal. */
function formatPython(value: unknown, depth = 0): string {
  const indent = "    ".repeat(depth + 1)
  const close = `\n${"    ".repeat(depth)}`
  if (Array.isArray(value)) return `[${value.map((one) => formatPython(one, depth)).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, one]) => `\n${indent}${JSON.stringify(key)}: ${formatPython(one, depth + 1)},`,
    )
    return entries.length ? `{${entries.join("")}${close}}` : "{}"
  }
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  return JSON.stringify(value)
}

/** Formats a value as a PHP literal. */
function formatPhp(value: unknown, depth = 0): string {
  const indent = "    ".repeat(depth + 1)
  const close = `\n${"    ".repeat(depth)}`
  if (Array.isArray(value)) return `[${value.map((one) => formatPhp(one, depth)).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, one]) => `\n${indent}${quotePhp(key)} => ${formatPhp(one, depth + 1)},`,
    )
    return entries.length ? `[${entries.join("")}${close}]` : "[]"
  }
  return typeof value === "string" ? quotePhp(value) : JSON.stringify(value)
}

const quotePhp = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`

/** Operations that the client exposes as an async iterator over all pages. */
const PAGINATED_OPERATIONS = new Set([
  "plans.list",
  "stores.list",
  "audit.list",
  "coupons.list",
  "keys.list",
  "domains.list",
  "apps.list",
  "webhooks.list",
  "deliveries.list",
])

const formatLiteral = ({ example }: Field): string =>
  typeof example === "number" ? String(example) : JSON.stringify(example ?? "")

/** Formats a value as a TypeScript literal: keys are quoted only where they must be. */
const formatObject = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:")
