// Lets routes describe themselves: name, purpose, input, responses and refusals. The route tables, the OpenAPI
// documents, the reference and the contract check of every test response are generated from these descriptions.
import { zValidator } from "@hono/zod-validator"
import type { Env as HonoEnv, MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import type * as z from "zod"
import { readJsonBody } from "./body"
import { type Input, parseInput } from "./input"
import { Refusal, type RefusalCode } from "./refusal"
import { fieldErrors } from "./validation"

/** A successful response of a route. */
interface RouteResponse {
  status: 200 | 201 | 202 | 204 | 206 | 304
  /** The schema of the JSON body; absent without a body, or when the body is a file. */
  body?: z.ZodType
  /** The media type of a body that is not JSON. */
  file?: string
}

/** The description of a route. */
export interface RouteDoc {
  /** The operation id, `<noun>.<verb>`. */
  id: `${string}.${string}`
  /** Its purpose, in a short sentence. */
  summary: string
  /** Its successful responses, the usual one first. */
  responses: RouteResponse | readonly [RouteResponse, ...RouteResponse[]]
  /**
   * Refusal codes in addition to those of the gate and the validators; a pair sets a status other than the code's usual
   * one.
   */
  refuses?: readonly (RefusalCode | readonly [RefusalCode, status: 404 | 409])[]
  /** The schema of a body that the route parses itself, as JSON or as a form. */
  fields?: z.ZodType
  /** The files of such a form: field name to whether it is required. */
  files?: Record<string, boolean>
  /** Statuses of refusals without a body, in addition to those in the surface's envelope. */
  silent?: readonly (401 | 404 | 416)[]
  /** Whether its responses have the `ETag` of the resource, and a write accepts it in `If-Match`. */
  versioned?: boolean
  /** Whether the route exists for older clients only. */
  deprecated?: boolean
}

type Target = "json" | "query" | "param"

/** The traits that middleware in front of a route adds to its description. */
interface RouteTraits {
  /** Whether a user's bearer token is required or optional; `editor` for one of staff, or a server token. */
  bearer?: "required" | "optional" | "editor"
  /** Whether responses have an ETag and a matching If-None-Match gets 304. */
  etag?: boolean
  /** The scope that the API key needs. */
  scope?: string
}

/** A route with everything that its middleware adds, for tables, tests and documents. */
export interface RouteInfo extends Omit<RouteDoc, "responses" | "refuses"> {
  method: string
  path: string
  responses: readonly [RouteResponse, ...RouteResponse[]]
  refuses: readonly RefusalCode[]
  /** Statuses that differ from a code's usual one. */
  statuses: Partial<Record<RefusalCode, number>>
  input: Partial<Record<Target, z.ZodType>>
  traits: RouteTraits
}

const TAG = Symbol("route description")

interface Tag {
  doc?: RouteDoc
  input?: RouteInfo["input"]
  traits?: RouteTraits
  refuses?: readonly RefusalCode[]
}

function tag<Handler extends object>(handler: Handler, value: Tag): Handler {
  // A second description would apply to every route that uses the handler.
  if (TAG in handler) throw new Error("A handler has one description: create another handler for a different one")
  return Object.assign(handler, { [TAG]: value })
}

declare const DESCRIPTION: unique symbol

/** The middleware that describes a route; a route of an API begins with it (router.ts). */
export type Description = MiddlewareHandler & { readonly [DESCRIPTION]: true }

/** Creates the middleware that describes a route. */
export const describe = (doc: RouteDoc): Description =>
  tag<MiddlewareHandler>((_, next) => next(), { doc }) as Description

/** Adds traits and refusal codes to the description of every route behind a middleware. */
export const withTraits = <Handler extends object>(
  traits: RouteTraits,
  refuses: readonly RefusalCode[],
  handler: Handler,
): Handler => tag(handler, { traits, refuses })

/**
 * Validates one part of a request.
 * @throws Refusal `validation_failed` with errors by field
 */
const validator = <Schema extends z.ZodType, Part extends Target>(part: Part, schema: Schema) =>
  zValidator(
    part,
    schema,
    (result) => {
      if (!result.success) throw new Refusal("validation_failed", { fields: fieldErrors(result.error, result.data) })
    },
    // lint: all schemas are synchronous; the option's type expects the result of a known schema
    { validationFunction: (_, value) => schema.safeParse(value) as never },
  )

/** Validates the JSON body; an absent one counts as `{}`. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  type Valid = { in: { json: z.input<Schema> }; out: { json: Input<Schema> } }
  const validate: MiddlewareHandler<HonoEnv, string, Valid> = async (c, next) => {
    c.req.addValidatedData("json", parseInput(schema, await readJsonBody(c)) as object)
    await next()
  }
  return tag(validate, { input: { json: schema } })
}

/** Valid queries that are cached per route, and the maximum length of a cached query. */
const MAX_CACHED_QUERIES = 200
const MAX_CACHED_QUERY_LENGTH = 200

/**
 * Validates the query. The result depends on the query string only, so valid queries are cached.
 */
export function query<Schema extends z.ZodType>(schema: Schema) {
  const validate = validator("query", schema)
  const known = new Map<string, object>()
  const cachingValidate: typeof validate = (c, next) => {
    const { url } = c.req
    const from = url.indexOf("?")
    const search = from < 0 ? "" : url.slice(from)
    const cached = known.get(search)
    if (cached) {
      c.req.addValidatedData("query", cached)
      return next()
    }
    return validate(c, () => {
      // Requests with the same query share one object.
      // lint: Hono types the target by the validators of the route, which a generic middleware does not know.
      const value: object = Object.freeze(c.req.valid("query" as never))
      if (search.length <= MAX_CACHED_QUERY_LENGTH) {
        if (known.size >= MAX_CACHED_QUERIES) known.clear()
        known.set(search, value)
      }
      return next()
    })
  }
  return tag(cachingValidate, { input: { query: schema } })
}

/**
 * Returns the routes of a Hono app in the order of registration.
 * @param app anything with Hono's `routes`
 * @throws Error for a route without a description, and for two routes with the same id
 */
export function routeTable(app: { routes: RouterRoute[] }): RouteInfo[] {
  const found = new Map<string, { method: string; path: string; tags: Tag[] }>()
  for (const { method, path, handler } of app.routes) {
    // Shared middleware is registered for all methods.
    if (method === "ALL") continue
    const name = `${method} ${path}`
    const route = found.get(name) ?? { method, path, tags: [] as Tag[] }
    found.set(name, route)
    route.tags.push((handler as { [TAG]?: Tag })[TAG] ?? {})
  }
  const routes = [...found.values()].map(routeInfo)
  const names = new Set<string>()
  for (const { id, method, path } of routes) {
    if (names.has(id)) throw new Error(`${method} ${path} has the id of another route: ${id}`)
    names.add(id)
  }
  return routes
}

function routeInfo({ method, path, tags }: { method: string; path: string; tags: Tag[] }): RouteInfo {
  const doc = tags.find((tag) => tag.doc)?.doc
  if (!doc) throw new Error(`${method} ${path} has no description`)
  const { responses, refuses = [] } = doc
  return {
    ...doc,
    method,
    path,
    responses: Array.isArray(responses) ? (responses as [RouteResponse]) : [responses as RouteResponse],
    refuses: [
      ...new Set([
        ...tags.flatMap((tag) => tag.refuses ?? []),
        ...refuses.map((code) => (isPair(code) ? code[0] : code)),
      ]),
    ],
    statuses: Object.fromEntries(refuses.filter(isPair)),
    input: Object.assign({}, ...tags.map((tag) => tag.input)),
    traits: Object.assign({}, ...tags.map((tag) => tag.traits)),
  }
}

const isPair = (code: RefusalCode | readonly [RefusalCode, 404 | 409]): code is readonly [RefusalCode, 404 | 409] =>
  Array.isArray(code)
