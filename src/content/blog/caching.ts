// Public reads: answered from the cache at the edge or from the replica nearest to the reader, and with what a reader needs to
// keep and to revalidate them.
import type { Context, MiddlewareHandler } from "hono"
import { BOOKMARK, conditional, isPublicRead, type CacheableRead, throughCache } from "../../core/cache/edge-cache"
import { adding } from "../../core/http/route"
import { nearestReplica, type SiteDatabase } from "../../db/client"
import { sha256 } from "../../lib/hash"
import type { ContentSite, SiteCtx } from "../site"
import type { ContentEnv } from "../types"

/** The site's database for a public read. */
export const replica = ({ env, site, seen, bookmark }: SiteCtx): SiteDatabase =>
  nearestReplica(env, site.database, { siteId: site.id, seen, bookmark })

/** How long an answer may be used without asking again, in seconds. */
const FRESH = 60

/** A state of a database, as D1 writes it: four groups of hexadecimal digits. */
const BOOKMARK_FORM = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/i

/** Puts ETag, Cache-Control and Vary on a successful read, and answers 304 to a reader who has it already. */
export const cached: MiddlewareHandler<ContentEnv> = adding({ etag: true }, [], async (c, next) => {
  c.set("isKept", true)
  if (isPublicRead(c.req.raw)) {
    const answer = await throughCache(keptRead(c, c.get("ctx").site), async (seen) => {
      c.set("ctx", { ...c.get("ctx"), seen })
      await next()
      return c.res
    })
    replace(c, answer)
    return
  }
  const bookmark = c.req.header(BOOKMARK)
  if (bookmark && BOOKMARK_FORM.test(bookmark)) c.set("ctx", { ...c.get("ctx"), bookmark })
  await next()
  replace(c, conditional(c.req.raw, c.res))
})

/** Puts an answer in the place of one that was made of it; Hono would make a third of the two. */
function replace(c: Context<ContentEnv>, answer: Response): void {
  if (answer === c.res) return
  c.res = undefined
  c.res = answer
}

const encoder = new TextEncoder()

/**
 * A good answer of a kept read, with its tag, and for how long it may be kept by whom.
 * @param json its body
 */
export async function tagged(c: Context<ContentEnv>, json: string): Promise<Response> {
  const { key, site } = c.get("ctx")
  const body = encoder.encode(json)
  // What a key was needed for is nobody else's to keep.
  const scope = key || site.api.keyRequired ? "private" : "public"
  const headers = {
    "Content-Type": "application/json",
    "Cache-Control": `${scope}, max-age=${FRESH}`,
    Vary: "X-API-KEY",
    ETag: `"${(await sha256(body)).slice(0, 32)}"`,
  }
  return new Response(body, { headers })
}

/**
 * A read of the content API for the cache.
 * @param site whose it is; null when that could not be found out
 */
export function keptRead(c: Context<ContentEnv>, site: ContentSite | null): CacheableRead {
  const { search, hostname } = new URL(c.req.url)
  return {
    request: c.req.raw,
    // All of it, in its order: the links of a page keep it.
    query: search.slice(1),
    siteId: site?.id ?? hostname,
    incarnation: site && (site.store?.seq ?? 0),
    stamp: `${c.env.VERSION.id}.${site?.store?.version ?? ""}`,
    after: (work) => c.executionCtx.waitUntil(work.catch((cause) => c.var.log.error("an answer was not kept", cause))),
  }
}
