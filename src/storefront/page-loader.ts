// Loads the page behind a route from the store's site database in one round trip.
import { batch, type SiteDatabase } from "../db/client"
import type { ShopAppearance } from "../db/schema/sites/shop-settings"
import { sha256 } from "../lib/hash"
import { renderContentPage } from "./content-pages/page"
import {
  type LayoutSettings,
  selectAnyPage,
  selectLayoutSettings,
  selectPage,
  selectPageLinks,
} from "./content-pages/queries"
import type { ContentPage, PageLink, Shop } from "./data"
import { loadItemSections, withSections } from "./item-sections"
import { loadCategory } from "./journal/category"
import { journal } from "./journal/part"
import { publicPostTotal } from "./journal/queries"
import { prepareTotal, toListParams } from "./list"
import { renderHome } from "./pages/home"
import type { Route } from "./parse-route"
import type { Page, PageLoader, Section, SiteScope, StorefrontPart } from "./part"
import { CATEGORIES, PAGES } from "./paths"
import { resolveShopAppearance } from "./shop-appearance"

/** The layout of every page of a shop. */
type ShopLayout = Pick<Shop, "menu" | "ownMenu" | "logo" | "favicon" | "accent" | "pages" | "legalPages">

/** Data loaded for one visit. */
interface LoadedShop extends ShopLayout {
  /** Null when nothing is published at the route. */
  page: Page | null
}

const countPosts = prepareTotal(publicPostTotal)

/**
 * Loads a page together with the menu and the page links around it.
 * @param db the store's site database
 * @param parts storefront parts of the store, in menu order
 * @param apps slugs of the enabled apps
 * @param route null for a URL that no page has
 */
export async function loadShop(
  db: SiteDatabase,
  scope: SiteScope,
  { parts, apps }: { parts: readonly StorefrontPart[]; apps: readonly string[] },
  route: Route | null,
): Promise<LoadedShop> {
  const loader = route && (await pageLoaderOf(scope, { parts, apps }, route))
  const layout = readLayout(scope)
  const results: readonly (readonly unknown[])[] = await batch(db, [...layout, ...(loader?.reads ?? [])])
  return { ...toLayout(parts, results), page: loader?.load(results.slice(layout.length)) ?? null }
}

/** Builds the reads of what every page shows; `toLayout` takes their results. */
export const readLayout = (scope: SiteScope) =>
  [
    selectPageLinks({ site: scope.siteId }),
    countPosts(toListParams(scope)),
    selectLayoutSettings({ site: scope.siteId }),
  ] as const

/**
 * Builds the menu and the page links.
 * @param results begin with those of `readLayout`
 */
export function toLayout(parts: readonly StorefrontPart[], results: readonly (readonly unknown[])[]): ShopLayout {
  const [pages = [], counts = [], settings = []] = results as [PageLink[], { total: number }[], LayoutSettings[]]
  const hasPosts = (counts[0]?.total ?? 0) > 0
  const layout = {
    menu: parts.filter((part) => part !== journal || hasPosts).map(({ path, menu: name }) => ({ path, name })),
    pages,
    legalPages: settings.flatMap(({ slug, name }) => (slug !== null && name !== null ? [{ slug, name }] : [])),
  }
  const appearance = settings[0]?.appearance
  return appearance ? { ...layout, ...resolveShopAppearance(JSON.parse(appearance) as ShopAppearance, layout) } : layout
}

async function pageLoaderOf(
  scope: SiteScope,
  { parts, apps }: { parts: readonly StorefrontPart[]; apps: readonly string[] },
  route: Route,
): Promise<PageLoader<Page> | null> {
  if (route.kind === "home") return homeLoader(scope, parts)
  if (route.kind === "private") {
    const keyHash = await sha256(route.key)
    return parts.find(({ order }) => order)?.order?.(scope, route.segment, keyHash) ?? null
  }
  if (route.part === PAGES) return route.kind === "single" ? contentPageLoader(scope, route.slug) : null
  if (route.part === CATEGORIES) return route.kind === "single" ? loadCategory(scope, route.slug) : null
  const part = parts.find(({ path }) => path === route.part)
  if (!part) return null
  if (route.kind === "list") return part.list(scope, route.page, route.query)
  return withSections(part.single(scope, route.slug), await loadItemSections(apps, part.path), scope, route.slug)
}

/** Loads the front page: every part's section receives the results of its own queries. */
function homeLoader(scope: SiteScope, parts: readonly StorefrontPart[]): PageLoader<Page> {
  const loaders = parts.flatMap((part) => part.section?.(scope) ?? [])
  return {
    reads: loaders.flatMap(({ reads }) => reads),
    load(results) {
      const rest = [...results]
      const sections = loaders.map(({ reads, load }) => load(rest.splice(0, reads.length)))
      return renderHome(sections.filter((section): section is Section => section !== null))
    },
  }
}

const contentPageLoader = ({ siteId: site, includesUnpublished }: SiteScope, slug: string): PageLoader<Page> => ({
  reads: [(includesUnpublished ? selectAnyPage : selectPage)({ site }, slug)],
  load: ([pages]) => (pages?.[0] ? renderContentPage(pages[0] as ContentPage) : null),
})
