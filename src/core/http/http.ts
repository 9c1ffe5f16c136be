// Limits the length of request bodies and returns the client's IP address.
import type { Context, MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import type { Ctx } from "../context"
import { httpError, Refusal } from "./refusal"

/** The client's IP address as Cloudflare saw it. */
export const clientIp = (c: Context): string => c.req.header("CF-Connecting-IP") ?? "unknown"

/**
 * Refuses bodies longer than `bytes` with `http_error` 413, with or without Content-Length. A body of unknown length is
 * read; a truncated one is refused with 400.
 */
export function maxBody(bytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw httpError(413)
    },
  })
  return async (c, next) => {
    let hasRead = false
    const handle = async () => {
      hasRead = true
      // A route that ignores the body must not run for a credential that was revoked while the body arrived.
      await (c.get("ctx") as Ctx | undefined)?.bodyArrived?.()
      await next()
    }
    try {
      return await limit(c, handle)
    } catch (cause) {
      throw hasRead || cause instanceof Refusal ? cause : httpError(400)
    }
  }
}
