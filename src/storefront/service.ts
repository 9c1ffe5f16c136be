// A visit to a store's host: whose it is, whether it is open, and the page that was asked for, in two round trips or from the
// cache at the edge.

import { isPublicRead, type CacheableRead, rememberedSite, renewVersion, throughCache } from "../core/cache/edge-cache"
import type { Ctx } from "../core/context"
import { type Site, siteOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { accessState } from "../core/http/store-access"
import { nearestReplica, siteVersion } from "../db/client"
import { publicUrl, type Settings } from "../env"
import { sha256 } from "../lib/hash"
import { lookOf, previewPolicy } from "./appearance"
import type { Closed, Shop } from "./data"
import { readShop } from "./page-loader"
import { wantedAt } from "./parse-route"
import { partsOf } from "./parts"
import { type Rendered, renderClosed, renderPage } from "./render"

/**
 * What a visitor sees at an address.
 * @param hostname the host asked for
 * @param locale the language the visitor wants
 * @returns a finished page, whatever the request's conditions when it is not public; a fault of the store's database is the
 *   store being out of order
 */
export async function visit(ctx: Ctx, request: Request, hostname: string, locale: string): Promise<Response> {
  const url = new URL(request.url)
  let site: Site | null
  try {
    site = await rememberedSite(
      `storefront:${hostname}`,
      () => siteOf(ctx.env, hostname),
      (last) => renew(ctx, last),
    )
  } catch (cause) {
    // Nobody can be asked whose host it is; what is kept under it was good for all.
    return throughCache(keptVisit(ctx, request, url, hostname, locale, null), () => Promise.reject(cause))
  }
  if (!site) return respond(renderClosed({ kind: "unknown_host", host: hostname, locale }))
  const { store } = site
  const state = accessState(store.status)
  if (state !== "serving") return respond(renderClosed(closed(site, state, locale)))
  const read = async (seen?: (version: number) => void) => {
    try {
      return await respond(await pageOf(ctx, site, url, locale, seen))
    } catch (cause) {
      ctx.log.error("a storefront could not be read", cause, { store: store.id })
      return respond(renderClosed(closed(site, "unavailable", locale)))
    }
  }
  return isPublicRead(request) ? throughCache(keptVisit(ctx, request, url, hostname, locale, site), read) : read()
}

/** What a shop would look like. */
interface Fitting {
  theme: string
  /** For a theme that it has not got. */
  preset: string
  /** Apps that it would have besides its own. */
  apps: readonly string[]
}

/**
 * The front page of a store, serving or not, as it would be in a theme.
 * @param hostname one that leads to the store
 * @returns a page that a page of this host may frame, and that does nothing
 * @throws Refusal `not_found` for a host that is no store's, `store_unavailable` for a store without a database
 */
export async function previewShop(ctx: Ctx, hostname: string, fitting: Fitting, locale: string): Promise<Response> {
  const site = await siteOf(ctx.env, hostname)
  if (!site) throw new Refusal("not_found")
  if (!site.store.database) throw new Refusal("store_unavailable")
  const { theme } = fitting
  const preset = theme === site.store.theme ? site.store.preset : fitting.preset
  const apps = [...new Set([...site.store.apps, ...fitting.apps])]
  const rootUrl = publicUrl(ctx.settings, site.primary)
  const dressed = { ...site, store: { ...site.store, theme, preset, apps } }
  const { html } = await pageOf(ctx, dressed, new URL(rootUrl), locale, undefined)
  return new Response(html.replace("<head>", `<head><base href="${rootUrl}/">`), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": previewPolicy(lookOf(theme, preset).css, rootUrl),
    },
  })
}

/** The page of a serving store at an address, read from its database. */
async function pageOf(
  ctx: Ctx,
  site: Site,
  url: URL,
  locale: string,
  seen: ((version: number) => void) | undefined,
): Promise<Rendered> {
  const { store } = site
  if (!store.database) throw new Error("A serving store has no database")
  const db = nearestReplica(ctx.env, store.database, { siteId: store.id, seen })
  const parts = await partsOf(store.apps, store.theme)
  const { page, menu, pages } = await readShop(db, { siteId: store.id }, parts, wantedAt(url))
  return renderPage({ ...shopOf(ctx.settings, site, locale), menu, pages }, page)
}

/** Asks which state a store's content is in, beside the store. */
async function renew({ env }: Ctx, site: Site | null): Promise<void> {
  if (!site?.store.database) return
  const { id, database } = site.store
  await renewVersion(id, () => siteVersion(env, database, id))
}

/** A finished page, which is asked for again every time and sent only when it has changed: a store closes at once. */
async function respond({ html, status, headers }: Rendered): Promise<Response> {
  const fresh = new Headers({ "Cache-Control": "public, no-cache", Vary: "Accept-Language", ...headers })
  if (status === 200) fresh.set("ETag", `"${(await sha256(html)).slice(0, 32)}"`)
  return new Response(html, { status, headers: fresh })
}

/** A visit for the cache: of a query, only the page of a list decides what is shown. */
const keptVisit = (
  ctx: Ctx,
  request: Request,
  { searchParams }: URL,
  hostname: string,
  locale: string,
  site: Site | null,
): CacheableRead => ({
  request,
  query: searchParams.has("page") ? `page=${encodeURIComponent(searchParams.get("page") ?? "")}` : "",
  variant: locale,
  siteId: site?.store.id ?? hostname,
  incarnation: site?.store.seq ?? null,
  stamp: `${ctx.env.VERSION.id}.${site?.store.version ?? ""}`,
  after: ctx.after,
})

const closed = ({ store }: Site, kind: Exclude<Closed["kind"], "unknown_host">, locale: string): Closed => ({
  kind,
  name: store.name,
  theme: store.theme,
  preset: store.preset,
  locale,
})

/** The store as its pages name it. */
const shopOf = (
  settings: Settings,
  { store, subscription, primary }: Site,
  locale: string,
): Omit<Shop, "menu" | "pages"> => ({
  name: store.name,
  rootUrl: publicUrl(settings, primary),
  theme: store.theme,
  preset: store.preset,
  locale,
  branding: subscription?.plan?.features.remove_branding
    ? null
    : { name: settings.APP_NAME, url: publicUrl(settings, settings.CENTRAL_DOMAIN, "/") },
})
