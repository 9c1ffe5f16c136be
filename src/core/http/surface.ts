// What stands around every surface but the health check, once: the request's id and log line, its context, the gate in front, a bound on bodies, the verbs
// its paths take, and the place where what was thrown becomes an answer in the surface's envelope.
import { type Context, Hono, type Env as HonoEnv, type MiddlewareHandler } from "hono"
import { HTTPException } from "hono/http-exception"
import { methodNotAllowed } from "hono/method-not-allowed"
import { routePath } from "hono/route"
import type { Env } from "../../env"
import { ulid } from "../../lib/ulid"
import { type Ctx, createContext } from "../context"
import { createLog, type Facts, type Log } from "../log"
import { clientIp, maxBody } from "./http"
import { Refusal } from "./refusal"

/** What a surface's context holds from the first line on. */
export interface SurfaceVariables {
  requestId: string
  log: Log
  /** The headers that tell a budget, once one was asked. */
  rateLimit?: Record<string, string>
}

export interface SurfaceEnv extends HonoEnv {
  Bindings: Env
  Variables: SurfaceVariables
}

/** What makes one surface differ from another. */
interface Surface<E extends SurfaceEnv> {
  /** Its name in the log. */
  name: string
  /** The path all its routes begin with. */
  base?: string
  /** What every answer of it carries. */
  headers?: Record<string, string>
  /** What its log line says beside the request. */
  facts?: (c: Context<E>) => Facts
  /** Who may pass, in this order, before it is asked whether a path exists. */
  gate?: MiddlewareHandler<E>[]
  /** Bytes a body may have; null where no body is read, or a route bounds it by itself. */
  maxBody: number | null | ((c: Context<E>) => number | null)
  /** What is said in place of a refusal, where something has to be known before it may be. */
  instead?: (c: Context<E>, refusal: Refusal) => Promise<Refusal>
  /** The answer to a refusal in its envelope. */
  refuse: (c: Context<E>, refusal: Refusal) => Response | Promise<Response>
}

/**
 * A surface, ready for its routes. Its answers carry `X-Request-Id` and `X-Content-Type-Options: nosniff`, and `Cache-Control:
 * no-store` unless they say otherwise.
 */
export function createSurface<E extends SurfaceEnv>(surface: Surface<E>): Hono<E> {
  const { base = "/", gate = [], instead, refuse } = surface
  const app = new Hono<E>().basePath(base)
  const answer = async (c: Context<E>, thrown: unknown) => {
    const refusal = refusalOf(c, thrown)
    return refuse(c, withHeaders(c, instead ? await instead(c, refusal) : refusal))
  }
  app.use(around(surface), ...gate)
  app.use(knownVerbs(app, answer))
  app.use((c, next) => {
    const bytes = typeof surface.maxBody === "function" ? surface.maxBody(c) : surface.maxBody
    return bytes === null || c.req.raw.body === null ? next() : maxBody(bytes)(c, next)
  })
  app.notFound((c) => answer(c, new Refusal("not_found")))
  app.onError((thrown, c) => answer(c, thrown))
  return app
}

/**
 * The context of the request, for verbs.
 * @param given who acts, where that is known already
 */
export const requestContext = <E extends SurfaceEnv>(
  c: Context<E>,
  given: Pick<Parameters<typeof createContext>[2] & object, "actor" | "interface"> = {},
): Ctx =>
  createContext(c.env, (work) => c.executionCtx.waitUntil(work), {
    interface: "api",
    ...given,
    address: clientIp(c),
    requestId: c.get("requestId"),
    log: c.get("log"),
  })

/** Puts what every answer carries on it, and writes one log line a request, which names the route's pattern and never its path. */
const around =
  <E extends SurfaceEnv>({ name, headers, facts }: Surface<E>): MiddlewareHandler<E> =>
  async (c, next) => {
    const started = Date.now()
    const requestId = ulid(new Date(started))
    const log = createLog({ request_id: requestId })
    c.set("requestId", requestId)
    c.set("log", log)
    await next()
    const written = headersOf(c, requestId)
    const told = { "X-Content-Type-Options": "nosniff", ...headers, ...c.get("rateLimit") }
    for (const [header, value] of Object.entries(told)) written.set(header, value)
    if (!written.has("Cache-Control")) written.set("Cache-Control", "no-store")
    const ms = Date.now() - started
    log.info("request", {
      surface: name,
      method: c.req.method,
      route: routePath(c, -1),
      status: c.res.status,
      ms,
      ...facts?.(c),
    })
  }

/** The headers of the answer, the request's id among them, which may be written: an answer that came from elsewhere is made anew for that. */
function headersOf(c: Context, requestId: string): Headers {
  try {
    c.res.headers.set("X-Request-Id", requestId)
  } catch {
    // By Hono's `header` every answer would be made anew, its body a stream.
    c.header("X-Request-Id", requestId)
  }
  return c.res.headers
}

/**
 * Whatever was thrown, as the refusal it is answered with: a fault of ours goes to the log with its cause, and its answer says no more
 * than the request's id.
 */
function refusalOf<E extends SurfaceEnv>(c: Context<E>, thrown: unknown): Refusal {
  const refusal = toRefusal(thrown, c.var.requestId)
  if (refusal.code === "server_error") c.var.log.error("unexpected fault", thrown, { route: routePath(c, -1) })
  return refusal
}

/** Puts on the answer what a refusal has headers for. */
function withHeaders<E extends SurfaceEnv>(c: Context<E>, refusal: Refusal): Refusal {
  if (refusal.facts.headers) c.set("rateLimit", refusal.facts.headers)
  if (refusal.facts.allow) c.header("Allow", refusal.facts.allow.join(", "))
  if (refusal.facts.retryAfter !== undefined) c.header("Retry-After", String(refusal.facts.retryAfter))
  return refusal
}

/** Whatever was thrown, as a refusal. */
export function toRefusal(thrown: unknown, requestId: string): Refusal {
  if (thrown instanceof Refusal) return thrown
  if (thrown instanceof HTTPException) return new Refusal("http_error", { status: thrown.status })
  return new Refusal("server_error", { request_id: requestId })
}

/** Answers a known path with another verb by 405 and `Allow`, and OPTIONS by 204 and `Allow`. */
const knownVerbs = <E extends SurfaceEnv>(
  app: Hono<E>,
  answer: (c: Context<E>, refusal: Refusal) => Response | Promise<Response>,
): MiddlewareHandler =>
  methodNotAllowed({
    app: app as unknown as Hono,
    onMethodNotAllowed: (c, methods) => {
      const allow = [...new Set([...methods, "OPTIONS"])]
      if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow.join(", ") })
      return answer(c as unknown as Context<E>, new Refusal("method_not_allowed", { allow }))
    },
  })
