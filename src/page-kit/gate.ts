// Middleware of the console and the admin: response headers and CSRF protection.
import type { Context, MiddlewareHandler } from "hono"
import { type CspDirectives, contentSecurityPolicy } from "../core/html/content-security-policy"
import { isMultipart, isUrlEncoded } from "../core/http/body"
import { httpError, Refusal } from "../core/http/refusal"
import type { SurfaceEnv, SurfaceVariables } from "../core/http/surface"

interface PageEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    /** Whether the page contains frames of this host. */
    hasFrames?: boolean
  }
}

const HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
}

/** Whether a response is an HTML document. */
export const isHtml = ({ headers }: Response): boolean => headers.get("Content-Type")?.startsWith("text/html") === true

/**
 * Creates middleware that sets the page headers on every response that does not set its own.
 * @param sources of every page; pages with frames may also frame pages of this host
 */
export function createPageHeaders<E extends PageEnv>(sources: CspDirectives): MiddlewareHandler<E> {
  const policy = contentSecurityPolicy(sources)
  const framingPolicy = contentSecurityPolicy({ ...sources, "frame-src": ["'self'"] })
  return async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.header(name, value)
    // The preview of a storefront sets its own, stricter policy.
    if (isHtml(c.res) && !c.res.headers.has("Content-Security-Policy"))
      c.header("Content-Security-Policy", c.var.hasFrames ? framingPolicy : policy)
  }
}

export const isPost = (c: Context): boolean => c.req.method === "POST"

/**
 * Creates middleware that accepts forms only from pages of the same origin (CSRF protection). Stores are subdomains of
 * one site, so the SameSite attribute of cookies does not protect a host from its neighbours.
 * @param isSameOrigin whether such a page sent the form
 */
export const createFormGate =
  <E extends PageEnv>(isSameOrigin: (c: Context<E>) => boolean | null): MiddlewareHandler<E> =>
  async (c, next) => {
    if (!["GET", "HEAD"].includes(c.req.method)) {
      if (!isPost(c)) throw new Refusal("method_not_allowed", { allow: ["GET", "HEAD", "POST"] })
      if (!isSameOrigin(c)) throw new Refusal("forbidden")
      if (!isUrlEncoded(c) && !isMultipart(c)) throw httpError(415)
    }
    await next()
  }
