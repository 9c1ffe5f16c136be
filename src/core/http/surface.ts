// Creates a surface: a Hono app with a request id, one log line per request, a gate, a body limit, 405 responses, and a
// single error handler that turns every thrown error into the surface's envelope. All surfaces except the health check
// use it.

import { type Context, Hono, type Env as HonoEnv, type MiddlewareHandler } from "hono"
import { HTTPException } from "hono/http-exception"
import { methodNotAllowed } from "hono/method-not-allowed"
import { routePath } from "hono/route"
import { isDatabaseFull, isTransient } from "../../db/errors"
import type { Bindings } from "../../env"
import { currentMs } from "../../lib/clock"
import type { NonEmpty } from "../../lib/non-empty"
import { SECOND } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { type Ctx, createContext } from "../context"
import { createRequestLog, type LogFields, type RequestLog } from "../log"
import { countIfTransient, flushTransientErrors } from "../metrics/transient-errors"
import { WriteConflict } from "../write/commit"
import { clientAddress, maxBody } from "./http"
import { type HttpErrorStatus, httpError, Refusal, type RefusalCode, type RefusalOf } from "./refusal"
import { type ApiRouter, mount } from "./router"

/** Variables in the context of every surface. */
export interface SurfaceVariables {
  requestId: string
  log: RequestLog
  /** The `X-RateLimit-*` headers, once a limit was checked. */
  rateLimit?: Record<string, string>
}

export interface SurfaceEnv extends HonoEnv {
  Bindings: Bindings
  Variables: SurfaceVariables
}

/** The codes that every surface raises itself. */
type SurfaceCode = "not_found" | "method_not_allowed" | "temporarily_unavailable" | "server_error"

/** The options of a surface. */
interface Surface<E extends SurfaceEnv, Code extends RefusalCode> {
  /** The name in the log. */
  name: string
  /** The path prefix of all routes. */
  base?: string
  /** Headers of every response. */
  headers?: Record<string, string>
  /** Additional fields of the request's log line. */
  logFields?: (c: Context<E>) => LogFields
  /** Middleware that authorizes the request, in order, before the path is looked up; `publicAccess` for none. */
  gate: NonEmpty<MiddlewareHandler<E>>
  /** Maximum body size in bytes; null when no body is read or a route sets its own limit. */
  maxBody: number | null | ((c: Context<E>) => number | null)
  /** Replaces a refusal, for example with `not_found` when the caller may not know more. */
  mapRefusal?: (c: Context<E>, refusal: Refusal) => Promise<Refusal>
  /** The codes that the surface renders, such as its table of statuses. Any other refusal is an unexpected error. */
  codes: Readonly<Record<Code, unknown>>
  /** Turns a refusal into a response in the surface's envelope. */
  refuse: (c: Context<E>, refusal: RefusalOf<Code>) => Response | Promise<Response>
}

/** The gate of a surface that anyone may use. */
export const publicAccess: MiddlewareHandler = (_, next) => next()

/**
 * Creates a surface without routes. Every response has `X-Request-Id` and `X-Content-Type-Options: nosniff`, and
 * `Cache-Control: no-store` unless it sets its own.
 */
export function createSurface<E extends SurfaceEnv, Code extends RefusalCode>(
  surface: Surface<E, Code | SurfaceCode>,
): Hono<E> {
  const { base = "/", gate, mapRefusal: instead, codes, refuse } = surface
  const app = new Hono<E>().basePath(base)
  const respond = async (c: Context<E>, thrown: unknown) => {
    const refusal = refusalOf(c, thrown)
    const final = instead ? await instead(c, refusal) : refusal
    const rendered = Object.hasOwn(codes, final.code) ? final : unexpectedError(c, final)
    applyRefusalHeaders(c, rendered)
    return refuse(c, rendered as RefusalOf<Code | SurfaceCode>)
  }
  app.use(requestLifecycle(surface), ...gate)
  app.use(methodNotAllowedMiddleware(app, respond))
  app.use((c, next) => {
    const bytes = typeof surface.maxBody === "function" ? surface.maxBody(c) : surface.maxBody
    return bytes === null || c.req.raw.body === null ? next() : maxBody(bytes)(c, next)
  })
  app.notFound((c) => respond(c, new Refusal("not_found")))
  app.onError((thrown, c) => respond(c, thrown))
  return app
}

/** A surface of an API. It takes routers and no handlers, because only routers check that a route is described. */
export type Api<E extends SurfaceEnv> = Pick<Hono<E>, "fetch" | "routes">

/**
 * Creates the surface of an API.
 * @param routers the routes of its resources
 * @param middleware runs before the routes of a path, after the gate and the body limit
 */
export function createApi<E extends SurfaceEnv, Code extends RefusalCode>(
  surface: Surface<E, Code | SurfaceCode>,
  routers: readonly ApiRouter<E>[],
  middleware: Readonly<Record<string, MiddlewareHandler<E, "/:id">>> = {},
): Api<E> {
  const app = createSurface<E, Code>(surface)
  for (const [path, handler] of Object.entries(middleware)) app.use(path, handler)
  mount(app, routers)
  return app
}

/**
 * Creates the context of a request for service functions.
 * @param overrides the actor and the interface, when known
 */
export const requestContext = <E extends SurfaceEnv>(
  c: Context<E>,
  overrides: Pick<Parameters<typeof createContext>[2] & object, "actor" | "interface"> = {},
): Ctx =>
  createContext(c.env, (work) => c.executionCtx.waitUntil(work), {
    interface: "api",
    ...overrides,
    address: clientAddress(c),
    requestId: c.get("requestId"),
    log: c.get("log"),
  })

/** A request that takes at least this long is always logged. */
const SLOW_REQUEST_MS = SECOND

/**
 * Sets the common response headers and writes one log line per request, with the route's pattern and never the path.
 */
const requestLifecycle =
  <E extends SurfaceEnv>({
    name,
    headers,
    logFields,
  }: Pick<Surface<E, never>, "name" | "headers" | "logFields">): MiddlewareHandler<E> =>
  async (c, next) => {
    const started = currentMs()
    const requestId = ulid(new Date(started))
    const log = createRequestLog(c.env, requestId)
    c.set("requestId", requestId)
    c.set("log", log)
    await next()
    const responseHeaders = writableHeaders(c, requestId)
    const common = { "X-Content-Type-Options": "nosniff", ...headers, ...c.get("rateLimit") }
    for (const [header, value] of Object.entries(common)) responseHeaders.set(header, value)
    if (!responseHeaders.has("Cache-Control")) responseHeaders.set("Cache-Control", "no-store")
    const ms = currentMs() - started
    if (c.res.status >= 500 || ms >= SLOW_REQUEST_MS) log.keep()
    log.info("request", {
      surface: name,
      method: c.req.method,
      route: routePath(c, -1),
      status: c.res.status,
      ms,
      ...logFields?.(c),
    })
    flushTransientErrors(c.env, log, (work) => c.executionCtx.waitUntil(work))
  }

/** Sets the request id and returns the response's headers. A response with immutable headers is copied first. */
function writableHeaders(c: Context, requestId: string): Headers {
  try {
    c.res.headers.set("X-Request-Id", requestId)
  } catch {
    // Hono's `header` copies the response and turns its body into a stream, so it is the fallback only.
    c.header("X-Request-Id", requestId)
  }
  return c.res.headers
}

/**
 * Converts a thrown value into a refusal. An unexpected error is logged with its cause; the response shows only the
 * request id.
 */
function refusalOf<E extends SurfaceEnv>(c: Context<E>, thrown: unknown): Refusal {
  const refusal = toRefusal(thrown, c.var.requestId)
  if (refusal.code === "temporarily_unavailable") {
    countIfTransient(thrown)
    c.var.log.error("transient error", thrown, { route: routePath(c, -1) })
  }
  return refusal.code === "server_error" ? unexpectedError(c, thrown) : refusal
}

/** Logs an error that the surface does not expect, including a refusal that it has no message for. */
function unexpectedError<E extends SurfaceEnv>(c: Context<E>, thrown: unknown): RefusalOf<"server_error"> {
  c.var.log.error("unexpected error", thrown, { route: routePath(c, -1) })
  return new Refusal("server_error", { request_id: c.var.requestId })
}

/** Sets the response headers of a refusal. */
function applyRefusalHeaders<E extends SurfaceEnv>(c: Context<E>, refusal: Refusal): void {
  if (refusal.code === "rate_limited") {
    c.set("rateLimit", refusal.facts.headers)
    c.header("Retry-After", String(refusal.facts.seconds))
  }
  if (refusal.code === "method_not_allowed") c.header("Allow", refusal.facts.allow.join(", "))
  if (
    (refusal.code === "store_unavailable" || refusal.code === "temporarily_unavailable") &&
    refusal.facts.retryAfter !== undefined
  )
    c.header("Retry-After", String(refusal.facts.retryAfter))
}

/** `Retry-After` in seconds of a transient error, or of too many concurrent changes. Most are over within a second. */
const TRANSIENT_RETRY_SECONDS = 3

/** `Retry-After` in seconds while a database is full. An operator has to act. */
const FULL_RETRY_SECONDS = 300

/** Converts a thrown value into a refusal. */
export function toRefusal(thrown: unknown, requestId: string): Refusal {
  if (thrown instanceof Refusal) return thrown
  if (isTransient(thrown) || thrown instanceof WriteConflict)
    return new Refusal("temporarily_unavailable", { retryAfter: TRANSIENT_RETRY_SECONDS })
  if (isDatabaseFull(thrown)) return new Refusal("temporarily_unavailable", { retryAfter: FULL_RETRY_SECONDS })
  if (thrown instanceof HTTPException && isHttpErrorStatus(thrown.status)) return httpError(thrown.status)
  return new Refusal("server_error", { request_id: requestId })
}

const isHttpErrorStatus = (status: number): status is HttpErrorStatus =>
  status === 400 || status === 413 || status === 415

/** Responds with 405 and `Allow` to an unsupported method of a known path, and with 204 and `Allow` to OPTIONS. */
const methodNotAllowedMiddleware = <E extends SurfaceEnv>(
  app: Hono<E>,
  respond: (c: Context<E>, refusal: Refusal) => Response | Promise<Response>,
): MiddlewareHandler<E> =>
  methodNotAllowed<E>({
    app,
    onMethodNotAllowed: (c, methods) => {
      const allow = [...new Set([...methods, "OPTIONS"])]
      if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow.join(", ") })
      return respond(c, new Refusal("method_not_allowed", { allow }))
    },
  })
