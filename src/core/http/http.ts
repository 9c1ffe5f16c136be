// Limits the length of a request body, and names the client's address.
import type { Context, MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import type { Ctx } from "../context"
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
    const handle = async () => {
      hasRead = true
      // A route that reads no body must not run for a credential that was revoked while one arrived.
      await (c.get("ctx") as Ctx | undefined)?.bodyArrived?.()
      await next()
    }
    try {
      return await limit(c, handle)
    } catch (cause) {
      throw hasRead || cause instanceof Refusal ? cause : httpFault(400)
    }
  }
}
