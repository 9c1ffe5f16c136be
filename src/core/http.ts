// Limits the length of a request body, and names the client's address.
import type { Context, MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { httpFault, Refusal } from "./refusal"

/** The client's address as Cloudflare saw it; nothing stands between it and the Worker in production. */
export const clientIp = (c: Context): string => c.req.header("CF-Connecting-IP") ?? "unknown"

/**
 * Refuses bodies over `bytes`, whether they say their length or not, with `http_error` 413. Reads a body of unknown length, and refuses one
 * that is cut off with 400.
 */
export function maxBody(bytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw httpFault(413)
    },
  })
  return async (c, next) => {
    let hasRead = false
    const handle = () => {
      hasRead = true
      return next()
    }
    try {
      return await limit(c, handle)
    } catch (cause) {
      throw hasRead || cause instanceof Refusal ? cause : httpFault(400)
    }
  }
}
