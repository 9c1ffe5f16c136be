// Every request of /api/v1 passes here, whatever its verb and path, in this order: host, store, plan, switch, key. Only then
// is it asked whether the path exists, and only then who the user is.
import { eq } from "drizzle-orm"
import type { Context, MiddlewareHandler } from "hono"
import { BOOKMARK, isPublicRead, rememberedSite, renewVersion, throughCache } from "../core/cache/edge-cache"
import type { Ctx } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { afterSlowBody } from "../core/http/slow-body"
import { accessState } from "../core/http/store-access"
import { requestContext } from "../core/http/surface"
import { acceptedLocale } from "../core/i18n/locale"
import type { Actor } from "../core/write/actor"
import { touch } from "../core/write/touch"
import { followed, nearestCentralReplica, siteVersion } from "../db/client"
import { serverTokens } from "../db/schema/central/sites"
import { update } from "../db/write"
import { keptRead } from "./blog/caching"
import { type ContentSite, pinnedTo, resolveSite, type ServerKey } from "./site"
import type { ContentEnv } from "./types"

/** The gate itself. */
export const gate: MiddlewareHandler<ContentEnv> = async (c, next) => {
  const visitor = requestContext(c)
  // A read may learn of a new host, switch or key a moment late; in exchange it need not cross the world for them.
  const isRead = c.req.method === "GET" || c.req.method === "HEAD"
  const reader = isRead ? { ...visitor, db: nearestCentralReplica(c.env) } : visitor
  const resolve = () => resolveSite(reader, c.req.url, c.req.header("X-API-KEY")?.trim())
  const isPublic = isPublicRead(c.req.raw)
  let found: Awaited<ReturnType<typeof resolve>>
  try {
    found = await (isPublic ? rememberedPublicSite(c, resolve) : resolve())
  } catch (cause) {
    if (!isPublic || cause instanceof Refusal) throw cause
    // Nobody can be asked whose host it is; what is kept under it was good for all.
    return throughCache(keptRead(c, null), () => Promise.reject(cause))
  }
  const { site, key } = found
  const path = c.req.path.slice(BASE.length)
  const writer = isRead ? null : followed(c.env, site.database)
  const ctx = {
    ...pinnedTo(visitor, site),
    actor: key ? actorOf(key) : visitor.actor,
    site: writer ? { ...site, db: writer.db } : site,
    key,
    locale: acceptedLocale(c.req.header("Accept-Language")),
    bodyArrived: afterSlowBody(visitor.now, async () => {
      // What expires is compared with the time at which the body has arrived.
      c.set("ctx", { ...c.var.ctx, now: new Date() })
      const again = await resolve()
      if (again.key?.id !== key?.id) throw new Refusal("invalid_key")
      assertOpen(again.site, again.key, path)
    }),
  }
  c.set("ctx", ctx)
  assertOpen(site, key, path)
  if (key) noteUse(ctx, key)
  await next()
  const bookmark = writer?.bookmark()
  if (bookmark) c.header(BOOKMARK, bookmark)
}

/** The site of a public read, of which the state is asked beside it. */
const rememberedPublicSite = (c: Context<ContentEnv>, resolve: () => ReturnType<typeof resolveSite>) =>
  rememberedSite(`content:${new URL(c.req.url).hostname}`, resolve, ({ site: { id, database } }) =>
    renewVersion(id, () => siteVersion(c.env, database, id)),
  )

/** The key as the trail names it. */
const actorOf = ({ id, name }: ServerKey): Actor =>
  id === null ? { type: "site_key", id, name } : { type: "site_token", id, name }

const BASE = "/api/v1"

/** What a store's people need to pay for it: their account and its billing. It is there while the store is closed for want of a
 * payment, and whatever was bought. */
const ALWAYS = new Set(["/login", "/logout", "/me", "/password/forgot", "/password/reset", "/update/password"])

/** @param path behind `/api/v1` */
export const isNeededToPay = (path: string): boolean =>
  ALWAYS.has(path) || path === "/billing" || path.startsWith("/billing/")

/**
 * Whether a site's API answers this caller.
 * @param path behind `/api/v1`
 * @throws Refusal `store_unavailable`, `not_entitled`, `api_disabled`, `invalid_key`, in that order
 */
function assertOpen(site: ContentSite, key: ServerKey | null, path: string): void {
  const needed = isNeededToPay(path)
  const state = site.store ? accessState(site.store.status) : "serving"
  if (state !== "serving" && !(needed && state === "suspended")) throw new Refusal("store_unavailable")
  if (!needed && !includesApi(site)) throw new Refusal("not_entitled")
  if (!site.api.enabled) throw new Refusal("api_disabled")
  if (site.api.keyRequired && !key) throw new Refusal("invalid_key")
}

/** Whether what the store bought includes the API; one that bought nothing is not restricted. */
const includesApi = ({ subscription }: ContentSite): boolean =>
  !subscription?.plan || subscription.plan.features.api_access === true

/** Notes when a server token was used; the site's own key has no row to note it on. */
function noteUse(ctx: Ctx, { id, lastUsedAt }: ServerKey): void {
  if (id === null) return
  touch(ctx, lastUsedAt, () => update(serverTokens).set({ lastUsedAt: ctx.now }).where(eq(serverTokens.id, id)))
}
