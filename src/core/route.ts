// Routes describe themselves: beside its path each one carries what it is for, what it answers, what it may refuse and
// what validates its input. Tables, tests and documents are read from the routes; there is no second list.
import { zValidator } from "@hono/zod-validator"
import type { MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import type * as z from "zod"
import { prepareJson } from "./http"
import { Refusal, type RefusalCode } from "./refusal"
import { fieldFaults } from "./validation"

/** What a route says of itself. */
export interface RouteDoc {
  /** What it is for, in a short sentence. */
  summary: string
  /** The status of its success and, unless that has no body, the body's schema. */
  answers: { status: 200 | 201 | 202 | 204; body?: z.ZodType }
  /** The codes it may refuse with, beside those of its surface's gate and of its validators. */
  refuses?: RefusalCode[]
}

type Target = "json" | "query" | "param"

/** A route as tables, tests and documents see it. */
export interface RouteInfo extends RouteDoc {
  method: string
  path: string
  input: Partial<Record<Target, z.ZodType>>
}

const TAG = Symbol("what a handler says of its route")

interface Tag {
  doc?: RouteDoc
  input?: RouteInfo["input"]
}

const tag = <Handler extends object>(handler: Handler, value: Tag): Handler => Object.assign(handler, { [TAG]: value })

/** Stands in front of a route's handler and describes it. */
export const describe = (doc: RouteDoc): MiddlewareHandler => tag<MiddlewareHandler>((_, next) => next(), { doc })

/**
 * Validates one part of a request.
 * @throws Refusal `validation_failed` with what is wrong, field by field
 */
const validator = <Schema extends z.ZodType, Part extends Target>(part: Part, schema: Schema) =>
  zValidator(part, schema, (result) => {
    if (!result.success) throw new Refusal("validation_failed", { fields: fieldFaults(result.error, result.data) })
  })

/** Validates the JSON body; an absent one counts as `{}`. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  const validate = validator("json", schema)
  const prepared: typeof validate = async (c, next) => {
    await prepareJson(c)
    return validate(c, next)
  }
  return tag(prepared, { input: { json: schema } })
}

/** Validates the query. */
export const query = <Schema extends z.ZodType>(schema: Schema) =>
  tag(validator("query", schema), { input: { query: schema } })

/**
 * The described routes of an app, in the order in which they were added.
 * @param app anything that carries Hono's `routes`
 */
export function routeTable(app: { routes: RouterRoute[] }): RouteInfo[] {
  const found = new Map<string, RouteInfo>()
  const inputs = new Map<string, RouteInfo["input"]>()
  for (const { method, path, handler } of app.routes) {
    const { doc, input } = (handler as { [TAG]?: Tag })[TAG] ?? {}
    const name = `${method} ${path}`
    if (input) inputs.set(name, { ...inputs.get(name), ...input })
    if (doc) found.set(name, { ...doc, method, path, input: {} })
  }
  return [...found].map(([name, info]) => ({ ...info, input: inputs.get(name) ?? {} }))
}
