// Caches public reads: they are served from the edge cache or the nearest replica, with an ETag and cache headers.

import type { Context, MiddlewareHandler } from "hono"
import { BOOKMARK, type CacheableRead, conditional, isPublicRead, throughCache } from "../../core/cache/edge-cache"
import { renderingId } from "../../core/cache/rendering"
import { withTraits } from "../../core/http/route"
import { nearestReplica, type SiteDatabase } from "../../db/client"
import { sha256 } from "../../lib/hash"
import type { ContentSite, SiteCtx } from "../site"
import type { ContentEnv } from "../types"

/** Returns the nearest replica of the site's database for a public read. */
export const getReplica = ({ env, now, site, onVersionRead, bookmark }: SiteCtx): SiteDatabase =>
  nearestReplica(env, site.database, { siteId: site.id, now, onVersionRead, bookmark })

/** `max-age` of responses. */
const MAX_AGE_SECONDS = 60

/** The format of a D1 bookmark: four groups of hexadecimal digits. */
const BOOKMARK_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/i

/** Adds ETag, Cache-Control and Vary to a successful read, and returns 304 when `If-None-Match` matches. */
export const cacheResponse: MiddlewareHandler<ContentEnv> = withTraits({ etag: true }, [], async (c, next) => {
  c.set("isCacheable", true)
  if (isPublicRead(c.req.raw)) {
    const response = await throughCache(toCacheableRead(c, c.get("ctx").site), async (onVersionRead) => {
      c.set("ctx", { ...c.get("ctx"), onVersionRead })
      await next()
      return c.res
    })
    replaceResponse(c, response)
    return
  }
  const bookmark = c.req.header(BOOKMARK)
  if (bookmark && BOOKMARK_PATTERN.test(bookmark)) c.set("ctx", { ...c.get("ctx"), bookmark })
  await next()
  replaceResponse(c, conditional(c.req.raw, c.res))
})

/** Replaces the response. Unsetting it first keeps Hono from merging the headers of both. */
function replaceResponse(c: Context<ContentEnv>, response: Response): void {
  if (response === c.res) return
  c.res = undefined
  c.res = response
}

const encoder = new TextEncoder()

/** Computes the ETag of a body. */
const bodyTag = async (body: Uint8Array): Promise<string> => `"${(await sha256(body)).slice(0, 32)}"`

/** Serializes the body of a single resource. */
const resourceJson = (data: unknown): string => JSON.stringify({ error: false, data, message: null })

/** Computes the ETag that a read of a resource has. */
export const resourceTag = (data: unknown): Promise<string> => bodyTag(encoder.encode(resourceJson(data)))

/** Sends a resource after a change, with the ETag that a read of it has. */
export async function sendChanged(c: Context<ContentEnv>, data: object, status: 200 | 201 = 200): Promise<Response> {
  const json = resourceJson(data)
  return c.body(json, status, { "Content-Type": "application/json", ETag: await bodyTag(encoder.encode(json)) })
}

/**
 * Sends the successful response of a cacheable read, with its ETag and cache headers.
 * @param json the body
 */
export async function sendCacheable(c: Context<ContentEnv>, json: string): Promise<Response> {
  const { key, reader, site } = c.get("ctx")
  const body = encoder.encode(json)
  // Shared caches must not store what required a key or a token.
  const scope = key || reader || site.api.keyRequired ? "private" : "public"
  const headers = {
    "Content-Type": "application/json",
    "Cache-Control": `${scope}, max-age=${MAX_AGE_SECONDS}`,
    Vary: reader ? "X-API-KEY, Authorization" : "X-API-KEY",
    ETag: await bodyTag(body),
  }
  return new Response(body, { headers })
}

/**
 * Describes a read of the content API for the edge cache.
 * @param site the site; null when it could not be resolved
 */
export function toCacheableRead(c: Context<ContentEnv>, site: ContentSite | null): CacheableRead {
  const { search, hostname } = new URL(c.req.url)
  return {
    request: c.req.raw,
    // Unsorted and complete, because the links of a page repeat it.
    query: search.slice(1),
    siteId: site?.id ?? hostname,
    incarnation: site && (site.store?.seq ?? 0),
    validator: `${renderingId(c.env)}.${site?.store?.version ?? ""}`,
    after: (work) =>
      c.executionCtx.waitUntil(work.catch((cause) => c.var.log.error("a response was not cached", cause))),
  }
}
