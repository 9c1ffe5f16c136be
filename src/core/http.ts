// What every surface does with a request before its own rules: a bounded body of a known kind, the client's address.
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

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i

/**
 * Readies a request whose body has to be JSON for its validator; an empty body stands for `{}`.
 * @throws Refusal `http_error` 415 for a body of another media type
 */
export async function prepareJson(c: Context): Promise<void> {
  const source = c.req.raw.body ? await c.req.text() : ""
  const type = c.req.header("Content-Type") ?? ""
  if (source && !JSON_TYPE.test(type)) throw httpFault(415)
  // The validator reads the body from this cache, and only when the media type is JSON.
  if (!source.trim()) c.req.bodyCache.text = "{}"
}
