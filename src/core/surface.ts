// What stands around every surface: the request's id and log, and the verbs its paths take.
import type { Context, Hono, Env as HonoEnv, MiddlewareHandler } from "hono"
import { methodNotAllowed } from "hono/method-not-allowed"
import { ulid } from "../lib/ulid"
import { createLog, type Facts, type Log } from "./log"
import { Refusal } from "./refusal"

/** What a surface's context holds from the first line on. */
export interface SurfaceVariables {
  requestId: string
  log: Log
  /** The headers that tell a budget, once one was asked. */
  rateLimit?: Record<string, string>
}

/** A path in the log: long enough to be known again, and no place to fill a disk from. */
const LOGGED_PATH = 200

/**
 * Puts the request id and the budget on every answer, and writes one log line a request.
 * @param surface its name in the log
 * @param headers what else every answer of the surface carries
 * @param facts what else its log line says
 */
export const wrap =
  <E extends HonoEnv & { Variables: SurfaceVariables }>(
    surface: string,
    headers: Record<string, string>,
    facts: (c: Context<E>) => Facts,
  ): MiddlewareHandler<E> =>
  async (c, next) => {
    const started = Date.now()
    const requestId = ulid(new Date(started))
    const log = createLog({ request_id: requestId })
    c.set("requestId", requestId)
    c.set("log", log)
    await next()
    const told = { "X-Request-Id": requestId, ...headers, ...c.get("rateLimit") }
    for (const [name, value] of Object.entries(told)) c.header(name, value)
    const { method, path } = c.req
    const ms = Date.now() - started
    log.info("request", { surface, method, path: path.slice(0, LOGGED_PATH), status: c.res.status, ms, ...facts(c) })
  }

/**
 * Answers a known path with another verb by 405 and `Allow`, and OPTIONS by 204 and `Allow`.
 * @param answer the surface's way to answer a refusal
 */
export const knownVerbs = <E extends HonoEnv>(
  app: Hono<E>,
  answer: (c: Context<E>, refusal: Refusal) => Response,
): MiddlewareHandler =>
  methodNotAllowed({
    app: app as unknown as Hono,
    onMethodNotAllowed: (c, methods) => {
      const allow = [...new Set([...methods, "OPTIONS"])]
      if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow.join(", ") })
      return answer(c as unknown as Context<E>, new Refusal("method_not_allowed", { allow }))
    },
  })
