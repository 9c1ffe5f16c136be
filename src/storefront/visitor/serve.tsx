// Serves the pages that depend on the visitor: finds the page of a path, resolves the site and the customer, and
// renders the page in the store's layout.
import { availableApps } from "../../apps/registry"
import { type ContentRefusal, isContentRefusal, messageOf, statusOf } from "../../content/envelope"
import { pinToStore, resolveSite, type SiteCtx } from "../../content/site"
import { ANONYMOUS, authenticate, createUserCtx, type User, type UserCtx } from "../../content/user"
import type { Ctx } from "../../core/context"
import { isServerFailure, Refusal } from "../../core/http/refusal"
import { accessState } from "../../core/http/store-access"
import type { Locale } from "../../core/i18n/locale"
import { batch, bookmarkedSiteDatabase, type Read, type Results } from "../../db/client"
import { publicUrl } from "../../env"
import { memoize } from "../../lib/memo"
import type { Shop } from "../data"
import { listFooterLinks, loadParts } from "../load-parts"
import { readLayout, toLayout } from "../page-loader"
import { renderFormRefused } from "../pages/refused"
import { renderVisitorPage } from "../render"
import { type Cookies, createCookies } from "./cookies"
import { matchPath } from "./match-path"
import type { FormFields, Visit, VisitorPage } from "./page"
import { deleteSessionToken, getSessionToken, isSecure } from "./session"

/** Pages, the app that they belong to, and the first segments of their paths. */
interface PageSet {
  /** Null for the pages of every store. */
  app: string | null
  paths: readonly string[]
  load: () => Promise<readonly VisitorPage[]>
}

const PAGE_SETS: readonly PageSet[] = [
  { app: null, paths: ["search", "account"], load: async () => (await import("./own-pages")).ownPages },
  ...availableApps.flatMap(({ slug, visitorPages }) => (visitorPages ? [{ app: slug, ...visitorPages }] : [])),
]

/** Imports pages once per isolate. */
const loadPages = memoize((set: PageSet) => set.load())

const findPageSets = (pathname: string): PageSet[] => {
  const segment = pathname.split("/")[1] ?? ""
  return PAGE_SETS.filter(({ paths }) => paths.includes(segment))
}

/** Whether a page that depends on the visitor may have the path, in a store that has enabled the app. */
export const isVisitorPath = (pathname: string): boolean => findPageSets(pathname).length > 0

/** The kind of request: a visit, or a form with its fields. */
interface VisitRequest {
  url: URL
  cookie: string | null
  /** The supported language that the visitor accepts; null for that of the shop. */
  accepted: Locale | null
  /** Null for a visit. */
  readFields: (() => Promise<FormFields>) | null
}

/**
 * Serves a page that depends on the visitor.
 * @returns null when the store is not being served, or when it has no such page
 */
export async function serveVisitorPage(ctx: Ctx, request: VisitRequest): Promise<Response | null> {
  const { url, accepted, readFields } = request
  const siteCtx = await resolveServingSite(ctx, url, accepted, readFields !== null)
  if (!siteCtx) return null
  const found = await findPage(siteCtx, url.pathname)
  const handler = readFields ? found?.page.post : found?.page.get
  if (!found || !handler) return null
  const cookies = createCookies(request.cookie, isSecure(ctx.settings))
  const userCtx = await identify(siteCtx, cookies)
  const visit = createVisit(userCtx, url, found.params, cookies)
  try {
    return withCookies(readFields ? await handler(visit, await readFields()) : await handler(visit, {}), cookies)
  } catch (thrown) {
    if (!isContentRefusal(thrown) || isServerFailure(thrown)) throw thrown
    return withCookies(await refuse(visit, thrown), cookies)
  }
}

/** Responds to a refusal that the page does not expect itself. */
function refuse(visit: Visit, refusal: ContentRefusal): Promise<Response> {
  return visit.render(renderFormRefused(messageOf(refusal, visit.ctx.locale)), statusOf(refusal))
}

/** Resolves the site; null unless it is being served. */
async function resolveServingSite(
  ctx: Ctx,
  url: URL,
  accepted: Locale | null,
  isWrite: boolean,
): Promise<SiteCtx | null> {
  try {
    const { site } = await resolveSite(ctx, url.href, undefined)
    if (!site.store || accessState(site.store.status) !== "serving") return null
    const db = isWrite ? bookmarkedSiteDatabase(ctx.env, site.database, site.id).db : site.db
    const locale = accepted ?? site.language ?? "en"
    return { ...pinToStore(ctx, site), site: { ...site, db }, key: null, locale }
  } catch (thrown) {
    if (thrown instanceof Refusal && (thrown.code === "not_found" || thrown.code === "store_unavailable")) return null
    throw thrown
  }
}

/** Finds the page with a path among those of the enabled apps. */
async function findPage(
  { site }: SiteCtx,
  pathname: string,
): Promise<{ page: VisitorPage; params: Record<string, string> } | null> {
  for (const set of findPageSets(pathname)) {
    if (set.app !== null && !site.store?.apps.includes(set.app)) continue
    for (const page of await loadPages(set)) {
      const params = matchPath(page.path, pathname)
      if (params) return { page, params }
    }
  }
  return null
}

/** Returns the context with the customer whose session the cookies have. */
async function identify(ctx: SiteCtx, cookies: Cookies): Promise<UserCtx> {
  const token = getSessionToken(ctx.settings, cookies)
  return token ? createUserCtx(ctx, `Bearer ${token}`) : { ...ctx, caller: ANONYMOUS }
}

/** The rows of each read. */
type Rows = readonly (readonly unknown[])[]

const readAll = ({ site }: SiteCtx, reads: readonly Read[]): Promise<Rows> => batch(site.db, reads)

function createVisit(initialCtx: UserCtx, url: URL, params: Record<string, string>, cookies: Cookies): Visit {
  let ctx = initialCtx
  let shop: Shop | undefined
  const readAs = async <const Reads extends readonly Read[]>(reads: Reads, asUser: boolean) => {
    const layout = readLayout({ siteId: ctx.site.id, now: ctx.now })
    const all: readonly Read[] = [...layout, ...reads]
    const { user, results } = (asUser && (await authenticateIfSignedIn(all))) || {
      user: null,
      results: await readAll(ctx, all),
    }
    shop = await toShop(ctx, results)
    return { user, results: results.slice(layout.length) as Results<Reads> }
  }
  const authenticateIfSignedIn = async (all: readonly Read[]): Promise<{ user: User; results: Rows } | null> => {
    if (!ctx.caller.token) return null
    try {
      return await authenticate(ctx, () => all, { allowUnverified: true })
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.code !== "unauthenticated") throw thrown
      deleteSessionToken(ctx.settings, cookies)
      ctx = { ...ctx, caller: ANONYMOUS }
      return null
    }
  }
  const visit: Visit = {
    get ctx() {
      return ctx
    },
    url,
    params,
    cookies,
    read: async (reads) => (await readAs(reads, false)).results,
    readAsUser: (reads) => readAs(reads, true),
    async render(page, status = 200) {
      if (!shop) await readAs([], false)
      if (!shop) throw new Error("The layout was not read")
      return renderVisitorPage(shop, page, status)
    },
    redirect: (path) => new Response(null, { status: 303, headers: { Location: path, "Cache-Control": "no-store" } }),
  }
  return visit
}

/** Maps a site and what was read for its layout to the data that its pages show. */
async function toShop({ settings, site, locale }: SiteCtx, results: Rows): Promise<Shop> {
  if (!site.store) throw new Error("The central site has no storefront")
  const { name, theme, preset, apps } = site.store
  const parts = await loadParts(apps, theme)
  return {
    name,
    theme,
    preset,
    locale,
    rootUrl: publicUrl(settings, site.hostname),
    cart: parts.some(({ hasCart }) => hasCart) ? "counted" : undefined,
    footerLinks: listFooterLinks(apps),
    branding: site.subscription?.plan?.features.remove_branding
      ? null
      : { name: settings.APP_NAME, url: publicUrl(settings, settings.CENTRAL_DOMAIN, "/") },
    ...toLayout(parts, results),
  }
}

function withCookies(response: Response, cookies: Cookies): Response {
  for (const change of cookies.changes) response.headers.append("Set-Cookie", change)
  return response
}
