// An operation as a request: by curl, and by the client where there is one for it.
import type { Field, OperationDoc, Reference } from "./reference"

/**
 * The operation by curl, ready to be pasted.
 * @param origin of the platform
 */
export function curlSample({ name, base }: Reference, operation: OperationDoc, origin: string): string {
  const { method, body } = operation
  const verb = method === "GET" ? "" : `-X ${method} `
  const lines = [`curl ${verb}${quoted(origin + base + filledPath(operation))}`]
  const credential = credentialOf(name, operation)
  if (credential) lines.push(credential)
  if (method !== "GET" && name === "platform") lines.push('-H "Idempotency-Key: $(date +%s)-$RANDOM"')
  if (body?.type === "application/json") {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body.example, null, 2))}`)
  }
  if (body?.type === "multipart/form-data") {
    for (const field of Object.keys(body.schema.properties ?? {})) {
      if (isFile(operation, field)) lines.push(`-F '${field}=@${field}.bin'`)
    }
  }
  return lines.join(" \\\n  ")
}

const isFile = ({ body }: OperationDoc, field: string) =>
  "contentMediaType" in ((body?.schema.properties?.[field] ?? {}) as object)

function credentialOf(api: Reference["name"], { security }: OperationDoc): string | null {
  const [first = {}] = security
  if (!Object.keys(first).length) return null
  if (api === "platform") return '-H "Authorization: Bearer $TENANCY_KEY"'
  if ("user" in first) return '-H "Authorization: Bearer $USER_TOKEN"'
  if (api === "content") return '-H "X-API-KEY: $SITE_KEY"'
  return `-H "X-API-KEY: $${"vendorKey" in first ? "VENDOR_KEY" : "CLIENT_KEY"}"`
}

/** The path with its examples in it, and the query that is needed. */
function filledPath({ path, parameters }: OperationDoc): string {
  const example = (name: string) => {
    const found = parameters.find((one) => one.in === "path" && one.name === name)
    return encodeURIComponent(String(found?.example ?? name))
  }
  const needed = parameters.filter((one) => one.in === "query" && one.required)
  const query = needed.map((one) => `${one.name}=${encodeURIComponent(String(one.example ?? 1))}`).join("&")
  return path.replace(/\{(\w+)\}/g, (_, name: string) => example(name)) + (query && `?${query}`)
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The operation by the client; null where the client has none. */
export function clientSample({ name }: Reference, operation: OperationDoc): string | null {
  if (name !== "platform") return null
  const { id, parameters, body, answers } = operation
  const args = parameters.filter((one) => one.in === "path").map(literal)
  if (body?.example !== undefined) args.push(objectLiteral(body.example))
  const call = `tenancy.${CLIENT_NAMES[id] ?? id}(${args.join(", ")})`
  if (CLIENT_LISTS.has(id)) return `for await (const item of ${call}) {\n  console.log(item)\n}`
  return answers[0]?.status === 204 ? `await ${call}` : `const answer = await ${call}`
}

/** Operations that the client has under another name. */
const CLIENT_NAMES: Record<string, string> = {}

/** Operations whose answer the client walks page by page. */
const CLIENT_LISTS = new Set([
  "plans.list",
  "stores.list",
  "audit.list",
  "domains.list",
  "apps.list",
  "webhooks.list",
  "deliveries.list",
])

const literal = ({ example }: Field): string =>
  typeof example === "number" ? String(example) : JSON.stringify(example ?? "")

/** A value as TypeScript writes it: names without quotes where they need none. */
const objectLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:")
