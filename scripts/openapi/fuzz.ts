// Requests made up from a document: what it allows, and what it does not. Each comes with what has to be true of its answer.
import fc from "fast-check"
import type { Document, Operation } from "./document.ts"
import { type Known, valid } from "./values.ts"

/** A request of one operation, before anybody sends it. */
export interface MadeUp {
  operation: Operation
  method: string
  /** Path and query, behind the document's base. */
  path: string
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

/**
 * Made-up requests of a document.
 * @param known what exists, by the name of a parameter or field, so that a part of the requests gets past the first look-up
 */
export function madeUp(document: Document, known: Known): fc.Arbitrary<MadeUp> {
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return fc.constantFrom(...operations).chain(({ path, method, operation }) =>
    fc
      .record({
        path: pathOf(document, path, operation, known),
        body: bodyOf(document, operation, known),
        credential: fc.constantFrom("good", "good", "good", "good", "good", "good", "none", "bad"),
        twice: fc.boolean(),
        language: fc.constantFrom("en", "fr", "vi", "es", "xx;q=9", "*"),
      })
      .map((made) => ({ operation, method, ...made }) as MadeUp),
  )
}

function pathOf(document: Document, path: string, operation: Operation, known: Known) {
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const noun = path.split(`/{${name}}`)[0]?.split("/").at(-1) ?? ""
    const real = (known[`${noun} ${name}`] ?? known[name] ?? ["1"]).map(String)
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...real) },
      hostile.map((text) => (text.startsWith("%") ? text : encodeURIComponent(text))),
      fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
        .map((text) => encodeURIComponent(text.toWellFormed())),
    )
  })
  const query = (operation.parameters ?? []).filter((one) => one.in === "query")
  const pairs = fc.array(
    query.length
      ? fc
          .constantFrom(...query)
          .chain(({ name, schema = {} }) =>
            fc.oneof(valid({ document, known }, schema, name), hostile).map((value) => [name, value] as const),
          )
      : fc.tuple(fc.constant("other"), hostile),
    { maxLength: 4 },
  )
  return fc.tuple(fc.tuple(...segments), pairs).map(([params, values]) => {
    let next = 0
    const filled = path.replace(/\{\w+\}/g, () => params[next++] ?? "x")
    const text = values.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join("&")
    return filled + (text && `?${text}`)
  })
}

function bodyOf(document: Document, operation: Operation, known: Known) {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (!type || !media) return fc.constant(undefined)
  const json = (arbitrary: fc.Arbitrary<unknown>) =>
    arbitrary.map((value) => ({ type: "application/json", text: JSON.stringify(value) }))
  const sound = valid({ document, known }, media.schema)
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
