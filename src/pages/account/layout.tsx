// The frame of the few pages that mails lead to. They hold tokens in their address, so they load nothing from elsewhere, tell
// nobody where the reader came from, and stay out of caches and of frames.
import type { Context } from "hono"
import type { Child } from "hono/jsx"
import type { Locale } from "../../core/i18n/locale"

const STYLE = `
:root{color-scheme:light dark;--ground:#f4f4f2;--card:#fff;--ink:#1f2328;--soft:#5f6670;--line:#d8dade;--bad:#b42318}
@media (prefers-color-scheme:dark){:root{--ground:#16181b;--card:#202327;--ink:#eceef0;--soft:#a3abb5;--line:#3a3f46;--bad:#ff8a7a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:420px;background:var(--card);border-radius:14px;padding:32px}
.site{color:var(--soft);font-size:14px;margin:0 0 8px}
h1{font-size:22px;line-height:1.3;margin:0 0 12px}
p{margin:0 0 16px}
label{display:block;font-size:14px;margin:0 0 16px}
input{display:block;width:100%;margin-top:6px;padding:10px 12px;border:1px solid var(--line);border-radius:8px;background:transparent;color:inherit;font:inherit}
input:focus-visible,button:focus-visible{outline:3px solid #5b8def;outline-offset:1px}
button{width:100%;padding:12px;border:0;border-radius:8px;background:var(--ink);color:var(--card);font:inherit;font-weight:600;cursor:pointer}
.bad{color:var(--bad)}
`

const HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

interface Page {
  locale: Locale
  /** The site's name. */
  site: string
  title: string
  children: Child
}

/** A whole page, answered. */
export function page(c: Context, status: 200 | 404 | 422 | 429 | 503, { locale, site, title, children }: Page) {
  const document = (
    <html lang={locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${site}`}</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <main>
          <p class="site">{site}</p>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  )
  return c.html(`<!doctype html>${document}`, status, HEADERS)
}
