// Renders a store's data into a complete response: document, status and headers. Pure functions without I/O.
import { canonicalLocale, languageOf } from "../lib/intl"
import { type Appearance, getAppearance, storefrontPolicy } from "./appearance"
import { CART_SCRIPT } from "./cart-script"
import type { CrawlerDocument } from "./crawlers/loader"
import type { ClosedShop, Shop } from "./data"
import { Layout } from "./layout"
import { ClosedPage, REFRESH_SECONDS } from "./pages/closed"
import { renderNotFound } from "./pages/not-found"
import type { Page } from "./part"
import { strings, toSupportedLocale } from "./text/strings"
import { createView } from "./view"

/** Arguments for Hono's `c.body(body, status, headers)`. */
export interface RenderedPage {
  body: string
  status: 200 | 402 | 404 | 503
  headers: Record<string, string>
  /** The accent color of the shop's own. */
  accent?: string | null | undefined
}

/**
 * Renders a page of a serving store.
 * @param shop the visited store
 * @param page the loaded page; null renders the shop's 404 page
 */
export function renderPage(shop: Shop, page: Page | null): RenderedPage {
  const view = createView(shop)
  const appearance = getAppearance(shop.theme, shop.preset, shop.accent)
  const document = <Layout view={view} appearance={appearance} content={page ? page(view) : renderNotFound(view)} />
  const headers = buildHeaders(appearance, scriptOf(shop))
  return { body: document.toString(), status: page ? 200 : 404, headers, accent: shop.accent }
}

/** The script of a shop's pages, if they have one. */
const scriptOf = ({ cart }: Shop): string | undefined => (cart === "counted" ? CART_SCRIPT : undefined)

/**
 * Renders a page that depends on the visitor. No cache stores it.
 * @param status of the response
 */
export function renderVisitorPage(shop: Shop, page: Page, status: number): Response {
  const view = createView(shop)
  const appearance = getAppearance(shop.theme, shop.preset, shop.accent)
  const document = <Layout view={view} appearance={appearance} content={page(view)} />
  return new Response(document.toString(), {
    status,
    headers: {
      ...buildHeaders(appearance, scriptOf(shop)),
      "Cache-Control": "no-store",
      // Browsers send `Origin: null` with forms of pages without a referrer, and the forms' origin is checked.
      "Referrer-Policy": "same-origin",
      Vary: "Accept-Language, Cookie",
    },
  })
}

/**
 * Renders a document for search engines or feed readers.
 * @param document null when it does not exist
 */
export const renderCrawlerDocument = (document: CrawlerDocument | null): RenderedPage => ({
  body: document?.text ?? "Not found.",
  status: document ? 200 : 404,
  headers: {
    "Content-Type": `${document?.type ?? "text/plain"}; charset=utf-8`,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
  },
})

const STATUS = { preparing: 503, suspended: 402, closed: 402, unavailable: 503, unknown_host: 404 } as const

/**
 * Renders the page of a closed shop: 503 while it is prepared or unavailable, 402 when it is suspended, 404 for a host
 * without a store. Sent with `no-store`, because the shop may open at any moment.
 * @param closed the reason and the known data of the store
 */
export function renderClosed(closed: ClosedShop): RenderedPage {
  const locale = canonicalLocale(closed.locale)
  const appearance =
    closed.kind === "unknown_host"
      ? getAppearance("", "")
      : getAppearance(closed.theme, closed.preset, closed.shopAppearance?.accent)
  const headers = { ...buildHeaders(appearance), "Cache-Control": "no-store" }
  const document = (
    <ClosedPage
      closed={closed}
      locale={locale}
      strings={strings[toSupportedLocale(languageOf(locale))]}
      appearance={appearance}
    />
  )
  return {
    body: document.toString(),
    status: STATUS[closed.kind],
    headers: closed.kind === "preparing" ? { ...headers, "Retry-After": String(REFRESH_SECONDS) } : headers,
  }
}

function buildHeaders(appearance: Appearance, script?: string): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": storefrontPolicy(appearance, script),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
  }
}
