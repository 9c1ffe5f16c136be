// Limits the length of request bodies and identifies clients by their address.
import type { Context, MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import type { Ctx } from "../context"
import { httpError, Refusal } from "./refusal"

/** The address that Cloudflare shows for the requests of all Workers in other zones. */
const WORKERS_ADDRESS = "2a06:98c0:3600::103"

/** The client's IP address as Cloudflare saw it; all Workers of other zones have the same. */
export const connectingIp = (c: Context): string => c.req.header("CF-Connecting-IP") ?? "unknown"

/**
 * Returns what identifies the client for limits and the audit log: its IP address, or `worker:` and the zone of the
 * Worker that sent the request. Cloudflare sets the zone, so a Worker cannot choose it.
 * @see https://developers.cloudflare.com/fundamentals/reference/http-headers/ `CF-Connecting-IP` and `CF-Worker`
 */
export function clientAddress(c: Context): string {
  const ip = connectingIp(c)
  const zone = ip === WORKERS_ADDRESS ? c.req.header("CF-Worker")?.toLowerCase() : undefined
  return zone !== undefined && /^[a-z0-9.-]{1,253}$/.test(zone) ? `worker:${zone}` : ip
}

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
