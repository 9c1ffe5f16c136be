// The document around the platform's own pages. No script unless a page brings one, and that by its hash; nothing from elsewhere.
import { createHash } from "node:crypto"
import type { Context } from "hono"
import { raw } from "hono/html"
import type { Child } from "hono/jsx"
import type { Locale } from "../../core/i18n/locale"
import { STYLE } from "../kit/stylesheet"

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const STYLE_HASH = hashOf(STYLE)

export interface Sheet {
  locale: Locale
  /** The platform's or the store's name. */
  brand: string
  /** Where the name leads; absent where there is nowhere to go. */
  home?: string
  title: string
  /** Links of the header. */
  nav?: { href: string; text: string }[]
  skip: string
  body: Child
  foot?: Child
  /** Seconds after which the page is asked for again, or where it goes then. */
  refresh?: string
  /** Whether search engines may keep it. */
  indexed?: boolean
  description?: string
  script?: string
}

/** A whole page, answered. */
export function page(
  c: Context,
  status: 200 | 201 | 202 | 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 502,
  sheet: Sheet,
) {
  const { locale, brand, home, title, nav = [], script } = sheet
  const document = (
    <html lang={locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {!sheet.indexed && <meta name="robots" content="noindex" />}
        {sheet.description && <meta name="description" content={sheet.description} />}
        {sheet.refresh && <meta http-equiv="refresh" content={sheet.refresh} />}
        <meta name="color-scheme" content="light dark" />
        <title>{title === brand ? brand : `${title} · ${brand}`}</title>
        <link rel="icon" href="data:," />
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <a class="skip" href="#content">
          {sheet.skip}
        </a>
        <header class="shell top">
          {home ? (
            <a class="brand" href={home}>
              {brand}
            </a>
          ) : (
            <span class="brand">{brand}</span>
          )}
          {nav.length > 0 && (
            <nav aria-label={brand}>
              {nav.map(({ href, text }) => (
                <a href={href}>{text}</a>
              ))}
            </nav>
          )}
        </header>
        <main id="content">{sheet.body}</main>
        {sheet.foot && (
          <footer class="foot">
            <div class="shell">{sheet.foot}</div>
          </footer>
        )}
        {script && <script>{raw(script)}</script>}
      </body>
    </html>
  )
  const scripts = script ? `; script-src ${hashOf(script)}; connect-src 'self'` : ""
  return c.body(`<!doctype html>${document}`, status, {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    // Without any referrer a browser would not say of a form that it is our own page's, either.
    "Referrer-Policy": "same-origin",
    Vary: "Accept-Language",
    "Content-Security-Policy": `default-src 'none'; style-src ${STYLE_HASH}; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'${scripts}`,
  })
}
