// Checks every request to /api/v1 in this order: host, store, plan, API switch, key.
// Routing and authentication of the user come afterwards.

import { eq } from "drizzle-orm"
import type { Context, MiddlewareHandler } from "hono"
import { BOOKMARK, cachedSite, isPublicRead, refreshVersion, throughCache } from "../core/cache/edge-cache"
import type { Ctx } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { afterSlowBody } from "../core/http/slow-body"
import { accessState } from "../core/http/store-access"
import { requestContext } from "../core/http/surface"
import type { Actor } from "../core/write/actor"
import { recordLastUsed } from "../core/write/last-used"
import { bookmarkedSiteDatabase, nearestCentralReplica, siteVersion } from "../db/client"
import { serverTokens } from "../db/schema/central/sites"
import { update } from "../db/write"
import { currentTime } from "../lib/clock"
import { toCacheableRead } from "./blog/caching"
import { isPreflight, respondToPreflight } from "./cors"
import { requestLocale } from "./locale"
import { type ContentSite, pinToStore, resolveSite, type ServerKey } from "./site"
import type { ContentEnv } from "./types"

export const contentGate: MiddlewareHandler<ContentEnv> = async (c, next) => {
  const requestCtx = requestContext(c)
  // Reads tolerate a host, switch or key that is a moment out of date, so the nearest replica can resolve them.
  const isRead = c.req.method === "GET" || c.req.method === "HEAD" || isPreflight(c)
  const readCtx = isRead ? { ...requestCtx, db: nearestCentralReplica(c.env) } : requestCtx
  const resolve = () => resolveSite(readCtx, c.req.url, c.req.header("X-API-KEY")?.trim())
  const isPublic = isPublicRead(c.req.raw)
  let resolved: Awaited<ReturnType<typeof resolve>>
  try {
    resolved = await (isPublic ? resolvePublicSite(c, resolve) : resolve())
  } catch (cause) {
    if (!isPublic || cause instanceof Refusal) throw cause
    // The database cannot resolve the host. A cached response of the host was public, so it may be served.
    return throughCache(toCacheableRead(c, null), () => Promise.reject(cause))
  }
  const { site, key } = resolved
  c.set("corsSite", site)
  if (isPreflight(c)) return respondToPreflight(c, site)
  const path = c.req.path.slice(BASE_PATH.length)
  const writer = isRead ? null : bookmarkedSiteDatabase(c.env, site.database, site.id)
  const ctx = {
    ...pinToStore(requestCtx, site),
    actor: key ? toActor(key) : requestCtx.actor,
    site: writer ? { ...site, db: writer.db } : site,
    key,
    locale: requestLocale(c),
    bodyArrived: afterSlowBody(requestCtx.now, async () => {
      // Expiry times are compared with the time at which the body has arrived.
      c.set("ctx", { ...c.var.ctx, now: currentTime() })
      const current = await resolve()
      if (current.key?.id !== key?.id) throw new Refusal("invalid_key")
      assertApiAccess(current.site, current.key, path)
    }),
  }
  c.set("ctx", ctx)
  assertApiAccess(site, key, path)
  if (key) recordKeyUse(ctx, key)
  await next()
  const bookmark = writer?.bookmark()
  if (bookmark) c.header(BOOKMARK, bookmark)
}

/** Resolves the site of a public read from the isolate's cache, and renews the cached content version in parallel. */
const resolvePublicSite = (c: Context<ContentEnv>, resolve: () => ReturnType<typeof resolveSite>) =>
  cachedSite(
    `content:${new URL(c.req.url).hostname}`,
    resolve,
    ({ site }) => site.id,
    ({ site: { id, database } }) => refreshVersion(id, () => siteVersion(c.env, database, id, requestContext(c).now)),
  )

/** Returns the key as an actor of the audit log. */
const toActor = ({ id, name }: ServerKey): Actor =>
  id === null ? { type: "site_key", id, name } : { type: "site_token", id, name }

const BASE_PATH = "/api/v1"

/** Account routes that staff need to pay for the store. They stay open while it is suspended, and on every plan. */
const AVAILABLE_WHEN_SUSPENDED = new Set([
  "/login",
  "/logout",
  "/me",
  "/password/forgot",
  "/password/reset",
  "/update/password",
])

/**
 * Returns whether a path is open while the store is suspended, and on plans without API access.
 * @param path after `/api/v1`
 */
export const isAvailableWhenSuspended = (path: string): boolean =>
  AVAILABLE_WHEN_SUSPENDED.has(path) || path === "/billing" || path.startsWith("/billing/")

/**
 * Asserts that this caller may use the site's API.
 * @param path after `/api/v1`
 * @throws Refusal `store_unavailable`, `not_entitled`, `api_disabled`, `invalid_key`, in that order
 */
function assertApiAccess(site: ContentSite, key: ServerKey | null, path: string): void {
  const isBilling = isAvailableWhenSuspended(path)
  const state = site.store ? accessState(site.store.status) : "serving"
  if (state !== "serving" && !(isBilling && state === "suspended")) throw new Refusal("store_unavailable")
  if (!isBilling && !hasApiAccess(site)) throw new Refusal("not_entitled")
  if (!site.api.enabled) throw new Refusal("api_disabled")
  if (site.api.keyRequired && !key) throw new Refusal("invalid_key")
}

/** Returns whether the store's plan includes API access. A store without a subscription is not restricted. */
const hasApiAccess = ({ subscription }: ContentSite): boolean =>
  !subscription?.plan || subscription.plan.features.api_access === true

/** Records when a server token was last used. The site's own API key has no such column. */
function recordKeyUse(ctx: Ctx, { id, lastUsedAt }: ServerKey): void {
  if (id === null) return
  recordLastUsed(ctx, lastUsedAt, () =>
    update(serverTokens).set({ lastUsedAt: ctx.now }).where(eq(serverTokens.id, id)),
  )
}
