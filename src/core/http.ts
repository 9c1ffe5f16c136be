// Limits the length of a request body, and names the client's address.
import type { Context, MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { httpFault } from "./refusal"

/** The client's address as Cloudflare saw it; nothing stands between it and the Worker in production. */
export const clientIp = (c: Context): string => c.req.header("CF-Connecting-IP") ?? "unknown"

/** Refuses bodies over `bytes`, whether they say their length or not, with `http_error` 413. */
export const maxBody = (bytes: number): MiddlewareHandler =>
  bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw httpFault(413)
    },
  })
