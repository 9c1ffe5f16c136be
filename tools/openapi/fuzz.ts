// Requests made up from a document: what it allows, and what it does not. Each comes with what has to be true of its answer.
import fc from "fast-check"
import type { Document, Operation, Parameter } from "./document.ts"
import type { Known } from "./fuzz-pool.ts"
import type { JsonSchema } from "./json-schema.ts"
import { type Source, valid } from "./values.ts"

/** A request of one operation, before anybody sends it. */
export interface MadeUp {
  operation: Operation
  /** Its path as the document has it. */
  template: string
  method: string
  /** Path and query, behind the document's base. */
  path: string
  /** Whether it is all that the document asks for, and asks for what is known to exist. */
  isSound: boolean
  body?: { type: string; text: string }
  /** Whose credential it carries. */
  credential: "good" | "none" | "bad"
  /** Whether it is sent twice under one Idempotency-Key. */
  twice: boolean
  language: string
}

export interface Sent {
  status: number
  headers: Headers
  text: string
}

type Send = (request: MadeUp, extra: Record<string, string>) => Promise<Sent>

// biome-ignore format: a list of texts reads better filled
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
 * Made-up requests of a document: half of them sound by it, the others with anything wrong.
 * @param known what exists; it is asked at each request, so that what one is answered the next ones can use
 */
export function madeUp(document: Document, known: Known): fc.Arbitrary<MadeUp> {
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return fc.tuple(fc.constantFrom(...operations), fc.boolean()).chain(([{ method, ...target }, isSound]) => {
    const source: Source = { document, known, onlyKnown: isSound }
    return fc
      .record({
        path: pathOf(target, source, isSound),
        body: bodyOf(target, source, isSound),
        credential: isSound
          ? fc.constant("good")
          : fc.constantFrom("good", "good", "good", "good", "good", "good", "none", "bad"),
        twice: fc.boolean(),
        language: fc.constantFrom("en", "fr", "vi", "es", "xx;q=9", "*"),
      })
      .map((made) => ({ operation: target.operation, template: target.path, method, isSound, ...made }) as MadeUp)
  })
}

function pathOf({ path, operation }: Target, source: Source, isSound: boolean) {
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const noun = path.split(`/{${name}}`)[0]?.split("/").at(-1) ?? ""
    const known = source.known.of(name, noun)
    const real = fc.constantFrom(...(known.length ? known : ["1"])).map((value) => encodeURIComponent(value))
    if (isSound) return real
    return fc.oneof(
      { weight: 5, arbitrary: real },
      hostile.map((text) => (text.startsWith("%") ? text : encodeURIComponent(text))),
      fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
        .map((text) => encodeURIComponent(text.toWellFormed())),
    )
  })
  const query = (operation.parameters ?? []).filter((one) => one.in === "query")
  const pairs = isSound ? soundQuery(source, query) : anyQuery(source, query)
  return fc.tuple(fc.tuple(...segments), pairs).map(([params, values]) => {
    let next = 0
    const filled = path.replace(/\{\w+\}/g, () => params[next++] ?? "x")
    const text = values.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join("&")
    return filled + (text && `?${text}`)
  })
}

type Pairs = fc.Arbitrary<(readonly [string, unknown])[]>

/** Each parameter once, those that have to be there always. */
function soundQuery(source: Source, query: Parameter[]): Pairs {
  const properties = Object.fromEntries(query.map(({ name = "", schema = {} }) => [name, schema]))
  const required = query.filter((one) => one.required).map(({ name = "" }) => name)
  return valid(source, { type: "object", properties, required }).map((fields) => Object.entries(fields as object))
}

const anyQuery = (source: Source, query: Parameter[]): Pairs =>
  fc.array(
    query.length
      ? fc
          .constantFrom(...query)
          .chain(({ name = "", schema = {} }) =>
            fc.oneof(valid(source, schema, name), hostile).map((value) => [name, value] as const),
          )
      : fc.tuple(fc.constant("other"), hostile),
    { maxLength: 4 },
  )

function bodyOf({ operation }: Target, source: Source, isSound: boolean) {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (!type || !media) return fc.constant(undefined)
  const json = (arbitrary: fc.Arbitrary<unknown>) =>
    arbitrary.map((value) => ({ type: "application/json", text: JSON.stringify(value) }))
  const sound = valid(source, media.schema)
  if (isSound)
    return type === "application/json" ? json(sound) : sound.map((fields) => form(fields as object, media.schema))
  const broken = sound.chain((value) => spoilt(value))
  const noise = fc.oneof(
    fc.json(),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("", "{", "[]", "null", '"x"', "[".repeat(5000), '{"a":'.repeat(500), '{"__proto__":{"x":1}}'),
  )
  return fc.oneof(
    { weight: 5, arbitrary: json(sound) },
    { weight: 4, arbitrary: json(broken) },
    noise.map((text) => ({ type: "application/json", text })),
    fc
      .constantFrom("text/plain", "application/xml", "multipart/form-data; boundary=x", "")
      .map((kind) => ({ type: kind, text: "{}" })),
  )
}

const BOUNDARY = "fuzz-0123456789"

/** A picture of one pixel (GIF89a), which is a file of any kind and an avatar. */
const PICTURE = "GIF89a\x01\0\x01\0\0\0\0;"

/** Fields as a form with files. */
function form(fields: object, { properties = {} }: JsonSchema): { type: string; text: string } {
  const parts = Object.entries(fields).map(([name, value]) => {
    const isFile = properties[name]?.contentMediaType !== undefined
    const head = `Content-Disposition: form-data; name="${name}"${isFile ? '; filename="picture.gif"\r\nContent-Type: image/gif' : ""}`
    return `--${BOUNDARY}\r\n${head}\r\n\r\n${isFile ? PICTURE : value}\r\n`
  })
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, text: `${parts.join("")}--${BOUNDARY}--\r\n` }
}

/** A sound value with one thing wrong: a field gone, of another kind, or one too many. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return fc.jsonValue()
  const names = Object.keys(value)
  const wrong = fc.oneof(hostile, fc.jsonValue({ maxDepth: 3 }), fc.double(), fc.constant(null), fc.array(hostile))
  if (!names.length) return wrong.map((given) => ({ unexpected: given }))
  return fc.tuple(fc.constantFrom(...names), wrong, fc.integer({ min: 0, max: 2 })).map(([name, given, how]) => {
    if (how === 0) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    return { ...value, [how === 1 ? name : "unexpected"]: given }
  })
}

/** Fields that a sound request may be refused for, since only a look-up or the clock tells. */
const LOOKED_UP: Record<string, string[]> = {
  // What stands there already.
  "accounts.register": ["email"],
  "devices.register": ["device_id"],
  "devices.update": ["device_id"],
  "galleries.create": ["slug"],
  "galleries.update": ["slug"],
  "licenseProducts.create": ["reference_id"],
  "licenses.create": ["license_code", "product_reference_id"],
  "products.create": ["slug"],
  "products.update": ["slug"],
  "versions.create": ["version", "version_id"],
  "versions.update": ["version"],
  // What is not there, or not any more.
  "accounts.resetPassword": ["email", "token"],
  "billing.requestOrder": ["plan"],
  "events.list": ["after"],
  "files.deleteMany": ["files"],
  "files.update": ["folder_id"],
  "files.upload": ["folder_id"],
  "folders.create": ["name", "parent_id"],
  "folders.deleteMany": ["folders"],
  "folders.update": ["name", "parent_id"],
  "licenses.update": ["product_reference_id"],
  "activations.activate": ["license_code", "domain"],
  "orders.place": ["items.*.product_id", "items.*.quantity"],
  "reviews.create": ["product_id"],
  "webhooks.create": ["stores"],
  "webhooks.update": ["stores"],
  // What depends on what else is asked for, or on today.
  "orders.move": ["status"],
  "profile.update": ["email", "current_password", "dob"],
  "webhooks.recover": ["since", "until"],
}

/** What a sound request was refused for that the document should have said; null when it was not, or a look-up tells. */
function misled({ operation }: MadeUp, { status, text }: Sent): string | null {
  if (![400, 413, 415, 422].includes(status)) return null
  const body = JSON.parse(text) as { errors?: Record<string, unknown> }
  const fields = Object.keys(body.errors ?? {})
  const looked = LOOKED_UP[operation.operationId] ?? []
  // A refusal that names no field is a rule of the platform's, and has a code or a sentence of its own.
  if (status === 422 && fields.every((field) => looked.includes(field.replace(/\.\d+\./g, ".*.")))) return null
  return `${operation.operationId}: ${status} to what is sound by the document, for ${fields.join() || "no field"}: ${text}`
}

/** Whether an operation is closed to those who do not say who they are. */
const isClosed = ({ security }: Operation): boolean => security.every((one) => Object.keys(one).length > 0)

/**
 * Sends a made-up request, and once more where that is to change nothing.
 * @param hold throws when an answer is not in the document
 * @throws Error that says which promise was broken
 */
export async function probe(made: MadeUp, send: Send, hold: (sent: Sent) => void): Promise<Sent> {
  const { operation, method, credential } = made
  const keyed =
    made.twice && method !== "GET" && (operation.parameters ?? []).some((one) => one.$ref?.endsWith("/Idempotency-Key"))
  const extra = { "Accept-Language": made.language, ...(keyed && { "Idempotency-Key": crypto.randomUUID() }) }
  const answer = await send(made, extra)
  if (answer.status >= 500 && answer.status !== 503)
    throw new Error(`${operation.operationId}: a fault of ours: ${answer.text}`)
  hold(answer)
  const lie = made.isSound ? misled(made, answer) : null
  if (lie) throw new Error(lie)
  const refused = [401, 403, 404, 429, 503].includes(answer.status)
  if (credential !== "good" && isClosed(operation) && !refused) {
    throw new Error(`${operation.operationId}: ${answer.status} without a credential`)
  }
  if (!keyed || credential !== "good") return answer
  const again = await send(made, extra)
  if (
    answer.status < 500 &&
    answer.status !== 429 &&
    again.status !== 429 &&
    (again.status !== answer.status || again.text !== answer.text)
  ) {
    throw new Error(
      `${operation.operationId}: another answer under the same Idempotency-Key: ${answer.status} ${answer.text} / ${again.status} ${again.text}`,
    )
  }
  return answer
}

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/** Every path of a document with a verb that it does not take, and those that it does; a path may be like another's pattern, too. */
export function wrongVerbs(
  document: Document,
): { path: string; verb: string; allowed: string[]; operation: Operation | undefined }[] {
  const patterns = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    verbs: Object.keys(operations).map((verb) => verb.toUpperCase()),
  }))
  return Object.entries(document.paths).flatMap(([template, operations]) => {
    const [operation] = Object.values(operations)
    const path = template.replace(/\{\w+\}/g, "1")
    const taken = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ verbs }) => verbs)
    const allowed = [...new Set([...taken, ...(taken.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort()
    return VERBS.filter((verb) => !taken.includes(verb)).map((verb) => ({ path, verb, allowed, operation }))
  })
}
