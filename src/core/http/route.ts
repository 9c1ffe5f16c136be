// Routes describe themselves: beside its path each one carries its name, what it is for, what it takes and answers, and what it
// may refuse. Tables, the OpenAPI documents, the reference and the tests' check of every answer are read from the routes.
import { zValidator } from "@hono/zod-validator"
import type { MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import type * as z from "zod"
import { prepareJson } from "./body"
import { Refusal, type RefusalCode } from "./refusal"
import { fieldFaults } from "./validation"

/** One way in which a route answers when it does what it was asked for. */
interface RouteAnswer {
  status: 200 | 201 | 202 | 204 | 206 | 304
  /** The JSON body; absent when there is none, or when it is a file. */
  body?: z.ZodType
  /** The media type of a body that is no JSON. */
  file?: string
}

/** What a route says of itself. */
export interface RouteDoc {
  /** Its name for clients, `<noun>.<verb>`: the operation id in the documents. */
  id: `${string}.${string}`
  /** What it is for, in a short sentence. */
  summary: string
  /** Its answer, or its answers, the usual one first. */
  answers: RouteAnswer | readonly [RouteAnswer, ...RouteAnswer[]]
  /** The codes it may refuse with, beside those of its surface's gate and of its validators; with a status that is not the code's usual one. */
  refuses?: readonly (RefusalCode | readonly [RefusalCode, status: 404])[]
  /** The fields of a body that the route reads by itself, as JSON or as a form. */
  fields?: z.ZodType
  /** The files that such a form may bring, by field: whether each has to be there. */
  files?: Record<string, boolean>
  /** Statuses of refusals that come without a body, beside those in the surface's envelope. */
  silent?: readonly (401 | 404 | 416)[]
  /** Kept for clients of old; new ones have another way. */
  deprecated?: boolean
}

type Target = "json" | "query" | "param"

/** What middleware in front of a route says of it. */
interface RouteTraits {
  /** Whose bearer token it takes: a user's it cannot do without, or one that may be absent. */
  bearer?: "required" | "optional"
  /** Carries an ETag, and answers 304 to a client that has it. */
  etag?: boolean
  /** The scope that a key needs. */
  scope?: string
}

/** A route as tables, tests and documents see it. */
export interface RouteInfo extends Omit<RouteDoc, "answers" | "refuses"> {
  method: string
  path: string
  answers: readonly [RouteAnswer, ...RouteAnswer[]]
  refuses: readonly RefusalCode[]
  /** The status of a code where it is not the usual one. */
  statuses: Partial<Record<RefusalCode, number>>
  input: Partial<Record<Target, z.ZodType>>
  traits: RouteTraits
}

const TAG = Symbol("what a handler says of its route")

interface Tag {
  doc?: RouteDoc
  input?: RouteInfo["input"]
  traits?: RouteTraits
  refuses?: readonly RefusalCode[]
}

function tag<Handler extends object>(handler: Handler, value: Tag): Handler {
  // A second one would be said of every route that has the first.
  if (TAG in handler) throw new Error("A handler is described once: make another for what is described otherwise")
  return Object.assign(handler, { [TAG]: value })
}

/** Stands in front of a route's handler and describes it. */
export const describe = (doc: RouteDoc): MiddlewareHandler => tag<MiddlewareHandler>((_, next) => next(), { doc })

/** Middleware that says of every route it stands before what it adds to it. */
export const adding = <Handler extends object>(
  traits: RouteTraits,
  refuses: readonly RefusalCode[],
  handler: Handler,
): Handler => tag(handler, { traits, refuses })

/**
 * Validates one part of a request.
 * @throws Refusal `validation_failed` with what is wrong, field by field
 */
const validator = <Schema extends z.ZodType, Part extends Target>(part: Part, schema: Schema) =>
  zValidator(
    part,
    schema,
    (result) => {
      if (!result.success) throw new Refusal("validation_failed", { fields: fieldFaults(result.error, result.data) })
    },
    // No schema waits for anything, so none is made to. The option's type takes the result of a schema that is known only.
    { validationFunction: (given, value) => given.safeParse(value) as never },
  )

/** Validates the JSON body; an absent one counts as `{}`. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  const validate = validator("json", schema)
  const prepared: typeof validate = async (c, next) => {
    await prepareJson(c)
    return validate(c, next)
  }
  return tag(prepared, { input: { json: schema } })
}

/** Good queries that are remembered of a route at most, and the characters of the longest of them. */
const REMEMBERED = 200
const LONGEST_REMEMBERED = 200

/** Validates the query. One that was good a moment ago is not looked at again, for nothing but its text decides what it comes to. */
export function query<Schema extends z.ZodType>(schema: Schema) {
  const validate = validator("query", schema)
  const known = new Map<string, object>()
  const remembering: typeof validate = (c, next) => {
    const { url } = c.req
    const from = url.indexOf("?")
    const asked = from < 0 ? "" : url.slice(from)
    const found = known.get(asked)
    if (found) {
      c.req.addValidatedData("query", found)
      return next()
    }
    return validate(c, () => {
      // All who ask alike are handed the same object.
      const value = Object.freeze(c.req.valid("query" as never) as object)
      if (asked.length <= LONGEST_REMEMBERED) {
        if (known.size >= REMEMBERED) known.clear()
        known.set(asked, value)
      }
      return next()
    })
  }
  return tag(remembering, { input: { query: schema } })
}

/**
 * The routes of an app, in the order in which they were added.
 * @param app anything that carries Hono's `routes`
 * @throws Error for a route that does not describe itself, and for a name that two routes have
 */
export function routeTable(app: { routes: RouterRoute[] }): RouteInfo[] {
  const found = new Map<string, { method: string; path: string; tags: Tag[] }>()
  for (const { method, path, handler } of app.routes) {
    // What stands before many routes is mounted for every verb.
    if (method === "ALL") continue
    const name = `${method} ${path}`
    const route = found.get(name) ?? { method, path, tags: [] as Tag[] }
    found.set(name, route)
    route.tags.push((handler as { [TAG]?: Tag })[TAG] ?? {})
  }
  const routes = [...found.values()].map(routeInfo)
  const names = new Set<string>()
  for (const { id, method, path } of routes) {
    if (names.has(id)) throw new Error(`${method} ${path} has a name that another route has: ${id}`)
    names.add(id)
  }
  return routes
}

function routeInfo({ method, path, tags }: { method: string; path: string; tags: Tag[] }): RouteInfo {
  const doc = tags.find((tag) => tag.doc)?.doc
  if (!doc) throw new Error(`${method} ${path} does not describe itself`)
  const { answers, refuses: said = [] } = doc
  return {
    ...doc,
    method,
    path,
    answers: Array.isArray(answers) ? (answers as [RouteAnswer]) : [answers as RouteAnswer],
    refuses: [
      ...new Set([...tags.flatMap((tag) => tag.refuses ?? []), ...said.map((code) => (isPair(code) ? code[0] : code))]),
    ],
    statuses: Object.fromEntries(said.filter(isPair)),
    input: Object.assign({}, ...tags.map((tag) => tag.input)),
    traits: Object.assign({}, ...tags.map((tag) => tag.traits)),
  }
}

const isPair = (code: RefusalCode | readonly [RefusalCode, 404]): code is readonly [RefusalCode, 404] =>
  Array.isArray(code)
