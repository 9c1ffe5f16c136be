// Serves a storefront page: resolves the host, checks the store's state and renders the page, in two database round
// trips or from the edge cache.
import { type CacheableRead, cachedSite, isPublicRead, refreshVersion, throughCache } from "../core/cache/edge-cache"
import { renderingId } from "../core/cache/rendering"
import type { Ctx } from "../core/context"
import { readClosedShopAppearance } from "../core/http/closed-shop-appearance"
import { findSiteByHost, type Site } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { accessState } from "../core/http/store-access"
import type { Locale } from "../core/i18n/locale"
import { nearestReplica, siteDatabase, siteVersion } from "../db/client"
import type { ShopAppearance } from "../db/schema/sites/shop-settings"
import { publicUrl, type Settings } from "../env"
import { sha256 } from "../lib/hash"
import { getAppearance, previewPolicy } from "./appearance"
import { loadCrawlerDocument } from "./crawlers/loader"
import type { ClosedShop, Shop } from "./data"
import { formatListQuery, isFiltered, parseListQuery, WHOLE_LIST } from "./list-query"
import { listFooterLinks, loadParts } from "./load-parts"
import { loadShop } from "./page-loader"
import { parseCrawlerRoute, parseRoute } from "./parse-route"
import { JOURNAL, PAGES, singlePath } from "./paths"
import { type RenderedPage, renderClosed, renderCrawlerDocument, renderPage } from "./render"
import { resolveShopAppearance } from "./shop-appearance"

/**
 * Serves a visit to a store's host.
 * @param hostname requested host
 * @param accepted the supported language that the visitor accepts; null for that of the shop
 * @returns the rendered page; for a request that is not public its conditional headers are ignored. When the store's
 *   database fails, the page says that the shop is unavailable
 */
export async function serveStorefront(
  ctx: Ctx,
  request: Request,
  hostname: string,
  accepted: Locale | null,
): Promise<Response> {
  const url = new URL(request.url)
  let site: Site | null
  try {
    site = await cachedSite(
      `storefront:${hostname}`,
      () => findSiteByHost(ctx.env, hostname),
      (found) => found?.store.id ?? null,
      (last) => renewContentVersion(ctx, last),
    )
  } catch (cause) {
    // The host cannot be resolved. A page cached under it was public, so it may still be served.
    return throughCache(toCacheableRead(ctx, request, url, hostname, accepted, null), () => Promise.reject(cause))
  }
  const locale = accepted ?? site?.language ?? "en"
  if (!site) return respond(renderClosed({ kind: "unknown_host", host: hostname, locale }))
  const { store } = site
  const state = accessState(store.status)
  if (state !== "serving") {
    const kind = state === "suspended" && store.operatorSuspendedAt ? "closed" : state
    const shopAppearance = state === "suspended" ? await readClosedShopAppearance(ctx, store) : null
    return respond(renderClosed({ ...toClosedShop(site, kind, locale), shopAppearance }))
  }
  const read = async (onVersionRead?: (version: string) => void) => {
    try {
      return await respond(await renderStorePage(ctx, site, url, locale, onVersionRead))
    } catch (cause) {
      ctx.log.error("a storefront could not be read", cause, { store: store.id })
      return respond(renderClosed(toClosedShop(site, "unavailable", locale)))
    }
  }
  const route = parseRoute(url)
  if (route?.kind === "private") return withoutCaching(await read())
  // Filters have too many values to cache them all, and the stock changes without a new version of the content.
  const isCacheable = isPublicRead(request) && !(route?.kind === "list" && isFiltered(route.query))
  return isCacheable ? throughCache(toCacheableRead(ctx, request, url, hostname, accepted, site), read) : read()
}

/** Keeps a page with a secret URL out of every cache, and its URL out of the `Referer` of links. */
function withoutCaching({ body, status, headers }: Response): Response {
  const response = new Response(body, { status, headers })
  response.headers.delete("ETag")
  response.headers.set("Cache-Control", "no-store")
  response.headers.set("Referrer-Policy", "no-referrer")
  return response
}

/** Appearance to preview. */
interface PreviewOptions {
  theme: string
  /** Used when the previewed theme is not the store's current one. */
  preset: string
  /** Whether the preset also replaces that of the store's current theme. */
  isPresetChosen?: boolean
  /** Apps to preview in addition to the enabled ones. */
  apps: readonly string[]
  /** Replaces the shop's appearance. */
  shopAppearance?: ShopAppearance
}

/**
 * Renders the front page of a store in another theme, whether or not the store is being served.
 * @param hostname a host of the store
 * @returns an inert page that pages of the same host may show in a frame
 * @throws Refusal `not_found` for a host without a store, `store_unavailable` for a store without a database
 */
export async function previewShop(
  ctx: Ctx,
  hostname: string,
  options: PreviewOptions,
  locale: string,
): Promise<Response> {
  const site = await findSiteByHost(ctx.env, hostname)
  if (!site) throw new Refusal("not_found")
  if (!site.store.database) throw new Refusal("store_unavailable")
  const { theme } = options
  const isOwn = theme === site.store.theme && !options.isPresetChosen
  const preset = isOwn ? site.store.preset : options.preset
  const apps = [...new Set([...site.store.apps, ...options.apps])]
  const rootUrl = publicUrl(ctx.settings, site.primary)
  return renderPreview(
    ctx,
    { ...site, store: { ...site.store, theme, preset, apps } },
    new URL(rootUrl),
    locale,
    options.shopAppearance,
  )
}

/**
 * Renders a post or a page of a store as its visitors would see it, whatever its status and that of the store.
 * @param hostname a host of the store
 * @returns an inert page; its status is 404 for an unknown slug
 * @throws Refusal `not_found` for a host without a store, `store_unavailable` for a store without a database
 */
export async function previewContent(
  ctx: Ctx,
  hostname: string,
  kind: "posts" | "pages",
  slug: string,
  locale: string,
): Promise<Response> {
  const site = await findSiteByHost(ctx.env, hostname)
  if (!site) throw new Refusal("not_found")
  if (!site.store.database) throw new Refusal("store_unavailable")
  const path = singlePath(kind === "posts" ? JOURNAL : PAGES, slug)
  return renderPreview(ctx, site, new URL(publicUrl(ctx.settings, site.primary, path)), locale)
}

/** Renders a page without scripts that pages of the same host may show in a frame. */
async function renderPreview(
  ctx: Ctx,
  site: Site,
  url: URL,
  locale: string,
  shopAppearance?: ShopAppearance,
): Promise<Response> {
  const { theme, preset } = site.store
  const options = { includesUnpublished: true, ...(shopAppearance && { shopAppearance }) }
  const { body, status, accent } = await renderStorePage(ctx, site, url, locale, undefined, options)
  return new Response(body.replace("<head>", `<head><base href="${url.origin}/">`), {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": previewPolicy(getAppearance(theme, preset, accent), url.origin),
    },
  })
}

/** Renders the page of a serving store at a URL, read from its database. */
async function renderStorePage(
  ctx: Ctx,
  site: Site,
  url: URL,
  locale: string,
  onVersionRead: ((version: string) => void) | undefined,
  {
    includesUnpublished = false,
    shopAppearance,
  }: { includesUnpublished?: boolean; shopAppearance?: ShopAppearance } = {},
): Promise<RenderedPage> {
  const { store } = site
  if (!store.database) throw new Error("A serving store has no database")
  const scope = { siteId: store.id, now: ctx.now, includesUnpublished }
  const route = parseRoute(url)
  // A replica may not have an order that was just placed.
  const db =
    route?.kind === "private"
      ? siteDatabase(ctx.env, store.database, store.id)
      : nearestReplica(ctx.env, store.database, { ...scope, onVersionRead })
  const parts = await loadParts(store.apps, store.theme)
  const crawlerRoute = parseCrawlerRoute(url)
  if (crawlerRoute) {
    const shop = { name: store.name, rootUrl: publicUrl(ctx.settings, site.primary) }
    return renderCrawlerDocument(await loadCrawlerDocument(db, scope, shop, parts, crawlerRoute))
  }
  const { page, ...layout } = await loadShop(db, scope, { parts, apps: store.apps }, route)
  const cart = parts.some(({ hasCart }) => hasCart) ? (includesUnpublished ? "linked" : "counted") : undefined
  const shop = {
    ...toShop(ctx.settings, site, locale),
    ...layout,
    ...(shopAppearance && resolveShopAppearance(shopAppearance, layout)),
  }
  return renderPage({ ...shop, cart }, page)
}

/** Refreshes the cached content version of a store, in parallel with resolving the store. */
async function renewContentVersion({ env, now }: Ctx, site: Site | null): Promise<void> {
  if (!site?.store.database) return
  const { id, database } = site.store
  await refreshVersion(id, () => siteVersion(env, database, id, now))
}

/** Builds the response. Clients revalidate it on every visit, so closing a store takes effect immediately. */
async function respond({ body, status, headers }: RenderedPage): Promise<Response> {
  const fresh = new Headers({ "Cache-Control": "public, no-cache", Vary: "Accept-Language", ...headers })
  if (status === 200) fresh.set("ETag", `"${(await sha256(body)).slice(0, 32)}"`)
  return new Response(body, { status, headers: fresh })
}

/** Builds the part of a visit's cache key that the query determines: the page number of a list, and its order. */
function toCacheQuery({ searchParams }: URL): string {
  const order = formatListQuery({ ...WHOLE_LIST, sort: parseListQuery(searchParams).sort })
  const page = searchParams.has("page") ? `page=${encodeURIComponent(searchParams.get("page") ?? "")}` : ""
  return [page, order].filter(Boolean).join("&")
}

/** Builds the cache key of a visit. */
const toCacheableRead = (
  ctx: Ctx,
  request: Request,
  url: URL,
  hostname: string,
  accepted: Locale | null,
  site: Site | null,
): CacheableRead => ({
  request,
  query: toCacheQuery(url),
  // Not the shop's language: a page in it must be found while the shop cannot be read.
  variant: accepted ?? "",
  siteId: site?.store.id ?? hostname,
  incarnation: site?.store.seq ?? null,
  validator: `${renderingId(ctx.env)}.${site?.store.version ?? ""}.${accepted ?? site?.language ?? ""}`,
  after: ctx.inBackground,
})

const toClosedShop = (
  { store }: Site,
  kind: Exclude<ClosedShop["kind"], "unknown_host">,
  locale: string,
): Exclude<ClosedShop, { kind: "unknown_host" }> => ({
  kind,
  name: store.name,
  theme: store.theme,
  preset: store.preset,
  locale,
})

/** Maps a site to the data that its pages show. */
const toShop = (
  settings: Settings,
  { store, subscription, primary }: Site,
  locale: string,
): Omit<Shop, "menu" | "pages" | "legalPages"> => ({
  name: store.name,
  rootUrl: publicUrl(settings, primary),
  theme: store.theme,
  preset: store.preset,
  locale,
  footerLinks: listFooterLinks(store.apps),
  branding: subscription?.plan?.features.remove_branding
    ? null
    : { name: settings.APP_NAME, url: publicUrl(settings, settings.CENTRAL_DOMAIN, "/") },
})
