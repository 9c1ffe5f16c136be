// Resolves the names of menu entries, and drops those of pages that no longer exist. Lists the targets that a
// menu entry can have.
import type { Locale } from "../core/i18n/locale"
import type { ShopAppearance, ShopMenuItem } from "../db/schema/sites/shop-settings"
import { getAppearance } from "./appearance"
import { MAX_LINKS } from "./content-pages/queries"
import type { MenuLink, PageLink, Shop } from "./data"
import { loadParts } from "./load-parts"
import { CATEGORIES, HOME, listPath, PAGES, singlePath } from "./paths"
import { safeLink } from "./text/safe-url"

/** @param layout the shop's lists and published pages */
export const resolveShopAppearance = (
  { menu, ...rest }: ShopAppearance,
  layout: Pick<Shop, "menu" | "pages">,
): Pick<Shop, "logo" | "favicon" | "accent" | "ownMenu"> => ({
  ...rest,
  ownMenu: menu.flatMap((item) => resolveItem(item, layout) ?? []),
})

/** Names an entry that has no name. Returns null for a page that is no longer published. */
function resolveItem({ name, url }: ShopMenuItem, { menu, pages }: Pick<Shop, "menu" | "pages">): MenuLink | null {
  const href = safeLink(url)
  if (!href) return null
  const page = pages.find(({ slug }) => singlePath(PAGES, slug) === href)
  // Only the first pages are known; one that is not among them may exist.
  if (!page && href.startsWith(`/${PAGES}/`) && pages.length < MAX_LINKS) return null
  if (name) return { href, name }
  if (href === HOME) return { href, name: null }
  return { href, name: menu.find(({ path }) => listPath(path) === href)?.name ?? page?.name ?? href }
}

/** The target of a menu entry. */
export interface MenuTarget {
  url: string
  /** Null for the front page. */
  label: string | null
  /** Whether the name is in the language of the visitor, so that the entry needs none. */
  isTranslated: boolean
}

/** Lists the possible targets of menu entries: the front page, the lists of the apps, pages and categories. */
export async function listMenuTargets(
  { apps, theme }: { apps: readonly string[]; theme: string },
  { pages, categories }: { pages: readonly PageLink[]; categories: readonly PageLink[] },
  locale: Locale,
): Promise<MenuTarget[]> {
  const parts = await loadParts(apps, theme)
  const toTarget = (part: string, { slug, name }: PageLink) => ({
    url: singlePath(part, slug),
    label: name,
    isTranslated: false,
  })
  return [
    { url: HOME, label: null, isTranslated: true },
    ...parts.map(({ path, menu }) => ({ url: listPath(path), label: menu[locale], isTranslated: true })),
    ...pages.map((page) => toTarget(PAGES, page)),
    ...categories.map((category) => toTarget(CATEGORIES, category)),
  ]
}

/** Returns the accent color that pages show: the shop's, adjusted to be readable, or that of the preset. */
export const getAccent = (theme: string, preset: string, accent: string | null): string =>
  getAppearance(theme, preset, accent).tokens.accent
