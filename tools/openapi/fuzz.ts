// Generates requests from a document, valid and invalid ones, and checks the properties that every response must have.
import fc from "fast-check"
import type { Document, Operation, Parameter } from "./document.ts"
import type { ValuePool } from "./fuzz-pool.ts"
import type { JsonSchema } from "./json-schema.ts"
import { generateValid, resolveRef, type ValueSource } from "./values.ts"

/** A generated request of one operation. */
export interface GeneratedRequest {
  operation: Operation
  /** The path with its parameters, as in the document. */
  template: string
  method: string
  /** Path and query, relative to the document's server. */
  path: string
  /** Whether it satisfies the document and refers to existing resources only. */
  isValid: boolean
  body?: { type: string; text: string }
  /** Whether it has a valid credential. */
  credential: "good" | "none" | "bad"
  /** Whether it is sent twice with the same Idempotency-Key. */
  isRepeated: boolean
  language: string
}

export interface FuzzResponse {
  status: number
  headers: Headers
  text: string
}

type Send = (request: GeneratedRequest, extra: Record<string, string>) => Promise<FuzzResponse>

// biome-ignore format: a filled list is more readable
const HOSTILE = [
  "%2e%2e%2f", "%2f", "%00", "%", "1e3", "-1", "0", "9007199254740993", "1.5", "NaN", "null", "__proto__", "constructor",
  "' or 1=1 --", '"', "*", "😀", "a".repeat(3000), " ", "\\", "١", "\u0000", "<script>", "𝔘𝔫𝔦", "\u202e", "é".repeat(200), "[]", "{}",
]

const hostile = fc.constantFrom(...HOSTILE)

interface Target {
  path: string
  operation: Operation
}

/**
 * Generates requests, half of them valid.
 * @param pool ids of existing resources; it is read for each request, so later requests use earlier responses
 */
export function generateRequests(document: Document, pool: ValuePool): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return fc.tuple(fc.constantFrom(...operations), fc.boolean()).chain(([{ method, ...target }, isValid]) => {
    const source: ValueSource = { document, pool, onlyPooled: isValid }
    return fc
      .record({
        path: generatePath(target, source, isValid),
        body: generateBody(target, source, isValid),
        credential: isValid
          ? fc.constant("good")
          : fc.constantFrom("good", "good", "good", "good", "good", "good", "none", "bad"),
        isRepeated: fc.boolean(),
        language: fc.constantFrom("en", "fr", "vi", "es", "xx;q=9", "*"),
      })
      .map(
        (made) =>
          ({
            operation: target.operation,
            template: target.path,
            method,
            isValid: isValid,
            ...made,
          }) as GeneratedRequest,
      )
  })
}

function generatePath({ path, operation }: Target, source: ValueSource, isValid: boolean) {
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const noun = path.split(`/{${name}}`)[0]?.split("/").at(-1) ?? ""
    const known = source.pool.get(name, noun)
    const existing = fc.constantFrom(...(known.length ? known : ["1"])).map((value) => encodeURIComponent(value))
    if (isValid) return existing
    return fc.oneof(
      { weight: 5, arbitrary: existing },
      hostile.map((text) => (text.startsWith("%") ? text : encodeURIComponent(text))),
      fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
        // A client would resolve these to the path of another operation.
        .filter((text) => text !== "." && text !== "..")
        .map((text) => encodeURIComponent(text.toWellFormed())),
    )
  })
  const query = (operation.parameters ?? []).filter((one) => one.in === "query")
  const pairs = isValid ? generateQuery(source, query) : generateAnyQuery(source, query)
  return fc.tuple(fc.tuple(...segments), pairs).map(([params, values]) => {
    let next = 0
    const filled = path.replace(/\{\w+\}/g, () => params[next++] ?? "x")
    const text = values.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join("&")
    return filled + (text && `?${text}`)
  })
}

type Pairs = fc.Arbitrary<(readonly [string, unknown])[]>

/** Generates each parameter at most once, and the required ones always. */
function generateQuery(source: ValueSource, query: Parameter[]): Pairs {
  const properties = Object.fromEntries(query.map(({ name = "", schema = {} }) => [name, schema]))
  const required = query.filter((one) => one.required).map(({ name = "" }) => name)
  return generateValid(source, { type: "object", properties, required }).map((fields) =>
    Object.entries(fields as object),
  )
}

const generateAnyQuery = (source: ValueSource, query: Parameter[]): Pairs =>
  fc.array(
    query.length
      ? fc
          .constantFrom(...query)
          .chain(({ name = "", schema = {} }) =>
            fc.oneof(generateValid(source, schema, name), hostile).map((value) => [name, value] as const),
          )
      : fc.tuple(fc.constant("other"), hostile),
    { maxLength: 4 },
  )

function generateBody({ operation }: Target, source: ValueSource, isValid: boolean) {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (!type || !media) return fc.constant(undefined)
  const json = (arbitrary: fc.Arbitrary<unknown>) =>
    arbitrary.map((value) => ({ type: "application/json", text: JSON.stringify(value) }))
  const valid = generateValid(source, media.schema)
  if (isValid)
    return type === "application/json"
      ? json(valid)
      : valid.map((fields) => buildForm(fields as object, resolveRef(source.document, media.schema)))
  const broken = valid.chain((value) => breakValue(value))
  const noise = fc.oneof(
    fc.json(),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("", "{", "[]", "null", '"x"', "[".repeat(5000), '{"a":'.repeat(500), '{"__proto__":{"x":1}}'),
  )
  return fc.oneof(
    { weight: 5, arbitrary: json(valid) },
    { weight: 4, arbitrary: json(broken) },
    noise.map((text) => ({ type: "application/json", text })),
    fc
      .constantFrom("text/plain", "application/xml", "multipart/form-data; boundary=x", "")
      .map((kind) => ({ type: kind, text: "{}" })),
  )
}

const BOUNDARY = "fuzz-0123456789"

/** A GIF of one pixel, which every upload accepts. */
const GIF = "GIF89a\x01\0\x01\0\0\0\0;"

/** Builds a multipart form. */
function buildForm(fields: object, { properties = {} }: JsonSchema): { type: string; text: string } {
  const parts = Object.entries(fields).map(([name, value]) => {
    const isFile = properties[name]?.contentMediaType !== undefined
    const head = `Content-Disposition: form-data; name="${name}"${isFile ? '; filename="picture.gif"\r\nContent-Type: image/gif' : ""}`
    return `--${BOUNDARY}\r\n${head}\r\n\r\n${isFile ? GIF : value}\r\n`
  })
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, text: `${parts.join("")}--${BOUNDARY}--\r\n` }
}

/** Breaks a valid value: removes a field, gives it a wrong value, or adds an unknown one. */
function breakValue(value: unknown): fc.Arbitrary<unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return fc.jsonValue()
  const names = Object.keys(value)
  const wrong = fc.oneof(hostile, fc.jsonValue({ maxDepth: 3 }), fc.double(), fc.constant(null), fc.array(hostile))
  if (!names.length) return wrong.map((given) => ({ unexpected: given }))
  return fc.tuple(fc.constantFrom(...names), wrong, fc.integer({ min: 0, max: 2 })).map(([name, given, how]) => {
    if (how === 0) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    return { ...value, [how === 1 ? name : "unexpected"]: given }
  })
}

/** Fields for which a valid request may be refused, because only a lookup or the clock decides, by operation id. */
export type LookupFields = Readonly<Record<string, readonly string[]>>

/** What a coupon grants: it needs something, only one kind of discount, and months only with a discount. */
const COUPON_GRANTS = ["trial_days", "percent_off", "amount_off", "months"]

/** Those of all operations except the apps'. */
const LOOKUP_FIELDS: LookupFields = {
  // Values that are taken.
  "accounts.logIn": ["code"],
  "accounts.register": ["email"],
  "devices.register": ["device_id"],
  "devices.update": ["device_id"],
  "licenseProducts.create": ["reference_id"],
  "licenses.create": ["license_code", "product_reference_id"],
  "versions.create": ["version", "version_id"],
  "versions.update": ["version"],
  // Resources that do not exist, or no longer do.
  "accounts.resetPassword": ["email", "token"],
  "billing.requestOrder": ["plan"],
  "events.list": ["after"],
  "subscriptions.assign": ["plan"],
  "subscriptions.changePlan": ["plan"],
  "keys.create": ["scopes", "store_ids", "expires_at"],
  "plans.create": ["slug", "apps", "themes"],
  "plans.update": ["apps", "themes"],
  "stores.create": ["plan", "preset"],
  "coupons.create": ["code", "plans", "expires_at", ...COUPON_GRANTS],
  "coupons.update": ["plans", "expires_at", ...COUPON_GRANTS],
  "posts.create": ["slug", "name", "author", "categories", "tags"],
  "posts.update": ["slug", "author", "categories", "tags"],
  "categories.create": ["slug", "name", "parent"],
  "categories.update": ["slug", "parent"],
  "tags.create": ["slug", "name"],
  "tags.update": ["slug"],
  "pages.create": ["slug", "name"],
  "pages.update": ["slug"],
  "shop.update": ["cors_origins", "legal_pages"],
  "files.deleteMany": ["files"],
  "files.update": ["folder_id"],
  "files.upload": ["folder_id"],
  "folders.create": ["name", "parent_id"],
  "folders.deleteMany": ["folders"],
  "folders.update": ["name", "parent_id"],
  "licenses.update": ["product_reference_id"],
  "activations.activate": ["license_code", "domain"],
  "webhooks.create": ["stores", "url"],
  "webhooks.update": ["stores", "url"],
  // Values that depend on other fields or the current date.
  "profile.update": ["email", "current_password", "dob"],
  "webhooks.recover": ["since", "until"],
}

/**
 * Describes why a valid request was refused although the document allows it; null if it was not, or if a lookup
 * decided.
 */
function findContradiction(
  { operation }: GeneratedRequest,
  { status, text }: FuzzResponse,
  appLookups: LookupFields,
): string | null {
  if (![400, 413, 415, 422].includes(status)) return null
  const body = JSON.parse(text) as { errors?: Record<string, unknown> }
  const fields = Object.keys(body.errors ?? {})
  const lookedUp = { ...LOOKUP_FIELDS, ...appLookups }[operation.operationId] ?? []
  // A refusal without fields is a business rule with its own code or message.
  if (status === 422 && fields.every((field) => lookedUp.includes(field.replace(/\.\d+\./g, ".*.")))) return null
  return `${operation.operationId}: ${status} for a request that is valid by the document, for ${fields.join() || "no field"}: ${text}`
}

/** Whether an operation requires authentication. */
const requiresCredential = ({ security }: Operation): boolean => security.every((one) => Object.keys(one).length > 0)

/**
 * Sends a generated request, and again if it has an Idempotency-Key.
 * @param check throws for a response that is not in the document
 * @param appLookups fields of the apps' operations for which a valid request may be refused
 * @throws Error that describes the violated property
 */
export async function probe(
  request: GeneratedRequest,
  send: Send,
  check: (response: FuzzResponse) => void,
  appLookups: LookupFields,
): Promise<FuzzResponse> {
  const { operation, method, credential } = request
  const keyed =
    request.isRepeated &&
    method !== "GET" &&
    (operation.parameters ?? []).some((one) => one.$ref?.endsWith("/Idempotency-Key"))
  const extra = { "Accept-Language": request.language, ...(keyed && { "Idempotency-Key": crypto.randomUUID() }) }
  const response = await send(request, extra)
  if (response.status >= 500 && response.status !== 503)
    throw new Error(`${operation.operationId}: server error: ${response.text}`)
  check(response)
  const contradiction = request.isValid ? findContradiction(request, response, appLookups) : null
  if (contradiction) throw new Error(contradiction)
  const refused = [401, 403, 404, 429, 503].includes(response.status)
  if (credential !== "good" && requiresCredential(operation) && !refused) {
    throw new Error(`${operation.operationId}: ${response.status} without a credential`)
  }
  if (!keyed || credential !== "good") return response
  const repeated = await send(request, extra)
  if (
    response.status < 500 &&
    response.status !== 429 &&
    repeated.status !== 429 &&
    (repeated.status !== response.status || repeated.text !== response.text)
  ) {
    throw new Error(
      `${operation.operationId}: another response for the same Idempotency-Key: ${response.status} ${response.text} / ${repeated.status} ${repeated.text}`,
    )
  }
  return response
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/**
 * Lists every path with a method that it does not support, and those it does; other patterns may match the path too.
 */
export function listUnsupportedMethods(
  document: Document,
): { path: string; method: string; allowed: string[]; operation: Operation | undefined }[] {
  const patterns = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods: Object.keys(operations).map((method) => method.toUpperCase()),
  }))
  return Object.entries(document.paths).flatMap(([template, operations]) => {
    const [operation] = Object.values(operations)
    const path = template.replace(/\{\w+\}/g, "1")
    const supported = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    const allowed = [...new Set([...supported, ...(supported.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort()
    return METHODS.filter((method) => !supported.includes(method)).map((method) => ({
      path,
      method,
      allowed,
      operation,
    }))
  })
}
