// Public reads: answered from the replica nearest to the reader, and with what a cache needs to keep and to revalidate them.
import type { MiddlewareHandler } from "hono"
import { adding } from "../../core/route"
import { nearestReplica, type SiteDatabase } from "../../db/client"
import { matchesTag } from "../../lib/entity-tag"
import { sha256 } from "../../lib/hash"
import type { SiteCtx } from "../site"
import type { ContentEnv } from "../types"

/** The site's database for a public read. */
export const replica = ({ env, site }: SiteCtx): SiteDatabase => nearestReplica(env, site.database)

/** How long an answer may be used without asking again, in seconds. */
const FRESH = 60

/** Puts ETag, Cache-Control and Vary on a successful read, and answers 304 to a reader who has it already. */
export const cached: MiddlewareHandler<ContentEnv> = adding({ etag: true }, [], async (c, next) => {
  await next()
  if (c.res.status !== 200) return
  const { key, site } = c.var.ctx
  const body = await c.res.text()
  const etag = `"${(await sha256(body)).slice(0, 32)}"`
  const headers = new Headers(c.res.headers)
  // What a key was needed for is nobody else's to keep.
  const scope = key || site.api.keyRequired ? "private" : "public"
  headers.set("Cache-Control", `${scope}, max-age=${FRESH}`)
  headers.append("Vary", "X-API-KEY")
  headers.set("ETag", etag)
  const known = matchesTag(c.req.header("If-None-Match"), etag)
  if (known) headers.delete("Content-Type")
  c.res = known ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
})
