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
  const hasBody = c.req.raw.body !== null && c.req.header("Content-Length") !== "0"
  if (hasBody && !JSON_TYPE.test(c.req.header("Content-Type") ?? "")) throw httpFault(415)
  const source = hasBody ? await c.req.text() : ""
  // The validator reads the body from this cache. Hono declares its values as text and awaits them as promises.
  if (!source.trim()) c.req.bodyCache.text = Promise.resolve("{}") as unknown as string
}
