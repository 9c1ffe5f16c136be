// Turns a store's data into a finished answer: document, status and headers. Pure; the routes only pass it on.

import { canonicalLocale, languageOf } from "../lib/intl"
import { contentSecurityPolicy, type Look, lookOf } from "./appearance"
import type { Closed, Shop } from "./data"
import { Layout } from "./layout"
import { ClosedPage, REFRESH_SECONDS } from "./pages/closed"
import { notFound } from "./pages/not-found"
import type { Page } from "./part"
import { languageIn, words } from "./text/strings"
import { viewOf } from "./view"

/** As Hono's `c.body(html, status, headers)` takes it. */
export type Rendered = { html: string; status: 200 | 402 | 404 | 503; headers: Record<string, string> }

/**
 * A page of a serving store.
 * @param shop the store the visitor is at
 * @param page what they asked for; null is the shop's own 404
 */
export function renderPage(shop: Shop, page: Page | null): Rendered {
  const view = viewOf(shop)
  const look = lookOf(shop.theme, shop.preset)
  const document = <Layout view={view} look={look} sheet={page ? page(view) : notFound(view)} />
  return { html: doctype(document), status: page ? 200 : 404, headers: headersOf(look) }
}

const STATUS = { preparing: 503, suspended: 402, unavailable: 503, unknown_host: 404 } as const

/**
 * The page for a visitor who gets no shop: 503 while preparing or out of order, 402 when suspended, 404 for a host that
 * is no store's. Never to be kept by a cache, since the next moment may open the shop.
 * @param closed why, and what is known of the store
 */
export function renderClosed(closed: Closed): Rendered {
  const locale = canonicalLocale(closed.locale)
  const look = closed.kind === "unknown_host" ? lookOf("", "") : lookOf(closed.theme, closed.preset)
  const headers = { ...headersOf(look), "Cache-Control": "no-store" }
  return {
    html: doctype(
      <ClosedPage closed={closed} locale={locale} words={words[languageIn(languageOf(locale))]} look={look} />,
    ),
    status: STATUS[closed.kind],
    headers: closed.kind === "preparing" ? { ...headers, "Retry-After": String(REFRESH_SECONDS) } : headers,
  }
}

function doctype(document: { toString(): string | Promise<string> }): string {
  return `<!doctype html>${document}`
}

function headersOf(look: Look): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy(look.css),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
  }
}
