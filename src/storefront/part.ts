// Types of a storefront part: the pages below one path, their menu entry and their section on the front page.
// The journal is a part, and every app may add one.
import type { Child } from "hono/jsx"
import type { Translations } from "../core/i18n/locale"
import type { PreparedRead } from "../db/prepared"
import type { SitemapPage } from "./crawlers/sitemap"
import type { PageContent } from "./layout"
import type { ListQuery } from "./list-query"
import type { View } from "./view"

/** The site whose rows are read. */
export interface SiteScope {
  siteId: string
  /** The time of the visit: posts that are scheduled for later do not appear. */
  now: Date
  /** Also finds drafts and scheduled posts, for previews. */
  includesUnpublished?: boolean
}

/** Queries of the site database, and a function that turns their results into a page; null when nothing was found. */
export interface PageLoader<Loaded> {
  reads: readonly PreparedRead<unknown>[]
  load(results: readonly (readonly unknown[])[]): Loaded | null
}

/** A loaded page, rendered once it receives a view. */
export type Page = (view: View) => PageContent

/** Section of a part on the front page. */
export interface Section {
  /** First path segment of the part's pages; also the id of the section's heading. */
  path: string
  title: Translations
  /** Text of the link to the whole list. */
  viewAll: Translations
  /** Text of the button below the shop's name, used when this section comes first. */
  callToAction: Translations
  /** Picture for the top of the page and for link previews, if any item has one. */
  image: string | null
  body(view: View): Child
}

/** The section of an app on the page of another app's item. */
export interface ItemExtension {
  body(view: View): Child
  /** Properties of the item's schema.org object. */
  structuredData: Record<string, unknown>
}

/** Loads the section of an app on the page of an item, by the slug or id of the item. */
export type ItemSection = (scope: SiteScope, slug: string) => PageLoader<ItemExtension>

export interface StorefrontPart {
  /** Whether visitors have a cart, which every page then links to. */
  hasCart?: true
  /** First path segment of its pages; unique among the parts. */
  path: string
  /** Text of its menu entry, which links to the list. */
  menu: Translations
  /** Section on the front page; null while there is nothing to show. */
  section?(scope: SiteScope): PageLoader<Section>
  /**
   * List page at `/<path>?page=<number>`; null for a page past the end.
   * @param query the order and the filters, which a part may ignore
   */
  list(scope: SiteScope, page: number, query: ListQuery): PageLoader<Page>
  /** Sitemap page with the URLs of its detail pages; null for a page past the last one. Absent for a part without any. */
  sitemap?(scope: SiteScope, page: number): PageLoader<SitemapPage>
  /**
   * Page at `/orders/<number>?key=<key>`, read from the primary and never cached; null unless the key is the order's.
   * @param keyHash SHA-256 of the key
   */
  order?(scope: SiteScope, number: string, keyHash: string): PageLoader<Page>
  /** Detail page at `/<path>/<slug>`; null when nothing is published under that slug or id. */
  single(scope: SiteScope, slug: string): PageLoader<Page>
}
